"""Formats of numbers and names."""

import pytest

from peerjudge.data import Measurement
from peerjudge.reporting.formats import interval, isolated, p_value, percent, points, share, tokens
from peerjudge.shown import money

NAN = float("nan")


def measured(value: float, low: float, high: float) -> Measurement:
    """Return a measurement of ten items."""
    return Measurement(value=value, low=low, high=high, n=10)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "100"),
        (0.712, "71"),
        (0.998, "99.8"),
        (0.9999, "99.9"),
        (0.002, "0.2"),
        (0.0001, "0.1"),
        (NAN, "-"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_none(value: float, text: str):
    """Rounding must not turn nearly all into all, or hardly any into none."""
    assert share(value) == text


def test_a_share_has_its_interval():
    """Value and bounds are in percent, with the same number of digits."""
    assert percent(measured(0.71, 0.65, 0.77)) == "71 [65, 77]"
    assert percent(measured(0.71, 0.654, 1.0), digits=1) == "71.0 [65.4, 100.0]"


def test_a_difference_has_its_sign():
    """Gains and losses are distinguished, and zero has no sign."""
    assert points(measured(0.07, -0.02, 0.12)) == "+7 [-2, +12]"
    assert points(measured(0.001, -0.001, 0.0)) == "0 [0, 0]"


def test_a_missing_measurement_is_a_dash():
    """No number stands for a missing one."""
    assert percent(None) == points(None) == interval(None) == p_value(None) == "-"


def test_a_number_without_bounds_has_no_brackets():
    """A correlation of too few questions has a value and no interval."""
    assert interval(measured(0.4567, NAN, NAN)) == "0.457"
    assert interval(measured(0.4567, 0.4, -0.0001)) == "0.457 [0.400, 0.000]"
    bare = measured(1.0, NAN, NAN)
    assert [points(bare), percent(bare)] == ["+100", "100"]


def test_a_p_value_is_never_zero():
    """Three digits suffice; anything below is said to be below."""
    assert [p_value(value) for value in (1.0, 0.0314, 0.0004)] == ["1.000", "0.031", "< 0.001"]


def test_a_small_cost_keeps_two_digits():
    """A cost of less than a cent is not rounded to nothing."""
    assert [money(cost) for cost in (0.0, 0.0000042, 0.00421, 12.5, None)] == [
        "$0.00",
        "$0.0000042",
        "$0.0042",
        "$12.50",
        "unknown",
    ]


def test_a_name_cannot_change_the_direction_of_a_sentence():
    """Characters that change the direction of writing are removed from a name in a sentence."""
    assert isolated("ann\u202e\u2067\u2069bob") == "\u2068annbob\u2069"


def test_many_tokens_are_given_in_millions():
    """Eight digits of an estimate are not readable."""
    assert [tokens(number) for number in (1, 999_999, 29_430_201)] == [
        "1 token",
        "999,999 tokens",
        "29.4 million tokens",
    ]
