"""Stances and opinion events: what a seat holds, and what becomes of it after it heard another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from peerjudge.data.comparisons import INCONSISTENT, REFUSED, UNREADABLE, Verdict
from peerjudge.data.discussion import Control, Cue, Transcript, Turn
from peerjudge.data.nouns import Noun


class EventKind(StrEnum):
    """The five kinds of opinion event (PRD section 5 names the first two)."""

    HELD = "held"
    """They disagreed; the stance is unchanged (opinion holding)."""
    ALTERED = "altered"
    """They disagreed; the stance is now the other's (opinion altering)."""
    SHIFTED = "shifted"
    """They disagreed; the stance is now a third choice."""
    AGREED = "agreed"
    """They agreed; the stance is unchanged."""
    ALTERED_AFTER_AGREEMENT = "altered_after_agreement"
    """They agreed; the stance changed."""


class Direction(StrEnum):
    """The direction of a move, as seen from a target."""

    TOWARDS = "towards"
    AWAY = "away"
    NEITHER = "neither"


class OpinionEvent(Noun, frozen=True, kw_only=True):
    """One event. `others` is the stance heard: the other seat's, or the strict majority of several.

    `heard` lists the seats with words that were new to this seat. `gold`, `majority` and `first` are
    the direction of the move as seen from the gold answer, the strict majority of the private stances,
    and the first-shown answer; each is `None` for a stance that did not move and where there is no
    such target. `simulated` is true where no real model spoke.

    Under a `control` the kinds mean the same as without it, so that their shares compare. Under a
    placebo, `others` is the stance withheld from the seat and `heard` is empty, so an `ALTERED` is
    unprompted. With swapped labels, `others` is the stance as the listener understands it.
    """

    discussion: str
    condition: str
    comparison: str
    turn: int
    seat: str
    reviewer: str
    role: str
    kind: EventKind
    before: Verdict
    after: Verdict
    others: Verdict
    heard: tuple[str, ...]
    gold: Direction | None = None
    majority: Direction | None = None
    first: Direction | None = None
    simulated: bool = False
    control: Control = "none"


def stances_in(turns: Iterable[Turn]) -> dict[str, Verdict]:
    """Return each seat's stance after these turns by seat id: its last readable verdict."""
    stances: dict[str, Verdict] = {}
    for turn in turns:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable:
            stances[turn.cue.seat] = verdict
    return stances


def stances_heard(turns: Sequence[Turn], cue: Cue) -> dict[str, Verdict]:
    """Return the stances in these turns as the seat of this cue understands them.

    With swapped labels, a stance stands for the answer that the listener sees at the position at which
    the speaker saw its choice. Otherwise it is unchanged.
    """
    stances = stances_in(turns)
    if cue.control != "swapped":
        return stances
    shown = {turn.cue.seat: turn.cue.sees for turn in turns if turn.review.verdict is not None}
    return {
        seat: Verdict.of(cue.sees[shown[seat].index(stance.choice)])
        if stance.choice is not None
        else stance
        for seat, stance in stances.items()
    }


def strict_majority(stances: Iterable[Verdict]) -> Verdict | None:
    """Return the stance that more than half of these share; `None` if there is none."""
    counts = Counter(stances)
    if not counts:
        return None
    stance, count = counts.most_common(1)[0]
    return stance if 2 * count > counts.total() else None


def settle_orders(transcripts: Sequence[Transcript]) -> Verdict:
    """Return the common verdict of discussions that showed the answers in different orders.

    Several discussions in one order, with other leaders or as repetitions, count as their strict
    majority. An order without a readable verdict makes the whole unreadable, or refused.
    """
    by_order: dict[tuple[str, ...], list[Verdict]] = {}
    for transcript in transcripts:
        by_order.setdefault(transcript.comparison.shown, []).append(transcript.verdict)
    verdicts = [_settle_order(found) for found in by_order.values()]
    if REFUSED in verdicts:
        return REFUSED
    if not verdicts or UNREADABLE in verdicts:
        return UNREADABLE
    return verdicts[0] if len(set(verdicts)) == 1 else INCONSISTENT


def _settle_order(verdicts: Sequence[Verdict]) -> Verdict:
    common = strict_majority(verdicts)
    if common is not None:
        return common
    unread = [verdict for verdict in verdicts if not verdict.readable]
    if REFUSED in unread:
        return REFUSED
    return INCONSISTENT if not unread else UNREADABLE
