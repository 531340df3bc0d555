"""Tests of differences and the intervals that they imply, against scipy and counted values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import multinomial, norm, permutation_test

from peerjudge.analysis.intervals import measure_mean
from peerjudge.analysis.signflips import (
    choose_on_others,
    measure_at_once,
    measure_difference,
    measure_many,
    measure_over_best,
)

shares = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=11)


@given(shares)
@settings(max_examples=40)
def test_the_p_value_is_that_of_the_less_certain_test(differences: list[float]):
    """The p-value is that of scipy's paired permutation, of the score or of unseen losses: the greatest."""
    found = measure_difference(differences, range(len(differences)))
    expected = permutation_test(
        (np.array(differences),), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert found.difference.value == pytest.approx(np.mean(differences))
    assert found.p_value >= expected - 1e-9
    one_sided = min(differences) >= 0.0 or max(differences) <= 0.0
    unseen = 2.0 * norm.sf(abs(sum(differences)) ** 0.5) if one_sided else 0.0
    assert found.p_value >= min(unseen, 1.0) - 1e-9
    if max(expected, unseen) + 1e-9 < found.p_value < 1.0 - 1e-9:
        # The interval by score of this level ends at 0.
        score = measure_mean(
            differences, range(len(differences)), limits=(-1.0, 1.0), level=1.0 - found.p_value
        )
        assert min(abs(score.low), abs(score.high)) == pytest.approx(0.0, abs=1e-6)


def test_random_flips_agree_with_scipy():
    """With 30 questions the p-value is that of scipy's permutation test, up to chance."""
    random = np.random.default_rng(2)
    values = random.choice([-1.0, 0.0, 0.5, 1.0], size=30)
    expected = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=20_000, rng=random
    )
    found = measure_difference(values, np.arange(30))
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.015)


@given(st.integers(0, 10_000), st.integers(2, 40), st.floats(0.0, 1.0), st.integers(1, 3))
@settings(max_examples=50)
def test_interval_and_test_agree(seed: int, questions: int, rare: float, several: int):
    """The interval leaves 0 out exactly where the test says that there is a difference."""
    random = np.random.default_rng(seed)
    ours = random.choice([0.0, 0.25, 0.5, 1.0], size=(questions, 1))
    others = random.choice([0.0, 0.25, 0.5, 1.0], size=(questions, several))
    values = np.where(random.random((questions, several)) < rare, others, ours)
    found = measure_over_best(ours - values, values, np.arange(questions))
    low, high = found.difference.low, found.difference.high
    assert (low > 0 or high < 0) == (found.p_value <= 0.05)
    assert low <= found.difference.value <= high


@pytest.mark.parametrize(("questions", "won", "lost"), [(8, 0, 1), (20, 0, 1), (80, 1, 0)])
def test_one_question_of_many_bounds_nothing_at_zero(questions: int, won: int, lost: int):
    """A difference on a single question is no bound at 0: as many others may differ the other way."""
    values = [1.0] * won + [-1.0] * lost + [0.0] * (questions - won - lost)
    found = measure_difference(values, range(questions)).difference
    assert found.low < -0.01
    assert found.high > 0.01


@pytest.mark.parametrize("questions", [6, 12, 40])
def test_intervals_hold_the_truth_where_differences_are_rare(questions: int):
    """Exactly counted over all outcomes of single verdicts, 93 of 100 intervals hold the truth."""
    cases = [(won, lost) for won in range(questions + 1) for lost in range(questions + 1 - won)]
    # Rarer outcomes than these make up less than 0.001 of the probability.
    cases = [(won, lost) for won, lost in cases if won + lost <= min(questions, 16)]
    bounds = {}
    for won, lost in cases:
        values = [1.0] * won + [-1.0] * lost + [0.0] * (questions - won - lost)
        found = measure_difference(values, range(questions)).difference
        bounds[won, lost] = found.low, found.high
    for better, worse in [(0.0, 0.02), (0.0, 0.1), (0.05, 0.05), (0.1, 0.02), (0.15, 0.0)]:
        truth, chances = better - worse, (better, worse, 1.0 - better - worse)
        held = sum(
            multinomial.pmf((won, lost, questions - won - lost), questions, chances)
            for (won, lost), (low, high) in bounds.items()
            if low - 1e-9 <= truth <= high + 1e-9
        )
        assert held >= 0.93


@pytest.mark.parametrize("questions", [20, 60])
@pytest.mark.parametrize("gain", [0.25, 0.5, 1.0])
def test_intervals_hold_the_truth_where_whole_losses_are_rare(questions: int, gain: float):
    """Exactly counted where 80 % of questions gain a part and 4 % lose all: 93 of 100 intervals hold it."""
    chances = (0.8, 0.04, 0.16)
    cases = [
        (won, lost, questions - won - lost)
        for lost in range(min(questions, 16) + 1)
        for won in range(questions + 1 - lost)
        if multinomial.pmf((won, lost, questions - won - lost), questions, chances) > 1e-6
    ]
    values = np.array([np.repeat([gain, -1.0, 0.0], case) for case in cases])[:, None]
    _, low, high, p_value = measure_many(values, values)
    truth = 0.8 * gain - 0.04
    within = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    assert multinomial.pmf(cases, questions, chances) @ within >= 0.93
    assert (((low > 0.0) | (high < 0.0)) == (p_value <= 0.05)).all()


def test_unseen_losses_do_not_weigh_on_whole_gains():
    """Where each gain is a whole question, the sign flips are the less certain test of 0."""
    for won in range(1, 11):
        found = measure_difference([1.0] * won + [0.0] * (10 - won), range(10))
        flipped = min(1.0, 2.0 * 0.5**won)
        assert 2.0 * norm.sf(won**0.5) < flipped <= found.p_value + 1e-9


def test_questions_are_flipped_and_not_comparisons():
    """Ten copies of every question are no more evidence than one."""
    values = [1.0, 0.5, -0.25, 1.0, 0.5, 0.25, 0.75]
    once = measure_difference(values, range(7))
    copied = measure_difference(np.repeat(values, 10), np.repeat(np.arange(7), 10))
    assert copied.p_value == once.p_value
    assert copied.difference.low == pytest.approx(once.difference.low)
    assert (once.difference.n, copied.difference.n) == (7, 70)


def test_a_mean_of_zero_is_not_rejected_for_its_skew():
    """Four questions of five gain a little and one loses much: on average nothing, and so says the test."""
    random = np.random.default_rng(1)
    false = 0
    for trial in range(200):
        values = np.where(random.random(36) < 0.8, 0.25, -1.0)
        false += measure_difference(values, np.arange(36), seed=trial).p_value < 0.05
    assert false / 200 <= 0.12


@pytest.mark.parametrize("questions", [6, 36])
def test_intervals_hold_the_truth(questions: int):
    """About 95 of 100 intervals hold the true difference, also with few questions."""
    random = np.random.default_rng(questions)
    held = 0
    for trial in range(300):
        ours = (random.random((questions, 2)) < 0.7).mean(axis=1)
        theirs = (random.random((questions, 2)) < 0.5).mean(axis=1)
        found = measure_difference(ours - theirs, np.arange(questions), seed=trial).difference
        held += found.low <= 0.2 <= found.high
    assert held / 300 >= 0.92


def test_differences_that_are_all_alike_are_not_certain():
    """Ten questions on which nothing differed leave room for a difference on others."""
    same = measure_difference([0.0] * 10, range(10))
    assert same.p_value == 1.0
    assert same.difference.low == pytest.approx(-same.difference.high)
    assert 0.2 < same.difference.high < 0.35
    always = measure_difference([1.0] * 10, range(10))
    assert always.p_value == pytest.approx(2 / 2**10)
    assert always.difference.low < 0.6
    assert math.isnan(measure_difference([], []).p_value)


def test_few_questions_bound_nothing():
    """With five questions no test can reach 5 %, so the interval is all that is possible."""
    found = measure_difference([1.0, 1.0, 0.5, 1.0, 1.0], range(5))
    assert (found.difference.low, found.difference.high) == (-1.0, 1.0)
    assert found.p_value == pytest.approx(2 / 32)


def test_the_choice_does_not_see_its_own_question():
    """Each question's seat is the best on the others; equal ones are averaged."""
    values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    weights = choose_on_others(values, np.arange(4))
    # Without the first question one seat is right twice, the other twice.
    assert weights.tolist() == [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]
    by_hand = []
    for row in range(4):
        rest = np.delete(values, row, axis=0).mean(axis=0)
        by_hand.append(values[row][rest == rest.max()].mean())
    ours = np.array([1.0, 0.0, 1.0, 1.0])
    found = measure_over_best(ours[:, None] - values, values, np.arange(4))
    assert found.difference.value == pytest.approx(np.mean(ours - by_hand))


def test_beating_the_better_seat_is_beating_each():
    """The worse of two seats changes neither bound from below nor the claim; all questions count."""
    random = np.random.default_rng(3)
    ours = (random.random(60) < 0.8) * 1.0
    able, weak = (random.random(60) < 0.75) * 1.0, (random.random(60) < 0.2) * 1.0
    values = np.stack([able, weak], axis=1)
    both = measure_over_best(ours[:, None] - values, values, np.arange(60))
    alone = measure_difference(ours - able, np.arange(60))
    assert both.difference.value == alone.difference.value
    assert both.difference.low == alone.difference.low
    assert both.difference.high >= alone.difference.high
    assert both.p_value >= alone.p_value


@pytest.mark.parametrize("conditions", [1, 10])
def test_simultaneous_bounds_claim_nothing_under_a_null(conditions: int):
    """Where nothing differs, at most 5 of 100 studies claim something, for any number of conditions."""
    random = np.random.default_rng(conditions)
    false = 0
    for trial in range(150):
        right = (random.random((30, conditions, 2)) < 0.7) * 1.0
        groups = [(one[:, :1] - one[:, 1:]) for one in np.moveaxis(right, 1, 0)]
        values = [float(one.mean()) for one in groups]
        bounds = measure_at_once(groups, np.arange(30), values, seed=trial)
        false += any(one.low > 0 or one.high < 0 for one in bounds)
    # 5 % and three standard errors.
    assert false / 150 <= 0.105


def test_simultaneous_bounds_say_harm_as_loudly_as_help():
    """Turning the sign of all differences turns the bounds around."""
    random = np.random.default_rng(4)
    groups = [random.choice([-1.0, 0.0, 0.5], size=(25, 1)) for _ in range(3)]
    values = [float(one.mean()) for one in groups]
    there = measure_at_once(groups, np.arange(25), values)
    back = measure_at_once([-one for one in groups], np.arange(25), [-one for one in values])
    for one, other in zip(there, back, strict=True):
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
