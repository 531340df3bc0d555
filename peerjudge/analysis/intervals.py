"""Shares and means with their uncertainty."""

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

__all__ = [
    "SHARE",
    "bootstrap_mean",
    "bounds_of_mean",
    "by_cluster",
    "draws",
    "measured",
    "percentiles",
    "proportion",
    "resampled",
    "statistic",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Clusters: TypeAlias = Sequence[Hashable] | npt.NDArray[np.integer]
"""The cluster of every observation: names, or an array of codes."""

SHARE = (0.0, 1.0)
"""The limits of a share: no value is below 0 or above 1."""

_BOOTSTRAP = "bootstrap by question"
_SAME = "wilson by question"
_EQUAL = 1e-12
# Up to so many clusters the draws are kept for the next interval over as many.
_KEPT = 10_000
# How many draws are counted at a time: few enough for the cache.
_BLOCK = 1 << 14


def proportion(successes: int, n: int, *, level: float = 0.95) -> Measurement:
    """A share with its Wilson score interval, which stays within 0 and 1 even for small `n`.

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
    """The mean of the values, with bounds from resampling whole clusters (usually questions).

    Where all clusters have the same mean, resampling cannot show any uncertainty: every sample is
    like the data, and the interval would be a point. See `bounds_of_mean` for what is done then.

    Args:
        values: one per observation; all NaN bounds and `n` 0 where there are none.
        clusters: which cluster each observation belongs to.
        limits: the least and the greatest value there can be: `SHARE` for shares, (-1, 1) for
            differences of shares, `None` where there are no such limits.
        seed: of the resampling.
        samples: how many.
        level: of the interval.
    """
    if len(values) == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_BOOTSTRAP)
    column = np.asarray(values, dtype=np.float64)[:, None]
    sums = by_cluster(np.hstack([column, np.ones_like(column)]), clusters)
    low, high, method = bounds_of_mean(sums, limits=limits, seed=seed, samples=samples, level=level)
    return Measurement(
        value=float(column.mean()), low=low, high=high, n=len(values), level=level, method=method
    )


def bounds_of_mean(
    sums: Floats,
    *,
    limits: tuple[float, float] | None,
    seed: int,
    samples: int = 2000,
    level: float = 0.95,
) -> tuple[float, float, str]:
    """Low, high and method for the ratio of two sums over clusters, `sums[cluster, (above, below)]`.

    The bounds are percentiles of the ratio in resampled clusters. Where all clusters have the same
    ratio v, k clusters have shown no other, so at most a share p of all clusters has, with p the
    upper Wilson bound of 0 in k; the bounds are v with that share of clusters at either limit. For
    a share that is always 0 or always 1 this is Wilson's interval with the clusters as trials.
    """
    ratios = sums[:, 0] / sums[:, 1]
    value = float(sums[:, 0].sum() / sums[:, 1].sum())
    if limits is not None and float(np.ptp(ratios)) <= _EQUAL:
        unseen = proportion(0, len(sums), level=level).high
        least, greatest = limits
        return value - unseen * (value - least), value + unseen * (greatest - value), _SAME
    drawn = resampled(sums, samples=samples, seed=seed)
    low, high = percentiles(drawn[:, 0] / drawn[:, 1], level=level)
    return low, high, _BOOTSTRAP


def statistic(
    sums: Floats,
    of: Callable[[Floats], Floats],
    *,
    n: int,
    limits: tuple[float, float],
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> Measurement:
    """Any function of sums over clusters, with bounds from resampled clusters.

    Args:
        sums: `[cluster, column]`.
        of: from sums `[case, column]` to one value per case, NaN where it does not exist.
        n: how many observations there are.
        limits: the least and the greatest value there can be. Where all samples have the same
            value the bounds are drawn towards these, as by `bounds_of_mean`.
        seed: of the resampling.
        samples: how many.
        level: of the interval.
    """
    if not len(sums):
        return measured(nan, np.empty(0), clusters=0, n=0, limits=limits, level=level)
    value = float(of(sums.sum(axis=0, keepdims=True))[0])
    drawn = of(resampled(sums, samples=samples, seed=seed))
    return measured(value, drawn, clusters=len(sums), n=n, limits=limits, level=level)


def measured(
    value: float,
    drawn: Floats,
    *,
    clusters: int,
    n: int,
    limits: tuple[float, float],
    level: float = 0.95,
) -> Measurement:
    """A value with bounds from its values in samples of the clusters, as `statistic` gives them.

    Args:
        value: NaN where it does not exist.
        drawn: the value in every sample, NaN where it does not exist there.
        clusters: how many were resampled.
        n: how many observations there are.
        limits: as for `statistic`.
        level: of the interval.
    """
    if isnan(value):
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_BOOTSTRAP)
    low, high = percentiles(drawn, level=level)
    method = _BOOTSTRAP
    if not high - low > _EQUAL:
        unseen, method = proportion(0, clusters, level=level).high, _SAME
        low = value - unseen * (value - limits[0])
        high = value + unseen * (limits[1] - value)
    return Measurement(value=value, low=low, high=high, n=n, level=level, method=method)


def by_cluster(columns: Floats, clusters: Clusters) -> Floats:
    """The columns `[observation, column]` summed by cluster, clusters in order of appearance.

    Clusters given as an array of numbers come in the order of these, which is quicker.
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


def resampled(sums: Floats, *, samples: int, seed: int) -> Floats:
    """`[sample, column]`: the sums over drawn clusters of `sums[cluster, column]`."""
    if len(sums) <= _KEPT:
        return draws(len(sums), samples=samples, seed=seed) @ sums
    # For so many clusters the draws themselves would fill the memory.
    random = np.random.default_rng(seed)
    result = np.empty((samples, sums.shape[1]))
    for row in result:
        times = np.bincount(random.integers(len(sums), size=len(sums)), minlength=len(sums))
        row[:] = times @ sums
    return result


@lru_cache(maxsize=2)
def draws(clusters: int, *, samples: int, seed: int) -> Floats:
    """How often each sample `[sample, cluster]` draws each cluster, with replacement.

    The same array for the same arguments, and so not to be written to: a report takes hundreds of
    intervals over the same number of questions, and drawing is most of the work.
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


def percentiles(values: Floats, *, level: float) -> tuple[float, float]:
    """The bounds between which this share of the values lies; NaN values are passed over."""
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return nan, nan
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)
