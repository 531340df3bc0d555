"""Where seats stand, and what a discussion or a row of ratings comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Comparison,
    Expects,
    Seat,
    Turn,
    Verdict,
    stances_in,
    strict_majority,
)

__all__ = ["agreed", "best_rated", "final_verdict", "settle", "stances"]


def stances(seats: Sequence[Seat], turns: Sequence[Turn]) -> Mapping[str, Verdict | None]:
    """Each seat's last readable verdict by seat id, in seat order; `None` where it gave none."""
    found = stances_in(turns)
    return {seat.id: found.get(seat.id) for seat in seats}


def agreed(seats: Sequence[Seat], turns: Sequence[Turn]) -> bool:
    """Whether every seat has a stance and all stances are the same."""
    held = set(stances(seats, turns).values())
    return len(held) == 1 and None not in held


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
        return strict_majority(held) or TIE
    readable = [verdict for verdict in given if verdict.readable]
    return (readable or given or [UNREADABLE])[-1]


def best_rated(comparison: Comparison, turns: Sequence[Turn]) -> Verdict:
    """The answer whose rating is nearest to the best end of its scale; `TIE` where several are.

    An answer rated more than once counts with its last rating. Where a rating is missing or could
    not be read nothing is concluded: `REFUSED` where it was declined, else `UNREADABLE`. The one
    answer of a comparison is its choice as soon as it is rated.
    """
    rated = {turn.cue.sees[0]: turn for turn in turns if turn.cue.expects is Expects.RATING}
    if any(turn.review.verdict == REFUSED for turn in rated.values()):
        return REFUSED
    goodness = {
        answer_id: turn.review.score * (1 if turn.cue.scale[0] < turn.cue.scale[1] else -1)
        for answer_id, turn in rated.items()
        if turn.review.score is not None
    }
    if set(goodness) != set(comparison.shown):
        return UNREADABLE
    best = max(goodness.values())
    ahead = [answer_id for answer_id, value in goodness.items() if value == best]
    return Verdict.of(ahead[0]) if len(ahead) == 1 else TIE
