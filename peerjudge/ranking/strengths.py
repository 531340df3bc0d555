"""Bradley-Terry strengths: maximum-likelihood ratings that do not depend on the order of battles."""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.ranking.graphs import find_groups, name_group
from peerjudge.ranking.tally import Floats, head_to_head, share_pairs, win_rates

UNIT = 400.0 / log(10.0)
"""Rating points of one natural unit of strength, by which the odds grow e-fold."""
MIDDLE = 1000.0
"""Mean rating of a group."""
# Converged if no strength changes by more than this, in natural units.
_TOLERANCE = 1e-10
_MOST_STEPS = 100
# Maximum Newton step in natural units; an undamped first step can overshoot.
_LONGEST = 2.0


def bradley_terry(
    tournament: Tournament, *, weights: Floats | None = None, prior: float = 0.0
) -> Floats:
    """Estimate strengths on the Elo scale: mean 1000; 400 points are odds of 10 to 1.

    Groups of contestants that no battles connect are estimated apart: each group has mean
    1000, and strengths of different groups cannot be compared.

    A tie is half a win for each side; each battle counts with its reviewer's weight, which on a pair
    that only some reviewers judged is shared among these (`share_pairs`). The estimate is
    finite only if the contestants cannot be split into two groups of which one never got a point
    from the other. A `prior` of p adds p tied battles to every pair of a group: the estimate is then always
    finite and shrunk towards 1000. A contestant without a counting battle is NaN.

    Args:
        tournament: unreadable battles are excluded.
        weights: weight by reviewer, in the order of `tournament.reviewers`, summing to 1; `None`
            weights all equally.
        prior: tied battles added to every pair.

    Raises:
        DataError: there is no finite estimate.
        ConvergenceError: not converged after 100 Newton steps.
    """
    if not 0.0 <= prior < np.inf:
        msg = f"prior must be a number of tied battles of at least 0, not {prior}"
        raise DataError(msg)
    judges = len(tournament.reviewers)
    share = np.full(judges, 1.0 / judges) if weights is None else weights
    uneven = win_rates(tournament).uneven
    if uneven is not None:
        share = share_pairs(share[None], uneven.judged)[0]
    points = head_to_head(tournament, share * judges)
    levels = np.full(len(points), np.nan)
    for group in find_groups((points + points.T) > 0.0):
        among = points[np.ix_(group, group)] + prior / 2.0 * (1.0 - np.eye(len(group)))
        if not are_connected(among[None])[0]:
            names = ", ".join(name_group(tournament.contestants, group))
            msg = (
                f"no finite Bradley-Terry strengths exist: of {names} some never got a point from "
                "the others; use win rates or Elo, or a prior above 0"
            )
            raise DataError(msg)
        levels[group] = estimate_strengths(among[None])[0]
    return levels


def estimate_strengths(points: Floats) -> Floats:
    """Estimate strengths `[case, contestant]` on the Elo scale; see `estimate_logits`."""
    return MIDDLE + UNIT * estimate_logits(points)


def estimate_logits(points: Floats) -> Floats:
    """Estimate strengths `[case, contestant]`, in log-odds with mean 0, from points `[case, row, column]`.

    Points are those of row against column. Newton's method runs on all cases at once; every case
    must be connected (`are_connected`).
    """
    cases, size, _ = points.shape
    battles = points + points.transpose(0, 2, 1)
    won = points.sum(axis=2)
    levels: Floats = np.zeros((cases, size))
    # Levels are determined up to a constant; this fixes their sum and keeps the matrix regular.
    pin = battles.sum(axis=(1, 2), keepdims=True) / size**2
    for _ in range(_MOST_STEPS):
        chance = 1.0 / (1.0 + np.exp(levels[:, None, :] - levels[:, :, None]))
        slope = won - (battles * chance).sum(axis=2)
        curve = battles * chance * (1.0 - chance)
        matrix = pin - curve + np.eye(size) * curve.sum(axis=2, keepdims=True)
        step = np.asarray(np.linalg.solve(matrix, slope[..., None]), dtype=np.float64)[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        levels = levels + step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST))
        if longest.max(initial=0.0) <= _TOLERANCE:
            return levels - levels.mean(axis=1, keepdims=True)
    msg = f"Bradley-Terry strengths did not converge to {_TOLERANCE:.3g} in {_MOST_STEPS} steps"
    raise ConvergenceError(msg)


def are_connected(points: Floats) -> npt.NDArray[np.bool_]:
    """Return, for each case, `True` if each contestant got points from each other, if only indirectly."""
    size = points.shape[1]
    reach = (points > 0) | np.eye(size, dtype=np.bool_)
    for _ in range(max(size - 1, 1).bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return np.all(reach.reshape(len(reach), -1), axis=1)
