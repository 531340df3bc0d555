"""Confidence intervals: shares, means and statistics, with bounds from resampled questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from math import isnan, nan, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Measurement
from peerjudge.errors import DataError

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Clusters: TypeAlias = Sequence[Hashable] | npt.NDArray[np.integer]
"""The cluster of every observation: names, or an array of codes."""

SHARE = (0.0, 1.0)
"""The limits of a share: no value is below 0 or above 1."""

_BOOTSTRAP = "bootstrap by question"
_SAME = "wilson by question"
_EQUAL = 1e-12
# Up to this number of clusters the draws are cached for the next interval.
_KEPT = 10_000
# Draws counted at a time: few enough for the processor cache.
_BLOCK = 1 << 14


def measure_proportion(successes: int, n: int, *, level: float = 0.95) -> Measurement:
    """Return a share with its Wilson score interval, which stays within 0 and 1 for small `n`.

    For independent trials only; where trials share a question, use `bootstrap_mean`.
    """
    if not 0 <= successes <= n:
        msg = f"there cannot be {successes} successes in {n} trials"
        raise DataError(msg)
    if n == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method="wilson")
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Measurement(
        value=share,
        low=0.0 if successes == 0 else centre - reach,
        high=1.0 if successes == n else centre + reach,
        n=n,
        level=level,
        method="wilson",
    )


def bootstrap_mean(
    values: Sequence[float] | Floats,
    clusters: Clusters,
    *,
    limits: tuple[float, float] | None = None,
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> Measurement:
    """Return the mean of the values, with bounds from resampling clusters (usually questions).

    Where all clusters have the same mean, every sample is like the data and the interval would be a
    point; `bound_mean` describes the bounds in that case.

    Args:
        values: one per observation; all NaN bounds and `n` 0 where there are none.
        clusters: the cluster of each observation.
        limits: the least and the greatest possible value: `SHARE` for shares, (-1, 1) for
            differences of shares, `None` without such limits.
        seed: of the resampling.
        samples: number of resamples.
        level: of the interval.
    """
    if len(values) == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_BOOTSTRAP)
    column = np.asarray(values, dtype=np.float64)[:, None]
    sums = sum_by_cluster(np.hstack([column, np.ones_like(column)]), clusters)
    low, high, method = bound_mean(sums, limits=limits, seed=seed, samples=samples, level=level)
    return Measurement(
        value=float(column.mean()), low=low, high=high, n=len(values), level=level, method=method
    )


def bound_mean(
    sums: Floats,
    *,
    limits: tuple[float, float] | None,
    seed: int,
    samples: int = 2000,
    level: float = 0.95,
) -> tuple[float, float, str]:
    """Return low, high and method for a ratio of two sums, `sums[cluster, (above, below)]`.

    The bounds are percentiles of the ratio in resampled clusters. Where all k clusters have the same
    ratio v, at most a share p of all clusters has another one, with p the upper Wilson bound of 0 in
    k; the bounds are v with that share of clusters at either limit. For a share that is always 0 or
    always 1 this is Wilson's interval with the clusters as trials.
    """
    ratios = sums[:, 0] / sums[:, 1]
    value = float(sums[:, 0].sum() / sums[:, 1].sum())
    if limits is not None and float(np.ptp(ratios)) <= _EQUAL:
        unseen = measure_proportion(0, len(sums), level=level).high
        least, greatest = limits
        return value - unseen * (value - least), value + unseen * (greatest - value), _SAME
    drawn = resample_sums(sums, samples=samples, seed=seed)
    low, high = find_percentiles(drawn[:, 0] / drawn[:, 1], level=level)
    return low, high, _BOOTSTRAP


def measure_statistic(
    sums: Floats,
    of: Callable[[Floats], Floats],
    *,
    n: int,
    limits: tuple[float, float],
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> Measurement:
    """Return any function of sums over clusters, with bounds from resampled clusters.

    Args:
        sums: `[cluster, column]`.
        of: from sums `[case, column]` to one value per case, NaN where it does not exist.
        n: number of observations.
        limits: the least and the greatest possible value. Where all samples have the same value
            the bounds lie towards these, as in `bound_mean`.
        seed: of the resampling.
        samples: number of resamples.
        level: of the interval.
    """
    if not len(sums):
        return make_measurement(nan, np.empty(0), clusters=0, n=0, limits=limits, level=level)
    value = float(of(sums.sum(axis=0, keepdims=True))[0])
    drawn = of(resample_sums(sums, samples=samples, seed=seed))
    return make_measurement(value, drawn, clusters=len(sums), n=n, limits=limits, level=level)


def make_measurement(
    value: float,
    drawn: Floats,
    *,
    clusters: int,
    n: int,
    limits: tuple[float, float],
    level: float = 0.95,
) -> Measurement:
    """Return a value with bounds from its values in samples of the clusters.

    Args:
        value: NaN where it does not exist.
        drawn: the value in every sample, NaN where it does not exist.
        clusters: number of clusters.
        n: number of observations.
        limits: as for `measure_statistic`.
        level: of the interval.
    """
    if isnan(value):
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_BOOTSTRAP)
    low, high = find_percentiles(drawn, level=level)
    method = _BOOTSTRAP
    if not high - low > _EQUAL:
        unseen, method = measure_proportion(0, clusters, level=level).high, _SAME
        low = value - unseen * (value - limits[0])
        high = value + unseen * (limits[1] - value)
    return Measurement(value=value, low=low, high=high, n=n, level=level, method=method)


def sum_by_cluster(columns: Floats, clusters: Clusters) -> Floats:
    """Return columns `[observation, column]` summed by cluster, in order of appearance.

    Clusters given as an array of codes come in the order of the codes, which is faster.
    """
    if len(columns) != len(clusters):
        msg = f"{len(columns)} values cannot belong to {len(clusters)} clusters"
        raise DataError(msg)
    if isinstance(clusters, np.ndarray):
        _, at = np.unique(clusters, return_inverse=True)
        count = int(at.max(initial=-1)) + 1
    else:
        numbers: dict[Hashable, int] = {}
        at = np.array([numbers.setdefault(one, len(numbers)) for one in clusters], dtype=np.intp)
        count = len(numbers)
    sums = [np.bincount(at, column, count) for column in columns.T]
    return np.asarray(sums, dtype=np.float64).T


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


def find_percentiles(values: Floats, *, level: float) -> tuple[float, float]:
    """Return the bounds between which this share of the values lies; NaN values are left out."""
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return nan, nan
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)
