"""Ranks of scores, and their bounds in resampled questions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from peerjudge.data import LEVEL
from peerjudge.ranking.tally import Floats

_EQUAL = 1e-9
# (sample, contestant, contestant) comparisons at a time, which bounds the memory.
_MOST_PAIRS = 1 << 20
_TAILS = ((1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0)


def rank_bounds(scores: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Compute percentile bounds of the ranks of scores `[sample, contestant]`.

    Contestants of equal scores may have any of the ranks that they share.
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = np.quantile(rank_scores(known), _TAILS[0], axis=0, method="lower")
    last = scores.shape[1] + 1 - rank_scores(-known)
    worst = np.quantile(last, _TAILS[1], axis=0, method="higher")
    return best.astype(np.int64), worst.astype(np.int64)


def outranking_shares(scores: Floats) -> Floats:
    """Return the share of samples in which row scores above column; a tie counts half.

    A contestant without a score is below all others. `[x, y]` and `[y, x]` sum to 1; the diagonal is
    one half.
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    size = scores.shape[1]
    above = np.zeros((size, size))
    span = max(1, _MOST_PAIRS // size**2)
    for start in range(0, len(known), span):
        part = known[start : start + span]
        better = part[:, :, None] - _EQUAL > part[:, None, :]
        above += (
            better.sum(axis=0) + (len(part) - (better | better.swapaxes(1, 2)).sum(axis=0)) / 2.0
        )
    return above / len(scores)


def rank_scores(scores: Floats) -> npt.NDArray[np.int64]:
    """Rank scores along the last axis, 1 is best; equal scores share the better rank; NaN is last."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    rows = known.reshape(-1, known.shape[-1])
    place = np.empty(rows.shape, dtype=np.int64)
    # Row by row, because comparing all pairs of 2,000 contestants at once takes gigabytes.
    for row, into in zip(rows, place, strict=True):
        not_above = np.searchsorted(np.sort(row), row + _EQUAL, side="right")
        into[:] = 1 + row.size - not_above
    return place.reshape(known.shape)
