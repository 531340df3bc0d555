"""Agreement beyond chance, from counts that add up over questions.

Every function takes several cases at once, so that a bootstrap is one call.
"""

from __future__ import annotations

from math import nan

import numpy as np

from peerjudge.analysis.ballots import Floats
from peerjudge.errors import DataError

KAPPA = (-1.0, 1.0)
"""The limits of a kappa, and of a correlation."""


def cohen_kappa(tables: Floats) -> Floats:
    """Return Cohen's kappa of `[case, one's category, other's category]` counts (Cohen 1960).

    NaN where both always choose the same category.
    """
    total = tables.sum(axis=(1, 2))
    agreed = _ratio(np.trace(tables, axis1=1, axis2=2), total)
    chance = _ratio((tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1), total**2)
    return _ratio(agreed - chance, 1.0 - chance)


def fleiss_kappa(counts: Floats) -> float:
    """Return Fleiss' kappa of `counts[item, category]`, the number of raters by category.

    Every item must be rated equally often, at least twice. NaN where all ratings are in one
    category. Source: Fleiss 1971.
    """
    raters = counts[0].sum() if len(counts) else 0.0
    if raters < 2 or (counts.sum(axis=1) != raters).any():
        msg = "Fleiss' kappa needs items that were rated equally often, at least twice"
        raise DataError(msg)
    agreed = ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return nan if chance == 1.0 else float((agreed - chance) / (1.0 - chance))


def fleiss_columns(ratings: Floats) -> Floats:
    """Return columns of `[item, rater]` categories whose sums `fleiss_kappa_of` takes.

    Columns: 1, the share of pairs of raters that agree, and the number of raters by category.
    """
    raters = ratings.shape[1]
    counts = _counts(ratings)
    pairs = (counts * (counts - 1.0)).sum(axis=1) / (raters * (raters - 1))
    return np.column_stack([np.ones(len(ratings)), pairs, counts])


def fleiss_kappa_of(sums: Floats) -> Floats:
    """Return Fleiss' kappa of sums `[case, column]` of `fleiss_columns` (Fleiss 1971)."""
    agreed = _ratio(sums[:, 1], sums[:, 0])
    counts = sums[:, 2:]
    chance = _ratio((counts**2).sum(axis=1), counts.sum(axis=1) ** 2)
    return _ratio(agreed - chance, 1.0 - chance)


def pair_coincidences(ratings: Floats) -> Floats:
    """Return the coincidence matrix, flat, of every item of `[item, rater]` categories.

    NaN is not rated. Each pair of raters of an item counts 1/(raters - 1), so that an item counts as
    often as it was rated; an item rated once does not count (Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability").
    """
    counts = _counts(ratings)
    raters = counts.sum(axis=1)
    ordered = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1]))
    weight = np.divide(1.0, raters - 1.0, out=np.zeros_like(raters), where=raters > 1)
    return (ordered * weight[:, None, None]).reshape(len(ratings), -1)


def krippendorff_alpha(sums: Floats) -> Floats:
    """Return Krippendorff's alpha (nominal) of sums `[case, column]` of `pair_coincidences`."""
    size = int(np.sqrt(sums.shape[1]))
    tables = sums.reshape(-1, size, size)
    margins = tables.sum(axis=2)
    total = margins.sum(axis=1)
    observed = total - np.trace(tables, axis1=1, axis2=2)
    expected = _ratio(total**2 - (margins**2).sum(axis=1), total - 1.0)
    return 1.0 - _ratio(observed, expected)


def correlation(sums: Floats) -> Floats:
    """Return Pearson's correlation of sums `[case, (n, x, y, xx, yy, xy)]`; NaN if one is constant."""
    n, x, y, xx, yy, xy = sums.T
    spread = (n * xx - x * x) * (n * yy - y * y)
    return _ratio(n * xy - x * y, np.sqrt(np.maximum(spread, 0.0)))


def _counts(ratings: Floats) -> Floats:
    categories = np.unique(ratings[~np.isnan(ratings)])
    counts = [(ratings == category).sum(axis=1) for category in categories]
    return np.asarray(counts, dtype=np.float64).reshape(len(categories), len(ratings)).T


def _ratio(above: Floats, below: Floats) -> Floats:
    missing: Floats = np.full(np.shape(above), np.nan)
    return np.divide(above, below, out=missing, where=np.abs(below) > 1e-12)
