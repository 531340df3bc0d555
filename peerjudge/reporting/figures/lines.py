"""Lines over a common axis, each with its bounds and with its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.reporting.figures.shapes import (
    WIDTH,
    Drawing,
    Limits,
    Shape,
    Unit,
    circle,
    find_round_ends,
    fit_text,
    line,
    multiples,
    text,
)
from peerjudge.reporting.formats import plain_tick

_LEFT, _RIGHT = 52.0, 500.0
_TOP, _HEIGHT, _FOOT = 34.0, 264.0, 44.0
_BOTTOM = _TOP + _HEIGHT
_BETWEEN = 17.0
"""The least distance between the names of two lines."""
_MOST_BANDS = 3
"""More bands than this hide each other: lines then have bounds at their ends only."""
_WHISKER = 9.0
"""Distance between the end bounds of two lines."""
_LETTER = 6.9
"""About the width of a letter."""
_KEY = 102.0
"""Room for the words of the key, left of the right edge of the plot."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line: values at places, with bounds; `printed` is its end as printed in a paper."""

    name: str
    note: str
    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Scales of both axes, which start at zero across and at `low` upwards."""

    most: float
    low: float
    high: float

    def points(self, at: Sequence[float], values: Sequence[float]) -> list[Point]:
        """Return the places of the values in the figure."""
        return [(self.x(place), self.y(value)) for place, value in zip(at, values, strict=True)]

    def x(self, value: float) -> float:
        """Return the x of a place across."""
        return _LEFT + value / self.most * (_RIGHT - _LEFT)

    def y(self, value: float) -> float:
        """Return the y of a value."""
        return _TOP + (self.high - value) / (self.high - self.low) * _HEIGHT


def draw_lines(
    series: Sequence[Series],
    *,
    across: str,
    up: str,
    unit: Unit = plain_tick,
    limits: Limits | None = None,
) -> Drawing:
    """Draw lines that start at zero of the horizontal axis.

    Args:
        series: in the order of their colours.
        across: name of the horizontal axis.
        up: name of the axis of values.
        unit: format of a tick of the values.
        limits: the least and greatest possible value.
    """
    values = [value for one in series for value in (*one.low, *one.high, *one.values)]
    values += [one.printed for one in series if one.printed is not None]
    low, high, step = find_round_ends(min(values), max(values), limits)
    places = [place for one in series for place in one.at]
    plot = _Plot(most=max(places), low=low, high=high)
    stride = find_round_ends(0.0, plot.most, None)[2]
    if all(float(place).is_integer() for place in places):
        # Turns, rounds and battles are whole numbers: no tick between them.
        stride = max(stride, 1.0)
    shapes = [text("axis-name", 0.0, 13.5, up)]
    for value in multiples(low, high, step):
        y = plot.y(value)
        shapes.append(line("grid", _LEFT, y, _RIGHT, y))
        shapes.append(text("tick up", _LEFT - 8, y + 4, unit(value)))
    shapes += [
        text("tick", plot.x(value), _BOTTOM + 17, plain_tick(value))
        for value in multiples(0.0, plot.most, stride)
    ]
    shapes.append(text("axis-name across", (_LEFT + _RIGHT) / 2, _BOTTOM + 37, across))
    if any(one.printed is not None for one in series):
        shapes.append(line("printed", _RIGHT - _KEY - 20, 9, _RIGHT - _KEY - 5, 9))
        shapes.append(text("key", _RIGHT - _KEY, 13.5, "printed in the paper"))
    return Drawing(WIDTH, _BOTTOM + _FOOT, [*shapes, *_lines(series, plot)])


def _lines(series: Sequence[Series], plot: _Plot) -> list[Shape]:
    """Return bands or bounds first, then all lines, so that no band covers a line."""
    bounded = any(tuple(one.low) != tuple(one.high) for one in series)
    beside = len(series) if bounded and len(series) > _MOST_BANDS else 0
    ends = [plot.points(one.at, one.values)[-1] for one in series]
    heights = _apart([y for _, y in ends])
    behind: list[Shape] = []
    drawn: list[Shape] = []
    for number, one in enumerate(series):
        css = f"s{number % 6}"
        points = plot.points(one.at, one.values)
        there, back = plot.points(one.at, one.low), plot.points(one.at, one.high)
        if beside:
            x = _RIGHT + 10 + _WHISKER * number
            behind.append(line(f"mark-interval {css}", x, there[-1][1], x, back[-1][1]))
            behind.append(circle(f"mark-dot {css}", x, points[-1][1], 3))
        elif there != back:
            band = _joined([*there, *reversed(back)])
            behind.append(Shape("polygon", f"band {css}", {"points": band}))
        drawn.append(Shape("polyline", f"line {css}", {"points": _joined(points)}))
        if one.printed is not None:
            x, y = points[-1][0], plot.y(one.printed)
            drawn.append(line("printed", x - 7.5, y, x + 7.5, y))
        left = _RIGHT + 12 + _WHISKER * beside
        room = WIDTH - left - _LETTER * (len(one.note) + 1)
        y = heights[number] + 4.5
        drawn.append(fit_text(f"series {css}", left, y, one.name, letters=int(room / _LETTER)))
        drawn.append(text("note", WIDTH, y, one.note))
    return [*behind, *drawn]


def _apart(heights: Sequence[float]) -> list[float]:
    """Return the heights of names, moved up or down until none covers another."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    places = [heights[number] for number in order]
    for place in range(1, len(places)):
        places[place] = max(places[place], places[place - 1] + _BETWEEN)
    if places and places[-1] > _BOTTOM:
        limit = _BOTTOM
        for place in reversed(range(len(places))):
            places[place] = min(places[place], limit)
            limit = places[place] - _BETWEEN
    return [places[order.index(number)] for number in range(len(heights))]


def _joined(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
