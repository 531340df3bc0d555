"""Lines over a common axis, each with its bounds and its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from peerjudge.reporting.figures.axes import (
    WIDTH,
    Label,
    Limits,
    Scale,
    Unit,
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
_MOST_BANDS = 3
"""More bands than this hide each other: the lines then have their bounds at their ends only."""
_WHISKER = 9.0
"""Between the bounds of two lines."""
_LETTER = 6.9
"""About the width of a letter."""
_KEY = 102.0
"""The room for the words of the key, left of the plot's right edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line to be drawn: values at places, with their bounds; `printed` is where a paper has it end."""

    name: str
    note: str
    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line in its place: its points, and the outline of its band or the bounds of its end.

    `bounds` are x and the two ends of a bar beside the plot, `printed` x and y of the printed end.
    """

    points: str
    band: str
    name: Label
    note: Label
    end: tuple[float, float]
    bounds: tuple[float, float, float] | None
    printed: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFigure:
    """Lines; the ticks of the value axis have their y, those of the other their x."""

    kind: ClassVar[str] = "lines"

    lines: tuple[Line, ...]
    ticks: tuple[Label, ...]
    up: tuple[Label, ...]
    across: Label
    up_name: Label
    printed_key: Label | None
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = _TOP + _HEIGHT
    height: float = _TOP + _HEIGHT + _FOOT


def line_figure(
    series: Sequence[Series],
    *,
    across: str,
    up: str,
    unit: Unit = decimal,
    limits: Limits | None = None,
) -> LineFigure:
    """Lines that start at zero of the horizontal axis.

    Args:
        series: in the order of their colours.
        across: the name of the horizontal axis.
        up: the name of the axis of values.
        unit: how a tick of the values is written.
        limits: the least and greatest value there can be.
    """
    values = [value for one in series for value in (*one.low, *one.high, *one.values)]
    values += [one.printed for one in series if one.printed is not None]
    low, high, step = axis(min(values), max(values), limits)
    most = max(place for one in series for place in one.at)
    _, _, stride = axis(0.0, most, (0.0, most))
    if all(float(place).is_integer() for one in series for place in one.at):
        # Where there are only whole turns, rounds or battles, half of one is no place.
        stride = max(stride, 1.0)

    def x(value: float) -> float:
        return _LEFT + value / most * (_RIGHT - _LEFT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * _HEIGHT

    bottom = _TOP + _HEIGHT
    bounded = any(tuple(one.low) != tuple(one.high) for one in series)
    aside = bounded and len(series) > _MOST_BANDS
    lines = [
        _line(one, x, y, place=place if aside else None, beside=len(series) if aside else 0)
        for place, one in enumerate(series)
    ]
    return LineFigure(
        lines=_apart(lines, bottom=bottom),
        ticks=tuple(
            Label(x=x(value), y=bottom + 17, text=decimal(value))
            for value in ticks_at(0.0, most, stride)
        ),
        up=tuple(
            Label(x=_LEFT - 8, y=y(value), text=unit(value)) for value in ticks_at(low, high, step)
        ),
        across=Label(x=(_LEFT + _RIGHT) / 2, y=bottom + 37, text=across),
        up_name=Label(x=0.0, y=13.5, text=up),
        printed_key=Label(x=_RIGHT - _KEY, y=13.5, text="printed in the paper")
        if any(one.printed is not None for one in series)
        else None,
    )


def _line(one: Series, x: Scale, y: Scale, *, place: int | None, beside: int) -> Line:
    """`place` numbers the bounds beside the plot, of which there are `beside`; `None` for a band."""
    there = [(x(at), y(low)) for at, low in zip(one.at, one.low, strict=True)]
    back = [(x(at), y(high)) for at, high in zip(one.at, one.high, strict=True)]
    points = [(x(at), y(value)) for at, value in zip(one.at, one.values, strict=True)]
    end = points[-1]
    named = _RIGHT + 12 + _WHISKER * beside
    room = WIDTH - named - _LETTER * (len(one.note) + 1)
    bounds = None
    if place is not None:
        bounds = (_RIGHT + 10 + _WHISKER * place, there[-1][1], back[-1][1])
    return Line(
        points=_points(points),
        band=_points([*there, *reversed(back)]) if place is None and there != back else "",
        name=cut(one.name, x=named, y=end[1], letters=int(room / _LETTER)),
        note=Label(x=WIDTH, y=end[1], text=one.note),
        end=end,
        bounds=bounds,
        printed=None if one.printed is None else (end[0], y(one.printed)),
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
