"""One discussion as a row of a list: integers to filter and sort by, and a short preview."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import TypeAlias

from peerjudge.analysis.pricing import Prices
from peerjudge.data import (
    Comparison,
    Direction,
    EventKind,
    OpinionEvent,
    Outcome,
    Role,
    StopReason,
    Transcript,
    Verdict,
)
from peerjudge.tracker import opinion_events, stance_of

Key: TypeAlias = tuple[int, int, int]
"""Place of a row in its order: the sort value, the number and the condition."""

KINDS = tuple(EventKind)
"""Kinds of opinion events; the position of a kind is its bit in `ListedDiscussion.kinds`."""

_PREVIEW = 160
_MARKS = {Outcome.TIE: "=", Outcome.UNREADABLE: "?", Outcome.REFUSED: "!"}


class Flag(IntFlag):
    """Filters of discussions, as bits."""

    ALTERED = 1
    """A seat altered its opinion."""
    DISAGREED = 2
    """A discussion that ended with different stances."""
    AWAY = 4
    """A follower moved away from gold."""
    UNREADABLE = 8
    """A verdict was unreadable or refused."""
    FAILED = 16


class State(IntEnum):
    """Progress of a listed discussion."""

    OPEN = 0
    DONE = 1
    FAILED = 2


class Against(IntEnum):
    """Conclusion of a discussion, held against gold."""

    OPEN = 0
    """There is no conclusion."""
    NO_GOLD = 1
    RIGHT = 2
    WRONG = 3
    UNDECIDED = 4
    """The conclusion is unreadable, refused or inconsistent."""


class Moved(IntEnum):
    """Bits of `ListedDiscussion.moved`: a seat moved towards gold, or away from it."""

    TOWARDS = 1
    AWAY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDiscussion:
    """A discussion as a list shows it. Latency in milliseconds, cost in millionths of a USD.

    `choice` and `order` are places among the sorted ids of the answers, from 1, so that they mean the
    same answer in both shown orders; `choice` is 0 where none is chosen, `order` names the answer that is
    shown first. `moves` has seat, mark, answer and privacy of each turn. `cost` is `None` where a
    price is unknown. `seating` has reviewer, role and temperature of each seat. `key` is the place of the
    row in a list in order.
    """

    key: Key = (0, 0, 0)
    id: str
    condition: str
    comparison: str
    question: str
    protocol: str
    seating: Sequence[tuple[str, str, float | None]]
    subset: str
    state: State
    flags: int
    kinds: int
    moved: int
    against: Against
    choice: int
    order: int
    turns: int
    tokens: int
    latency: int
    cost: int | None
    moves: Sequence[tuple[int, str, int, int]]
    verdict: str
    gold: str
    failure: str

    @property
    def events(self) -> Sequence[str]:
        """Kinds of the opinion events of the discussion."""
        return tuple(kind.value for place, kind in enumerate(KINDS) if self.kinds & 1 << place)


def list_discussion(transcript: Transcript, prices: Prices) -> ListedDiscussion:
    """Return the discussion as a row of a list."""
    comparison = transcript.comparison
    events = opinion_events(transcript)
    directions = {event.gold for event in events}
    replies = [turn.utterance for turn in transcript.turns]
    seats = {seat.id: place for place, seat in enumerate(transcript.seats)}
    failure = transcript.failure
    return ListedDiscussion(
        id=transcript.id,
        condition=transcript.condition,
        comparison=comparison.id,
        question=" ".join(comparison.question.text[: 2 * _PREVIEW].split())[:_PREVIEW],
        protocol=transcript.protocol,
        seating=tuple(
            (one.reviewer, one.role, transcript.temperature(one)) for one in transcript.seats
        ),
        subset=comparison.subset,
        state={None: State.OPEN, StopReason.FAILED: State.FAILED}.get(transcript.stop, State.DONE),
        flags=int(find_flags(transcript, events)),
        kinds=sum(1 << KINDS.index(kind) for kind in {event.kind for event in events}),
        moved=Moved.TOWARDS * (Direction.TOWARDS in directions)
        + Moved.AWAY * (Direction.AWAY in directions),
        against=hold_against_gold(transcript),
        choice=find_tone(transcript.verdict, comparison),
        order=find_tone(Verdict.of(comparison.shown[0]), comparison),
        turns=len(transcript.turns),
        tokens=sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in replies),
        latency=round(1000 * sum(one.latency for one in replies)),
        cost=_find_cost(transcript, prices),
        moves=tuple(
            (
                seats[turn.cue.seat],
                mark_verdict(turn.review.verdict, comparison),
                find_tone(turn.review.verdict, comparison),
                int(turn.cue.private),
            )
            for turn in transcript.turns
        ),
        verdict=mark_verdict(transcript.verdict, comparison),
        gold=mark_verdict(comparison.gold, comparison),
        failure="" if failure is None else f"{failure.kind}: {failure.message}"[:_PREVIEW],
    )


def find_flags(transcript: Transcript, events: Iterable[OpinionEvent]) -> Flag:
    """Return the filters that this discussion passes."""
    events = list(events)
    finals = {
        stance
        for seat in transcript.seats
        if (stance := stance_of(transcript, seat, stance="final")) is not None and stance.readable
    }
    discussed = transcript.stop is StopReason.COMPLETE and any(
        not turn.cue.private for turn in transcript.turns
    )
    verdicts = [turn.review.verdict for turn in transcript.turns]
    holds = {
        Flag.ALTERED: any(event.kind is EventKind.ALTERED for event in events),
        Flag.DISAGREED: discussed and len(finals) > 1,
        Flag.AWAY: any(e.role == Role.FOLLOWER and e.gold is Direction.AWAY for e in events),
        Flag.UNREADABLE: any(v is not None and not v.readable for v in verdicts),
        Flag.FAILED: transcript.stop is StopReason.FAILED,
    }
    return Flag(sum(flag for flag, passed in holds.items() if passed))


def mark_verdict(verdict: Verdict | None, comparison: Comparison) -> str:
    """Return a verdict as one character: the place of the choice in the shown order, from 1.

    `=` is a tie, `?` unreadable, `!` refused, `-` no verdict.
    """
    if verdict is None:
        return "-"
    if verdict.choice is not None and verdict.choice in comparison.shown:
        return str(comparison.shown.index(verdict.choice) + 1)
    return _MARKS.get(verdict.outcome, "?")


def find_tone(verdict: Verdict | None, comparison: Comparison) -> int:
    """Return the place of the chosen answer among the sorted ids, from 1; 0 where none is chosen."""
    if verdict is None or verdict.choice not in comparison.shown:
        return 0
    return sorted(comparison.shown).index(verdict.choice) + 1


def hold_against_gold(transcript: Transcript) -> Against:
    """Return whether the conclusion of a discussion is the gold verdict."""
    gold, verdict = transcript.comparison.gold, transcript.verdict
    if transcript.stop is not StopReason.COMPLETE:
        return Against.OPEN
    if gold is None:
        return Against.NO_GOLD
    if not verdict.readable:
        return Against.UNDECIDED
    return Against.RIGHT if verdict == gold else Against.WRONG


def _find_cost(transcript: Transcript, prices: Prices) -> int | None:
    """Return the cost of the paid replies; a reviewer without an entry is free."""
    total = 0.0
    names = {seat.id: seat.reviewer for seat in transcript.seats}
    for turn in transcript.turns:
        reply, reviewer = turn.utterance, names[turn.cue.seat]
        if reply.simulated or reply.cached or reviewer not in prices:
            continue
        price = prices[reviewer]
        if price is None:
            return None
        usage = reply.usage
        total += usage.prompt_tokens * price[0] + usage.completion_tokens * price[1]
    # Prices are for a million tokens, so that the sum is in millionths of a USD.
    return round(total)
