"""Figures as data: axes, places of marks, names of lines, colours of squares."""

from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Measurement
from peerjudge.reporting.figures import (
    Bar,
    Bars,
    Curve,
    Curves,
    Grids,
    Histogram,
    Histograms,
    Mark,
    Row,
    Rows,
    build_mark,
)

shares = st.floats(0, 1)


def measured(value: float) -> Measurement:
    """Return a share whose interval reaches a tenth to both sides."""
    return Measurement(value=value, low=max(0.0, value - 0.1), high=min(1.0, value + 0.1), n=9)


def rows(*values: float) -> Rows:
    """Return a row for each share."""
    held = [Row(name="row", marks=[build_mark(measured(value))]) for value in values]
    return Rows(rows=held, across="share", limits=(0.0, 1.0))


@settings(max_examples=30)
@given(st.lists(shares, min_size=1, max_size=8))
def test_a_greater_share_lies_further_right(values: list[float]):
    """Values, their bounds and the ticks lie between both ends of the axis, in their order."""
    axis = rows(*values).axis
    for value in values:
        one = measured(value)
        assert 0 <= axis.at(one.low) <= axis.at(value) <= axis.at(one.high) <= 100
        assert all(axis.at(value) >= axis.at(less) for less in values if less <= value)


@settings(max_examples=30)
@given(shares, shares)
def test_ticks_are_few_and_within_the_axis(one: float, other: float):
    """An axis has at least two ticks and never so many that they collide."""
    axis = rows(one, other).axis
    assert 2 <= len(axis.ticks) <= 12
    assert all(axis.low - 1e-9 <= value <= axis.high + 1e-9 for value, _ in axis.ticks)


def test_an_arrow_joins_before_and_after_where_they_lie_apart():
    """No arrow is drawn between dots that almost touch."""
    near, far = (
        Row(name="row", marks=[build_mark(measured(0.5)), build_mark(measured(end))])
        for end in (0.505, 0.8)
    )
    chart = Rows(
        rows=[near, far], series=("before", "after"), across="share", hollow=True, arrows=True
    )
    assert chart.arrow(near) is None
    arrow = chart.arrow(far)
    assert (arrow[0][0], arrow[1][0]) == (0.5, 0.8)
    assert chart.keys == [("start", "before"), ("s0", "after")]


def test_a_lone_mark_is_in_the_middle_of_its_row():
    """A condition that has only a conclusion has its dot beside its name."""
    row = Row(name="row", marks=[None, build_mark(measured(0.5))])
    ((number, _, height),) = row.drawn
    assert (number, height) == (1, row.height / 2)


def test_a_printed_value_widens_the_axis_and_has_a_key():
    """The value of a paper is never off the axis, however far it lies from ours."""
    mark = Mark(measured=measured(0.5), printed=0.95)
    chart = Rows(rows=[Row(name="ann", marks=[mark])], across="share")
    assert chart.axis.high >= 0.95
    assert chart.keys == [("printed", "printed in the paper")]


def test_parts_of_a_bar_follow_each_other():
    """Each part begins where the one before it ends; empty parts are not drawn."""
    bar = Bar(
        group="ann", name="leader", note="", parts=[("held", 3), ("shifted", 0), ("altered", 1)]
    )
    assert bar.drawn == [("held", 3, 0), ("altered", 1, 3)]
    chart = Bars(bars=[bar], across="times")
    assert (chart.axis.low, chart.axis.high) == (0, 4)
    assert [kind for kind, _ in chart.keys] == ["held", "altered"]


def test_counts_have_ticks_at_whole_numbers():
    """There is no half of a contradiction."""
    chart = Bars(bars=[Bar(group="a", name="", note="", parts=[("held", 2)])], across="times")
    assert [label for _, label in chart.axis.ticks] == ["0", "1", "2"]


def test_a_group_is_named_once():
    """The name of a reviewer stands beside the first of its bars only."""
    bars = [Bar(group=group, name="", note="") for group in ("ann", "ann", "bob")]
    assert [first for _, first in Bars(bars=bars, across="times").groups] == [True, False, True]


@pytest.mark.parametrize(("won", "name", "strength"), [(0.5, "more", 0.0), (1.0, "more", 0.72)])
def test_a_square_is_stronger_the_further_from_half(won: float, name: str, strength: float):
    """Even battles have no colour; wins and losses have different colours, equally strong."""
    assert Grids.shade(won)[:2] == (name, strength)
    assert Grids.shade(1.0 - won)[1] == strength
    assert Grids.shade(0.49)[0] == "less"


@settings(max_examples=30)
@given(st.lists(st.floats(900, 1300), min_size=1, max_size=6))
def test_names_of_lines_do_not_cover_each_other(ends: list[float]):
    """However close the lines end, their names stand below each other in the order of the ends."""
    curves = [
        Curve(name=str(end), note="", at=[0, 50, 100], values=[1000.0, 1000.0, end]) for end in ends
    ]
    chart = Curves(curves=curves, across="battles", up="Elo")
    lowest = [chart.trace(one, one.values)[-1][1] for one in curves]
    order = sorted(zip(lowest, chart.heights, strict=True))
    assert all(below - above >= 6.4 for (_, above), (_, below) in pairwise(order))
    assert all(height <= 100 for height in chart.heights)


def test_bounds_of_many_lines_stand_at_their_ends():
    """Bands of more than three lines would hide each other."""
    curve = Curve(name="a", note="", at=[0, 1], values=[1, 2], low=[1, 1], high=[1, 3])
    assert curve.is_bounded
    assert Curves(curves=[curve] * 3, across="", up="").has_bands
    assert not Curves(curves=[curve] * 4, across="", up="").has_bands


def test_a_distribution_reaches_over_the_whole_scale():
    """All panels share the scale of the widest one, and the height of the tallest bar."""
    panels = [
        Histogram(name="a", note="", counts={1: 3, 2: 1}, mean=1.25),
        Histogram(name="b", note="", counts={9: 1}, mean=9.0),
    ]
    chart = Histograms(panels=panels, across="rating", up="share")
    assert (chart.x.low, chart.x.high) == (0.5, 9.5)
    assert chart.y.high == 1.0
