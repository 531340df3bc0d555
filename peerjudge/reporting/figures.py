"""Figures as data: what a figure shows, from which the page and matplotlib draw it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import ClassVar, TypeAlias, TypeVar

from peerjudge.data import Measurement
from peerjudge.reporting.formats import plain_tick, share, share_tick

Unit: TypeAlias = Callable[[float], str]
"""Format of a tick."""
Limits: TypeAlias = tuple[float, float]

B = TypeVar("B", bound="Bar | Strip")

LINE, PAD = 16, 7
"""Height of a mark in a row, and space above and below the marks, in units of 1/100 inch or CSS pixels."""
_LEAST_ROW = 42
_LABEL = 6.5
"""Least distance between the names of two lines, in percent of the height of the plot."""
_SHORTEST_ARROW = 4.0
"""Arrows that cover less of the axis, in percent, hide between their dots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis with round ends, and its ticks with their labels."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def at(self, value: float) -> float:
        """Return the place of a value in percent of the axis; a value beyond an end is at that end."""
        inside = min(max(value, self.low), self.high)
        return round(100 * (inside - self.low) / (self.high - self.low), 2)


def build_axis(
    values: Iterable[float],
    *,
    unit: Unit,
    limits: Limits | None = None,
    whole: bool = False,
    exact: bool = False,
) -> Axis:
    """Return an axis that shows all values within the limits.

    Args:
        values: numbers to show.
        unit: format of a tick.
        limits: the least and greatest possible value.
        whole: place ticks at whole numbers only.
        exact: end at the least and greatest value instead of at round numbers.
    """
    shown = list(values) or [0.0, 1.0]
    least, most = min(shown), max(shown)
    power = 10.0 ** floor(log10(max(most - least, 1e-9) / 4))
    step = next(
        size * power for size in (1, 2, 2.5, 5, 10) if size * power >= (most - least) / 5 - 1e-12
    )
    step = max(step, 1.0) if whole else step
    low, high = floor(least / step + 1e-9) * step, ceil(most / step - 1e-9) * step
    if exact:
        low, high = least, most
    if low == high:
        low, high = low - step, high + step
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    numbers = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    ticks = tuple((number * step, unit(number * step)) for number in numbers)
    return Axis(low=low, high=high, ticks=ticks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A measurement in a row, its value in words, and the printed value if there is one."""

    measured: Measurement
    note: str = ""
    printed: float | None = None


def build_mark(
    measured: Measurement | None, note: str = "", printed: float | None = None
) -> Mark | None:
    """Return the mark of a measurement, or `None` without one."""
    return None if measured is None else Mark(measured=measured, note=note, printed=printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A named row with one mark or `None` for each of the series, its values in words, and their basis."""

    name: str
    marks: Sequence[Mark | None]
    note: str = ""
    count: str = ""

    @property
    def drawn(self) -> Sequence[tuple[int, Mark, float]]:
        """Marks with the number of their series and their height in the row, from its top."""
        held = [(number, mark) for number, mark in enumerate(self.marks) if mark is not None]
        if len(held) == 1:
            return [(*held[0], self.height / 2)]
        top = (self.height - LINE * len(self.marks)) / 2
        return [(number, mark, top + LINE * (number + 0.5)) for number, mark in held]

    @property
    def height(self) -> float:
        """Height of the row."""
        return max(LINE * len(self.marks) + 2 * PAD, _LEAST_ROW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows of dots with intervals over a common axis.

    `hollow` draws the first series with hollow dots in grey, and `arrows` joins it to the second one,
    as for a change over time. `reference` is a value with a meaning, and its name.
    """

    kind: ClassVar = "rows"
    rows: Sequence[Row]
    across: str
    series: Sequence[str] = ("",)
    reference: tuple[float, str] | None = None
    limits: Limits | None = None
    unit: Unit = share_tick
    hollow: bool = False
    arrows: bool = False

    @property
    def held(self) -> list[Mark]:
        """All marks."""
        return [mark for row in self.rows for _, mark, _ in row.drawn]

    @property
    def axis(self) -> Axis:
        """The common axis."""
        ends = [end for one in self.held for end in _list_ends(one)]
        named = [] if self.reference is None else [self.reference[0]]
        return build_axis([*ends, *named], unit=self.unit, limits=self.limits)

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Styles of the series with their names, where more than one occurs or values are printed."""
        used = {number for row in self.rows for number, _, _ in row.drawn}
        keys = [(self.style(number), self.series[number]) for number in sorted(used)]
        printed = any(mark.printed is not None for mark in self.held)
        return (keys if len(keys) > 1 else []) + (
            [("printed", "printed in the paper")] if printed else []
        )

    @property
    def is_plain(self) -> bool:
        """True if each row has its values in one note, not at its marks."""
        return not any(mark.note for mark in self.held)

    def style(self, series: int) -> str:
        """Return the name of the style of a series: `start`, or `s0` to `s5`."""
        return "start" if self.hollow and not series else f"s{(series - self.hollow) % 6}"

    def arrow(self, row: Row) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Return value and height of both ends of the arrow of a row, if it is long enough to be seen."""
        if not self.arrows or len(row.drawn) < 2:
            return None
        (_, start, above), (_, end, below) = row.drawn[:2]
        ends = start.measured.value, end.measured.value
        if abs(self.axis.at(ends[1]) - self.axis.at(ends[0])) < _SHORTEST_ARROW:
            return None
        return (ends[0], above), (ends[1], below)


def _list_ends(mark: Mark) -> list[float]:
    one = mark.measured
    found = [one.low, one.high, one.value]
    return [end for end in found if end == end] + ([] if mark.printed is None else [mark.printed])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stacked bar: its group and name, its values in words, and a number for each kind in order."""

    group: str
    name: str
    note: str
    parts: Sequence[tuple[str, int]] = ()

    @property
    def drawn(self) -> Sequence[tuple[str, int, int]]:
        """The parts with their starts."""
        starts = [
            sum(number for _, number in self.parts[:place]) for place in range(len(self.parts))
        ]
        return [(*part, start) for part, start in zip(self.parts, starts, strict=True) if part[1]]


def _mark_groups(held: Sequence[B]) -> list[tuple[B, bool]]:
    """Return bars or strips, each with whether it begins a group."""
    before = [None, *(one.group for one in held)]
    return [(one, one.group != group) for one, group in zip(held, before, strict=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Stacked bars of counts; neighbours of one group stand together."""

    kind: ClassVar = "bars"
    bars: Sequence[Bar]
    across: str

    @property
    def axis(self) -> Axis:
        """The common axis, from zero to the longest bar."""
        longest = max((sum(number for _, number in bar.parts) for bar in self.bars), default=0)
        return build_axis((0.0, float(longest or 1)), unit=plain_tick, whole=True, exact=True)

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Kinds of parts that occur."""
        kinds = dict.fromkeys(kind for bar in self.bars for kind, _, _ in bar.drawn)
        return [(kind, kind) for kind in kinds]

    @property
    def groups(self) -> Sequence[tuple[Bar, bool]]:
        """The bars, each with whether it begins a group."""
        return _mark_groups(self.bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line: values at places, with bounds; `printed` is its end as printed in a paper."""

    name: str
    note: str
    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    printed: float | None = None

    @property
    def is_bounded(self) -> bool:
        """True if some bound differs from its value."""
        return bool(self.low) and (list(self.low), list(self.high)) != (
            [*self.values],
            [*self.values],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Lines that start at zero of the horizontal axis, each with its name and value at its end."""

    kind: ClassVar = "curves"
    curves: Sequence[Curve]
    across: str
    up: str
    unit: Unit = plain_tick
    limits: Limits | None = None

    @property
    def x(self) -> Axis:
        """The horizontal axis; turns, rounds and battles have ticks at whole numbers only."""
        places = [0.0, *(float(place) for curve in self.curves for place in curve.at)]
        whole = all(place.is_integer() for place in places)
        return build_axis(places, unit=plain_tick, whole=whole, exact=True)

    @property
    def y(self) -> Axis:
        """The axis of values."""
        values = [end for curve in self.curves for end in (*curve.values, *curve.low, *curve.high)]
        printed = [one.printed for one in self.curves if one.printed is not None]
        return build_axis([*values, *printed], unit=self.unit, limits=self.limits)

    @property
    def has_bands(self) -> bool:
        """True for few lines: more bands hide each other, and bounds are drawn at the ends only."""
        return len(self.curves) <= 3

    def trace(self, curve: Curve, values: Sequence[float]) -> Sequence[tuple[float, float]]:
        """Return the points of a line or of its bounds, in percent from the upper left corner."""
        x, y = self.x, self.y
        pairs = zip(curve.at, values, strict=True)
        return [(x.at(at), round(100 - y.at(value), 2)) for at, value in pairs]

    @property
    def heights(self) -> Sequence[float]:
        """Places of the names in percent from the top, near the ends of the lines, none over another."""
        y = self.y
        wanted = [100 - y.at(curve.values[-1]) for curve in self.curves]
        order = sorted(range(len(wanted)), key=lambda number: wanted[number])
        places = [wanted[number] for number in order]
        for place in range(1, len(places)):
            places[place] = max(places[place], places[place - 1] + _LABEL)
        limit = 100.0
        for place in reversed(range(len(places))):
            places[place] = min(places[place], limit)
            limit = places[place] - _LABEL
        return [places[order.index(number)] for number in range(len(wanted))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Shares `[row][column]` of battles won by the row; `None` for a pair without battles."""

    title: str
    names: Sequence[str]
    shares: Sequence[Sequence[float | None]]
    battles: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids:
    """Heat maps of wins between the same contestants."""

    kind: ClassVar = "grids"
    grids: Sequence[Grid]
    strongest: ClassVar = 0.72
    """Greatest share of the colour of a square, so that its number stays readable on it."""

    @staticmethod
    def shade(won: float) -> tuple[str, float, str]:
        """Return the colour of a share of wins, how much of it, and the share in percent."""
        name = "more" if won >= 0.5 else "less"
        return name, round(abs(won - 0.5) * 2 * Grids.strongest, 3), share(won)


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """One verdict: what it names, and the letter of its seat; `fresh` starts a new part."""

    kind: str
    head: str
    title: str
    fresh: bool = False

    @property
    def letter(self) -> str:
        """The sign of a verdict that does not name gold."""
        return {"other": "\u00d7", "tie": "=", "unreadable": "?"}.get(self.kind, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A strip of verdicts, its group, and how often it occurs, as a share and in words."""

    group: str
    squares: Sequence[Square]
    share: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strips:
    """Sequences of verdicts with bars of how often they occur; neighbours of one group together."""

    kind: ClassVar = "strips"
    strips: Sequence[Strip]

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Kinds of verdicts that occur."""
        kinds = dict.fromkeys(square.kind for strip in self.strips for square in strip.squares)
        return [(kind, kind) for kind in kinds]

    @property
    def groups(self) -> Sequence[tuple[Strip, bool]]:
        """The strips, each with whether it begins a group."""
        return _mark_groups(self.strips)

    @property
    def most(self) -> float:
        """The greatest share."""
        return max(strip.share for strip in self.strips)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """A distribution: counts by point of the scale, its mean, and a note in words."""

    name: str
    note: str
    counts: Mapping[int, int]
    mean: float

    @property
    def shares(self) -> Mapping[int, float]:
        """Share of each point."""
        total = sum(self.counts.values()) or 1
        return {point: count / total for point, count in self.counts.items() if count}

    def describe(self, point: int) -> str:
        """Return a bar in words."""
        return f"{point}: {self.counts[point]:,} ratings, {share(self.shares[point])} %"


@dataclass(frozen=True, slots=True, kw_only=True)
class Histograms:
    """Distributions side by side, over a common scale and of a common height."""

    kind: ClassVar = "histograms"
    panels: Sequence[Histogram]
    across: str
    up: str

    @property
    def x(self) -> Axis:
        """The scale, with half a point on each side of its ends."""
        points = [point for panel in self.panels for point in panel.counts]
        low, high = min(points), max(points)
        stride = -(-(high - low + 1) // 12)
        ticks = tuple((float(p), plain_tick(p)) for p in range(low, high + 1, stride))
        return Axis(low=low - 0.5, high=high + 0.5, ticks=ticks)

    @property
    def y(self) -> Axis:
        """The axis of shares."""
        tallest = max(value for panel in self.panels for value in panel.shares.values())
        top = build_axis((0.0, tallest), unit=share_tick, limits=(0.0, 1.0)).high
        ticks = tuple((value, share_tick(value)) for value in (0.0, top / 2, top))
        return Axis(low=0.0, high=top, ticks=ticks)


Chart: TypeAlias = Rows | Bars | Curves | Grids | Strips | Histograms


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart with its file name, its description in words, and a note below it.

    The note holds what a reader needs wherever the figure is pasted.
    """

    id: str
    description: str
    chart: Chart
    note: str = ""
