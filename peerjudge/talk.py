"""The mechanics that discussions share: private reviews, taking turns, agreeing, and settling.

Seats are passed leader first, so who leads is decided before a protocol is asked. All indices are
those of the discussion's turns, from 0. A turn is *private* when its cue is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from peerjudge.data import TIE, UNREADABLE, Comparison, Cue, Expects, Seat, Turn, Verdict
from peerjudge.errors import ProtocolError

__all__ = [
    "Ask",
    "Manner",
    "Rounds",
    "Talk",
    "agreed",
    "explained_cues",
    "final_verdict",
    "majority",
    "private_cue",
    "settle",
    "stances",
    "talk_cue",
]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """How a verdict is asked for.

    `aspects` names the pack's criteria; without them the instruction is generic (PRD, Table 9).
    `ties` allows a tie as verdict.
    """

    aspects: bool = True
    ties: bool = False


@dataclass(frozen=True, kw_only=True)
class Manner(Ask):
    """How a discussion is held, apart from its length.

    Attributes:
        stop: `fixed` runs to the full length; `agreement` ends after the first discussion turn at
            which every seat has a stance and all are the same.
        hears: whose private reviews a seat hears in the discussion: `all` or only its `own`.
        remind: repeats the speaker's role in each discussion cue (PRD, Table 9, "w/ role").
        only_if_disagreeing: skips the discussion when the private stances already agree.
        outcome: how it is settled, see `settle`.
    """

    stop: Literal["fixed", "agreement"] = "fixed"
    hears: Literal["all", "own"] = "all"
    remind: bool = False
    only_if_disagreeing: bool = False
    outcome: Literal["last", "leader", "majority"] = "last"


@dataclass(frozen=True, kw_only=True)
class Talk(Manner):
    """A discussion of at most `turns` turns after the private reviews (the leader's is the first)."""

    turns: int = 4

    def __post_init__(self) -> None:
        _require_count("turns", self.turns)


@dataclass(frozen=True, kw_only=True)
class Rounds(Manner):
    """A discussion of at most `rounds` rounds after the private reviews; each seat speaks once a round."""

    rounds: int = 2

    def __post_init__(self) -> None:
        _require_count("rounds", self.rounds)


def _require_count(name: str, value: int) -> None:
    if value < 0:
        msg = f"option {name!r} must be 0 or more, not {value}"
        raise ProtocolError(msg)


def private_cue(
    seat: Seat,
    comparison: Comparison,
    ask: Ask,
    *,
    task: str = "review_explained",
    hears: tuple[int, ...] = (),
) -> Cue:
    """The seat's review of all answers before it has heard anybody; `hears` may name its own turns."""
    return Cue(
        seat=seat.id,
        task=task,
        sees=comparison.shown,
        hears=hears,
        private=True,
        ties=ask.ties,
        aspects=ask.aspects,
    )


def explained_cues(
    seat: Seat, comparison: Comparison, ask: Ask, *, start: int = 0
) -> tuple[Cue, ...]:
    """The seat's private cues in the manner of PRePair, when the first of them is turn `start`.

    Each answer is explained alone, by somebody who sees only it and hears nothing; then the seat
    decides, seeing all answers and hearing its explanations (PRePair, section 4 and Figure 7).
    """
    explanations = tuple(
        Cue(
            seat=seat.id,
            task="explain_one",
            sees=(answer_id,),
            expects=Expects.TEXT,
            private=True,
            aspects=ask.aspects,
        )
        for answer_id in comparison.shown
    )
    own = tuple(range(start, start + len(explanations)))
    return (*explanations, private_cue(seat, comparison, ask, task="decide", hears=own))


def talk_cue(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    manner: Manner,
    *,
    length: int,
) -> Cue | None:
    """The next cue of a discussion of `length` turns in seat order, or `None` when it is over.

    A speaker sees all answers and hears the private reviews that `manner.hears` lets it, all
    discussion turns so far, and always what it said itself.
    """
    spoken = sum(not turn.cue.private for turn in turns)
    if spoken >= length or _may_stop(seats, turns, manner, spoken):
        return None
    speaker = seats[spoken % len(seats)]
    hears = tuple(
        index
        for index, turn in enumerate(turns)
        if not turn.cue.private or manner.hears == "all" or turn.cue.seat == speaker.id
    )
    return Cue(
        seat=speaker.id,
        task="discuss",
        sees=comparison.shown,
        hears=hears,
        ties=manner.ties,
        aspects=manner.aspects,
        remind=manner.remind,
    )


def _may_stop(
    seats: tuple[Seat, ...], turns: tuple[Turn, ...], manner: Manner, spoken: int
) -> bool:
    asked = manner.stop == "agreement" if spoken else manner.only_if_disagreeing
    return asked and agreed(seats, turns)


def stances(seats: Sequence[Seat], turns: Sequence[Turn]) -> Mapping[str, Verdict | None]:
    """Each seat's last readable verdict by seat id, in seat order; `None` where it gave none."""
    found: dict[str, Verdict | None] = {seat.id: None for seat in seats}
    for turn in turns:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable:
            found[turn.cue.seat] = verdict
    return found


def agreed(seats: Sequence[Seat], turns: Sequence[Turn]) -> bool:
    """Whether every seat has a stance and all stances are the same."""
    held = set(stances(seats, turns).values())
    return len(held) == 1 and None not in held


def majority(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict that more than half of these readable verdicts are, or `None`."""
    counts = Counter(verdicts)
    return next((verdict for verdict, n in counts.items() if 2 * n > len(verdicts)), None)


def final_verdict(seat: Seat, turns: Sequence[Turn]) -> Verdict:
    """The seat's stance; if it has none, the last verdict it gave; `UNREADABLE` if it gave none."""
    given = [turn.review.verdict for turn in turns if turn.cue.seat == seat.id]
    verdicts = [verdict for verdict in given if verdict is not None]
    readable = [verdict for verdict in verdicts if verdict.readable]
    return (readable or verdicts or [UNREADABLE])[-1]


def settle(
    seats: tuple[Seat, ...],
    turns: Sequence[Turn],
    outcome: Literal["last", "leader", "majority"],
) -> Verdict:
    """What a discussion came to.

    * `last`: the last readable verdict, whoever gave it (PRD takes the last turn).
    * `leader`: what all seats agree on; where they do not, the `final_verdict` of the first seat.
    * `majority`: what more than half of the seats with a stance hold; `TIE` when none is held by
      more than half.

    Where the seats in question have no stance at all, the last verdict given (`REFUSED` or
    `UNREADABLE`); where none was given, `UNREADABLE`.
    """
    held = [stance for stance in stances(seats, turns).values() if stance is not None]
    if outcome == "leader":
        return held[0] if agreed(seats, turns) else final_verdict(seats[0], turns)
    given = [turn.review.verdict for turn in turns if turn.review.verdict is not None]
    if outcome == "majority" and held:
        return majority(held) or TIE
    readable = [verdict for verdict in given if verdict.readable]
    return (readable or given or [UNREADABLE])[-1]
