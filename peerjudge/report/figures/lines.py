"""Lines over a common axis, each with its band and its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from peerjudge.report.figures.axes import (
    WIDTH,
    Label,
    Scale,
    axis,
    cut,
    decimal,
    ticks_at,
)

__all__ = ["Line", "LineFigure", "Series", "line_figure"]

_LEFT, _RIGHT = 52.0, 500.0
_TOP, _HEIGHT, _FOOT = 34.0, 264.0, 44.0
_BETWEEN = 17.0
"""The least distance between the names of two lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line to be drawn: values at places, with the bounds of its band."""

    name: str
    note: str
    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line in its place: points of the line and of the outline of its band."""

    points: str
    band: str
    name: Label
    note: Label
    end: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFigure:
    """Lines; the ticks of the value axis have their y, those of the other their x."""

    kind: ClassVar[str] = "lines"

    lines: tuple[Line, ...]
    across: tuple[Label, ...]
    up: tuple[Label, ...]
    across_name: Label
    up_name: Label
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = _TOP + _HEIGHT
    height: float = _TOP + _HEIGHT + _FOOT


def line_figure(series: Sequence[Series], *, across: str, up: str) -> LineFigure:
    """Lines that start at zero of the axis named `across`; `up` names the axis of the values."""
    values = [value for one in series for value in (*one.low, *one.high, *one.values)]
    low, high, step = axis(min(values), max(values), None)
    most = max(place for one in series for place in one.at)
    _, _, stride = axis(0.0, most, (0.0, most))

    def x(value: float) -> float:
        return _LEFT + value / most * (_RIGHT - _LEFT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * _HEIGHT

    bottom = _TOP + _HEIGHT
    return LineFigure(
        lines=_apart([_line(one, x, y) for one in series], bottom=bottom),
        across=tuple(
            Label(x=x(value), y=bottom + 17, text=decimal(value))
            for value in ticks_at(0.0, most, stride)
        ),
        up=tuple(
            Label(x=_LEFT - 8, y=y(value), text=decimal(value))
            for value in ticks_at(low, high, step)
        ),
        across_name=Label(x=(_LEFT + _RIGHT) / 2, y=bottom + 37, text=across),
        up_name=Label(x=0.0, y=13.5, text=up),
    )


def _line(one: Series, x: Scale, y: Scale) -> Line:
    there = [(x(place), y(low)) for place, low in zip(one.at, one.low, strict=True)]
    back = [(x(place), y(high)) for place, high in zip(one.at, one.high, strict=True)]
    points = [(x(place), y(value)) for place, value in zip(one.at, one.values, strict=True)]
    end = points[-1]
    return Line(
        points=_points(points),
        band=_points([*there, *reversed(back)]),
        name=cut(one.name, x=_RIGHT + 12, y=end[1], letters=18),
        note=Label(x=WIDTH, y=end[1], text=one.note),
        end=end,
    )


def _apart(lines: Sequence[Line], *, bottom: float) -> tuple[Line, ...]:
    """The lines with their names moved up or down until none covers another."""
    order = sorted(range(len(lines)), key=lambda number: lines[number].end[1])
    places = [lines[number].end[1] for number in order]
    for place in range(1, len(places)):
        places[place] = max(places[place], places[place - 1] + _BETWEEN)
    overflow = max(places[-1] - bottom, 0.0) if places else 0.0
    for place in reversed(range(len(places))):
        limit = bottom if place == len(places) - 1 else places[place + 1] - _BETWEEN
        places[place] = min(places[place], limit) if overflow else places[place]
    moved = {
        number: replace(
            lines[number],
            name=replace(lines[number].name, y=y + 4.5),
            note=replace(lines[number].note, y=y + 4.5),
        )
        for number, y in zip(order, places, strict=True)
    }
    return tuple(moved[number] for number in range(len(lines)))


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
