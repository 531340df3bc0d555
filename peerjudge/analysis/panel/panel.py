"""The panel as a whole, from what its reviewers and their pairs judged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import (
    SHARE,
    Floats,
    bootstrap_mean,
    by_cluster,
    measured,
    statistic,
)
from peerjudge.analysis.judged import Judged
from peerjudge.analysis.kappa import (
    KAPPA,
    fleiss_columns,
    fleiss_kappa_of,
    krippendorff_alpha,
    pair_coincidences,
)
from peerjudge.analysis.panel.items import Items, items_of
from peerjudge.analysis.panel.pairs import PanelPair, adjusted, counted, panel_pairs
from peerjudge.data import Measurement, Noun

__all__ = ["Panel", "panel"]


class Panel(Noun, frozen=True, kw_only=True):
    """The reviewers of a source, judging the same items (a comparison in one shown order).

    `accuracy` is by reviewer. Fleiss' kappa is over the items that all judged, Krippendorff's alpha
    (nominal) over all that two or more did. `error_correlation` is the mean over pairs, and
    `effective` = k / (1 + (k - 1) max(0, error_correlation)) how many reviewers with independent
    errors k reviewers with these are worth (Kish 1965, the design effect). What needs gold is `None`
    without it, and what needs two reviewers is so for one.
    """

    reviewers: tuple[str, ...]
    items: int
    accuracy: Mapping[str, Measurement]
    fleiss_kappa: Measurement | None
    krippendorff_alpha: Measurement | None
    error_correlation: Measurement | None
    effective: Measurement | None
    pairs: tuple[PanelPair, ...]


def panel(reviews: Judged, *, seed: int = 0, samples: int = 2000) -> Panel:
    """How the reviewers agree with gold and with one another. Bounds resample questions."""
    items = items_of(reviews)
    names = reviews.reviewers

    def of(columns: Floats, rows: npt.NDArray[np.bool_], kind: str) -> Measurement:
        function = {"fleiss": fleiss_kappa_of, "alpha": krippendorff_alpha}[kind]
        sums = by_cluster(columns, items.question[rows])
        n = int(rows.sum())
        return statistic(sums, function, n=n, limits=KAPPA, seed=seed, samples=samples)

    count = (~np.isnan(items.ratings)).sum(axis=1)
    every, some = count == len(names), count > 1
    full = len(names) > 1 and bool(every.any())
    pairs: list[PanelPair] = []
    phis: list[tuple[Floats, Floats]] = []
    for part in counted(items, seed=seed, samples=samples):
        pairs += panel_pairs(items, names, part)
        phis.append(part.phi)
    mean, effective = _together(items, phis)
    return Panel(
        reviewers=names,
        items=len(items.ratings),
        accuracy=_accuracy(items, names, seed=seed, samples=samples),
        fleiss_kappa=of(fleiss_columns(items.ratings[every]), every, "fleiss") if full else None,
        krippendorff_alpha=(
            of(pair_coincidences(items.ratings[some]), some, "alpha") if some.any() else None
        ),
        error_correlation=mean,
        effective=effective,
        pairs=adjusted(pairs),
    )


def _accuracy(
    items: Items, names: tuple[str, ...], *, seed: int, samples: int
) -> dict[str, Measurement]:
    found: dict[str, Measurement] = {}
    for name, wrong in zip(names, items.errors.T, strict=True):
        known = ~np.isnan(wrong)
        found[name] = bootstrap_mean(
            1.0 - wrong[known], items.question[known], limits=SHARE, seed=seed, samples=samples
        )
    return found


def _together(
    items: Items, phis: list[tuple[Floats, Floats]]
) -> tuple[Measurement | None, Measurement | None]:
    """The mean correlation of errors, and the effective number of judges.

    Both are `None` without gold, and where of no two reviewers both ever erred and were right.
    """
    judges = items.ratings.shape[1]
    known = (~np.isnan(items.errors)).sum(axis=1) > 1
    if not phis or not known.any():
        return None, None
    value = _mean(np.hstack([phi for phi, _ in phis])[None])
    if np.isnan(value[0]):
        return None, None
    drawn = _mean(np.hstack([phi for _, phi in phis]))

    def of(values: Floats, samples: Floats, limits: tuple[float, float]) -> Measurement:
        clusters = len(np.unique(items.question[known]))
        n = int(known.sum())
        return measured(float(values[0]), samples, clusters=clusters, n=n, limits=limits)

    def worth(correlation: Floats) -> Floats:
        return judges / (1.0 + (judges - 1.0) * np.maximum(correlation, 0.0))

    return of(value, drawn, KAPPA), of(worth(value), worth(drawn), (1.0, float(judges)))


def _mean(phis: Floats) -> Floats:
    """Over the pairs of `[sample, pair]` whose errors have a correlation; NaN where none has."""
    there = (~np.isnan(phis)).sum(axis=1)
    missing: Floats = np.full(len(phis), np.nan)
    return np.divide(np.nansum(phis, axis=1), there, out=missing, where=there > 0)
