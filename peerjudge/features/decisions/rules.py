"""Decision rules: from the stances of the seats of many discussions to one verdict each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from peerjudge.analysis.ballots import NONE, TIE, Bools, Codes, Floats

__all__ = ["RULES", "Stances"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stances:
    """Stances at one moment: `held` `[discussion, seat]`, coded as `Ballots.verdict`, `NONE` without one.

    `last` is by discussion the last readable verdict of any seat. By seat: `judges` is true for a role
    `judge`, `weights` has the peer weights and `confidence` what was stated with the stance (NaN without);
    they are `None` where nothing of the kind is stored.
    """

    held: Codes
    last: Codes
    judges: Bools | None = None
    weights: Floats | None = None
    confidence: Floats | None = None

    def lack(self, quorum: str) -> Bools:
        """Return by discussion whether some, but fewer seats than this quorum have a stance."""
        known, seats = (self.held != NONE).sum(axis=1), self.held.shape[1]
        return (known > 0) & (known < {"half": seats // 2 + 1, "all": seats}.get(quorum, 0))

    def count(self, weights: Floats | None = None) -> Floats:
        """Return `[discussion, stance]` the seats, or their weight, that hold it; stance 0 is a tie."""
        size, seats = self.held.shape
        votes = np.zeros((size, int(self.held.max(initial=TIE)) - TIE + 1))
        for seat in range(seats):
            held = self.held[:, seat]
            rows = np.flatnonzero(held != NONE)
            one = 1.0 if weights is None else weights[rows, seat]
            votes[rows, held[rows] - TIE] += one
        return votes


def _take_share(stances: Stances, above: Callable[[Floats, Floats], Bools], without: int) -> Codes:
    """Return the first stance whose votes are `above` of all, else `without`; `NONE` without stances."""
    votes = stances.count()
    total, most = votes.sum(axis=1), votes.max(axis=1, initial=0.0)
    found = np.where(above(most, total), votes.argmax(axis=1) + TIE, without)
    return np.where(total > 0.0, found, NONE).astype(np.int8)


def _take_most(votes: Floats) -> Codes:
    """Return the stance with the most votes, a tie where several have; `NONE` without votes."""
    most = votes.max(axis=1, keepdims=True, initial=0.0)
    first = (votes >= most * (1.0 - 1e-9)) & (votes > 0.0)
    count = first.sum(axis=1)
    found = np.where(count == 1, first.argmax(axis=1) + TIE, TIE)
    return np.where(count > 0, found, NONE).astype(np.int8)


def _vote(stances: Stances) -> Codes:
    held = stances.held
    first = held[np.arange(len(held)), (held != NONE).argmax(axis=1)]
    found = _take_share(stances, _exceeds_half, NONE)
    return np.where(found == NONE, first, found).astype(np.int8)


def _exceeds_half(most: Floats, total: Floats) -> Bools:
    return 2.0 * most > total


def _unanimity(stances: Stances) -> Codes:
    held = stances.held
    same = (held == held[:, :1]).all(axis=1)
    return np.where(same, held[:, 0], NONE).astype(np.int8)


def _judge(stances: Stances) -> Codes | None:
    if stances.judges is None:
        return None
    decided = np.full(len(stances.held), NONE, dtype=np.int8)
    for seat in range(stances.held.shape[1]):
        held = stances.held[:, seat]
        decided = np.where(stances.judges[:, seat] & (held != NONE), held, decided)
    return decided


def _peers(stances: Stances) -> Codes | None:
    return None if stances.weights is None else _take_most(stances.count(stances.weights))


def _confidence(stances: Stances) -> Codes | None:
    if stances.confidence is None:
        return None
    known = ~np.isnan(stances.confidence)
    stated = ((stances.held == NONE) | known).all(axis=1)
    votes = stances.count(np.where(known, stances.confidence, 0.0))
    return np.where(stated, _take_most(votes), NONE).astype(np.int8)


RULES: Mapping[str, Callable[[Stances], Codes | None]] = MappingProxyType(
    {
        "last": lambda stances: stances.last,
        "leader": lambda stances: stances.held[:, 0],
        "majority": lambda stances: _take_share(stances, _exceeds_half, TIE),
        "vote": _vote,
        "plurality": lambda stances: _take_most(stances.count()),
        "supermajority": lambda stances: _take_share(
            stances, lambda most, total: 3.0 * most >= 2.0 * total, NONE
        ),
        "unanimity": _unanimity,
        "judge": _judge,
        "peers": _peers,
        "confidence": _confidence,
    }
)
"""Decision rules by name; `None` where what a rule needs is not stored.

`last` is the last readable verdict, `leader` that of the first seat. `majority` is the stance of more than
half of the seats that have one, a tie without; a `vote` is decided by the first seat without, as the
protocol of that name does; `plurality` is the most frequent stance, a tie of several. A `supermajority` is
two thirds of these seats, `unanimity` all seats; without them nothing is decided. `judge` is the verdict of
the seat with that role. `peers` and `confidence` are pluralities by weight: of the damped peer weights, and
of the confidence that people stated.
"""
