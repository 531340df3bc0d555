"""Who moved whom: circles joined by arrows, laid out by networkx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from peerjudge.reporting.figures.axes import WIDTH, Label, cut

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = nx.DiGraph[str]

__all__ = ["Link", "NetworkArrow", "NetworkFigure", "NetworkNode", "network_figure"]

Point = tuple[float, float]

_NODE = 9.0
_THINNEST, _THICKEST = 1.5, 8.0
_SIDE = 150.0
_BEND = 0.16
"""How far an arrow bows out, as a share of its length."""
_TOP = 26.0
_NEAR_SOURCE = 0.33
"""How far along an arrow its label stands: in the middle of a circle all arrows meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An arrow to be drawn; `strength` from 0 to 1 is its thickness."""

    source: str
    target: str
    strength: float
    label: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkNode:
    """A circle with its name; `anchor` is where the name's own end touches its place."""

    x: float
    y: float
    name: Label
    anchor: str
    radius: float = _NODE


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkArrow:
    """A bowed arrow: its path, its head's outline, its thickness, and the label that lies on it."""

    path: str
    head: str
    thickness: float
    label: Label
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFigure:
    """Those who know each other stand in one circle; several circles beside and below each other."""

    kind: ClassVar[str] = "network"

    height: float
    nodes: tuple[NetworkNode, ...]
    arrows: tuple[NetworkArrow, ...]
    width: float


def network_figure(names: Sequence[str], links: Sequence[Link]) -> NetworkFigure:
    """Arrows between the names; a link from a name to itself is not drawn."""
    import networkx as nx

    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(names)
    links = [link for link in links if link.source != link.target]
    graph.add_edges_from((link.source, link.target) for link in links)
    places, (width, height) = _places(graph, names)
    together = Counter(middle for _, middle in places.values())
    return NetworkFigure(
        width=width,
        height=height,
        nodes=tuple(_node(name, *places[name]) for name in names),
        arrows=tuple(
            _arrow(
                link,
                places[link.source][0],
                places[link.target][0],
                labelled=0.5 if together[places[link.source][1]] == 2 else _NEAR_SOURCE,
            )
            for link in links
        ),
    )


def _places(
    graph: Graph, names: Sequence[str]
) -> tuple[dict[str, tuple[Point, Point]], tuple[float, float]]:
    """By name its place and the middle of its circle, and the width and height that all need."""
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
        circle = nx.circular_layout(graph.subgraph(group))
        for number, name in enumerate(group):
            along, down = circle[list(circle)[number]]
            angle = atan2(float(down), float(along)) + turn
            at = (middle[0] + radius * cos(angle), middle[1] + radius * sin(angle))
            places[name] = (at, middle)
        left, line = left + width, max(line, height)
        widest = max(widest, left)
    return places, (widest, y + line)


def _radius(size: int) -> float:
    return 0.0 if size == 1 else 90.0 if size == 2 else min(80.0 + 22.0 * size, 230.0)


def _extent(size: int) -> tuple[float, float]:
    """The room for a circle of so many, names included."""
    if size == 1:
        return 180.0, 70.0
    if size == 2:
        return WIDTH / 2, 130.0
    return min(2 * _radius(size) + 2 * _SIDE, WIDTH), 2 * _radius(size) + 90.0


def _node(name: str, at: Point, middle: Point) -> NetworkNode:
    across, down = at[0] - middle[0], at[1] - middle[1]
    if abs(across) < 30:
        below = down > 0 or hypot(across, down) < 1
        y = at[1] + _NODE + 18 if below else at[1] - _NODE - 8
        return NetworkNode(
            x=at[0], y=at[1], name=cut(name, x=at[0], y=y, letters=20), anchor="middle"
        )
    side = 1 if across > 0 else -1
    label = cut(name, x=at[0] + side * (_NODE + 7), y=at[1] + 4.5, letters=17)
    return NetworkNode(x=at[0], y=at[1], name=label, anchor="start" if side > 0 else "end")


def _arrow(link: Link, start: Point, end: Point, *, labelled: float) -> NetworkArrow:
    length = hypot(end[0] - start[0], end[1] - start[1])
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    # To the left of the way: the arrow back bows to the other side.
    aside = ((end[1] - start[1]) / length, (start[0] - end[0]) / length)
    bend = _BEND * length
    peak = _moved(middle, aside, 2 * bend)
    thickness = _THINNEST + (_THICKEST - _THINNEST) * link.strength
    size = 7.0 + 1.1 * thickness
    begin, tip = _towards(start, peak, _NODE + 4), _towards(end, peak, _NODE + 4)
    neck = _towards(tip, peak, size)
    across = ((neck[1] - tip[1]) / 2, (tip[0] - neck[0]) / 2)
    wings = _at(_moved(neck, across, 1.0)), _at(_moved(neck, across, -1.0))
    label = _along(begin, peak, neck, labelled)
    return NetworkArrow(
        path=f"M{_at(begin)} Q{_at(peak)} {_at(neck)}",
        head=f"{_at(tip)} {wings[0]} {wings[1]}",
        thickness=round(thickness, 1),
        label=Label(x=label[0], y=label[1] + 4.0, text=link.label),
        title=link.title,
    )


def _along(begin: Point, peak: Point, end: Point, t: float) -> Point:
    """The point `t` of the way along the bow."""
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
