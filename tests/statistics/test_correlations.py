"""Dependent correlations and several tests at once, against published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.errors import DataError
from peerjudge.statistics.testing import adjust_holm, compare_correlations, run_williams

p_values = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p_value"),
    [
        # Howell, Statistical Methods for Psychology, 6th edition, page 262.
        (0.80, 0.72, 0.89, 26, 1.361, 0.187),
        # Steiger 1980, Psychological Bulletin 87: verbal ability, masculinity and femininity.
        (0.50, 0.40, 0.10, 103, 0.891, 0.375),
        # Printed by the R package cocor, version 1.1, from correlations rounded to four digits.
        (0.8066, 0.2383, 0.2255, 177, 9.3823, 0.0),
        (-0.1741, 0.2015, 0.3734, 646, -9.0340, 0.0),
    ],
)
def test_williams_test_gives_the_published_values(r12, r13, r23, n, t, p_value):
    """Textbook examples of two correlations that share a variable."""
    found = run_williams(r12, r13, r23, n)
    assert found.t == pytest.approx(t, abs=0.002)
    assert found.p_value == pytest.approx(p_value, abs=0.0006)
    assert found.df == n - 3


@given(st.integers(0, 10_000), st.integers(5, 40))
@settings(max_examples=40)
def test_williams_test_is_antisymmetric(seed: int, n: int):
    """Naming the two correlations the other way round only turns the sign."""
    gold, one, other = np.random.default_rng(seed).normal(size=(3, n))
    there = compare_correlations(gold.tolist(), one.tolist(), other.tolist(), range(len(gold)))
    back = compare_correlations(gold.tolist(), other.tolist(), one.tolist(), range(len(gold)))
    assert there.t == pytest.approx(-back.t)
    assert there.p_value == pytest.approx(back.p_value)


def test_williams_test_holds_its_level():
    """Where two scores correlate equally with gold, about 5 of 100 tests say otherwise."""
    random = np.random.default_rng(3)
    false = 0
    for _ in range(400):
        gold = random.normal(size=50)
        scores = gold + random.normal(size=(2, 50))
        found = compare_correlations(
            gold.tolist(), scores[0].tolist(), scores[1].tolist(), range(len(gold))
        )
        false += found.p_value < 0.05
    assert 0.02 <= false / 400 <= 0.09


def test_correlations_that_cannot_be_are_a_mistake():
    """Three variables cannot be related at will, and three items test nothing."""
    with pytest.raises(DataError, match="correlations that go together"):
        run_williams(0.9, -0.9, 0.9, 30)
    with pytest.raises(DataError, match="at least 4 items"):
        run_williams(0.5, 0.4, 0.1, 3)
    assert compare_correlations([1, 1, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1], range(4)) is None


def test_a_score_compared_with_itself_is_no_different():
    """Two reviewers who always say the same correlate alike with gold."""
    found = compare_correlations([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1], range(5))
    assert (found.t, found.p_value) == (0.0, 1.0)


@given(p_values)
@settings(max_examples=40)
def test_adjusting_keeps_the_order_and_never_lowers(given_values: list[float]):
    """Holm's correction makes a finding out of nothing never, and keeps which one is the clearest."""
    strict = adjust_holm(given_values)
    assert all(one <= held <= 1.0 for one, held in zip(given_values, strict, strict=True))
    order = np.argsort(given_values, kind="stable")
    assert (np.diff(np.array(strict)[order]) >= -1e-12).all()


def test_holm_gives_the_textbook_values():
    """Four tests: the smallest p-value is multiplied by four, the next by three, and so on."""
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust_holm([0.01, math.nan])[0] == 0.01
    assert math.isnan(adjust_holm([0.01, math.nan])[1])
    with pytest.raises(DataError, match="between 0 and 1"):
        adjust_holm([1.5])


def test_williams_test_respects_questions():
    """Under the null, items that share questions are found different too often by Williams alone."""
    random = np.random.default_rng(12)
    questions = np.arange(40).repeat(8)
    shared, alone = 0, 0
    for _ in range(400):
        truth = random.normal(size=320)
        # Each reviewer errs on a question as a whole.
        one, other = (
            truth * 0.7
            + random.normal(size=40)[questions] * random.normal(size=40)[questions]
            + random.normal(size=320) * 0.3
            + truth * 0.6 * random.normal(size=40)[questions]
            for _ in range(2)
        )
        found = compare_correlations(truth.tolist(), one.tolist(), other.tolist(), questions)
        plain = compare_correlations(truth.tolist(), one.tolist(), other.tolist(), range(320))
        shared += found.p_value < 0.05
        alone += plain.p_value < 0.05
        assert found.design_effect >= plain.design_effect == pytest.approx(1.0)
    assert alone / 400 > 0.1
    assert shared / 400 < 0.085


def test_one_item_per_question_is_williams_test_itself():
    """Without shared questions nothing is corrected."""
    random = np.random.default_rng(2)
    gold, one, other = random.normal(size=(3, 30))
    found = compare_correlations(gold.tolist(), one.tolist(), other.tolist(), range(30))
    expected = run_williams(found.r12, found.r13, found.r23, 30)
    assert (found.t, found.design_effect) == pytest.approx((expected.t, 1.0))
