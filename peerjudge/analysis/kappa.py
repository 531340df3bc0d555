"""Agreement beyond chance, as functions of counts that add up over questions.

Every function takes any number of cases at once, so that a bootstrap is one call.
"""

from __future__ import annotations

import numpy as np

from peerjudge.analysis.intervals import Floats

__all__ = [
    "KAPPA",
    "cohen_kappa",
    "correlation",
    "fleiss_columns",
    "fleiss_kappa_of",
    "krippendorff_alpha",
    "pair_coincidences",
]

KAPPA = (-1.0, 1.0)
"""The limits of a kappa, and of a correlation."""


def cohen_kappa(tables: Floats) -> Floats:
    """Cohen's kappa of `[case, one's category, other's category]` counts (Cohen 1960).

    NaN where both always name the same one category.
    """
    total = tables.sum(axis=(1, 2))
    agreed = _ratio(np.trace(tables, axis1=1, axis2=2), total)
    chance = _ratio((tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1), total**2)
    return _ratio(agreed - chance, 1.0 - chance)


def fleiss_columns(ratings: Floats) -> Floats:
    """What `fleiss_kappa_of` needs of every item of `[item, rater]` categories, ready to be summed.

    Columns: 1, the share of pairs of raters that agree, and how many raters chose each category.
    """
    raters = ratings.shape[1]
    counts = _counts(ratings)
    pairs = (counts * (counts - 1.0)).sum(axis=1) / (raters * (raters - 1))
    return np.column_stack([np.ones(len(ratings)), pairs, counts])


def fleiss_kappa_of(sums: Floats) -> Floats:
    """Fleiss' kappa of sums `[case, column]` of `fleiss_columns` (Fleiss 1971)."""
    agreed = _ratio(sums[:, 1], sums[:, 0])
    counts = sums[:, 2:]
    chance = _ratio((counts**2).sum(axis=1), counts.sum(axis=1) ** 2)
    return _ratio(agreed - chance, 1.0 - chance)


def pair_coincidences(ratings: Floats) -> Floats:
    """Of every item of `[item, rater]` categories (NaN: not rated), its coincidence matrix, flat.

    Each pair of raters of an item counts 1/(raters - 1), so that an item counts as often as it was
    rated; an item rated once says nothing (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability").
    """
    counts = _counts(ratings)
    raters = counts.sum(axis=1)
    ordered = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1]))
    weight = np.divide(1.0, raters - 1.0, out=np.zeros_like(raters), where=raters > 1)
    return (ordered * weight[:, None, None]).reshape(len(ratings), -1)


def krippendorff_alpha(sums: Floats) -> Floats:
    """Krippendorff's alpha for nominal categories of sums `[case, column]` of `pair_coincidences`."""
    size = int(np.sqrt(sums.shape[1]))
    tables = sums.reshape(-1, size, size)
    margins = tables.sum(axis=2)
    total = margins.sum(axis=1)
    observed = total - np.trace(tables, axis1=1, axis2=2)
    expected = _ratio(total**2 - (margins**2).sum(axis=1), total - 1.0)
    return 1.0 - _ratio(observed, expected)


def correlation(sums: Floats) -> Floats:
    """Pearson's correlation of sums `[case, (n, x, y, xx, yy, xy)]`; NaN where one never varies."""
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
