"""Differences of dependent correlations, and Holm's correction for several tests."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan, sqrt

import numpy as np

from peerjudge.data import Noun, replace
from peerjudge.errors import DataError
from peerjudge.statistics.clusters import Clusters, Floats, sum_by_cluster

__all__ = ["CorrelationTest", "adjust_holm", "compare_correlations", "run_williams"]


class CorrelationTest(Noun, frozen=True, kw_only=True):
    """Williams' test: `r12` against `r13`, which share variable 1; `p_value` is two-sided.

    `t` is divided by the root of `design_effect`, which is above 1 where items share questions.
    `p_independent` is the p-value as if they did not; NaN where no questions were given.
    """

    r12: float
    r13: float
    r23: float
    n: int
    t: float
    df: int
    p_value: float
    design_effect: float = 1.0
    p_independent: float = nan


def run_williams(r12: float, r13: float, r23: float, n: int) -> CorrelationTest:
    """Return Williams' test that two correlations with the same variable are equal.

    `t = (r12 - r13) sqrt((n-1)(1+r23) / (2K(n-1)/(n-3) + ((r12+r13)/2)^2 (1-r23)^3))` with
    `K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23`, on n - 3 degrees of freedom. Source: Williams
    1959, in the form of Steiger 1980 (Psychological Bulletin 87, equation 7).

    Args:
        r12: correlation of variable 1 (say, gold) with variable 2.
        r13: correlation of variables 1 and 3.
        r23: correlation of variables 2 and 3.
        n: number of items on which all three were measured, at least 4.

    Raises:
        DataError: fewer than 4 items, or no three variables can have these correlations.
    """
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    if n < 4 or max(abs(r12), abs(r13), abs(r23)) > 1.0 or determinant < -1e-9:
        msg = (
            f"Williams' test needs at least 4 items and correlations that go together, "
            f"not n={n}, r12={r12}, r13={r13}, r23={r23}"
        )
        raise DataError(msg)
    from scipy.special import stdtr

    spread = 2.0 * max(determinant, 0.0) * (n - 1) / (n - 3)
    spread += ((r12 + r13) / 2.0) ** 2 * (1.0 - r23) ** 3
    # No spread: variables 2 and 3 are one and the same, and so are their correlations.
    t = (r12 - r13) * sqrt((n - 1) * (1.0 + r23) / spread) if spread > 0.0 else 0.0
    p_value = float(2.0 * stdtr(n - 3, -abs(t)))
    return CorrelationTest(r12=r12, r13=r13, r23=r23, n=n, t=t, df=n - 3, p_value=p_value)


def compare_correlations(
    gold: Sequence[float], one: Sequence[float], other: Sequence[float], questions: Clusters
) -> CorrelationTest | None:
    """Return Williams' test of which correlates better (Pearson) with gold, `one` or `other`.

    Items of one question are not independent. Williams' t is therefore divided by the root of the
    design effect: the variance of the difference of the correlations when questions are left out
    (jackknife) over that of the test, and at least 1. The degrees of freedom are at most one less
    than the questions. With one item per question this is Williams' test itself.

    `None` where there are fewer than 4 items, one question, or one of the three never varies.
    """
    values = np.asarray([gold, one, other], dtype=np.float64)
    if values.shape[1] < 4 or (np.ptp(values, axis=1) == 0.0).any():
        return None
    x, y, z = values - values.mean(axis=1, keepdims=True)
    columns = np.column_stack([np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z])
    by_question = sum_by_cluster(columns, questions)
    if len(by_question) < 2:
        return None
    correlations: Floats = np.corrcoef(values).clip(-1.0, 1.0)
    r12, r13, r23 = (float(correlations[place]) for place in ((0, 1), (0, 2), (1, 2)))
    williams = run_williams(r12, r13, r23, values.shape[1])
    effect = 1.0
    if len(by_question) < williams.n and williams.t:
        # Williams' own variance of the difference is the square of difference over t.
        effect = _jackknife_difference(by_question) * (williams.t / (r12 - r13)) ** 2
        effect = max(effect, 1.0) if isfinite(effect) else 1.0
    from scipy.special import stdtr

    t, df = williams.t / sqrt(effect), min(williams.df, len(by_question) - 1)
    p_value = float(2.0 * stdtr(df, -abs(t)))
    return replace(
        williams,
        t=t,
        df=df,
        p_value=p_value,
        design_effect=effect,
        p_independent=williams.p_value,
    )


def _jackknife_difference(sums: Floats) -> float:
    """Return the variance of r12 - r13 when rows of sums (see `compare_correlations`) are left out."""
    n, x, y, z, xx, yy, zz, xy, xz = (sums.sum(axis=0) - sums).T

    def correlate(other: Floats, square: Floats, product: Floats) -> Floats:
        spread = (n * xx - x * x) * (n * square - other * other)
        known = spread > 0.0
        root = np.sqrt(np.where(known, spread, 1.0))
        return np.where(known, (n * product - x * other) / root, np.nan)

    left = correlate(y, yy, xy) - correlate(z, zz, xz)
    left = left[~np.isnan(left)]
    k = len(left)
    return float(((left - left.mean()) ** 2).sum() * (k - 1) / k) if k > 1 else nan


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the probability of any false finding (Holm 1979).

    In the given order. NaN (a test that was not made) stays NaN and does not count as one.

    Raises:
        DataError: A p-value is not between 0 and 1.
    """
    given = np.asarray(p_values, dtype=np.float64)
    if ((given < 0.0) | (given > 1.0)).any():
        msg = f"p-values lie between 0 and 1, not {list(p_values)}"
        raise DataError(msg)
    made = np.flatnonzero(~np.isnan(given))
    order = made[np.argsort(given[made], kind="stable")]
    adjusted = given.copy()
    steps = given[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    values: list[float] = adjusted.tolist()
    return values
