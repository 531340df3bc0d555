from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest

from peerjudge.analysis import Accuracy, Sampler, collect_reviews, measure_accuracy, measure_mean
from peerjudge.analysis.intervals import SHARE, measure_proportion
from peerjudge.data import Question, replace
from peerjudge.errors import DataError
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


@given(st.integers(0, 200), st.integers(1, 200))
def test_the_wilson_interval_is_that_of_scipy(successes: int, n: int):
    """The closed form needs no library, and agrees with one; its bounds hold the share."""
    k = min(successes, n)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    found = measure_proportion(k, n)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_nothing_measured_is_not_zero():
    """Without trials there is no share, and more successes than trials is a mistake."""
    assert math.isnan(measure_proportion(0, 0).value)
    assert measure_mean([], []).n == 0
    with pytest.raises(DataError, match="3 successes in 2 trials"):
        measure_proportion(3, 2)
    with pytest.raises(DataError, match="2 values cannot belong to 1 clusters"):
        measure_mean([1.0, 0.0], ["q"])


def test_repeating_a_question_adds_no_certainty():
    """Ten copies of each answer leave the interval as wide as it was."""
    random = np.random.default_rng(0)
    values = random.integers(0, 2, 40).astype(float).tolist()
    once = measure_mean(values, list(range(40)))
    copies = measure_mean(values * 10, list(range(40)) * 10)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))
    apart = measure_mean(values * 10, list(range(400)))
    assert apart.high - apart.low < (once.high - once.low) / 2


def test_an_interval_covers_what_it_promises():
    """About 95 of 100 intervals hold the mean they estimate."""
    random = np.random.default_rng(4)
    held = 0
    for _ in range(200):
        level = random.normal(size=60).repeat(3)
        found = measure_mean(
            level + random.normal(size=180),
            np.arange(60).repeat(3).tolist(),
        )
        held += found.low <= 0.0 <= found.high
    assert 0.88 <= held / 200 <= 0.99


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_share_that_never_varied_is_not_certain(value: float):
    """Twelve questions that all went one way give Wilson's interval, not a point."""
    found = measure_mean([value] * 36, list(range(12)) * 3, limits=SHARE)
    expected = measure_proportion(int(value) * 12, 12)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.n == 36
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
    assert found.low == pytest.approx(measure_proportion(5, 5).low)


def test_an_interval_of_single_verdicts_is_wilsons():
    """With one verdict per question and many questions, t is z and the interval is Wilson's."""
    values = np.repeat([0.0, 1.0], [900, 2100])
    found = measure_mean(values, np.arange(3000, dtype=np.int32), limits=SHARE)
    expected = measure_proportion(2100, 3000)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=2e-5)


def test_ties_everywhere_leave_room():
    """An estimate that every question gave alike has an interval towards both limits."""
    found = measure_mean([0.5] * 10, list(range(10)), limits=SHARE)
    unseen = measure_proportion(0, 10).high
    assert (found.low, found.high) == pytest.approx((0.5 - unseen / 2, 0.5 + unseen / 2))


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
