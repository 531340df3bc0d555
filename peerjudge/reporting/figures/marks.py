"""Several measurements in each row, with what a paper printed beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.data import Measurement
from peerjudge.reporting.figures.axes import (
    WIDTH,
    Across,
    Label,
    Limits,
    Scale,
    Unit,
    axis,
    per_cent,
    wrapped,
)

__all__ = ["Mark", "MarkFigure", "MarkRow", "Marked", "mark_figure"]

_LEFT, _RIGHT = 150.0, 582.0
_TOP, _FOOT = 44.0, 44.0
_LINE, _BETWEEN = 17.0, 14.0
_LETTER = 6.6
PRINTED = "printed in the paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A measurement to be drawn, what it says in words, and the printed value if there is one."""

    measured: Measurement
    note: str
    printed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A dot with its interval, and where the printed value stands. `series` numbers its colour."""

    series: int
    x: float
    y: float
    low: float
    high: float
    printed: float | None
    note: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRow:
    """A named row of marks, one below the other."""

    name: Label
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFigure:
    """Rows of marks over a common axis. The last key is that of the printed values, if any."""

    kind: ClassVar[str] = "marks"

    height: float
    rows: tuple[MarkRow, ...]
    ticks: tuple[Label, ...]
    across: Label
    reference: Label | None
    keys: tuple[Label, ...]
    printed_key: Label | None
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = 0.0


def mark_figure(
    rows: Sequence[tuple[str, Sequence[Marked | None]]],
    series: Sequence[str],
    *,
    across: str,
    reference: tuple[float, str] | None = None,
    limits: Limits | None = None,
    unit: Unit = per_cent,
) -> MarkFigure:
    """Marks with intervals.

    Args:
        rows: from top to bottom, each with one mark (or none) for each of the series.
        series: what the colours mean; a single one needs no key.
        across: the name of the axis, with its unit.
        reference: a value that means something, and what.
        limits: the least and greatest value there can be; the axis goes no further.
        unit: how a tick is written.
    """
    held = [mark for _, marks in rows for mark in marks if mark is not None]
    ends = [end for mark in held for end in (mark.measured.low, mark.measured.high)]
    ends += [mark.printed for mark in held if mark.printed is not None]
    if reference is not None:
        ends.append(reference[0])
    low, high, step = axis(min(ends), max(ends), limits)
    line = Across(left=_LEFT, right=_RIGHT, low=low, high=high, step=step, unit=unit)
    placed: list[MarkRow] = []
    y = _TOP + _BETWEEN / 2
    for name, marks in rows:
        placed.append(_row(name, marks, y, line.at))
        y += _LINE * max(len(marks), 1) + _BETWEEN
    bottom = y - _BETWEEN / 2
    keys = _keys(series)
    return MarkFigure(
        height=bottom + _FOOT,
        bottom=bottom,
        rows=tuple(placed),
        ticks=line.ticks(y=bottom + 17),
        across=line.named(across, y=bottom + 37),
        reference=line.marked(reference, y=_TOP - 6),
        keys=keys,
        printed_key=_printed_key(keys) if any(m.printed is not None for m in held) else None,
    )


def _keys(series: Sequence[str]) -> tuple[Label, ...]:
    if len(series) < 2:
        return ()
    x, keys = 14.0, list[Label]()
    for name in series:
        keys.append(Label(x=x, y=13.5, text=name))
        x += _LETTER * len(name) + 30
    return tuple(keys)


def _printed_key(keys: Sequence[Label]) -> Label:
    x = keys[-1].x + _LETTER * len(keys[-1].text) + 30 if keys else 14.0
    return Label(x=x, y=13.5, text=PRINTED)


def _row(name: str, marks: Sequence[Marked | None], top: float, at: Scale) -> MarkRow:
    middle = top + _LINE * max(len(marks), 1) / 2
    return MarkRow(
        name=wrapped(name, x=0.0, y=middle + 4.5, letters=20),
        marks=tuple(
            _mark(mark, number, top + _LINE * (number + 0.5), at)
            for number, mark in enumerate(marks)
            if mark is not None
        ),
    )


def _mark(mark: Marked, series: int, y: float, at: Scale) -> Mark:
    measured = mark.measured
    return Mark(
        series=series % 6,
        x=at(measured.value),
        y=y,
        low=at(measured.low),
        high=at(measured.high),
        printed=None if mark.printed is None else at(mark.printed),
        note=Label(x=WIDTH, y=y + 4.5, text=mark.note),
    )
