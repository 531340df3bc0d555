"""Where things go in a figure."""

from hypothesis import given
from hypothesis import strategies as st

from peerjudge.data import Measurement
from peerjudge.report.figures import Counts, Values, bar_figure, dot_figure

shares = st.floats(0, 1)


def row(value: float, name: str = "row") -> Values:
    """A row whose interval reaches a tenth to both sides."""
    low, high = max(0.0, value - 0.1), min(1.0, value + 0.1)
    return Values(name=name, note="", end=Measurement(value=value, low=low, high=high, n=9))


@given(st.lists(shares, min_size=1, max_size=8))
def test_dots_lie_in_the_plot_in_the_order_of_their_values(values: list[float]) -> None:
    """A greater share is never drawn further left, and nothing leaves the axis."""
    figure = dot_figure([row(value) for value in values], limits=(0.0, 1.0))
    places = [one.end.x for one in figure.rows if one.end is not None]
    assert len(places) == len(values)
    for at, value in zip(places, values, strict=True):
        assert figure.left <= at <= figure.right
        assert all(at >= other for other, less in zip(places, values, strict=True) if less <= value)
    for one in figure.rows:
        assert one.end is not None
        assert one.end.low <= one.end.x <= one.end.high


@given(shares, shares)
def test_ticks_are_few_and_within_the_plot(one: float, other: float) -> None:
    """An axis has at least two ticks and never so many that they collide."""
    figure = dot_figure([row(one), row(other)], limits=(0.0, 1.0))
    assert 2 <= len(figure.ticks) <= 12
    assert all(figure.left - 0.1 <= tick.x <= figure.right + 0.1 for tick in figure.ticks)


def test_an_arrow_joins_before_and_after_when_they_lie_apart() -> None:
    """No arrow is drawn between dots that all but touch."""
    near, far = (
        Values(
            name="row",
            note="",
            start=Measurement(value=0.5, low=0.4, high=0.6, n=9),
            end=Measurement(value=end, low=0.2, high=0.9, n=9),
        )
        for end in (0.5, 0.8)
    )
    figure = dot_figure([near, far])
    assert [one.arrow is not None for one in figure.rows] == [False, True]


def test_a_long_name_is_cut_and_kept_whole_beside() -> None:
    """The reader sees the start of a long name and can ask for the whole."""
    name = "a_condition_with_a_very_long_name_indeed"
    label = dot_figure([row(0.5, name)]).rows[0].name
    assert len(label.text) < len(name)
    assert label.full == name


def test_a_name_of_several_words_takes_two_lines() -> None:
    """A name that breaks into two lines loses nothing."""
    label = dot_figure([row(0.5, "solid with plain, vote of six")]).rows[0].name
    assert f"{label.text} {label.below}" == "solid with plain, vote of six"
    assert label.full == ""


def test_parts_of_a_bar_follow_each_other() -> None:
    """A stacked bar is as long as the sum of its counts; empty parts are not drawn."""
    counts = Counts(
        group="ann",
        name="leader",
        note="",
        parts=[("held", "", 3), ("altered", "", 1), ("shifted", "", 0)],
    )
    figure = bar_figure([counts])
    held, altered = figure.bars[0].parts
    assert held.x == figure.left
    assert altered.x == held.x + held.width
    assert held.width == 3 * altered.width
    assert [key.text for key in figure.keys] == ["held", "altered"]


def test_a_group_is_named_once() -> None:
    """A reviewer's name stands beside the first of its bars only."""
    rows = [
        Counts(group=group, name=name, note="", parts=[("held", "", 1)])
        for group, name in (("ann", "leader"), ("ann", "follower"), ("bob", "leader"))
    ]
    assert [bar.group is not None for bar in bar_figure(rows).bars] == [True, False, True]
