"""Networks of persuasion: circles joined by bowed arrows, laid out by networkx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, hypot, pi, sin
from typing import TYPE_CHECKING, TypeAlias

from peerjudge.reporting.figures.shapes import (
    WIDTH,
    Drawing,
    Shape,
    circle,
    fit_text,
    rectangle,
    text,
)

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = nx.DiGraph[str]

Point = tuple[float, float]

_NODE = 9.0
_THINNEST, _THICKEST = 1.5, 8.0
_SIDE = 150.0
_BEND = 0.16
"""Height of the bow of an arrow, as a share of its length."""
_TOP = 26.0
_NEAR_SOURCE = 0.33
"""Place of a label along its arrow: all arrows meet in the middle of a circle."""
_LETTER = 6.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An arrow; `strength` from 0 to 1 is its thickness."""

    source: str
    target: str
    strength: float
    label: str
    title: str


def draw_network(names: Sequence[str], links: Sequence[Link]) -> Drawing:
    """Draw arrows between the names, each connected group in a circle of its own.

    A link from a name to itself is not drawn.
    """
    import networkx as nx

    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(names)
    links = [link for link in links if link.source != link.target]
    graph.add_edges_from((link.source, link.target) for link in links)
    places, (width, height) = _places(graph, names)
    together = Counter(middle for _, middle in places.values())
    arrows: list[Shape] = []
    labels: list[Shape] = []
    for link in links:
        start, end = places[link.source], places[link.target]
        near = 0.5 if together[start[1]] == 2 else _NEAR_SOURCE
        drawn, at = _arrow(link, start[0], end[0], labelled=near)
        arrows += drawn
        labels += _label(link, at)
    nodes = [shape for name in names for shape in _node(name, *places[name])]
    return Drawing(width, height, [*arrows, *labels, *nodes])


def _places(
    graph: Graph, names: Sequence[str]
) -> tuple[dict[str, tuple[Point, Point]], tuple[float, float]]:
    """Return by name its place and the middle of its circle, and the width and height of all."""
    import networkx as nx

    groups = [
        [name for name in names if name in group] for group in nx.weakly_connected_components(graph)
    ]
    places: dict[str, tuple[Point, Point]] = {}
    left, y, line, widest = 0.0, _TOP, 0.0, 0.0
    for group in sorted(groups, key=lambda group: (-len(group), names.index(group[0]))):
        width, height = _extent(len(group))
        if left and left + width > WIDTH:
            left, y, line = 0.0, y + line, 0.0
        middle = (left + width / 2, y + height / 2)
        radius = _radius(len(group))
        # Two stand side by side, more begin at the top.
        turn = pi if len(group) == 2 else -pi / 2
        layout = nx.circular_layout(graph.subgraph(group))
        for number, name in enumerate(group):
            along, down = layout[list(layout)[number]]
            angle = atan2(float(down), float(along)) + turn
            at = (middle[0] + radius * cos(angle), middle[1] + radius * sin(angle))
            places[name] = (at, middle)
        left, line = left + width, max(line, height)
        widest = max(widest, left)
    return places, (widest, y + line)


def _radius(size: int) -> float:
    return 0.0 if size == 1 else 90.0 if size == 2 else min(80.0 + 22.0 * size, 230.0)


def _extent(size: int) -> tuple[float, float]:
    """Return the width and height of a circle of this many nodes, names included."""
    if size == 1:
        return 180.0, 70.0
    if size == 2:
        return WIDTH / 2, 130.0
    return min(2 * _radius(size) + 2 * _SIDE, WIDTH), 2 * _radius(size) + 90.0


def _node(name: str, at: Point, middle: Point) -> list[Shape]:
    across, down = at[0] - middle[0], at[1] - middle[1]
    if abs(across) < 30:
        below = down > 0 or hypot(across, down) < 1
        y = at[1] + _NODE + 18 if below else at[1] - _NODE - 8
        anchor, label = "middle", fit_text("name", at[0], y, name, letters=20)
    else:
        side = 1 if across > 0 else -1
        x = at[0] + side * (_NODE + 7)
        anchor = "start" if side > 0 else "end"
        label = fit_text("name", x, at[1] + 4.5, name, letters=17)
    return [circle("node", *at, _NODE), replace(label, at={**label.at, "text-anchor": anchor})]


def _arrow(link: Link, start: Point, end: Point, *, labelled: float) -> tuple[list[Shape], Point]:
    """Return the bow and the head of an arrow, and the place of its label."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    # Left of its direction, so that the arrow back bows to the other side.
    aside = ((end[1] - start[1]) / length, (start[0] - end[0]) / length)
    peak = _moved(middle, aside, 2 * _BEND * length)
    thickness = _THINNEST + (_THICKEST - _THINNEST) * link.strength
    begin, tip = _towards(start, peak, _NODE + 4), _towards(end, peak, _NODE + 4)
    neck = _towards(tip, peak, 7.0 + 1.1 * thickness)
    across = ((neck[1] - tip[1]) / 2, (tip[0] - neck[0]) / 2)
    wings = _at(_moved(neck, across, 1.0)), _at(_moved(neck, across, -1.0))
    bow = f"M{_at(begin)} Q{_at(peak)} {_at(neck)}"
    head = f"{_at(tip)} {wings[0]} {wings[1]}"
    shapes = [
        Shape("path", "link", {"d": bow, "stroke-width": thickness}, title=link.title),
        Shape("polygon", "link-head", {"points": head}, title=link.title),
    ]
    return shapes, _along(begin, peak, neck, labelled)


def _label(link: Link, at: Point) -> list[Shape]:
    room = _LETTER * len(link.label)
    paper = rectangle("paper", at[0] - room / 2, at[1] - 7.5, room, 15)
    return [
        replace(paper, at={**paper.at, "fill-opacity": "0.92"}),
        text("link-label", at[0], at[1] + 4.0, link.label),
    ]


def _along(begin: Point, peak: Point, end: Point, t: float) -> Point:
    """Return the point at the share `t` of the bow."""
    x, y = (
        (1 - t) ** 2 * b + 2 * t * (1 - t) * p + t**2 * e
        for b, p, e in zip(begin, peak, end, strict=True)
    )
    return x, y


def _moved(start: Point, along: Point, distance: float) -> Point:
    return start[0] + along[0] * distance, start[1] + along[1] * distance


def _towards(start: Point, end: Point, distance: float) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1])
    return _moved(start, ((end[0] - start[0]) / length, (end[1] - start[1]) / length), distance)


def _at(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
