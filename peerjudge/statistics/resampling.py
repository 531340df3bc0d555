"""Bounds of statistics that are no means, from resampled questions: kappa, rankings, weights."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from peerjudge.data import LEVEL, Measurement
from peerjudge.statistics.clusters import Floats, resample_sums

__all__ = [
    "bound_resampled",
    "bound_score",
    "bound_unvaried",
    "make_measurement",
    "measure_statistic",
    "share_unseen",
    "widen",
]

_FEW = 60
"""Below this number of questions, percentiles of resamples are too narrow."""
_EQUAL = 1e-9
_UPPER = (1.0 + LEVEL) / 2.0
_BOOTSTRAP = "bootstrap by question"
_SCORE = "score by question"


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
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_BOOTSTRAP)
    low, high = bound_resampled(
        np.array([value]), drawn[:, None], questions=clusters, limits=limits, level=level
    )
    method = _SCORE if clusters < _FEW else _BOOTSTRAP
    return Measurement(
        value=value, low=float(low[0]), high=float(high[0]), n=n, level=level, method=method
    )


def bound_resampled(
    value: Floats,
    drawn: Floats,
    *,
    questions: int,
    limits: tuple[float, float] | None,
    level: float = LEVEL,
) -> tuple[Floats, Floats]:
    """Return the bounds of estimates from their values in resampled questions.

    Percentiles of the resamples; below 60 questions, where these are too narrow, the studentised
    interval of `bound_score` with the variance of the resamples; and `bound_unvaried` where all
    resamples are equal and the limits are known. NaN where there are no values, or all resamples are
    equal and there are no limits: such data do not show how far the estimate may be off.

    Args:
        value: `[estimate]`.
        drawn: `[sample, estimate]`, NaN where an estimate does not exist in a sample.
        questions: number of resampled questions.
        limits: the least and the greatest possible value.
        level: of the interval.
    """
    low, high = np.full((2, len(value)), np.nan)
    known = ~np.all(np.isnan(drawn), axis=0) & ~np.isnan(value)
    if not known.any():
        return low, high
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    low[known], high[known] = np.nanquantile(drawn[:, known], tails, axis=0)
    unvaried = known & (high - low <= _EQUAL)
    if 1 < questions < _FEW:
        varied = known & ~unvaried
        spread = np.nanvar(drawn[:, varied], axis=0) * questions / (questions - 1)
        low[varied], high[varied] = bound_score(
            value[varied], spread, df=questions - 1, limits=limits, level=level
        )
    if limits is None:
        low[unvaried] = high[unvaried] = np.nan
    elif unvaried.any():
        low[unvaried], high[unvaried] = bound_unvaried(
            value[unvaried], questions=questions, limits=limits, level=level
        )
    return low, high


def bound_score(
    value: npt.ArrayLike,
    variance: npt.ArrayLike,
    *,
    df: npt.ArrayLike,
    limits: tuple[float, float] | None,
    level: float = LEVEL,
) -> tuple[Floats, Floats]:
    """Return the bounds of an estimate from its variance: Wilson's score interval between limits.

    Wilson's interval of a share of n trials, with n such that the share has this variance, and with
    the quantile of Student's t for z (Korn and Graubard 1998, with Wilson's bounds). It stays
    within the limits, and leans towards their middle, as a share near 1 has more room below than
    above. Without limits it is Student's interval.

    Args:
        value: of the estimate.
        variance: of the estimate.
        df: degrees of freedom of the variance.
        limits: the least and the greatest possible value.
        level: of the interval.
    """
    from scipy.special import stdtrit

    one, spread = np.asarray(value, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    t = np.asarray(stdtrit(df, (1.0 + level) / 2.0), dtype=np.float64)
    if limits is None:
        reach = t * np.sqrt(spread)
        return one - reach, one + reach
    least, width = limits[0], limits[1] - limits[0]
    share = np.clip((one - least) / width, 0.0, 1.0)
    # Wilson's bounds solve (share - x)^2 = t^2 x (1 - x) / n; `more` is t^2 / n.
    room = share * (1.0 - share)
    more = t * t * np.divide(spread / width**2, room, out=np.zeros_like(spread), where=room > 0.0)
    centre = (share + more / 2.0) / (1.0 + more)
    reach = np.sqrt(more * room + more * more / 4.0) / (1.0 + more)
    return (
        np.asarray(least + width * np.maximum(centre - reach, 0.0)),
        np.asarray(least + width * np.minimum(centre + reach, 1.0)),
    )


def bound_unvaried(
    value: npt.ArrayLike,
    *,
    questions: npt.ArrayLike,
    limits: tuple[float, float],
    level: float = LEVEL,
) -> tuple[Floats, Floats]:
    """Return the bounds of an estimate to which all questions, or all resamples, give the same value.

    The bounds are the value with the share of unseen questions (`share_unseen`) at either limit.
    """
    one, unseen = np.asarray(value, dtype=np.float64), share_unseen(questions, level=level)
    return one - unseen * (one - limits[0]), one + unseen * (limits[1] - one)


def share_unseen(questions: npt.ArrayLike, *, level: float = LEVEL) -> Floats:
    """Return the greatest share of all questions that may be unlike these, which are all alike.

    It is the upper Wilson bound of a share of which none was seen in this number.
    """
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    return np.asarray(z * z / (np.asarray(questions, dtype=np.float64) + z * z))


def widen(value: Floats, drawn: Floats, *, questions: int) -> Floats:
    """Return resampled values as far from the estimate as few questions require.

    The resamples of k questions spread too little by (k - 1) / k, and what they show of the spread
    is uncertain; below 60 questions both are made up for, as in Student's interval.
    """
    if not 1 < questions < _FEW:
        return drawn
    from scipy.special import stdtrit

    t, z = float(stdtrit(questions - 1, _UPPER)), NormalDist().inv_cdf(_UPPER)
    return value + (drawn - value) * (t / z * (questions / (questions - 1)) ** 0.5)
