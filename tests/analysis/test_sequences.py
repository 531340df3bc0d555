"""Confidence sequences: bounds that hold at all numbers of questions."""

from __future__ import annotations

from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis.stopping import (
    FRACTIONS,
    bound_below,
    compute_log_capital,
    measure_sequence,
)

halves = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=30)


def test_the_capital_of_a_fair_game_stays_the_same_on_average():
    """Over all results of a game with mean 0 the mean capital is 1 after each of four questions."""
    games = np.array([*product([-1.0, 0.0, 1.0], repeat=4)])
    capital = np.exp(compute_log_capital(games, 0.0))
    assert capital.mean(axis=0) == pytest.approx(np.ones(4))


def test_the_capital_is_the_mean_over_the_bets():
    """After one question with the value 1, a bet of the fraction f on a mean above 0 has 1 + f."""
    (capital,) = compute_log_capital(np.array([1.0]), 0.0)
    assert exp(capital) == pytest.approx(1 + np.mean(FRACTIONS))


@settings(max_examples=25)
@given(halves)
def test_the_bound_does_not_depend_on_the_order(values):
    """Only the set of questions counts, in any order."""
    found = [
        bound_below(np.array(order), alpha=0.025)
        for order in (values, values[::-1], sorted(values))
    ]
    assert found == pytest.approx([found[0]] * 3)


@given(halves)
def test_the_capital_falls_as_the_tested_mean_grows(values):
    """Means that are not rejected are an interval, as the capital is monotone in the tested mean."""
    capital = [
        compute_log_capital(np.array(values), tested)[-1] for tested in np.linspace(-0.99, 1, 15)
    ]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(capital))


@given(halves)
def test_the_bounds_hold_the_mean(values):
    """The mean of the questions lies between the bounds, which are between -1 and 1."""
    column = np.array(values)[:, None]
    found = measure_sequence(column)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.value == pytest.approx(np.mean(values))


def test_the_better_of_several_ways_must_be_beaten():
    """The lower bound over two alternatives is the lower one; the upper bound is corrected for two."""
    random = np.random.default_rng(1)
    easy, hard = random.choice([0.0, 1.0], (2, 60), p=[0.3, 0.7]) - [[0.0], [0.4]]
    both = np.stack([easy, hard], axis=1)
    found = measure_sequence(both)
    assert found.value == pytest.approx(hard.mean())
    assert found.low == pytest.approx(bound_below(hard, alpha=0.025))
    assert found.high == pytest.approx(-bound_below(-hard, alpha=0.0125))


def test_a_question_that_was_not_measured_places_no_bet():
    """NaN changes no bound and is not counted."""
    values = np.array([1.0, 0.0, 1.0, 0.5] * 8)[:, None]
    padded = np.insert(values, [3, 9], np.nan, axis=0)
    found, other = measure_sequence(values), measure_sequence(padded)
    assert (found.low, found.high, found.n) == pytest.approx((other.low, other.high, other.n))


def test_nothing_measured_bounds_nothing():
    """Without a question the bounds are -1 and 1."""
    empty = np.empty((0, 1))
    found = measure_sequence(empty)
    assert (found.low, found.high, found.n) == (-1, 1, 0)
