"""A panel of reviewers: how well each judges, how alike they err, how many independent ones it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.inference import (
    CorrelationTest,
    McNemar,
    correlations_with_gold,
    holm,
    mcnemar,
)
from peerjudge.analysis.intervals import (
    SHARE,
    Floats,
    Numbers,
    bootstrap_mean,
    by_cluster,
    statistic,
)
from peerjudge.analysis.judged import Judged
from peerjudge.analysis.kappa import (
    cohen_kappa,
    correlation,
    fleiss_columns,
    fleiss_kappa_of,
    krippendorff_alpha,
    pair_coincidences,
)
from peerjudge.data import Measurement

__all__ = ["Panel", "PanelPair", "panel"]

_KAPPA = (-1.0, 1.0)
_SCORES = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPair:
    """Two reviewers on what both judged.

    `same` is the share of equal verdicts. Where there is gold: `error_correlation` is how much more
    often than by chance they are wrong together (phi), `accuracy` McNemar's test of which is right
    on more questions, and `correlation` Williams' test of which correlates better with gold over
    comparisons. The `_adjusted` p-values are Holm's over all pairs of the panel.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    one: str
    other: str
    same: Measurement
    cohen_kappa: Measurement
    error_correlation: Measurement | None
    accuracy: McNemar | None
    accuracy_adjusted: float | None
    correlation: CorrelationTest | None
    correlation_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The reviewers of a source, judging the same items (a comparison in one shown order).

    `accuracy` is by reviewer. Fleiss' kappa is over the items that all judged, Krippendorff's alpha
    (nominal) over all that two or more did. `error_correlation` is the mean over pairs, and
    `effective` = k / (1 + (k - 1) max(0, error_correlation)) how many reviewers with independent
    errors k reviewers with these are worth (Kish 1965, the design effect). What needs gold is `None`
    without it, and what needs two reviewers is so for one.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    reviewers: tuple[str, ...]
    items: int
    accuracy: Mapping[str, Measurement]
    fleiss_kappa: Measurement | None
    krippendorff_alpha: Measurement | None
    error_correlation: Measurement | None
    effective: Measurement | None
    pairs: tuple[PanelPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Items:
    # By item and reviewer the sign of its mean score, NaN where it gave none; by item gold's score
    # in the same order, the question and the comparison.
    ratings: Floats
    gold: Floats
    question: Numbers
    comparison: Numbers
    swapped: npt.NDArray[np.bool_]

    @property
    def errors(self) -> Floats:
        """1 where a rating is not gold's, 0 where it is, NaN where either is missing."""
        known = ~np.isnan(self.ratings) & ~np.isnan(self.gold)[:, None]
        return np.where(known, self.ratings != self.gold[:, None], np.nan)


def panel(reviews: Judged, *, seed: int = 0, samples: int = 2000) -> Panel:
    """How the reviewers agree with gold and with one another. Bounds resample questions."""
    items = _items(reviews)
    names = reviews.reviewers
    errors = items.errors

    def of(columns: Floats, rows: npt.NDArray[np.bool_], kind: str) -> Measurement:
        function = {"fleiss": fleiss_kappa_of, "alpha": krippendorff_alpha}[kind]
        sums = by_cluster(columns, items.question[rows])
        n = int(rows.sum())
        return statistic(sums, function, n=n, limits=_KAPPA, seed=seed, samples=samples)

    count = (~np.isnan(items.ratings)).sum(axis=1)
    every, some = count == len(names), count > 1
    full = len(names) > 1 and bool(every.any())
    mean, effective = _together(items, errors, seed=seed, samples=samples)
    return Panel(
        reviewers=names,
        items=len(items.ratings),
        accuracy={
            name: _share(1.0 - errors[:, k], items.question, seed=seed, samples=samples)
            for k, name in enumerate(names)
        },
        fleiss_kappa=of(fleiss_columns(items.ratings[every]), every, "fleiss") if full else None,
        krippendorff_alpha=(
            of(pair_coincidences(items.ratings[some]), some, "alpha") if some.any() else None
        ),
        error_correlation=mean,
        effective=effective,
        pairs=_adjusted(
            [
                _pair(items, errors, names, one, other, seed=seed, samples=samples)
                for one, other in combinations(range(len(names)), 2)
                if (~np.isnan(items.ratings[:, [one, other]])).all(axis=1).any()
            ]
        ),
    )


def _items(reviews: Judged) -> _Items:
    key = reviews.comparison.astype(np.int64) * 2 + reviews.swapped
    names, first, at = np.unique(key, return_index=True, return_inverse=True)
    shape = (len(names), len(reviews.reviewers))
    cell = at * shape[1] + reviews.reviewer
    cells = shape[0] * shape[1]
    total = np.bincount(cell, reviews.score, cells).reshape(shape)
    count = np.bincount(cell, minlength=cells).reshape(shape)
    return _Items(
        ratings=np.where(count > 0, np.sign(total), np.nan),
        gold=reviews.shown_gold[first],
        question=reviews.question[first],
        comparison=reviews.comparison[first],
        swapped=reviews.swapped[first],
    )


def _share(hits: Floats, questions: Numbers, *, seed: int, samples: int) -> Measurement:
    known = ~np.isnan(hits)
    return bootstrap_mean(hits[known], questions[known], limits=SHARE, seed=seed, samples=samples)


def _together(
    items: _Items, errors: Floats, *, seed: int, samples: int
) -> tuple[Measurement | None, Measurement | None]:
    """The mean correlation of errors, and the effective number of judges."""
    judges = errors.shape[1]
    pairs = list(combinations(range(judges), 2))
    known = (~np.isnan(errors)).sum(axis=1) > 1
    if not pairs or not known.any():
        return None, None
    columns = [_moments(errors[known, one], errors[known, other]) for one, other in pairs]
    sums = by_cluster(np.hstack(columns), items.question[known])

    def mean(cases: Floats) -> Floats:
        each = [correlation(cases[:, k * 6 : k * 6 + 6]) for k in range(len(pairs))]
        found = np.column_stack(each)
        there = (~np.isnan(found)).sum(axis=1)
        missing: Floats = np.full(len(found), np.nan)
        return np.divide(np.nansum(found, axis=1), there, out=missing, where=there > 0)

    def effective(cases: Floats) -> Floats:
        return judges / (1.0 + (judges - 1.0) * np.maximum(mean(cases), 0.0))

    n = int(known.sum())
    return (
        statistic(sums, mean, n=n, limits=_KAPPA, seed=seed, samples=samples),
        statistic(sums, effective, n=n, limits=(1.0, float(judges)), seed=seed, samples=samples),
    )


def _moments(one: Floats, other: Floats) -> Floats:
    """What `correlation` needs of every item; zeros where one of the two is missing."""
    x, y = one, other
    columns = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    return np.where(np.isnan(x + y)[:, None], 0.0, columns)


def _pair(
    items: _Items,
    errors: Floats,
    names: tuple[str, ...],
    one: int,
    other: int,
    *,
    seed: int,
    samples: int,
) -> PanelPair:
    ratings, question = items.ratings[:, [one, other]], items.question
    both = ~np.isnan(ratings).any(axis=1)
    tables = (ratings[both, 0, None, None] == _SCORES[:, None]) & (
        ratings[both, 1, None, None] == _SCORES
    )
    counts = by_cluster(tables.reshape(-1, 9).astype(np.float64), question[both])
    golden = both & ~np.isnan(items.gold)
    same = (ratings[both, 0] == ratings[both, 1]).astype(np.float64)
    return PanelPair(
        one=names[one],
        other=names[other],
        same=_share(same, question[both], seed=seed, samples=samples),
        cohen_kappa=statistic(
            counts,
            lambda cases: cohen_kappa(cases.reshape(-1, 3, 3)),
            n=int(both.sum()),
            limits=_KAPPA,
            seed=seed,
            samples=samples,
        ),
        error_correlation=(
            statistic(
                by_cluster(_moments(errors[golden, one], errors[golden, other]), question[golden]),
                correlation,
                n=int(golden.sum()),
                limits=_KAPPA,
                seed=seed,
                samples=samples,
            )
            if golden.any()
            else None
        ),
        accuracy=_mcnemar(items, errors, one, other, golden) if golden.any() else None,
        accuracy_adjusted=None,
        correlation=_williams(items, one, other, golden),
        correlation_adjusted=None,
    )


def _mcnemar(
    items: _Items, errors: Floats, one: int, other: int, rows: npt.NDArray[np.bool_]
) -> McNemar:
    difference = errors[rows, other] - errors[rows, one]
    by_question = by_cluster(difference[:, None], items.question[rows])
    return mcnemar(by_question[:, 0].tolist())


def _williams(
    items: _Items, one: int, other: int, rows: npt.NDArray[np.bool_]
) -> CorrelationTest | None:
    # Both orders of a comparison are one item, in the comparison's own order.
    turned = np.where(items.swapped[rows], -1.0, 1.0)
    ones = np.ones(len(turned))
    scores = [items.gold[rows], items.ratings[rows, one], items.ratings[rows, other]]
    columns = np.column_stack([ones, *(score * turned for score in scores)])
    sums = by_cluster(columns, items.comparison[rows])
    gold, ours, theirs = (sums[:, 1:] / sums[:, :1]).T.tolist()
    return correlations_with_gold(gold, ours, theirs)


def _adjusted(pairs: list[PanelPair]) -> tuple[PanelPair, ...]:
    accuracy = holm([nan if pair.accuracy is None else pair.accuracy.p_value for pair in pairs])
    correlated = holm(
        [nan if pair.correlation is None else pair.correlation.p_value for pair in pairs]
    )
    return tuple(
        replace(
            pair,
            accuracy_adjusted=None if pair.accuracy is None else accuracy[k],
            correlation_adjusted=None if pair.correlation is None else correlated[k],
        )
        for k, pair in enumerate(pairs)
    )
