"""Stacked bars of counts, in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from peerjudge.reporting.figures.axes import WIDTH, Label, axis, cut, decimal, ticks_at

__all__ = ["Bar", "BarFigure", "Counts", "Part", "bar_figure"]

_LEFT, _RIGHT = 178.0, 566.0
_TOP, _FOOT = 28.0, 44.0
_HEIGHT, _STEP, _GROUP = 22.0, 27.0, 12.0
_LETTER = 7.2
"""About the width of a digit: a part of a bar narrower than its number goes unlabelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a bar. `kind` names its colour."""

    x: float
    width: float
    kind: str
    title: str
    label: Label | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stacked bar; `group` is set on the first of a group."""

    y: float
    height: float
    group: Label | None
    name: Label
    parts: tuple[Part, ...]
    note: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class BarFigure:
    """Stacked bars over a common axis that starts at zero."""

    kind: ClassVar[str] = "bars"

    height: float
    bars: tuple[Bar, ...]
    keys: tuple[Label, ...]
    ticks: tuple[Label, ...]
    across: Label
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP - 4
    bottom: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A bar to be drawn: numbers by kind, in order, with the words for each kind."""

    group: str
    name: str
    note: str
    parts: Sequence[tuple[str, str, int]] = field(default_factory=tuple)


def bar_figure(rows: Sequence[Counts], *, across: str) -> BarFigure:
    """Stacked bars of counts, grouped where neighbours share a group; `across` names the axis."""
    longest = max((sum(part[2] for part in row.parts) for row in rows), default=0) or 1
    _, high, step = axis(0.0, longest, (0.0, longest))
    scale = (_RIGHT - _LEFT) / high
    bars: list[Bar] = []
    y, group = _TOP, ""
    for row in rows:
        fresh = row.group != group or not bars
        y += _GROUP if fresh and bars else 0.0
        group = row.group
        bars.append(_bar(row, y, scale, fresh=fresh))
        y += _STEP
    return BarFigure(
        height=y + _FOOT,
        bottom=y,
        bars=tuple(bars),
        keys=_keys(rows),
        ticks=tuple(
            Label(x=_LEFT + value * scale, y=y + 15, text=decimal(value))
            for value in ticks_at(0.0, high, max(step, 1.0))
        ),
        across=Label(x=(_LEFT + _RIGHT) / 2, y=y + 35, text=across),
    )


def _keys(rows: Sequence[Counts]) -> tuple[Label, ...]:
    """The kinds that occur, one beside the other above the plot."""
    kinds = dict.fromkeys(kind for row in rows for kind, _, number in row.parts if number)
    places = (_LEFT + 17 + 90.0 * number for number in range(len(kinds)))
    return tuple(Label(x=x, y=13.5, text=kind) for x, kind in zip(places, kinds, strict=False))


def _bar(row: Counts, y: float, scale: float, *, fresh: bool) -> Bar:
    parts: list[Part] = []
    x, middle = _LEFT, y + _HEIGHT / 2 + 4.5
    for kind, words, number in row.parts:
        width, text = number * scale, f"{number:,}"
        if not number:
            continue
        fits = width > _LETTER * len(text) + 6
        label = Label(x=x + width / 2, y=middle, text=text) if fits else None
        parts.append(Part(x=x, width=width, kind=kind, title=words, label=label))
        x += width
    return Bar(
        y=y,
        height=_HEIGHT,
        group=cut(row.group, x=0.0, y=middle, letters=14) if fresh else None,
        name=cut(row.name, x=_LEFT - 10, y=middle, letters=9),
        parts=tuple(parts),
        note=Label(x=WIDTH, y=middle, text=row.note),
    )
