"""Confidence intervals of shares, means and statistics, with questions as the unit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isnan, nan, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import LEVEL, Measurement
from peerjudge.errors import DataError
from peerjudge.ranking.bounds import FEW, bound_resampled, bound_score, bound_unvaried

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Clusters: TypeAlias = Sequence[Hashable] | npt.NDArray[np.integer]
"""The cluster of every observation: names, or an array of codes."""

SHARE = (0.0, 1.0)
"""The limits of a share: no value is below 0 or above 1."""

BOOTSTRAP = "bootstrap by question"
SCORE = "score by question"
_EQUAL = 1e-12
# Up to this number of clusters the draws are cached for the next interval.
_KEPT = 10_000
# Draws counted at a time: few enough for the processor cache.
_BLOCK = 1 << 14


def measure_proportion(successes: int, n: int, *, level: float = LEVEL) -> Measurement:
    """Return a share with its Wilson score interval, which stays within 0 and 1 for small `n`.

    For independent trials only; where trials share a question, use `measure_mean`.
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


def measure_mean(
    values: Sequence[float] | Floats,
    clusters: Clusters,
    *,
    limits: tuple[float, float] | None = None,
    level: float = LEVEL,
) -> Measurement:
    """Return the mean of the values, with bounds that treat clusters (usually questions) as trials.

    Args:
        values: one per observation; all NaN bounds and `n` 0 where there are none.
        clusters: the cluster of each observation.
        limits: the least and the greatest possible value: `SHARE` for shares, (-1, 1) for
            differences of shares, `None` without such limits.
        level: of the interval.
    """
    if len(values) == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=SCORE)
    column = np.asarray(values, dtype=np.float64)[:, None]
    sums = sum_by_cluster(np.hstack([column, np.ones_like(column)]), clusters)
    low, high = bound_mean(sums, limits=limits, level=level)
    return Measurement(
        value=float(column.mean()), low=low, high=high, n=len(values), level=level, method=SCORE
    )


def bound_mean(
    sums: Floats, *, limits: tuple[float, float] | None, level: float = LEVEL
) -> tuple[float, float]:
    """Return low and high of a ratio of two sums, `sums[cluster, (above, below)]`; see `ScoreMeans`."""
    low, high = ScoreMeans.describe(sums[:, :1], sums[:, 1:], limits=limits).bounds(level)
    return float(low[0]), float(high[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreMeans:
    """Means of several columns with what their score intervals and score tests need.

    The score interval of `bound_score` with the jackknife variance over clusters, on k - 1 degrees of
    freedom. For differences the degrees of freedom are fewer where few clusters make most of the
    variance (Satterthwaite, from the fourth moment): Wilson's bounds account for this at the ends of
    a share, but not in the middle of its limits. Where all k clusters have the same ratio (`alike`),
    `bound_unvaried` describes the bounds; for a share that is always 0 or always 1 they are Wilson's
    with the clusters as trials. In simulated studies of 4 to 140 questions this interval holds the
    truth in at least 93 %, where percentiles of resamples hold it in as few as 78 %.
    """

    value: Floats
    variance: Floats
    df: Floats
    clusters: Floats
    alike: npt.NDArray[np.bool_]
    limits: tuple[float, float] | None

    @classmethod
    def describe(
        cls, above: Floats, below: Floats, *, limits: tuple[float, float] | None
    ) -> ScoreMeans:
        """Return the ratios of sums, `[cluster, column]`; `below` is 0 where a cluster is missing."""
        known = below > 0.0
        k = known.sum(axis=0).astype(np.float64)
        total = below.sum(axis=0)
        value = above.sum(axis=0) / total
        ratios = np.where(known, above / np.where(known, below, 1.0), np.nan)
        alike = np.nanmax(ratios, axis=0) - np.nanmin(ratios, axis=0) <= _EQUAL
        # How far the value moves without each cluster, times k - 1.
        left = np.where(alike, 1.0, total - below)
        moves = np.where(alike, 0.0, (above - value * below) / left * (k - 1.0))
        squares = moves**2
        total_square = np.where(alike, 1.0, squares.sum(axis=0))
        df = np.maximum(k - 1.0, 1.0)
        if limits is None or limits[0] < 0.0:
            kurtosis = k * (squares**2).sum(axis=0) / total_square**2
            df = np.minimum(df, 2.0 / (2.0 / df + np.maximum(kurtosis - 3.0, 0.0) / k))
        return cls(
            value=value,
            variance=squares.sum(axis=0) / (k * np.maximum(k - 1.0, 1.0)),
            df=df,
            clusters=k,
            alike=alike,
            limits=limits,
        )

    def bounds(self, level: float) -> tuple[Floats, Floats]:
        """Return low and high of each column."""
        low, high = bound_score(
            self.value, self.variance, df=self.df, limits=self.limits, level=level
        )
        if self.limits is not None and self.alike.any():
            unseen = self.bounds_unseen(level)
            low, high = (
                np.where(self.alike, *both) for both in zip(unseen, (low, high), strict=True)
            )
        return low, high

    def bounds_unseen(self, level: float) -> tuple[Floats, Floats]:
        """Return the least and the greatest mean with clusters at a limit of which none was seen."""
        limits = self.limits or (-inf, inf)
        return bound_unvaried(self.value, questions=self.clusters, limits=limits, level=level)

    def reject_below(self) -> Floats:
        """Return the one-sided p-values of "the mean is 0 or less", for limits of -1 and 1.

        They are at most (1 - level) / 2 exactly where the low bound of that level is above 0.
        """
        from scipy.special import stdtr

        scale = np.sqrt(self.variance / np.where(self.alike, 1.0, 1.0 - self.value**2))
        varied = stdtr(self.df, -self.value / np.where(self.alike, 1.0, scale))
        return np.asarray(np.where(self.alike, self.reject_unseen(), varied), dtype=np.float64)

    def reject_unseen(self) -> Floats:
        """Return the one-sided p-values of "the mean is 0 or less", by clusters that may be unseen."""
        from scipy.special import ndtr

        z = np.sign(self.value) * np.sqrt(self.clusters * np.abs(self.value))
        return np.asarray(ndtr(-z), dtype=np.float64)


def measure_statistic(
    sums: Floats,
    of: Callable[[Floats], Floats],
    *,
    n: int,
    limits: tuple[float, float],
    seed: int = 0,
    samples: int = 2000,
    level: float = LEVEL,
) -> Measurement:
    """Return any function of sums over clusters, with bounds from resampled clusters.

    Args:
        sums: `[cluster, column]`.
        of: from sums `[case, column]` to one value per case, NaN where it does not exist.
        n: number of observations.
        limits: the least and the greatest possible value.
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
    limits: tuple[float, float] | None,
    level: float = LEVEL,
) -> Measurement:
    """Return a value with bounds from its values in samples of the clusters (`bound_resampled`).

    Args:
        value: NaN where it does not exist.
        drawn: the value in every sample, NaN where it does not exist.
        clusters: number of clusters.
        n: number of observations.
        limits: the least and the greatest possible value, `None` without such limits.
        level: of the interval.
    """
    if isnan(value):
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=BOOTSTRAP)
    low, high = bound_resampled(
        np.array([value]), drawn[:, None], questions=clusters, limits=limits, level=level
    )
    method = SCORE if clusters < FEW else BOOTSTRAP
    return Measurement(
        value=value, low=float(low[0]), high=float(high[0]), n=n, level=level, method=method
    )


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
