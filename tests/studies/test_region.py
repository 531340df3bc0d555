"""Where a discussion of two simulated reviewers beats its better seat."""

from __future__ import annotations

import pytest

from studies.region.report import PULLS, find_even, measure_gain


def gain(**point: float) -> float:
    """The difference at a point, over 20,000 questions."""
    return measure_gain(
        **{"ratio": 0.5, "shared": 0.3, "pull": 1.5, **point},  # pyright: ignore[reportArgumentType]
        seed=1,
        studies=100,
    )


def test_equal_seats_neither_gain_nor_lose_without_truth_pull():
    """If right arguments persuade no more than wrong ones, hearing an equal changes nothing on average."""
    assert gain(ratio=1.0, pull=0.0) == pytest.approx(0.0, abs=0.012)


def test_a_weaker_partner_costs_the_better_seat():
    """Without truth pull the discussion is worse than its better seat, the more the weaker the other is."""
    assert gain(ratio=0.3, pull=0.0) < gain(ratio=0.6, pull=0.0) < -0.02


def test_truth_pull_helps_and_shared_errors_hinder():
    """Right arguments that persuade help; errors that both make cannot be corrected by either."""
    assert gain(pull=3.0) > gain() > gain(pull=0.0)
    assert gain(shared=0.0) > gain(shared=0.6)


def test_the_boundary_is_where_the_gain_turns_positive():
    """It is interpolated between two truth pulls, and missing where no truth pull is enough."""
    gains = [-0.02, -0.01, 0.01, *[0.02] * (len(PULLS) - 3)]
    assert find_even(gains) == pytest.approx((PULLS[1] + PULLS[2]) / 2)
    assert find_even([0.01] * len(PULLS)) == PULLS[0]
    assert find_even([-0.01] * len(PULLS)) is None
