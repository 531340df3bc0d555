"""Where things go in a figure."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.data import Measurement
from peerjudge.reporting.figures import (
    Counts,
    Grid,
    Link,
    Marked,
    Series,
    Square,
    Strip,
    Values,
    bar_figure,
    dot_figure,
    heat_figure,
    line_figure,
    mark_figure,
    network_figure,
    strip_figure,
)

shares = st.floats(0, 1)


def row(value: float, name: str = "row") -> Values:
    """A row whose interval reaches a tenth to both sides."""
    low, high = max(0.0, value - 0.1), min(1.0, value + 0.1)
    return Values(name=name, note="", end=Measurement(value=value, low=low, high=high, n=9))


@settings(deadline=None, max_examples=50)
@given(st.lists(shares, min_size=1, max_size=8))
def test_dots_lie_in_the_plot_in_the_order_of_their_values(values: list[float]) -> None:
    """A greater share is never drawn further left, and nothing leaves the axis."""
    figure = dot_figure([row(value) for value in values], limits=(0.0, 1.0), across="share")
    places = [one.end.x for one in figure.rows if one.end is not None]
    assert len(places) == len(values)
    for at, value in zip(places, values, strict=True):
        assert figure.left <= at <= figure.right
        assert all(at >= other for other, less in zip(places, values, strict=True) if less <= value)
    for one in figure.rows:
        assert one.end is not None
        assert one.end.low <= one.end.x <= one.end.high


@settings(deadline=None, max_examples=50)
@given(shares, shares)
def test_ticks_are_few_and_within_the_plot(one: float, other: float) -> None:
    """An axis has at least two ticks and never so many that they collide."""
    figure = dot_figure([row(one), row(other)], limits=(0.0, 1.0), across="share")
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
    figure = dot_figure([near, far], across="share")
    assert [one.arrow is not None for one in figure.rows] == [False, True]


def test_a_long_name_is_cut_and_kept_whole_beside() -> None:
    """The reader sees the start of a long name and can ask for the whole."""
    name = "a_condition_with_a_very_long_name_indeed"
    label = dot_figure([row(0.5, name)], across="share").rows[0].name
    assert len(label.text) < len(name)
    assert label.full == name


def test_a_name_of_several_words_takes_two_lines() -> None:
    """A name that breaks into two lines loses nothing."""
    label = dot_figure([row(0.5, "solid with plain, vote of six")], across="share").rows[0].name
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
    figure = bar_figure([counts], across="times")
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
    assert [bar.group is not None for bar in bar_figure(rows, across="times").bars] == [
        True,
        False,
        True,
    ]


# ---- who beat whom


def grid(size: int, title: str = "all") -> Grid:
    """Everybody wins against those who come after."""
    names = [f"contestant {number}" for number in range(size)]
    shares = [
        [None if row == column else 1.0 if row < column else 0.0 for column in range(size)]
        for row in range(size)
    ]
    return Grid(title=title, names=names, shares=shares, battles=[[4] * size] * size)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 30), st.integers(1, 4))
def test_grids_stand_apart_and_within_the_figure(size: int, grids: int) -> None:
    """No square of one grid lies on another's, and none leaves the figure."""
    figure = heat_figure([grid(size, str(number)) for number in range(grids)])
    places = [(cell.x, cell.y) for panel in figure.panels for cell in panel.cells]
    assert len(set(places)) == len(places) == grids * size * (size - 1)
    assert all(x + figure.cell <= figure.width for x, _ in places)
    assert all(y + figure.cell <= figure.height for _, y in places)


def test_a_square_is_stronger_the_further_from_half() -> None:
    """Even battles have no colour; wins and losses have colours of their own, equally strong."""
    shares = [[None, 0.5, 0.75], [0.5, None, 0.25], [0.25, 0.75, None]]
    names = ["ann", "bob", "cid"]
    (panel,) = heat_figure(
        [Grid(title="", names=names, shares=shares, battles=[[2] * 3] * 3)]
    ).panels
    even, won, _, lost, *_ = panel.cells
    assert even.strength == 0.0
    assert (won.tone, lost.tone) == ("more", "less")
    assert won.strength == lost.strength > 0.0
    assert won.title == "ann won 75 % of 2 battles with cid"


def test_who_never_met_has_no_square() -> None:
    """Nothing is drawn for a pair without battles, as its share is not known."""
    shares = [[None, None], [None, None]]
    (panel,) = heat_figure(
        [Grid(title="", names=["a", "b"], shares=shares, battles=[[0] * 2] * 2)]
    ).panels
    assert panel.cells == ()


# ---- how a rating grew


def rising(name: str, end: float) -> Series:
    """A rating that rises from 1000 to its end."""
    values = [1000.0, (1000.0 + end) / 2, end]
    return Series(name=name, note="", at=[0, 50, 100], values=values, low=values, high=values)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(900, 1300), min_size=1, max_size=6))
def test_names_of_lines_do_not_cover_each_other(ends: list[float]) -> None:
    """However close the lines end, their names stand below each other in the order of the ends."""
    figure = line_figure(
        [rising(str(number), end) for number, end in enumerate(ends)], across="battles", up="Elo"
    )
    order = sorted(figure.lines, key=lambda line: (line.end[1], line.name.y))
    places = [line.name.y for line in order]
    assert all(below - above >= 16.9 for above, below in pairwise(places))
    assert len(figure.lines) == len(ends)


# ---- who moved whom


def link(source: str, target: str) -> Link:
    """An arrow of middling strength."""
    return Link(source=source, target=target, strength=0.5, label="1 of 2", title="")


@settings(deadline=None, max_examples=50)
@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20))
def test_every_reviewer_has_a_place_of_its_own(pairs: set[tuple[int, int]]) -> None:
    """Whoever knows whom, no two circles meet, all lie in the figure, and each link is drawn once."""
    names = [f"reviewer {number}" for number in range(9)]
    links = [link(names[one], names[other]) for one, other in sorted(pairs)]
    figure = network_figure(names, links)
    assert len(figure.nodes) == 9
    assert len(figure.arrows) == sum(one != other for one, other in pairs)
    for number, node in enumerate(figure.nodes):
        assert 0 <= node.x <= figure.width
        assert 0 <= node.y <= figure.height
        for other in figure.nodes[:number]:
            assert abs(node.x - other.x) + abs(node.y - other.y) > 2 * node.radius


def test_two_ways_between_two_are_two_bows() -> None:
    """Who persuades whom is told apart by direction."""
    one, other = network_figure(["ann", "bob"], [link("ann", "bob"), link("bob", "ann")]).arrows
    assert one.path != other.path
    assert abs(one.label.y - other.label.y) > 20


# ---- beside what was printed


def test_a_printed_value_stands_where_ours_would() -> None:
    """Ours and the printed value share the axis, so equal numbers stand on each other."""
    measured = Measurement(value=0.5, low=0.4, high=0.6, n=9)
    (first, second) = mark_figure(
        [
            ("ann", [Marked(measured=measured, note="", printed=0.5), None]),
            ("bob", [Marked(measured=measured, note=""), Marked(measured=measured, note="")]),
        ],
        ["one", "two"],
        across="share",
    ).rows
    assert [mark.printed == mark.x for mark in first.marks] == [True]
    assert [(mark.series, mark.printed) for mark in second.marks] == [(0, None), (1, None)]


# ---- how discussions went


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_strips_leave_room_for_what_is_said_beside_them(lengths: list[int]) -> None:
    """However long discussions are, their squares stand apart and end before the words."""
    square = Square(kind="gold", head="L", title="")
    strips = [
        Strip(group=f"condition {number}", squares=[square] * length, share=0.1, note="10 % (3)")
        for number, length in enumerate(lengths)
    ]
    figure = strip_figure(strips)
    for row, length in zip(figure.rows, lengths, strict=True):
        places = [x for x, _ in row.places]
        assert len(places) == length
        assert all(right - left >= figure.side for left, right in pairwise(places))
        assert places[-1] + figure.side <= row.note.x - 150
        assert row.bar is None or row.bar[0] > places[-1] + figure.side


def test_a_part_of_a_strip_stands_apart() -> None:
    """Between the private verdicts and the turns there is a gap, and only the first row is headed."""
    private, turn = (Square(kind="gold", head=head, title="", fresh=head == "L") for head in "PL")
    strip = Strip(group="one", squares=[private, private, turn], share=0.5, note="")
    first, second = strip_figure([strip, strip]).rows
    (a, _), (b, _), (c, _) = first.places
    assert c - b > b - a
    assert [label.text for label in first.heads] == ["P", "P", "L"]
    assert second.heads == ()
    assert second.name is None
