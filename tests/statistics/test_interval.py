"""The one interval of shares and differences: Student's t with two questions added."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import ttest_1samp

from peerjudge.analysis import Accuracy, collect_reviews, measure_accuracy
from peerjudge.data import Question, replace
from peerjudge.errors import DataError
from peerjudge.statistics.interval import (
    DIFFERENCE,
    SHARE,
    measure_difference,
    measure_least,
    measure_mean,
    measure_ratios,
)
from peerjudge.statistics.sampler import Sampler
from studies.recovery.coverage import is_honest, measure_coverage
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

MARKED = st.sampled_from("12=?")


def accuracy(judged: Sequence[tuple[str, str]], *, clusters, samples=2000) -> Accuracy | None:
    """The accuracy of verdicts against their golds, each of a comparison of these questions."""
    pairs = [
        replace(pair_of(f"c{n}", gold=gold), question=Question(id=f"q{q}", text=""))
        for n, (q, (_, gold)) in enumerate(zip(clusters, judged, strict=True))
    ]
    data = dataset_of(pairs, map(review_of, pairs, [mark for mark, _ in judged]))
    return measure_accuracy(collect_reviews(data), sampler=Sampler(samples=samples))


def test_two_questions_are_added_to_those_of_a_share():
    """Seven of eight questions right: Student's t of these eight and of one right and one wrong."""
    added = [1.0] * 7 + [0.0] + [0.0, 1.0]
    expected = ttest_1samp(added, 0.0).confidence_interval(0.95)
    found = measure_mean([1.0] * 7 + [0.0], range(8))
    assert found.value == 7 / 8
    assert (found.low, found.high) == (pytest.approx(expected.low), 1.0)


def test_a_difference_has_the_p_value_of_its_interval():
    """The added questions gain all and lose all; p is of the same t, and leaves 0 out as the bounds do."""
    values = [0.5, 1.0, 0.0, 0.5, 1.0, 0.5, 0.0, 1.0, -0.5, 1.0, 1.0, 0.5]
    tested = ttest_1samp([*values, -1.0, 1.0], 0.0)
    found = measure_difference(values, range(12))
    bounds = tested.confidence_interval(0.95)
    assert found.p_value == pytest.approx(tested.pvalue)
    assert found.difference.value == pytest.approx(np.mean(values))
    assert (found.difference.low, found.difference.high) == pytest.approx(tuple(bounds))


@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=60),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_a_p_value_and_its_interval_never_disagree(values: list[float], level: float):
    """P is at most 1 - level exactly where the interval of that level leaves out 0."""
    found = measure_difference(values, range(len(values)), level=level)
    outside = found.difference.low > 0.0 or found.difference.high < 0.0
    assert outside == (found.p_value < 1.0 - level)
    assert found.difference.low <= found.difference.value <= found.difference.high


@given(
    st.integers(1, 30).flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=size, max_size=size),
            min_size=1,
            max_size=4,
        )
    )
)
def test_the_better_of_several_ways_is_never_beaten_by_more_than_their_mean(ways):
    """Nothing is chosen: value and low bound are the least of the ways', and p agrees with the bounds."""
    rows = np.array(ways).T
    ratios = measure_ratios(rows, np.ones_like(rows), limits=DIFFERENCE)
    value, low, high, p_value = (float(one) for one in measure_least(ratios))
    assert value == rows.mean(axis=0).min() <= rows.mean() + 1e-12
    assert low == ratios.bound()[0].min() <= value <= high
    assert (low > 0.0 or high < 0.0) == (p_value < 0.05)
    if len(ways) == 1:
        single = measure_difference(ways[0], range(len(ways[0])))
        assert (low, high) == (single.difference.low, single.difference.high)
        assert p_value == pytest.approx(single.p_value)


def test_several_intervals_hold_together_at_a_stricter_level():
    """Bonferroni: each of five intervals of 95 % together is one of 99 %."""
    values = np.array([0.0, 1.0, 1.0, 0.5, 1.0, 0.0, 1.0])
    ratios = measure_ratios(values, np.ones(7), limits=SHARE)
    assert ratios.bound(0.95, at_once=5) == pytest.approx(ratios.bound(0.99))


def test_nothing_measured_is_not_zero():
    """Without values there is no mean and no p-value."""
    found = measure_difference([], [])
    assert (found.difference.n, math.isnan(found.difference.value)) == (0, True)
    assert math.isnan(found.p_value)
    with pytest.raises(DataError, match="2 values cannot belong to 1 clusters"):
        measure_mean([1.0, 0.0], ["q"])


def test_questions_that_are_judged_oftener_count_more():
    """The value is the pooled share, with bounds that hold it and freedom of the effective number."""
    values, questions = [1.0, *[0.0] * 8, 1.0, 1.0], [0, *[1] * 8, 2, 3]
    found = measure_mean(values, questions)
    assert found.value == pytest.approx(3 / 11)
    sums = np.array([[1.0], [0.0], [1.0], [1.0]]), np.array([[1.0], [8.0], [1.0], [1.0]])
    ratios = measure_ratios(*sums, limits=SHARE)
    assert ratios.freedom[0] == pytest.approx(11**2 / (1 + 64 + 1 + 1) + 1)
    assert 0.0 <= found.low < found.value < found.high <= 1.0


def test_alike_questions_without_a_range_bound_nothing():
    """Ratings without a known scale that all agree do not show how far the next question may be off."""
    found = measure_difference([2.0, 2.0, 2.0], range(3), limits=None)
    assert (found.difference.low, found.difference.high) == (-math.inf, math.inf)
    assert found.p_value == 1.0


def test_repeating_a_question_adds_no_certainty():
    """Ten copies of each answer leave the interval as wide as it was."""
    random = np.random.default_rng(0)
    values = random.integers(0, 2, 40).astype(float).tolist()
    once = measure_mean(values, list(range(40)))
    copies = measure_mean(values * 10, list(range(40)) * 10)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))
    apart = measure_mean(values * 10, list(range(400)))
    assert apart.high - apart.low < (once.high - once.low) / 2


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_share_that_never_varied_is_not_certain(value: float):
    """Twelve questions that all went one way give room for others, not a point."""
    found = measure_mean([value] * 36, list(range(12)) * 3)
    assert found.n == 36
    assert value in {found.low, found.high}
    assert found.high - found.low > 0.2


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40))
@settings(max_examples=60)
def test_an_interval_of_shares_is_a_point_only_by_chance_of_the_draw(rows):
    """Whatever the data, the bounds hold the share and stay within 0 and 1."""
    found = measure_mean([v for _, v in rows], [q for q, _ in rows], limits=SHARE)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    if found.value in (0.0, 1.0):
        assert found.low < found.high


def test_an_accuracy_without_errors_has_room_for_some():
    """Five right verdicts on five questions do not prove a reviewer infallible."""
    found = accuracy(["11"] * 5, clusters=range(5)).accuracy
    assert found.value == found.high == 1.0
    assert found.low == pytest.approx(measure_mean([1.0] * 5, range(5)).low)
    assert found.low < 0.6


@pytest.mark.parametrize("questions", [4, 12])
def test_intervals_from_few_questions_hold_the_truth(questions: int):
    """Graded accuracies of 4 and 12 questions: at least 93 of 100 intervals, within chance."""
    found = measure_coverage(studies=600, seed=3, sizes=(questions,))
    assert [one.population for one in found if not is_honest(one)] == []


def test_unreadable_verdicts_bound_the_accuracy():
    """They are no ties and no errors: excluded, counted, and put on either side."""
    found = accuracy(["11", "21", "==", "?1", "-=", "1?"], clusters=range(6))
    assert found.accuracy.value == pytest.approx(2 / 3)
    assert (found.accuracy.n, found.undecided) == (3, 2)
    assert (found.worst_case, found.best_case) == (pytest.approx(2 / 5), pytest.approx(4 / 5))


@given(st.lists(st.tuples(MARKED, MARKED), min_size=1), st.booleans())
def test_accuracy_lies_between_its_worst_and_best_case(judged, clustered):
    """Whatever the unreadable replies meant, the truth is in between."""
    names = [k // 2 if clustered else k for k in range(len(judged))]
    found = accuracy(judged, clusters=names, samples=20)
    if found is not None and found.accuracy.n:
        assert found.worst_case <= found.accuracy.value <= found.best_case
        assert found.accuracy.low <= found.accuracy.value <= found.accuracy.high
