"""Ratings of two judges on the same answers: differences, correlations, and closeness to gold."""

from __future__ import annotations

import warnings
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from peerjudge.analysis import collect_reviews
from peerjudge.analysis.coefficients import COEFFICIENTS, measure_cases, resample_coefficients
from peerjudge.analysis.rating_pairs import (
    RatingPair,
    compare_ratings,
    measure_shifts,
    tabulate_ratings,
)
from peerjudge.analysis.ratings import RatingLevel
from peerjudge.data import Dataset, replace
from peerjudge.statistics.clusters import draw_clusters
from peerjudge.statistics.sampler import Sampler
from tests.analysis.analysis_kit import rated_by

RATED = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=4, max_size=15)
SAMPLER = Sampler(samples=200)


def _coefficients(x, y) -> dict[str, float]:
    """Scipy's coefficients; NaN where the values never vary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "pearson": float(pearsonr(x, y).statistic),
            "spearman": float(spearmanr(x, y).statistic),
            "kendall": float(kendalltau(x, y).statistic),
        }


@settings(max_examples=25)
@given(RATED, st.integers(1, 4))
def test_every_sample_has_the_coefficients_of_the_drawn_answers(pairs, size):
    """With ties and questions drawn several times, all three are those of scipy on these answers."""
    x, y = np.array(pairs, dtype=np.float64).T
    questions = np.arange(len(x), dtype=np.int32) // size
    count = int(questions[-1]) + 1
    cases = resample_coefficients(x, y, questions, sampler=Sampler(samples=5))
    drawn = draw_clusters(count, samples=5, seed=0).astype(int)
    for case, times in enumerate([np.ones(count, dtype=int), *drawn]):
        rows = np.repeat(np.arange(len(x)), times[questions])
        if len(rows) > 1:
            expected = _coefficients(x[rows], y[rows])
            for name in COEFFICIENTS:
                assert cases[name][case] == pytest.approx(expected[name], nan_ok=True)


def test_copies_of_answers_in_their_questions_add_no_evidence():
    """The unit is the question: each answer counted twice within it leaves all intervals as they are."""
    random = np.random.default_rng(0)
    x = random.integers(1, 6, size=60).astype(np.float64)
    y = np.clip(x + random.integers(-2, 3, size=60), 1, 5)
    questions = np.arange(60, dtype=np.int32) // 4
    once = resample_coefficients(x, y, questions, sampler=SAMPLER)
    twice = resample_coefficients(
        np.tile(x, 2), np.tile(y, 2), np.tile(questions, 2), sampler=SAMPLER
    )
    apart = resample_coefficients(x, y, np.arange(60, dtype=np.int32), sampler=SAMPLER)
    for name in COEFFICIENTS:
        bounds = measure_cases(once[name], questions, sampler=SAMPLER)
        copied = measure_cases(twice[name], np.tile(questions, 2), sampler=SAMPLER)
        assert (copied.low, copied.high) == pytest.approx((bounds.low, bounds.high))
        assert bounds.low < bounds.value < bounds.high
        assert not np.allclose(once[name][1:], apart[name][1:])


def _compare(dataset: Dataset, **options) -> tuple[RatingPair, ...]:
    rows = tabulate_ratings(collect_reviews(dataset))
    return compare_ratings(rows, sampler=SAMPLER, **options)


ONE = [1.0, 2.0, 3.0, 4.0, 5.0, 4.0, 2.0, None]
OTHER = [2.0, 2.0, 4.0, 4.0, 4.0, 5.0, 1.0, 3.0]
GOLD = [1.0, 2.5, 3.0, 4.5, 5.0, 4.0, 2.0, 3.0]


def test_two_judges_are_compared_on_the_answers_that_both_rated():
    """Means, absolute differences and coefficients are over shared answers; missing ratings drop out."""
    (pair,) = _compare(rated_by({"a": ONE, "b": OTHER}, GOLD))
    x, y, z = np.array(ONE[:7]), np.array(OTHER[:7]), np.array(GOLD[:7])
    assert (pair.one, pair.other, pair.aspect, pair.answers) == ("a", "b", "style", 7)
    assert (pair.mean, pair.other_mean) == (x.mean(), y.mean())
    assert pair.shift.difference.value == pytest.approx((x - y).mean())
    assert pair.mean_error.value == pytest.approx(np.abs(x - y).mean())
    expected = _coefficients(x, y)
    for name in COEFFICIENTS:
        assert getattr(pair, name).value == pytest.approx(expected[name])
    (gold,) = pair.against_gold
    ours, theirs = _coefficients(x, z), _coefficients(y, z)
    for name in COEFFICIENTS:
        assert getattr(gold, name).value == pytest.approx(ours[name] - theirs[name])
    errors = np.abs(x - z).mean() - np.abs(y - z).mean()
    assert gold.mean_error.difference.value == pytest.approx(errors)
    assert gold.williams.r12 - gold.williams.r13 == pytest.approx(gold.pearson.value)


def test_exchanging_two_judges_reverses_their_differences():
    """What the first has over the second, the second lacks; what they share stays."""
    dataset = rated_by({"a": ONE, "b": OTHER}, GOLD)
    (pair,), (back,) = _compare(dataset, baseline="b"), _compare(dataset, baseline="a")
    assert (back.one, back.other) == (pair.other, pair.one)
    assert back.shift.difference.value == pytest.approx(-pair.shift.difference.value)
    assert back.shift.p_value == pytest.approx(pair.shift.p_value)
    assert back.kendall == pair.kendall
    ours, theirs = pair.against_gold[0], back.against_gold[0]
    assert theirs.spearman.value == pytest.approx(-ours.spearman.value)
    assert theirs.mean_error.difference.value == pytest.approx(-ours.mean_error.difference.value)


def test_a_scale_from_10_to_50_has_intervals_ten_times_as_wide():
    """Tests and coefficients do not depend on the unit of ratings; differences are in this unit."""
    (small,) = _compare(rated_by({"a": ONE, "b": OTHER}, GOLD))
    wide = [[None if x is None else 10 * x for x in values] for values in (ONE, OTHER)]
    (large,) = _compare(rated_by({"a": wide[0], "b": wide[1]}, [10 * gold for gold in GOLD]))
    assert large.shift.p_value == small.shift.p_value
    for one, other in (
        (large.shift.difference, small.shift.difference),
        (large.mean_error, small.mean_error),
    ):
        assert (one.low, one.high) == pytest.approx((10 * other.low, 10 * other.high))
    assert large.pearson.low == pytest.approx(small.pearson.low)


def test_ratings_without_a_named_aspect_are_held_against_every_gold():
    """A run names no aspect: its ratings are compared once, and with each gold of the answers."""
    dataset = rated_by({"a": ONE, "b": OTHER}, GOLD, aspect="")
    more = tuple(replace(one, meta={**one.meta, "gold_tone": 3.0}) for one in dataset.comparisons)
    (pair,) = _compare(replace(dataset, comparisons=more))
    assert pair.aspect == ""
    assert [gold.aspect for gold in pair.against_gold] == ["style", "tone"]
    assert isnan(pair.against_gold[1].pearson.value)
    assert pair.against_gold[1].williams is None


def test_one_question_gives_no_bounds():
    """Seven answers to one question do not show how much questions differ."""
    (pair,) = _compare(rated_by({"a": ONE, "b": OTHER}, GOLD, size=9))
    assert pair.questions == 1
    for measured in (pair.pearson, pair.spearman, pair.kendall, pair.mean_error):
        assert isnan(measured.low)
        assert isnan(measured.high)


def test_p_values_are_adjusted_for_all_pairs():
    """Three judges make three pairs, and no adjusted p-value is below the one it adjusts."""
    pairs = _compare(rated_by({"a": ONE, "b": OTHER, "c": GOLD}, GOLD))
    assert [(pair.one, pair.other) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in pairs:
        assert pair.shift_holm >= pair.shift.p_value
        assert pair.against_gold[0].mean_error_holm >= pair.against_gold[0].mean_error.p_value


def test_judges_of_pairs_have_no_ratings_to_compare(llmbar):
    """Ratings that came with a choice between two answers are no ratings of single answers."""
    assert tabulate_ratings(collect_reviews(llmbar)) == ()


def _levels(dataset: Dataset) -> tuple[RatingLevel, ...]:
    return tuple(one for row in tabulate_ratings(collect_reviews(dataset)) for one in row.levels)


def _repeated(trials: list[list[float | None]], *, size: int = 1) -> Dataset:
    """One reviewer's ratings of several answers, each rated as often as it has trials."""
    rated = [rated_by({"a": list(values)}, [3.0] * len(values), size=size) for values in trials]
    reviews = tuple(review for one in rated for review in one.reviews)
    return replace(rated[0], reviews=reviews)


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(1, 10), min_size=3, max_size=3), min_size=2, max_size=9))
def test_the_scatter_of_ratings_is_that_of_items_and_of_their_trials(items):
    """Deviations of all ratings, of the items' means, and within items are those of numpy."""
    table = np.array(items, dtype=np.float64)
    (level,) = _levels(_repeated([*map(list, table.T)]))
    assert (level.items, level.ratings, level.trials) == (len(items), 3 * len(items), 3.0)
    assert level.mean.value == pytest.approx(table.mean())
    assert level.sd == pytest.approx(table.std(ddof=1))
    assert level.sd_items == pytest.approx(table.mean(axis=1).std(ddof=1))
    assert level.sd_trials == pytest.approx(np.sqrt(table.var(axis=1, ddof=1).mean()))
    assert sum(level.distribution.values()) == level.ratings


def test_more_trials_of_the_same_items_add_no_items():
    """The trials of an item belong together: ten equal trials leave mean and interval as one does."""
    values = [1.0, 4.0, 2.0, 5.0, 3.0, 5.0, 2.0, 4.0]
    (once,), (often,) = _levels(_repeated([values])), _levels(_repeated([values] * 10))
    assert once.mean == often.mean
    assert once.mean.low < once.mean.value < once.mean.high
    assert often.sd_trials == 0.0
    assert isnan(once.sd_trials)


def test_an_unreadable_rating_is_counted_and_enters_nothing_else():
    """It is neither the least rating nor a missing item: other trials of the item still count."""
    (level,) = _levels(_repeated([[2.0, 4.0, 3.0], [None, 4.0, None]]))
    assert (level.items, level.ratings, level.unreadable) == (3, 4, 2)
    assert level.mean.value == pytest.approx(3.0)
    assert level.distribution == {2: 1, 3: 1, 4: 2}


def test_answers_to_one_question_are_no_independent_items():
    """The interval of the mean has questions as its unit, and one question gives none."""
    values = [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 5.0, 5.0]
    (apart,), (pairs,) = _levels(_repeated([values])), _levels(_repeated([values], size=2))
    assert pairs.mean.value == apart.mean.value
    assert pairs.mean.high - pairs.mean.low > apart.mean.high - apart.mean.low
    (single,) = _levels(_repeated([values], size=8))
    assert isnan(single.mean.low)


def test_differences_of_means_are_those_of_the_whole_comparison():
    """A report gives the differences alone, with the p-values of the command that gives all."""
    rows = tabulate_ratings(collect_reviews(rated_by({"a": ONE, "b": OTHER, "c": GOLD}, GOLD)))
    shifts, pairs = measure_shifts(rows, sampler=SAMPLER), compare_ratings(rows, sampler=SAMPLER)
    assert [(one.one, one.shift, one.shift_holm) for one in shifts] == [
        (one.one, one.shift, one.shift_holm) for one in pairs
    ]
