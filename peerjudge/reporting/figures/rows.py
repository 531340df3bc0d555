"""Rows over a common horizontal axis: dots with intervals, marks beside printed values, stacked bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot

from peerjudge.data import Measurement
from peerjudge.reporting.figures.shapes import (
    WIDTH,
    Axis,
    Drawing,
    Limits,
    Shape,
    Unit,
    build_axis,
    circle,
    fit_text,
    line,
    rectangle,
    text,
    wrap_text,
    write_keys,
)
from peerjudge.reporting.formats import plain_tick, share_tick

_LEFT, _RIGHT = 178.0, 566.0
"""Edges of the plot of dots and bars: names stand left of it, values in words right of it."""
_FOOT = 44.0
_DOT_TOP, _DOT_ROW, _PAIR = 34.0, 44.0, 7.0
_SHORTEST_ARROW = 22.0
_MARK_LEFT, _MARK_RIGHT, _MARK_TOP = 150.0, 582.0, 44.0
_MARK_LINE, _MARK_GAP = 17.0, 14.0
_BAR_TOP, _BAR, _BAR_ROW, _BAR_GAP = 28.0, 22.0, 27.0, 12.0
_LETTER, _MARK_LETTER = 7.2, 6.6
"""About the width of a letter of a key."""
_PRINTED = "printed in the paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """A row of dots: its name, its values in words, what they rest on, and the measurements."""

    name: str
    note: str
    count: str = ""
    start: Measurement | None = None
    end: Measurement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A measurement, its value in words, and the printed value if there is one."""

    measured: Measurement
    note: str
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A stacked bar: for each kind in order its name, a tooltip and a number."""

    group: str
    name: str
    note: str
    parts: Sequence[tuple[str, str, int]] = field(default_factory=tuple)


def draw_dots(
    rows: Sequence[Values],
    *,
    across: str,
    reference: tuple[float, str] | None = None,
    limits: Limits | None = None,
    unit: Unit = share_tick,
    keys: tuple[str, str] = ("before", "after"),
    arrows: bool = True,
) -> Drawing:
    """Draw one or two dots with intervals in each row.

    Args:
        rows: from top to bottom.
        across: name of the axis, with its unit.
        reference: a value with a meaning, and its name.
        limits: the least and greatest possible value; the axis goes no further.
        unit: format of a tick.
        keys: names of the hollow and the full dot.
        arrows: draw an arrow from the hollow dot to the full one, as for a change over time.
    """
    held = [m for row in rows for m in (row.start, row.end) if m is not None]
    axis = build_axis(
        (bound for m in held for bound in (m.low, m.high, m.value)),
        left=_LEFT,
        right=_RIGHT,
        unit=unit,
        limits=limits,
        reference=reference,
    )
    bottom = _DOT_TOP + _DOT_ROW * len(rows)
    shapes: list[Shape] = []
    if any(row.start is not None for row in rows):
        for name, css in zip(
            write_keys(keys, x=16.0, letter=_LETTER), ("start", "end"), strict=True
        ):
            shapes += [circle(f"dot {css}", float(name.at["x"]) - 10, 9, 5), name]
    shapes += axis.shapes(across, _DOT_TOP, bottom, reference)
    for place, row in enumerate(rows):
        shapes += _dot_row(row, _DOT_TOP + _DOT_ROW * (place + 0.5), axis, arrows=arrows)
    return Drawing(WIDTH, bottom + _FOOT, shapes)


def _dot_row(row: Values, y: float, axis: Axis, *, arrows: bool) -> list[Shape]:
    apart = _PAIR if row.start is not None and row.end is not None else 0.0
    shapes = [wrap_text("name", 0.0, y + 4.5, row.name)]
    for css, measured, height in (("start", row.start, y - apart), ("end", row.end, y + apart)):
        if measured is not None:
            shapes += _interval(f"interval {css}", measured, height, axis)
            shapes.append(circle(f"dot {css}", axis.at(measured.value), height, 5))
    if arrows and row.start is not None and row.end is not None:
        shapes += _arrow((axis.at(row.start.value), y - apart), (axis.at(row.end.value), y + apart))
    shapes.append(text("note", WIDTH, y - 3.5 if row.count else y + 4.5, row.note))
    if row.count:
        shapes.append(text("count", WIDTH, y + 12.5, row.count))
    return shapes


def _interval(css: str, measured: Measurement, y: float, axis: Axis) -> list[Shape]:
    low, high = axis.at(measured.low), axis.at(measured.high)
    return [line(css, low, y, high, y)] if low != high else []


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> list[Shape]:
    """Return an arrow from the edge of one dot to the edge of another, none if they almost touch."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    if length < _SHORTEST_ARROW:
        return []
    ux, uy = dx / length, dy / length
    x, y = end[0] - 8 * ux, end[1] - 8 * uy
    tip = (x + 1.05 * ux, y + 1.05 * uy)
    back = (x - 5.25 * ux, y - 5.25 * uy)
    points = (
        (back[0] - 3.15 * uy, back[1] + 3.15 * ux),
        tip,
        (back[0] + 3.15 * uy, back[1] - 3.15 * ux),
    )
    head = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    return [
        line("arrow", start[0] + 6 * ux, start[1] + 6 * uy, x, y),
        Shape("polyline", "head", {"points": head}),
    ]


def draw_marks(
    rows: Sequence[tuple[str, Sequence[Marked | None]]],
    series: Sequence[str],
    *,
    across: str,
    reference: tuple[float, str] | None = None,
    limits: Limits | None = None,
    unit: Unit = share_tick,
) -> Drawing:
    """Draw several marks with intervals in each row, with the printed values beside them.

    Args:
        rows: from top to bottom, each with one mark or `None` for each of the series.
        series: names of the colours; a single one needs no key.
        across: name of the axis, with its unit.
        reference: a value with a meaning, and its name.
        limits: the least and greatest possible value; the axis goes no further.
        unit: format of a tick.
    """
    held = [mark for _, marks in rows for mark in marks if mark is not None]
    printed = [mark.printed for mark in held if mark.printed is not None]
    ends = [end for mark in held for end in (mark.measured.low, mark.measured.high)]
    axis = build_axis(
        [*ends, *printed],
        left=_MARK_LEFT,
        right=_MARK_RIGHT,
        unit=unit,
        limits=limits,
        reference=reference,
    )
    drawn: list[Shape] = []
    y = _MARK_TOP + _MARK_GAP / 2
    for name, marks in rows:
        middle = y + _MARK_LINE * max(len(marks), 1) / 2
        drawn.append(wrap_text("name", 0.0, middle + 4.5, name, letters=20))
        for number, mark in enumerate(marks):
            if mark is not None:
                drawn += _mark(mark, number % 6, y + _MARK_LINE * (number + 0.5), axis)
        y += _MARK_LINE * max(len(marks), 1) + _MARK_GAP
    bottom = y - _MARK_GAP / 2
    keys = _mark_keys(series if len(series) > 1 else (), printed=bool(printed))
    shapes = [*keys, *axis.shapes(across, _MARK_TOP, bottom, reference), *drawn]
    return Drawing(WIDTH, bottom + _FOOT, shapes)


def _mark_keys(series: Sequence[str], *, printed: bool) -> list[Shape]:
    shapes: list[Shape] = []
    names = [*series, *([_PRINTED] if printed else [])]
    for number, name in enumerate(write_keys(names, x=14.0, letter=_MARK_LETTER)):
        x = float(name.at["x"])
        is_printed = number == len(series)
        symbol = _bar(x - 7, 9) if is_printed else circle(f"mark-dot s{number % 6}", x - 9, 9, 4.5)
        shapes += [symbol, name]
    return shapes


def _mark(mark: Marked, series: int, y: float, axis: Axis) -> list[Shape]:
    shapes = _interval(f"mark-interval s{series}", mark.measured, y, axis)
    shapes.append(circle(f"mark-dot s{series}", axis.at(mark.measured.value), y, 4.5))
    if mark.printed is not None:
        shapes.append(_bar(axis.at(mark.printed), y))
    return [*shapes, text("note small", WIDTH, y + 4.5, mark.note)]


def _bar(x: float, y: float) -> Shape:
    return line("printed", x, y - 7.5, x, y + 7.5)


def draw_bars(rows: Sequence[Counts], *, across: str) -> Drawing:
    """Draw stacked bars of counts, grouped where neighbours share a group; `across` names the axis."""
    longest = max((sum(part[2] for part in row.parts) for row in rows), default=0) or 1
    ends = (0.0, float(longest))
    axis = build_axis(ends, left=_LEFT, right=_RIGHT, unit=plain_tick, limits=ends)
    axis = replace(axis, step=max(axis.step, 1.0))
    bars: list[Shape] = []
    y, group = _BAR_TOP, ""
    for row in rows:
        is_first = row.group != group or not bars
        y += _BAR_GAP if is_first and bars else 0.0
        group = row.group
        bars += _stacked(row, y, axis, is_first=is_first)
        y += _BAR_ROW
    kinds = dict.fromkeys(kind for row in rows for kind, _, number in row.parts if number)
    keys: list[Shape] = []
    for number, kind in enumerate(kinds):
        x = _LEFT + 90.0 * number
        keys.append(rectangle(f"swatch {kind}", x, 3.5, 11, 11, radius=2))
        keys.append(text("key", x + 17, 13.5, kind))
    return Drawing(WIDTH, y + _FOOT, [*keys, *axis.shapes(across, _BAR_TOP - 4, y), *bars])


def _stacked(row: Counts, y: float, axis: Axis, *, is_first: bool) -> list[Shape]:
    middle = y + _BAR / 2 + 4.5
    shapes = [fit_text("name", 0.0, middle, row.group, letters=14)] if is_first else []
    shapes.append(fit_text("role", _LEFT - 10, middle, row.name, letters=9))
    total = 0
    for kind, title, number in row.parts:
        if not number:
            continue
        x, words = axis.at(total), f"{number:,}"
        width = axis.at(total + number) - x
        shapes.append(rectangle(f"part {kind}", x, y, width, _BAR, title=title))
        if width > _LETTER * len(words) + 6:
            shapes.append(text("inside", x + width / 2, middle, words))
        total += number
    return [*shapes, text("note", WIDTH, middle, row.note)]
