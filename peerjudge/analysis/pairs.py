"""Pairs of reviewers of a panel: agreement, common errors, and the better of the two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import nan
from typing import NamedTuple

import numpy as np

from peerjudge.analysis.ballots import SHARED, Ballots, Floats, score_of
from peerjudge.analysis.grouping import divide_known
from peerjudge.analysis.kappa import KAPPA, cohen_kappa, correlation
from peerjudge.analysis.selecting import number_judges
from peerjudge.data import Measurement, Noun, replace
from peerjudge.statistics.clusters import resample_sums, sum_by_cluster
from peerjudge.statistics.interval import SHARE, PairedDifference, measure_difference
from peerjudge.statistics.resampling import make_measurement
from peerjudge.statistics.testing import CorrelationTest, adjust_holm, compare_correlations

# Of two reviewers and an item: nine cells for their verdicts, then four for their errors.
_SAID, _ERRED = 9, 4
# Number of pairs resampled in one matrix product: reading the draws again for each pair is slow.
_BLOCK = 64


class PanelPair(Noun, frozen=True, kw_only=True):
    """Two reviewers on the items that both judged.

    `same` is the share of equal verdicts. Where there is gold: `error_correlation` is how much more
    often than by chance they are wrong together (phi), `accuracy` the accuracy of the first minus that
    of the second on the same comparisons with its test, as in `compare`, and `correlation`
    Williams' test of which correlates better with gold over comparisons. Gold made of the votes of one
    of the two is left out. The `_adjusted` p-values are Holm's over all pairs of the panel.
    """

    one: str
    other: str
    same: Measurement
    cohen_kappa: Measurement
    error_correlation: Measurement | None
    accuracy: PairedDifference | None
    accuracy_adjusted: float | None
    correlation: CorrelationTest | None
    correlation_adjusted: float | None


class Ratings(NamedTuple):
    """Items (a comparison in one shown order) with ratings and gold scores, `[item, reviewer]`.

    An item is represented by its first ballot; items are sorted by comparison and order. Reviewers are in
    the order of `number_judges`. A rating is the sign of the mean score of a reviewer, NaN where it
    gave none. `gold` is without a person's own votes (`Ballots.voter_gold`); `shared_gold` is NaN there,
    because gold made of the votes of one of two people says nothing about which of the two is right.
    """

    items: Ballots
    ratings: Floats
    gold: Floats
    shared_gold: Floats


def rate_items(ballots: Ballots) -> Ratings:
    """Return the items, ratings and gold of these ballots on pairs."""
    judges = [code for _, code in number_judges(ballots)]
    readable = ballots.where(ballots.readable)
    key = readable.comparison.astype(np.int64) * 2 + readable.swapped
    _, first, item = np.unique(key, return_index=True, return_inverse=True)
    place = np.zeros(len(ballots.reviewers), dtype=np.intp)
    place[judges] = np.arange(len(judges))
    shape = (len(first), len(judges))
    cell = item * shape[1] + place[readable.reviewer]
    total = np.bincount(cell, readable.score, shape[0] * shape[1]).reshape(shape)
    count = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    gold, own = np.full(shape, nan), np.zeros(shape, dtype=np.bool_)
    gold[item, place[readable.reviewer]] = score_of(readable.gold, readable.first)
    own[item, place[readable.reviewer]] = readable.voter_gold != SHARED
    return Ratings(
        items=readable.where(first),
        ratings=np.where(count > 0, np.sign(total), np.nan),
        gold=gold,
        shared_gold=np.where(own, nan, gold),
    )


def count_pairs(
    rated: Ratings, *, seed: int, samples: int
) -> Iterator[tuple[Sequence[tuple[int, int]], Floats, Floats]]:
    """Yield the pairs of reviewers that judged an item together, some at a time.

    With their cells summed by question, `[question, pair, cell]`, and in resampled questions,
    `[sample, pair, cell]`.
    """
    items, ratings, _, gold = rated
    seen = (~np.isnan(ratings)).astype(np.float64)
    together = seen.T @ seen
    pairs = [pair for pair in combinations(range(ratings.shape[1]), 2) if together[pair]]
    for start in range(0, len(pairs), _BLOCK):
        some = pairs[start : start + _BLOCK]
        cells = np.hstack([_mark_cells(ratings[:, pair], gold[:, pair]) for pair in some])
        sums = sum_by_cluster(cells, items.question)
        drawn = resample_sums(sums, samples=samples, seed=seed)
        shape = (-1, len(some), _SAID + _ERRED)
        yield some, sums.reshape(shape), drawn.reshape(shape)


def measure_pairs(
    rated: Ratings,
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    by_question: Floats,
    drawn: Floats,
    *,
    tested: bool,
) -> list[PanelPair]:
    """Return the measures of these pairs from `count_pairs`; see `adjust_p_values` for the tests.

    Accuracies are compared only if `tested`.
    """
    phi, phi_drawn = correlate_errors(by_question.sum(axis=0)), correlate_errors(drawn)
    rows: list[PanelPair] = []
    for k, (one, other) in enumerate(pairs):
        cells, sampled = by_question[:, k], drawn[:, k]
        whole = cells.sum(axis=0, keepdims=True)
        judged, erred = cells[:, :_SAID].sum(axis=1), cells[:, _SAID:]
        golden = erred.sum(axis=1)
        has_gold = bool(golden.any())
        rows.append(
            PanelPair(
                one=names[one],
                other=names[other],
                same=_measure(judged, _share_same(whole), _share_same(sampled), SHARE),
                cohen_kappa=_measure(judged, _kappa(whole), _kappa(sampled), KAPPA),
                error_correlation=(
                    _measure(golden, phi[k : k + 1], phi_drawn[:, k], KAPPA) if has_gold else None
                ),
                accuracy=(
                    _compare_accuracies(rated, (one, other)) if has_gold and tested else None
                ),
                accuracy_adjusted=None,
                correlation=_test_correlations(
                    rated.items, rated.ratings[:, [one, other]], rated.shared_gold[:, [one, other]]
                ),
                correlation_adjusted=None,
            )
        )
    return rows


def adjust_p_values(pairs: Sequence[PanelPair]) -> tuple[PanelPair, ...]:
    """Return the pairs with p-values adjusted for their number (Holm)."""
    accuracy = adjust_holm(
        [nan if pair.accuracy is None else pair.accuracy.p_value for pair in pairs]
    )
    correlated = adjust_holm(
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


def correlate_errors(cells: Floats) -> Floats:
    """Return the correlation (phi) of the errors counted in `[..., cell]`."""
    none, other, one, both = np.moveaxis(cells[..., _SAID:], -1, 0)
    ours, theirs = one + both, other + both
    moments = np.stack([none + one + other + both, ours, theirs, ours, theirs, both], axis=-1)
    return correlation(moments.reshape(-1, 6)).reshape(moments.shape[:-1])


def _share_gold(gold: Floats) -> Floats:
    """Return the gold that two reviewers share, NaN where one of them has none."""
    return np.where(gold[:, 0] == gold[:, 1], gold[:, 0], nan)


def _mark_cells(ratings: Floats, golds: Floats) -> Floats:
    """Return `[item, cell]`: a 1 in the cell of the two verdicts, and in that of the errors."""
    gold = _share_gold(golds)
    ours, theirs = ratings.T
    both = ~np.isnan(ours + theirs)
    golden = both & ~np.isnan(gold)
    cells = np.zeros((len(ours), _SAID + _ERRED))
    verdicts = 3 * (ours[both] + 1) + theirs[both] + 1
    errors = 2 * (ours != gold)[golden] + (theirs != gold)[golden]
    cells[np.flatnonzero(both), verdicts.astype(np.intp)] = 1.0
    cells[np.flatnonzero(golden), _SAID + errors.astype(np.intp)] = 1.0
    return cells


def _measure(
    by_question: Floats, value: Floats, drawn: Floats, limits: tuple[float, float]
) -> Measurement:
    clusters, n = int(np.count_nonzero(by_question)), int(by_question.sum())
    return make_measurement(float(value[0]), drawn, clusters=clusters, n=n, limits=limits)


def _share_same(cells: Floats) -> Floats:
    return divide_known(cells[:, 0:_SAID:4].sum(axis=1), cells[:, :_SAID].sum(axis=1))


def _kappa(cells: Floats) -> Floats:
    return cohen_kappa(cells[:, :_SAID].reshape(-1, 3, 3))


def _compare_accuracies(rated: Ratings, pair: tuple[int, int]) -> PairedDifference:
    """Return the difference of two accuracies with its test; both orders of a comparison are one."""
    items, gold = rated.items, _share_gold(rated.shared_gold[:, pair])
    ours, theirs = rated.ratings[:, pair].T
    rows = ~np.isnan(ours + theirs + gold)
    ahead = 1.0 * (ours == gold)[rows] - (theirs == gold)[rows]
    comparisons, place = np.unique(items.comparison[rows], return_inverse=True)
    means = np.bincount(place, ahead) / np.bincount(place)
    return measure_difference(means, items.question_of[comparisons])


def _test_correlations(items: Ballots, ratings: Floats, gold: Floats) -> CorrelationTest | None:
    """Return the test of which of two reviewers correlates better with gold over comparisons."""
    golds = _share_gold(gold)
    rows = ~np.isnan(ratings.sum(axis=1) + golds)
    # Both orders of a comparison are one item, in the comparison's own order.
    turned = np.where(items.swapped[rows], -1.0, 1.0)
    scores = [golds[rows], *ratings[rows].T]
    columns = np.column_stack([np.ones(len(turned)), *(score * turned for score in scores)])
    sums = sum_by_cluster(columns, items.comparison[rows])
    wanted, ours, theirs = (sums[:, 1:] / sums[:, :1]).T.tolist()
    # `sum_by_cluster` orders the comparisons by their codes.
    questions = items.question_of[np.unique(items.comparison[rows])]
    return compare_correlations(wanted, ours, theirs, questions)
