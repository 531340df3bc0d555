"""How Elo ratings grow with the battles (PRD Figure 4), averaged over many orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.analysis.findings.nouns import Trajectory
from peerjudge.data import Tournament
from peerjudge.ranking import elo_trajectory

__all__ = ["trajectories"]

_ORDERS = 500
_POINTS = 20


def trajectories(
    tournament: Tournament,
    *,
    weights: Mapping[str, float],
    contestants: Sequence[str],
    most: int,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Trajectory, ...]:
    """The mean rating of each contestant after so many battles, and the bounds over the orders.

    One order proves nothing, so each point is over 500 random orders of all battles, of which the
    first so many have been played.

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer, the same throughout.
        contestants: whose ratings are followed.
        most: battles to follow; there may be fewer.
        seed: of the orders.
        level: of the bounds.
    """
    battles = int(np.count_nonzero(tournament.readable))
    last = min(most, battles)
    step = _step(most)
    random = np.random.default_rng(seed)
    orders = np.array([random.permutation(battles)[:last] for _ in range(_ORDERS)], dtype=np.int32)
    share = np.array([weights[name] for name in tournament.reviewers])
    found = elo_trajectory(tournament, every=step, weights=share, orders=orders)
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    mean, (low, high) = found.ratings.mean(axis=1), np.quantile(found.ratings, tails, axis=1)
    place = {name: index for index, name in enumerate(tournament.contestants)}
    return tuple(
        Trajectory(
            contestant=name,
            battles=tuple(int(count) for count in found.battles),
            mean=tuple(mean[:, place[name]].tolist()),
            low=tuple(low[:, place[name]].tolist()),
            high=tuple(high[:, place[name]].tolist()),
        )
        for name in contestants
    )


def _step(battles: int) -> int:
    """A round number of battles that makes at most 20 points."""
    power = 1
    while True:
        for size in (1, 2, 5):
            if battles <= size * power * _POINTS:
                return size * power
        power *= 10
