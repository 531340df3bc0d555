"""Numbers in words."""

import pytest

from peerjudge.data import Measurement
from peerjudge.reporting.words import percent, points, share


def measured(value: float, low: float, high: float) -> Measurement:
    """A measurement of ten things."""
    return Measurement(value=value, low=low, high=high, n=10)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "100"), (0.712, "71"), (0.998, "99.8"), (0.002, "0.2"), (float("nan"), "-")],
)
def test_a_share_never_claims_all_or_none_wrongly(value: float, text: str) -> None:
    """Rounding must not turn nearly all into all, or hardly any into none."""
    assert share(value) == text


def test_a_share_is_said_with_its_interval() -> None:
    """Value and bounds are in per cent."""
    assert percent(measured(0.71, 0.65, 0.77)) == "71 [65, 77]"


def test_a_difference_carries_its_sign() -> None:
    """Gains and losses are told apart, and nothing is neither."""
    assert points(measured(0.07, -0.02, 0.12)) == "+7 [-2, +12]"
    assert points(measured(0.001, -0.001, 0.0)) == "0 [0, 0]"


def test_what_was_not_measured_is_a_dash() -> None:
    """No number stands for a missing one."""
    assert percent(None) == points(None) == "-"
