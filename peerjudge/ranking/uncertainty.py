"""What scores in resampled tournaments say of scores, ranks, and who outranks whom."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from peerjudge.ranking.tally import Floats

__all__ = ["Bounds", "bounds", "intervals", "outranks", "ranks"]

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds:
    """By contestant: the bounds of its score and of its rank."""

    low: Floats
    high: Floats
    rank_low: npt.NDArray[np.int64]
    rank_high: npt.NDArray[np.int64]


def bounds(scores: Floats, *, level: float = 0.95, questions: int | None = None) -> Bounds:
    """The percentile bounds of scores `[sample, contestant]`, and of the ranks they make.

    Args:
        scores: NaN where a contestant has none.
        level: of the intervals.
        questions: for win rates, how many were resampled. A contestant who won everywhere, or
            nowhere, does so in every resample; its bounds are then Wilson's for that many questions.
    """
    low, high = intervals(scores, level=level)
    if questions is not None:
        z = NormalDist().inv_cdf((1.0 + level) / 2.0)
        unseen = z * z / (questions + z * z)
        extreme = (high - low <= _EQUAL) & ((low <= _EQUAL) | (high >= 1.0 - _EQUAL))
        low, high = (
            np.where(extreme & (low > 0.5), 1.0 - unseen, low),
            np.where(extreme & (high < 0.5), unseen, high),
        )
    tails = _tails(level)
    place = ranks(scores)
    best = np.quantile(place, tails[0], axis=0, method="lower")
    worst = np.quantile(place, tails[1], axis=0, method="higher")
    return Bounds(
        low=low,
        high=high,
        rank_low=best.astype(np.int64),
        rank_high=worst.astype(np.int64),
    )


def intervals(values: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """The percentile bounds of every column of `[sample, column]`; NaN where there are no values."""
    low, high = np.full((2, values.shape[1]), np.nan)
    known = ~np.all(np.isnan(values), axis=0)
    low[known], high[known] = np.nanquantile(values[:, known], _tails(level), axis=0)
    return low, high


def outranks(scores: Floats) -> Floats:
    """`[one, other]`: the share of samples in which one scores above the other, ties as half.

    A contestant without a score is below all others. One's share and the other's add up to 1; the
    diagonal is one half.
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    above = np.zeros((scores.shape[1], scores.shape[1]))
    for sample in known:
        apart = sample[:, None] - _EQUAL
        above += 1.0 * (apart > sample)
        above += 0.5 * ((apart <= sample) & (sample[:, None] >= sample - _EQUAL))
    return above / len(scores)


def ranks(scores: Floats) -> npt.NDArray[np.int64]:
    """1 for the best along the last axis; equal scores share the better rank; NaN comes last."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    rows = known.reshape(-1, known.shape[-1])
    place = np.empty(rows.shape, dtype=np.int64)
    # Row by row, because comparing all pairs of two thousand contestants at once is gigabytes.
    for row, into in zip(rows, place, strict=True):
        not_above = np.searchsorted(np.sort(row), row + _EQUAL, side="right")
        into[:] = 1 + row.size - not_above
    return place.reshape(known.shape)


def _tails(level: float) -> tuple[float, float]:
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0
