"""Conclusions: the stances of the seats, and the verdict of a discussion or of ratings."""

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

Quorum = Literal["one", "half", "all"]
"""Seats whose stances make a conclusion: any one, more than half of them, or all."""


def collect_stances(seats: Sequence[Seat], turns: Sequence[Turn]) -> Mapping[str, Verdict | None]:
    """Return each seat's last readable verdict by seat id, in seat order; `None` without one."""
    found = stances_in(turns)
    return {seat.id: found.get(seat.id) for seat in seats}


def is_unanimous(seats: Sequence[Seat], turns: Sequence[Turn]) -> bool:
    """Return whether every seat has a stance and all stances are the same."""
    held = set(collect_stances(seats, turns).values())
    return len(held) == 1 and None not in held


def last_verdict(
    seats: tuple[Seat, ...], comparison: Comparison, turns: Sequence[Turn], options: object = None
) -> Verdict:
    """Return the last readable verdict; else the last verdict; `UNREADABLE` if there is none."""
    return _last([turn.review.verdict for turn in turns])


def settle(
    seats: tuple[Seat, ...],
    turns: Sequence[Turn],
    outcome: Literal["last", "leader", "majority"],
    quorum: Quorum = "one",
) -> Verdict:
    """Return the conclusion of a discussion; `UNREADABLE` where the seats with a stance are no quorum.

    * `last`: the last readable verdict of any seat (PRD takes the last turn).
    * `leader`: the common stance of all seats, else the last readable verdict of the first seat.
    * `majority`: the stance of more than half of the seats that have one; `TIE` without a majority.

    Where no seat in question has a stance: the last verdict given, else `UNREADABLE`.
    """
    held = [stance for stance in collect_stances(seats, turns).values() if stance is not None]
    if held and len(held) < {"one": 0, "half": len(seats) // 2 + 1, "all": len(seats)}[quorum]:
        return UNREADABLE
    if outcome == "leader":
        if is_unanimous(seats, turns):
            return held[0]
        return _last([turn.review.verdict for turn in turns if turn.cue.seat == seats[0].id])
    if outcome == "majority" and held:
        return strict_majority(held) or TIE
    return _last([turn.review.verdict for turn in turns])


def _last(verdicts: Sequence[Verdict | None]) -> Verdict:
    given = [verdict for verdict in verdicts if verdict is not None]
    readable = [verdict for verdict in given if verdict.readable]
    return (readable or given or [UNREADABLE])[-1]


def choose_best_rated(comparison: Comparison, turns: Sequence[Turn]) -> Verdict:
    """Return the answer with the rating nearest to the best end of its scale; `TIE` for several.

    The last rating of an answer counts. Where a rating is missing or cannot be read there is no
    conclusion: `REFUSED` if one was declined, else `UNREADABLE`. A lone answer is the choice as soon
    as it is rated.
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
