"""Dots with intervals: where something is, or where it began and where it ended."""

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

__all__ = ["Dot", "DotFigure", "DotRow", "Values", "dot_figure"]

_LEFT, _RIGHT = 178.0, 566.0
"""The plot's edges: names stand to the left of it, values in words to the right."""
_TOP, _ROW, _FOOT = 34.0, 44.0, 44.0
_APART = 7.0
_LETTER = 7.2
"""About the width of a letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A value with its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRow:
    """Where it began and where it ended; `arrow` joins the two when they lie far enough apart."""

    name: Label
    note: Label
    count: Label | None
    start: Dot | None
    end: Dot | None
    arrow: tuple[float, float, float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DotFigure:
    """Rows of dots over a common axis. `reference` is a vertical line with a meaning.

    `keys` say what the two dots of a row are, hollow one first; there are none without pairs.
    """

    kind: ClassVar[str] = "dots"

    height: float
    rows: tuple[DotRow, ...]
    ticks: tuple[Label, ...]
    across: Label
    reference: Label | None
    keys: tuple[Label, ...]
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """A row to be drawn: its name, what it says in words, what that rests on, and measurements."""

    name: str
    note: str
    count: str = ""
    start: Measurement | None = None
    end: Measurement | None = None


def dot_figure(
    rows: Sequence[Values],
    *,
    across: str,
    reference: tuple[float, str] | None = None,
    limits: Limits | None = None,
    unit: Unit = per_cent,
    keys: tuple[str, str] = ("before", "after"),
    arrows: bool = True,
) -> DotFigure:
    """Dots with intervals.

    Args:
        rows: from top to bottom.
        across: the name of the axis, with its unit.
        reference: a value that means something, and what.
        limits: the least and greatest value there can be; the axis goes no further.
        unit: how a tick is written.
        keys: what the hollow and the full dot are.
        arrows: whether what began moved to where it ended; not so where two sources are compared.
    """
    held = [m for row in rows for m in (row.start, row.end) if m is not None]
    ends = [bound for m in held for bound in (m.low, m.high, m.value)]
    if reference is not None:
        ends.append(reference[0])
    low, high, step = axis(min(ends, default=0.0), max(ends, default=1.0), limits)
    line = Across(left=_LEFT, right=_RIGHT, low=low, high=high, step=step, unit=unit)
    bottom = _TOP + _ROW * len(rows)
    paired = any(row.start is not None for row in rows)
    return DotFigure(
        height=bottom + _FOOT,
        bottom=bottom,
        rows=tuple(
            _dot_row(row, _TOP + _ROW * (i + 0.5), line.at, arrows=arrows)
            for i, row in enumerate(rows)
        ),
        ticks=line.ticks(y=bottom + 17),
        across=line.named(across, y=bottom + 37),
        reference=line.marked(reference, y=_TOP - 6),
        keys=_keys(keys) if paired else (),
    )


def _keys(keys: tuple[str, str]) -> tuple[Label, ...]:
    second = 16.0 + _LETTER * len(keys[0]) + 30.0
    return Label(x=16.0, y=13.5, text=keys[0]), Label(x=second, y=13.5, text=keys[1])


def _dot_row(row: Values, y: float, at: Scale, *, arrows: bool) -> DotRow:
    both = row.start is not None and row.end is not None
    start = _dot(row.start, y - _APART if both else y, at)
    end = _dot(row.end, y + _APART if both else y, at)
    return DotRow(
        name=wrapped(row.name, x=0.0, y=y + 4.5),
        note=Label(x=WIDTH, y=y - 3.5 if row.count else y + 4.5, text=row.note),
        count=Label(x=WIDTH, y=y + 12.5, text=row.count) if row.count else None,
        start=start,
        end=end,
        arrow=_arrow(start, end) if arrows else None,
    )


def _dot(measured: Measurement | None, y: float, at: Scale) -> Dot | None:
    if measured is None:
        return None
    return Dot(x=at(measured.value), y=y, low=at(measured.low), high=at(measured.high))


def _arrow(start: Dot | None, end: Dot | None) -> tuple[float, float, float, float] | None:
    """From the edge of one dot to the edge of the other."""
    if start is None or end is None:
        return None
    dx, dy = end.x - start.x, end.y - start.y
    length = (dx * dx + dy * dy) ** 0.5
    if length < 22:
        return None
    ux, uy = dx / length, dy / length
    return (start.x + 6 * ux, start.y + 6 * uy, end.x - 8 * ux, end.y - 8 * uy)
