"""Who won how often against whom: one grid of shares, or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.reporting.figures.axes import WIDTH, Label, cut
from peerjudge.reporting.words import share

__all__ = ["Grid", "HeatCell", "HeatFigure", "HeatPanel", "heat_figure"]

_NAMES = 104.0
"""Room for the rows' names, left of the first grid of a line."""
_HEAD, _TITLE = 66.0, 30.0
_BETWEEN, _BELOW = 26.0, 22.0
_LEAST, _MOST = 30.0, 52.0
_TURNED = 34.0
"""How far the last column's turned name reaches beyond its square."""
_LETTERS = 14
_STRONGEST = 0.72
"""Of a cell's colour, so that its number stays readable on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Shares `[row][column]` of battles that the row won; `None` where two never met."""

    title: str
    names: Sequence[str]
    shares: Sequence[Sequence[float | None]]
    battles: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """A square. `tone` is `more` or `less` than half, `strength` how much of its colour."""

    x: float
    y: float
    tone: str
    strength: float
    label: Label
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatPanel:
    """A grid in its place. The columns' names are turned; `selves` are the squares of nobody's battles."""

    title: Label
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    cells: tuple[HeatCell, ...]
    selves: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatFigure:
    """Grids of squares of one size."""

    kind: ClassVar[str] = "heat"

    height: float
    cell: float
    panels: tuple[HeatPanel, ...]
    width: float


def heat_figure(grids: Sequence[Grid]) -> HeatFigure:
    """The grids, as many beside each other as there is room for. All have the same names."""
    size = len(grids[0].names)
    per_line = len(grids)
    while per_line > 1 and _cell(per_line, size) < _LEAST:
        per_line -= 1
    cell = max(min(_cell(per_line, size), _MOST), 1.0)
    line = _TITLE + _HEAD + cell * size + _BELOW
    panels = tuple(
        _panel(
            grid,
            x=_NAMES + (place % per_line) * (cell * size + _BETWEEN),
            y=(place // per_line) * line,
            cell=cell,
            named=place % per_line == 0,
        )
        for place, grid in enumerate(grids)
    )
    lines = -(-len(grids) // per_line)
    height = lines * line - _BELOW
    return HeatFigure(
        width=_NAMES + per_line * (cell * size + _BETWEEN) + _TURNED - _BETWEEN,
        height=height + 4,
        cell=cell,
        panels=panels,
    )


def _cell(per_line: int, size: int) -> float:
    room = WIDTH - _NAMES - _BETWEEN * (per_line - 1) - _TURNED
    return room / (per_line * size)


def _panel(grid: Grid, *, x: float, y: float, cell: float, named: bool) -> HeatPanel:
    top = y + _TITLE + _HEAD
    middle = cell / 2
    columns = [
        cut(name, x=x + cell * (column + 0.5) - 3, y=top - 8, letters=_LETTERS)
        for column, name in enumerate(grid.names)
    ]
    rows = [
        cut(name, x=_NAMES - 10, y=top + cell * row + middle + 4.5, letters=_LETTERS)
        for row, name in enumerate(grid.names)
    ]
    return HeatPanel(
        title=Label(x=x, y=y + 32, text=grid.title),
        rows=tuple(rows) if named else (),
        columns=tuple(columns),
        cells=tuple(
            _square(grid, (row, column), won, x=x + cell * column, y=top + cell * row, cell=cell)
            for row, shares in enumerate(grid.shares)
            for column, won in enumerate(shares)
            if row != column and won is not None
        ),
        selves=tuple((x + cell * place, top + cell * place) for place in range(len(grid.names))),
    )


def _square(
    grid: Grid, place: tuple[int, int], won: float, *, x: float, y: float, cell: float
) -> HeatCell:
    row, column = place
    names, battles = grid.names, grid.battles[row][column]
    return HeatCell(
        x=x,
        y=y,
        tone="more" if won >= 0.5 else "less",
        strength=round(abs(won - 0.5) * 2 * _STRONGEST, 3),
        label=Label(x=x + cell / 2, y=y + cell / 2 + 4.5, text=share(won)),
        title=f"{names[row]} won {share(won)} % of {battles:,} battles with {names[column]}",
    )
