"""Where everything in a figure goes: pure geometry, in the units of the SVG's view box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

from peerjudge.data import Measurement

__all__ = [
    "Bar",
    "BarFigure",
    "Counts",
    "Dot",
    "DotFigure",
    "DotRow",
    "Label",
    "Part",
    "Values",
    "bar_figure",
    "decimal",
    "dot_figure",
    "in_points",
]

Scale = Callable[[float], float]
Unit = Callable[[float], str]

WIDTH = 760.0
_LEFT, _RIGHT = 178.0, 566.0
"""The plot's edges: names stand to the left of it, values in words to the right."""
_TOP, _ROW, _FOOT = 34.0, 44.0, 26.0
_BAR_HEIGHT, _BAR_STEP, _BAR_GROUP = 22.0, 27.0, 12.0
_LETTERS = 24
_APART = 7.0
_WORD = 7.2
"""About the width of a digit: a part of a bar narrower than its number goes unlabelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text at a place, on one line or two; `full` is the whole of it where it had to be cut."""

    x: float
    y: float
    text: str
    below: str = ""
    full: str = ""


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
    start: Dot | None
    end: Dot | None
    arrow: tuple[float, float, float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DotFigure:
    """Rows of dots over a common axis. `reference` is a vertical line with a meaning."""

    height: float
    rows: tuple[DotRow, ...]
    ticks: tuple[Label, ...]
    reference: Label | None
    paired: bool
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = 0.0


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

    height: float
    bars: tuple[Bar, ...]
    keys: tuple[Label, ...]
    ticks: tuple[Label, ...]
    width: float = WIDTH
    left: float = _LEFT
    right: float = _RIGHT
    top: float = _TOP
    bottom: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """A row to be drawn: its name, what it says in words, and one or two measurements."""

    name: str
    note: str
    start: Measurement | None = None
    end: Measurement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A bar to be drawn: numbers by kind, in order, with the words for each kind."""

    group: str
    name: str
    note: str
    parts: Sequence[tuple[str, str, int]] = field(default_factory=tuple)


def dot_figure(
    rows: Sequence[Values],
    *,
    reference: tuple[float, str] | None = None,
    limits: tuple[float, float] | None = None,
    unit: Unit | None = None,
) -> DotFigure:
    """Dots with intervals.

    Args:
        rows: from top to bottom.
        reference: a value that means something, and what.
        limits: the least and greatest value there can be; the axis goes no further.
        unit: how a tick is written; as a share in per cent unless told.
    """
    held = [m for row in rows for m in (row.start, row.end) if m is not None]
    ends = [bound for m in held for bound in (m.low, m.high, m.value)]
    if reference is not None:
        ends.append(reference[0])
    low, high, step = _axis(min(ends, default=0.0), max(ends, default=1.0), limits)

    def at(value: float) -> float:
        inside = min(max(value, low), high)
        return _LEFT + (inside - low) / (high - low) * (_RIGHT - _LEFT)

    bottom = _TOP + _ROW * len(rows)
    paired = any(row.start is not None for row in rows)
    return DotFigure(
        height=bottom + _FOOT,
        bottom=bottom,
        rows=tuple(_dot_row(row, _TOP + _ROW * (i + 0.5), at) for i, row in enumerate(rows)),
        ticks=_ticks(low, high, step, at, y=bottom + 17, unit=unit or _per_cent),
        reference=None
        if reference is None
        else Label(x=at(reference[0]), y=_TOP - 6, text=reference[1]),
        paired=paired,
    )


def bar_figure(rows: Sequence[Counts]) -> BarFigure:
    """Stacked bars of counts, grouped where neighbours share a group."""
    longest = max((sum(part[2] for part in row.parts) for row in rows), default=0) or 1
    _, high, step = _axis(0.0, longest, (0.0, longest))
    scale = (_RIGHT - _LEFT) / high
    bars: list[Bar] = []
    y, group = _TOP - 6, ""
    for row in rows:
        fresh = row.group != group or not bars
        y += _BAR_GROUP if fresh and bars else 0.0
        group = row.group
        bars.append(_bar(row, y, scale, fresh=fresh))
        y += _BAR_STEP

    def at(value: float) -> float:
        return _LEFT + value * scale

    return BarFigure(
        height=y + _FOOT,
        top=_TOP - 10,
        bottom=y,
        bars=tuple(bars),
        keys=_keys(rows),
        ticks=_ticks(0.0, high, max(step, 1.0), at, y=y + 15, unit=decimal),
    )


def _keys(rows: Sequence[Counts]) -> tuple[Label, ...]:
    """The kinds that occur, one beside the other above the plot."""
    kinds = dict.fromkeys(kind for row in rows for kind, _, number in row.parts if number)
    places = (_LEFT + 17 + 90.0 * number for number in range(len(kinds)))
    return tuple(Label(x=x, y=13.5, text=kind) for x, kind in zip(places, kinds, strict=False))


def _dot_row(row: Values, y: float, at: Scale) -> DotRow:
    both = row.start is not None and row.end is not None
    start = _dot(row.start, y - _APART if both else y, at)
    end = _dot(row.end, y + _APART if both else y, at)
    return DotRow(
        name=_wrapped(row.name, x=0.0, y=y + 4.5),
        note=Label(x=WIDTH, y=y + 4.5, text=row.note),
        start=start,
        end=end,
        arrow=_arrow(start, end),
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


def _bar(row: Counts, y: float, scale: float, *, fresh: bool) -> Bar:
    parts: list[Part] = []
    x, middle = _LEFT, y + _BAR_HEIGHT / 2 + 4.5
    for kind, words, number in row.parts:
        width, text = number * scale, f"{number:,}"
        if not number:
            continue
        fits = width > _WORD * len(text) + 6
        label = Label(x=x + width / 2, y=middle, text=text) if fits else None
        parts.append(Part(x=x, width=width, kind=kind, title=words, label=label))
        x += width
    return Bar(
        y=y,
        height=_BAR_HEIGHT,
        group=_cut(row.group, x=0.0, y=middle, letters=14) if fresh else None,
        name=_cut(row.name, x=_LEFT - 10, y=middle, letters=9),
        parts=tuple(parts),
        note=Label(x=WIDTH, y=middle, text=row.note),
    )


def _axis(
    least: float, most: float, limits: tuple[float, float] | None
) -> tuple[float, float, float]:
    """Round ends and a round step that hold all values, within the limits."""
    span = max(most - least, 1e-9)
    power = 10.0 ** floor(log10(span / 4))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= span / 5)
    low, high = floor(least / step + 1e-9) * step, ceil(most / step - 1e-9) * step
    if low == high:
        low, high = low - step, high + step
    return (
        (low, high, step) if limits is None else (max(low, limits[0]), min(high, limits[1]), step)
    )


def _ticks(
    low: float, high: float, step: float, at: Scale, *, y: float, unit: Unit
) -> tuple[Label, ...]:
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    values = [number * step for number in range(first, last + 1)]
    return tuple(Label(x=at(value), y=y, text=unit(value)) for value in values)


def _wrapped(text: str, *, x: float, y: float) -> Label:
    """The text on two lines where it is too long for one and has a space to break at."""
    break_at = text.rfind(" ", 0, _LETTERS + 1)
    if len(text) <= _LETTERS or break_at <= 0:
        return _cut(text, x=x, y=y)
    below = _cut(text[break_at + 1 :], x=x, y=y)
    full = text if below.full else ""
    return Label(x=x, y=y - 8, text=text[:break_at], below=below.text, full=full)


def _cut(text: str, *, x: float, y: float, letters: int = _LETTERS) -> Label:
    if len(text) <= letters:
        return Label(x=x, y=y, text=text)
    return Label(x=x, y=y, text=text[: letters - 1].rstrip() + "\u2026", full=text)


def _per_cent(value: float) -> str:
    return f"{100 * value:.4g} %"


def in_points(value: float) -> str:
    """A difference of shares, in points."""
    return "0" if abs(value) < 1e-9 else f"{100 * value:+.4g}".replace("-", "\u2212")


def decimal(value: float) -> str:
    """A number as it is."""
    return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"
