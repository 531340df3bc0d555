"""Rules that end a study, and the questions after which one looks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from peerjudge.analysis.stopping import FIRST_LOOK, StopRule, judge, list_looks, parse_rule
from peerjudge.data import Measurement
from peerjudge.errors import ExperimentError


def bounds(low: float, high: float, n: int = 50) -> Measurement:
    """Return bounds around their middle."""
    return Measurement(value=(low + high) / 2, low=low, high=high, n=n)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("decided", StopRule()),
        (" Decided  within .1 ", StopRule(margin=0.1)),
        ("ci<0.05", StopRule(half_width=0.05)),
        ("ci < .05", StopRule(half_width=0.05)),
    ],
)
def test_a_rule_is_read_and_written(text, rule):
    """Spaces and capitals do not matter, and a rule is read as it is written."""
    assert parse_rule(text) == rule
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    "text", ["", "ci", "ci<5", "ci<0", "ci>0.05", "decided within 2", "p<0.05"]
)
def test_another_rule_is_refused_with_those_accepted(text):
    """The message shows each form and the text that was given."""
    with pytest.raises(
        ExperimentError, match=r"'decided'.*'decided within 0.05'.*'ci<0.05'.*not"
    ) as e:
        parse_rule(text)
    assert repr(text) in str(e.value)


@pytest.mark.parametrize("available", [1, 20, 21, 36, 500, 4321])
def test_looks_begin_at_twenty_and_end_with_the_data(available):
    """Each look comes after a tenth more questions, and the last one after all of them."""
    looks = list_looks(available)
    assert looks[0] == min(FIRST_LOOK, available)
    assert looks[-1] == available
    assert all(1 < later / earlier <= 1.1 + 1 / earlier for earlier, later in pairwise(looks))


def test_looks_of_more_data_begin_alike():
    """Looks before the end of the data do not depend on how many there are."""
    assert list_looks(100)[:-1] == list_looks(1000)[: len(list_looks(100)) - 1]


@pytest.mark.parametrize(
    ("rule", "low", "high", "outcome"),
    [
        ("decided", 0.01, 0.2, "better"),
        ("decided", -0.2, -0.01, "worse"),
        ("decided", -0.01, 0.01, "undecided"),
        ("decided within 0.05", -0.01, 0.01, "equivalent"),
        ("decided within 0.05", -0.06, 0.01, "undecided"),
        ("decided within 0.05", 0.01, 0.02, "better"),
        ("ci<0.05", -0.02, 0.06, "precise"),
        ("ci<0.04", -0.02, 0.06, "undecided"),
    ],
)
def test_bounds_decide(rule, low, high, outcome):
    """A contrast is decided by its bounds alone."""
    assert judge(bounds(low, high), bounds(low, high), parse_rule(rule)) == outcome


def test_fewer_than_twenty_measured_questions_decide_nothing():
    """Questions without a readable verdict do not count for the first look."""
    few = bounds(0.5, 0.52, n=19)
    for rule in ("decided", "decided within 0.9", "ci<0.05"):
        assert judge(few, few, parse_rule(rule)) == "undecided"
