"""Pearson's, Spearman's and Kendall's coefficients in resampled questions, with ties."""

from __future__ import annotations

from math import isnan, nan
from typing import Literal, TypeAlias, get_args

import numpy as np

from peerjudge.analysis.grouping import Ints
from peerjudge.analysis.kappa import KAPPA
from peerjudge.data import Measurement
from peerjudge.statistics.clusters import Clusters, Floats, draw_clusters, number_clusters
from peerjudge.statistics.resampling import make_measurement
from peerjudge.statistics.sampler import Sampler

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)

Cases: TypeAlias = dict[Coefficient, Floats]
"""Each coefficient in the data (first) and in every sample; NaN where it does not exist."""

_BLOCK = 1 << 22
"""Cells of a table of pairs, or of samples and items, that are in memory at a time."""


def resample_coefficients(x: Floats, y: Floats, questions: Clusters, *, sampler: Sampler) -> Cases:
    """Return the three coefficients in the data and in samples that draw whole questions.

    Ranks are those within each sample. Spearman's coefficient is Pearson's of mean ranks; Kendall's is
    tau-b. All are NaN for fewer than two values, or values that never vary.
    """
    at = number_clusters(questions)
    clusters = int(at.max(initial=-1)) + 1
    if len(x) < 2:
        return {name: np.full(1, np.nan) for name in COEFFICIENTS}
    times = np.ones((1, clusters))
    if sampler.samples:
        drawn = draw_clusters(clusters, samples=sampler.samples, seed=sampler.seed)
        times = np.vstack([times, drawn])
    return {
        "pearson": _correlate(x - x.mean(), y - y.mean(), at, times),
        "spearman": _correlate_ranks(x, y, at, times),
        "kendall": _count_concordance(x, y, at, times),
    }


def measure_cases(
    cases: Floats,
    questions: Clusters,
    *,
    limits: tuple[float, float] = KAPPA,
    sampler: Sampler,
) -> Measurement:
    """Return the first case with bounds from the others; NaN bounds for a single question."""
    value, n = float(cases[0]), len(questions)
    clusters = int(number_clusters(questions).max(initial=-1)) + 1
    if isnan(value) or clusters < 2:
        # One question cannot show how questions differ.
        return Measurement(value=value, low=nan, high=nan, n=n, level=sampler.level)
    drawn = cases[1:]
    return make_measurement(
        value,
        drawn[~np.isnan(drawn)],
        clusters=clusters,
        n=n,
        limits=limits,
        level=sampler.level,
    )


def _correlate(a: Floats, b: Floats, at: Ints, times: Floats) -> Floats:
    """Return Pearson's coefficients from moments, which add up over questions."""
    columns = (np.ones_like(a), a, b, a * a, b * b, a * b)
    n, sa, sb, saa, sbb, sab = (
        times @ np.bincount(at, column, times.shape[1]) for column in columns
    )
    return _divide(n * sab - sa * sb, n * saa - sa * sa, n * sbb - sb * sb)


def _correlate_ranks(x: Floats, y: Floats, at: Ints, times: Floats) -> Floats:
    """Return Spearman's coefficients from twice the distances of mean ranks from their mean.

    That distance is the number of lesser values minus that of greater ones, which adds up over
    questions.
    """
    below = [_count_lesser(values, at, times.shape[1]) for values in (x, y)]
    coefficients: list[Floats] = []
    step = max(1, _BLOCK // len(x))
    for start in range(0, len(times), step):
        some = times[start : start + step]
        weight = some[:, at]
        one, other = (some @ table.T for table in below)
        moments = (one * other, one * one, other * other)
        coefficients.append(_divide(*((weight * moment).sum(axis=1) for moment in moments)))
    return np.concatenate(coefficients)


def _count_lesser(values: Floats, at: Ints, clusters: int) -> Floats:
    """Return `[item, cluster]`: how many values of the cluster are less, minus how many are greater."""
    table = np.empty((len(values), clusters))
    for cluster, column in enumerate(table.T):
        own = np.sort(values[at == cluster])
        less = np.searchsorted(own, values, side="left")
        column[:] = less + np.searchsorted(own, values, side="right") - len(own)
    return table


def _count_concordance(x: Floats, y: Floats, at: Ints, times: Floats) -> Floats:
    """Return Kendall's tau-b: counts of pairs of items add up over pairs of questions."""
    clusters = times.shape[1]
    both, ours, theirs = (np.zeros((clusters, clusters)) for _ in range(3))
    step = max(1, _BLOCK // len(x))
    order = np.argsort(at, kind="stable")
    x, y, at = x[order], y[order], at[order]
    counts = np.bincount(at, minlength=clusters)
    starts = np.cumsum(counts) - counts
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        one = np.sign(x[rows, None] - x[None])
        other = np.sign(y[rows, None] - y[None])
        for table, signs in ((both, one * other), (ours, one * one), (theirs, other * other)):
            np.add.at(table, at[rows], np.add.reduceat(signs, starts, axis=1))
    forms = (((times @ table) * times).sum(axis=1) for table in (both, ours, theirs))
    return _divide(*forms)


def _divide(shared: Floats, ours: Floats, theirs: Floats) -> Floats:
    """Return `shared` over the root of the product of the other two; NaN where either is 0."""
    known = (ours > 1e-9) & (theirs > 1e-9)
    roots = np.sqrt(np.where(known, ours, 1.0)) * np.sqrt(np.where(known, theirs, 1.0))
    return np.where(known, np.clip(shared / roots, -1.0, 1.0), np.nan)
