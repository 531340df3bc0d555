"""A panel of reviewers: their accuracy, their common errors, and their effective number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Floats
from peerjudge.analysis.grouping import divide_known
from peerjudge.analysis.kappa import (
    KAPPA,
    fleiss_columns,
    fleiss_kappa_of,
    krippendorff_alpha,
    pair_coincidences,
)
from peerjudge.analysis.pairs import (
    PanelPair,
    adjust_p_values,
    correlate_errors,
    count_pairs,
    measure_pairs,
    rate_items,
)
from peerjudge.analysis.selecting import ignore_orders, number_judges
from peerjudge.data import Measurement, Noun
from peerjudge.statistics.clusters import sum_by_cluster
from peerjudge.statistics.interval import SHARE, measure_mean
from peerjudge.statistics.resampling import make_measurement, measure_statistic

_MOST_TESTED = 25
"""The most reviewers whose accuracies are compared by pairs."""


class Panel(Noun, frozen=True, kw_only=True):
    """The reviewers of a source on the same items (a comparison in one shown order).

    Items of a panel of people are comparisons in any order. A person's accuracy is against gold without
    the person's own votes.

    `accuracy` is by reviewer. `decided` is the accuracy of people where both
    the person and the gold of the others choose. Fleiss' kappa is over the items that all
    judged, Krippendorff's alpha (nominal) over those that two or more judged. Over these, `same` is the share
    of equal verdicts among all pairs of reviewers of an item, and `same_choice` among those in which both
    choose (S1 and S2 of Zheng et al. 2023, Table 5). `error_correlation` is
    the mean over pairs, and `effective` = k / (1 + (k - 1) max(0, error_correlation)) the number of
    reviewers with independent errors to which k reviewers with these are equivalent (Kish 1965, the
    design effect). Values that need gold, or two reviewers, are `None` without them.
    """

    reviewers: tuple[str, ...]
    items: int
    accuracy: Mapping[str, Measurement]
    decided: Mapping[str, Measurement]
    fleiss_kappa: Measurement | None
    krippendorff_alpha: Measurement | None
    same: Measurement | None
    same_choice: Measurement | None
    error_correlation: Measurement | None
    effective: Measurement | None
    pairs: tuple[PanelPair, ...]


def measure_panel(ballots: Ballots, *, seed: int = 0, samples: int = 2000) -> Panel:
    """Return the agreement of reviewers with gold and with one another.

    Accuracies are compared by pairs among few reviewers: of many, Holm's method leaves no power.

    Args:
        ballots: on pairs, see `select_judges`. Bounds resample questions.
        seed: of the resampling.
        samples: number of resamples.
    """
    names = tuple(name for name, _ in number_judges(ballots))
    people = set(names) <= set(ballots.humans)
    if people:
        ballots = ignore_orders(ballots)
    rated = rate_items(ballots)
    items, ratings, gold, shared_gold = rated
    count = (~np.isnan(ratings)).sum(axis=1)
    every, some = count == len(names), count > 1
    full = len(names) > 1 and bool(every.any())

    def measure(columns: Floats, rows: Bools, kappa: Callable[[Floats], Floats]) -> Measurement:
        sums = sum_by_cluster(columns, items.question[rows])
        n = int(rows.sum())
        return measure_statistic(sums, kappa, n=n, limits=KAPPA, seed=seed, samples=samples)

    tested = len(names) <= _MOST_TESTED
    pairs: list[PanelPair] = []
    phis: list[tuple[Floats, Floats]] = []
    for numbers, by_question, drawn in count_pairs(rated, seed=seed, samples=samples):
        pairs += measure_pairs(rated, names, numbers, by_question, drawn, tested=tested)
        phis.append((correlate_errors(by_question.sum(axis=0)), correlate_errors(drawn)))
    errors = np.where(np.isnan(ratings) | np.isnan(gold), np.nan, ratings != gold)

    def score(wrong: Floats) -> dict[str, Measurement]:
        known = ~np.isnan(wrong)
        return {
            name: measure_mean(1.0 - own[at], items.question[at], limits=SHARE)
            for name, own, at in zip(names, wrong.T, known.T, strict=True)
        }

    choosing = np.where((ratings == 0.0) | (gold == 0.0), np.nan, errors)
    shared = np.where(np.isnan(shared_gold), np.nan, errors)
    mean, effective = _measure_together(items, shared, phis)
    return Panel(
        reviewers=names,
        items=len(ratings),
        accuracy=score(errors),
        decided=score(choosing) if people else {},
        fleiss_kappa=(
            measure(fleiss_columns(ratings[every]), every, fleiss_kappa_of) if full else None
        ),
        krippendorff_alpha=(
            measure(pair_coincidences(ratings[some]), some, krippendorff_alpha)
            if some.any()
            else None
        ),
        same=_measure_same(ratings, items, choices=False, seed=seed, samples=samples),
        same_choice=_measure_same(ratings, items, choices=True, seed=seed, samples=samples),
        error_correlation=mean,
        effective=effective,
        pairs=adjust_p_values(pairs),
    )


def _measure_same(
    ratings: Floats, items: Ballots, *, choices: bool, seed: int, samples: int
) -> Measurement | None:
    """Return the share of equal verdicts among pairs of reviewers of an item, `None` without pairs."""
    counts = np.column_stack([(ratings == score).sum(axis=1) for score in (-1.0, 1.0, 0.0)])
    counts = counts[:, :2] if choices else counts
    equal = (counts * (counts - 1)).sum(axis=1) / 2.0
    raters = counts.sum(axis=1)
    pairs = raters * (raters - 1) / 2.0
    if not pairs.any():
        return None
    some = pairs > 0
    sums = sum_by_cluster(np.column_stack([equal, pairs])[some], items.question[some])
    n = int(pairs.sum())

    def share(sums: Floats) -> Floats:
        return divide_known(sums[:, 0], sums[:, 1])

    return measure_statistic(sums, share, n=n, limits=SHARE, seed=seed, samples=samples)


def _measure_together(
    items: Ballots, errors: Floats, phis: Sequence[tuple[Floats, Floats]]
) -> tuple[Measurement | None, Measurement | None]:
    """Return the mean correlation of errors, and the effective number of reviewers.

    Both are `None` without gold, and where no two reviewers have errors that vary.
    """
    judges = errors.shape[1]
    known = (~np.isnan(errors)).sum(axis=1) > 1
    if not phis or not known.any():
        return None, None
    value = _average_pairs(np.hstack([phi for phi, _ in phis])[None])
    if np.isnan(value[0]):
        return None, None
    drawn = _average_pairs(np.hstack([phi for _, phi in phis]))

    def measure(values: Floats, samples: Floats, limits: tuple[float, float]) -> Measurement:
        clusters = len(np.unique(items.question[known]))
        n = int(known.sum())
        return make_measurement(float(values[0]), samples, clusters=clusters, n=n, limits=limits)

    def worth(correlation: Floats) -> Floats:
        return judges / (1.0 + (judges - 1.0) * np.maximum(correlation, 0.0))

    effective = measure(worth(value), worth(drawn), (1.0, float(judges)))
    return measure(value, drawn, KAPPA), effective


def _average_pairs(phis: Floats) -> Floats:
    """Return the mean of `[sample, pair]` over pairs that have a correlation; NaN without one."""
    return divide_known(np.nansum(phis, axis=1), (~np.isnan(phis)).sum(axis=1))
