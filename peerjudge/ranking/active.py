"""Choice of the pairs of contestants whose order is most open, for the next comparisons of a ranking."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from peerjudge.ranking.strengths import estimate_logits
from peerjudge.ranking.tally import Floats

_LEAST_SPREAD = 1e-12
_EXPLORING = 5
_LEAST_VARIANCE = 0.01
"""Least variance of strengths, in squared log-odds."""


def choose_pairs(
    points: Floats, left: npt.NDArray[np.int64], *, count: int
) -> list[tuple[int, int]]:
    """Return up to `count` pairs for the next comparisons.

    The usefulness of a pair is q (1 - q) r, where q is the probability that the higher one of the two is
    the stronger one, and r the share of the variance of their difference that one more comparison
    removes. Both come from the normal approximation of Bradley-Terry strengths, with one tied
    comparison per contestant added so that they are finite. Pairs far apart have a small q (1 - q), pairs
    that were compared often a small r: a true tie therefore does not use up all comparisons.

    Every fifth choice is the pair about which least is known, as if all were alike. Without these,
    contestants that chance put far apart early would not meet again, and strengths would be estimated too
    far apart. Variances are updated after each choice, and equal pairs are taken in order, so that the
    same points give the same choice.

    Args:
        points: of row against column, in comparisons: a won one is 1 point, a tie half a point each.
        left: number of comparisons of row and column that can still be played; symmetric.
        count: number of pairs, which may repeat.
    """
    size = len(points)
    if size < 2:
        return []
    prior = (1.0 - np.eye(size)) / (size - 1)
    known = points + prior / 2.0
    strengths, covariance = _shrink(estimate_logits(known[None])[0], known + known.T)
    gaps = np.abs(strengths[:, None] - strengths)
    information = _inform(gaps)
    remaining = np.triu(left, 1)
    chosen: list[tuple[int, int]] = []
    moved: Floats
    while len(chosen) < count and remaining.any():
        explores = len(chosen) % _EXPLORING == _EXPLORING - 1
        apart = np.zeros_like(gaps) if explores else gaps
        use = np.where(remaining > 0, _measure_use(covariance, apart), -1.0)
        row, column = divmod(int(use.argmax()), size)
        chosen.append((row, column))
        remaining[row, column] -= 1
        moved = np.asarray(covariance[:, row] - covariance[:, column], dtype=np.float64)
        gained, spread = float(information[row, column]), float(moved[row] - moved[column])
        covariance -= np.outer(moved, moved) * (gained / (1.0 + gained * spread))
    return chosen


def _inform(gaps: Floats) -> Floats:
    """Return the information of a comparison on a difference of this size."""
    chance = 1.0 / (1.0 + np.exp(gaps))
    return chance * (1.0 - chance)


def _shrink(strengths: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Return mean and covariance of the strengths, given that they come from a normal distribution.

    Its variance is that of the estimates beyond their error (empirical Bayes), so that contestants that
    differ no more than by chance count as alike, however far apart the first results put them.
    """
    size = len(strengths)
    weights = games * _inform(np.abs(strengths[:, None] - strengths))
    curve = np.diag(weights.sum(axis=1)) - weights
    # Strengths are determined up to a constant, which the added matrix fixes.
    error = np.linalg.inv(curve + 1.0 / size) - 1.0 / size
    variance = max(float(strengths.var(ddof=1)) - float(np.diag(error).mean()), _LEAST_VARIANCE)
    covariance: Floats = np.asarray(
        np.linalg.inv(curve + np.eye(size) / variance), dtype=np.float64
    )
    return covariance @ curve @ strengths, covariance


def _measure_use(covariance: Floats, gaps: Floats) -> Floats:
    """Return the usefulness of one more comparison of every pair."""
    from scipy.special import ndtr

    own = np.diag(covariance)
    spread = np.maximum(own[:, None] + own - 2.0 * covariance, _LEAST_SPREAD)
    sure: Floats = np.asarray(ndtr(gaps / np.sqrt(spread)), dtype=np.float64)
    gained = _inform(gaps) * spread
    removed = gained / (1.0 + gained)
    # Rounding must not decide between equal pairs.
    return np.round(sure * (1.0 - sure) * removed, 12)
