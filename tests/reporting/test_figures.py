"""Geometry of figures."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.data import Measurement
from peerjudge.reporting.figures import (
    Counts,
    Drawing,
    Grid,
    Link,
    Marked,
    Series,
    Shape,
    Square,
    Strip,
    Values,
    draw_bars,
    draw_dots,
    draw_heat_maps,
    draw_lines,
    draw_marks,
    draw_network,
    draw_strips,
)

shares = st.floats(0, 1)


def drawn(figure: Drawing, css: str, tag: str = "") -> list[Shape]:
    """Return the shapes whose classes include this one, in painting order."""
    return [
        shape
        for shape in figure.shapes
        if css in shape.css.split() and shape.tag.startswith(tag) and "key" not in shape.css
    ]


def numbers(shapes: list[Shape], name: str) -> list[float]:
    """Return one attribute of all shapes."""
    return [float(shape.at[name]) for shape in shapes]


def row(value: float, name: str = "row") -> Values:
    """Return a row whose interval reaches a tenth to both sides."""
    low, high = max(0.0, value - 0.1), min(1.0, value + 0.1)
    return Values(name=name, note="", end=Measurement(value=value, low=low, high=high, n=9))


PLOT = (178.0, 566.0)
"""Left and right edge of a plot of rows."""


@settings(deadline=None, max_examples=50)
@given(st.lists(shares, min_size=1, max_size=8))
def test_dots_lie_in_the_plot_in_the_order_of_their_values(values: list[float]) -> None:
    """A greater share is never drawn further left, and nothing leaves the axis."""
    figure = draw_dots([row(value) for value in values], limits=(0.0, 1.0), across="share")
    places = numbers(drawn(figure, "dot"), "cx")
    left, right = PLOT
    assert len(places) == len(values)
    for at, value in zip(places, values, strict=True):
        assert left <= at <= right
        assert all(at >= other for other, less in zip(places, values, strict=True) if less <= value)
    bounds = drawn(figure, "interval")
    for at, low, high in zip(places, numbers(bounds, "x1"), numbers(bounds, "x2"), strict=True):
        assert low <= at <= high


@settings(deadline=None, max_examples=50)
@given(shares, shares)
def test_ticks_are_few_and_within_the_plot(one: float, other: float) -> None:
    """An axis has at least two ticks and never so many that they collide."""
    figure = draw_dots([row(one), row(other)], limits=(0.0, 1.0), across="share")
    ticks = numbers(drawn(figure, "tick"), "x")
    left, right = PLOT
    assert 2 <= len(ticks) <= 12
    assert all(left - 0.1 <= tick <= right + 0.1 for tick in ticks)


def test_an_arrow_joins_before_and_after_when_they_lie_apart() -> None:
    """No arrow is drawn between dots that almost touch."""
    near, far = (
        Values(
            name="row",
            note="",
            start=Measurement(value=0.5, low=0.4, high=0.6, n=9),
            end=Measurement(value=end, low=0.2, high=0.9, n=9),
        )
        for end in (0.5, 0.8)
    )
    figure = draw_dots([near, far], across="share")
    (arrow,) = drawn(figure, "arrow")
    second = numbers(drawn(figure, "name"), "y")[1]
    assert abs((float(arrow.at["y1"]) + float(arrow.at["y2"])) / 2 - second) < 10


def test_a_long_name_is_cut_and_complete_in_its_tooltip() -> None:
    """The reader sees the start of a long name, and the whole name on request."""
    name = "a_condition_with_a_very_long_name_indeed"
    (label,) = drawn(draw_dots([row(0.5, name)], across="share"), "name")
    assert len(label.text) < len(name)
    assert label.title == name


def test_a_name_of_several_words_takes_two_lines() -> None:
    """A name that breaks into two lines loses nothing."""
    name = "solid with plain, vote of six"
    (label,) = drawn(draw_dots([row(0.5, name)], across="share"), "name")
    assert f"{label.text} {label.below}" == name
    assert label.title == ""


def test_parts_of_a_bar_follow_each_other() -> None:
    """A stacked bar is as long as the sum of its counts; empty parts are not drawn."""
    counts = Counts(
        group="ann",
        name="leader",
        note="",
        parts=[("held", "", 3), ("altered", "", 1), ("shifted", "", 0)],
    )
    figure = draw_bars([counts], across="times")
    held, altered = drawn(figure, "part")
    assert (held.css, altered.css) == ("part held", "part altered")
    assert held.at["x"] == PLOT[0]
    (x, after), (width, short) = numbers([held, altered], "x"), numbers([held, altered], "width")
    assert after == x + width
    assert width == 3 * short
    assert [key.text for key in figure.shapes if key.css == "key"] == ["held", "altered"]


def test_a_group_is_named_once() -> None:
    """The name of a reviewer stands beside the first of its bars only."""
    rows = [
        Counts(group=group, name=name, note="", parts=[("held", "", 1)])
        for group, name in (("ann", "leader"), ("ann", "follower"), ("bob", "leader"))
    ]
    figure = draw_bars(rows, across="times")
    assert [label.text for label in drawn(figure, "name")] == ["ann", "bob"]
    first, _, third = numbers(drawn(figure, "role"), "y")
    assert numbers(drawn(figure, "name"), "y") == [first, third]


# ---- wins between contestants


def grid(size: int, title: str = "all") -> Grid:
    """Return a grid in which every contestant wins against all later ones."""
    names = [f"contestant {number}" for number in range(size)]
    shares = [
        [None if row == column else 1.0 if row < column else 0.0 for column in range(size)]
        for row in range(size)
    ]
    return Grid(title=title, names=names, shares=shares, battles=[[4] * size] * size)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 30), st.integers(1, 4))
def test_grids_stand_apart_and_within_the_figure(size: int, grids: int) -> None:
    """No square of one grid lies on a square of another, and none leaves the figure."""
    figure = draw_heat_maps([grid(size, str(number)) for number in range(grids)])
    cells = drawn(figure, "heat")
    places = list(zip(numbers(cells, "x"), numbers(cells, "y"), strict=True))
    (side,) = {*numbers(cells, "width"), *numbers(cells, "height")}
    assert len(set(places)) == len(places) == grids * size * (size - 1)
    assert all(x + side <= figure.width for x, _ in places)
    assert all(y + side <= figure.height for _, y in places)


def test_a_square_is_stronger_the_further_from_half() -> None:
    """Even battles have no colour; wins and losses have different colours, equally strong."""
    shares = [[None, 0.5, 0.75], [0.5, None, 0.25], [0.25, 0.75, None]]
    names = ["ann", "bob", "cid"]
    figure = draw_heat_maps([Grid(title="", names=names, shares=shares, battles=[[2] * 3] * 3)])
    even, won, _, lost, *_ = drawn(figure, "heat")
    strengths = numbers([even, won, lost], "fill-opacity")
    assert strengths[0] == 0.0
    assert (won.css, lost.css) == ("heat more", "heat less")
    assert strengths[1] == strengths[2] > 0.0
    assert won.title == "ann won 75 % of 2 battles with cid"


def test_a_pair_without_battles_has_no_square() -> None:
    """Nothing is drawn for a pair without battles, as its share is not known."""
    shares = [[None, None], [None, None]]
    figure = draw_heat_maps(
        [Grid(title="", names=["a", "b"], shares=shares, battles=[[0] * 2] * 2)]
    )
    assert drawn(figure, "heat") == []


# ---- ratings by battle


def rising(name: str, end: float) -> Series:
    """Return a rating that rises from 1000 to its end."""
    values = [1000.0, (1000.0 + end) / 2, end]
    return Series(name=name, note="", at=[0, 50, 100], values=values, low=values, high=values)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(900, 1300), min_size=1, max_size=6))
def test_names_of_lines_do_not_cover_each_other(ends: list[float]) -> None:
    """However close the lines end, their names stand below each other in the order of the ends."""
    figure = draw_lines(
        [rising(str(number), end) for number, end in enumerate(ends)], across="battles", up="Elo"
    )
    names, lines = drawn(figure, "series"), drawn(figure, "line", "polyline")
    heights = [float(str(one.at["points"]).split(",")[-1]) for one in lines]
    order = sorted(zip(heights, numbers(names, "y"), strict=True))
    assert all(below - above >= 16.9 for (_, above), (_, below) in pairwise(order))
    assert len(lines) == len(ends)


# ---- persuasion


def link(source: str, target: str) -> Link:
    """Return an arrow of middling strength."""
    return Link(source=source, target=target, strength=0.5, label="1 of 2", title="")


@settings(deadline=None, max_examples=50)
@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20))
def test_every_reviewer_has_a_place_of_its_own(pairs: set[tuple[int, int]]) -> None:
    """No two circles meet, all lie in the figure, and each link is drawn once."""
    names = [f"reviewer {number}" for number in range(9)]
    links = [link(names[one], names[other]) for one, other in sorted(pairs)]
    figure = draw_network(names, links)
    nodes = drawn(figure, "node")
    places = list(zip(numbers(nodes, "cx"), numbers(nodes, "cy"), strict=True))
    assert len(places) == 9
    assert len(drawn(figure, "link")) == sum(one != other for one, other in pairs)
    for number, (x, y) in enumerate(places):
        assert 0 <= x <= figure.width
        assert 0 <= y <= figure.height
        for left, top in places[:number]:
            assert abs(x - left) + abs(y - top) > 2 * float(nodes[0].at["r"])


def test_two_arrows_between_two_reviewers_bow_apart() -> None:
    """The directions of persuasion are distinguished."""
    figure = draw_network(["ann", "bob"], [link("ann", "bob"), link("bob", "ann")])
    one, other = drawn(figure, "link")
    assert one.at["d"] != other.at["d"]
    above, below = numbers(drawn(figure, "link-label"), "y")
    assert abs(above - below) > 20


# ---- beside printed values


def test_a_printed_value_shares_the_axis_of_ours() -> None:
    """Equal numbers of ours and of a paper stand on each other."""
    measured = Measurement(value=0.5, low=0.4, high=0.6, n=9)
    figure = draw_marks(
        [
            ("ann", [Marked(measured=measured, note="", printed=0.5), None]),
            ("bob", [Marked(measured=measured, note=""), Marked(measured=measured, note="")]),
        ],
        ["one", "two"],
        across="share",
    )
    _, printed = drawn(figure, "printed")
    keys, marks = drawn(figure, "mark-dot")[:2], drawn(figure, "mark-dot")[2:]
    assert [key.css for key in keys] == ["mark-dot s0", "mark-dot s1"]
    assert [mark.css for mark in marks] == ["mark-dot s0", "mark-dot s0", "mark-dot s1"]
    assert printed.at["x1"] == printed.at["x2"] == marks[0].at["cx"]
    assert numbers([printed], "y1") < numbers(marks, "cy")[:1] < numbers([printed], "y2")


# ---- courses of discussions


def strip_rows(figure: Drawing) -> Iterator[tuple[list[float], float, float | None]]:
    """Return of each strip the places of its squares, their side, and the start of its bar."""
    squares = [shape for shape in drawn(figure, "square") if shape.at["y"] != 3.5]
    bars = {shape.at["y"]: float(shape.at["x"]) for shape in drawn(figure, "course")}
    for y in dict.fromkeys(numbers(squares, "y")):
        held = [shape for shape in squares if shape.at["y"] == y]
        yield numbers(held, "x"), float(held[0].at["width"]), bars.get(y + 4)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_strips_leave_room_for_the_words_beside_them(lengths: list[int]) -> None:
    """However long discussions are, their squares stand apart and end before the words."""
    square = Square(kind="gold", head="L", title="")
    strips = [
        Strip(group=f"condition {number}", squares=[square] * length, share=0.1, note="10 % (3)")
        for number, length in enumerate(lengths)
    ]
    figure = draw_strips(strips)
    (note, *_) = set(numbers(drawn(figure, "note"), "x"))
    for (places, side, bar), length in zip(strip_rows(figure), lengths, strict=True):
        assert len(places) == length
        assert all(right - left >= side for left, right in pairwise(places))
        assert places[-1] + side <= note - 150
        assert bar is None or bar > places[-1] + side


def test_a_part_of_a_strip_stands_apart() -> None:
    """A gap separates the private verdicts from the turns, and only the first strip is headed."""
    private, turn = (Square(kind="gold", head=head, title="", fresh=head == "L") for head in "PL")
    strip = Strip(group="one", squares=[private, private, turn], share=0.5, note="")
    figure = draw_strips([strip, strip])
    ((a, b, c), *_), _ = strip_rows(figure)
    assert c - b > b - a
    assert [label.text for label in drawn(figure, "tick")] == ["P", "P", "L"]
    assert [label.text for label in drawn(figure, "name")] == ["one"]
