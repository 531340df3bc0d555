"""Sums of values over clusters, which are usually questions, and draws of clusters with replacement."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.errors import DataError

__all__ = [
    "Clusters",
    "Floats",
    "Numbers",
    "draw_clusters",
    "number_clusters",
    "resample_sums",
    "sum_by_cluster",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Clusters: TypeAlias = Sequence[Hashable] | npt.NDArray[np.integer]
"""The cluster of every observation: names, or an array of codes."""

_KEPT = 10_000
"""Up to this number of clusters the draws are cached for the next interval."""
_BLOCK = 1 << 14
"""Draws counted at a time: few enough for the processor cache."""


def sum_by_cluster(columns: Floats, clusters: Clusters) -> Floats:
    """Return columns `[observation, column]` summed by cluster, in order of appearance.

    Clusters given as an array of codes come in the order of the codes, which is faster.
    """
    if len(columns) != len(clusters):
        msg = f"{len(columns)} values cannot belong to {len(clusters)} clusters"
        raise DataError(msg)
    at = number_clusters(clusters)
    sums = [np.bincount(at, column, int(at.max(initial=-1)) + 1) for column in columns.T]
    return np.asarray(sums, dtype=np.float64).T


def number_clusters(clusters: Clusters) -> npt.NDArray[np.intp]:
    """Return the clusters as numbers from 0: codes in their order, others in that of appearance."""
    if isinstance(clusters, np.ndarray):
        return np.unique(clusters, return_inverse=True)[1]
    numbers: dict[Hashable, int] = {}
    return np.array(
        [numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.intp
    )


def resample_sums(sums: Floats, *, samples: int, seed: int) -> Floats:
    """Return `[sample, column]`: the sums of `sums[cluster, column]` over the drawn clusters."""
    if len(sums) <= _KEPT:
        return draw_clusters(len(sums), samples=samples, seed=seed) @ sums
    # The draws of so many clusters would fill the memory.
    random = np.random.default_rng(seed)
    result = np.empty((samples, sums.shape[1]))
    for row in result:
        times = np.bincount(random.integers(len(sums), size=len(sums)), minlength=len(sums))
        row[:] = times @ sums
    return result


@lru_cache(maxsize=2)
def draw_clusters(clusters: int, *, samples: int, seed: int) -> Floats:
    """Return how often each sample draws each cluster with replacement, as `[sample, cluster]`.

    The array is cached and read-only: a report takes hundreds of intervals over the same number of
    questions, and drawing is most of the work.
    """
    random = np.random.default_rng(seed)
    drawn = np.empty((samples, clusters))
    span = max(1, _BLOCK // clusters)
    for start in range(0, samples, span):
        # Several times faster than a multinomial, which draws a binomial for every cluster.
        rows = drawn[start : start + span]
        picked = random.integers(clusters, size=rows.shape)
        picked += np.arange(len(rows))[:, None] * clusters
        rows[:] = np.bincount(picked.ravel(), minlength=rows.size).reshape(rows.shape)
    drawn.setflags(write=False)
    return drawn
