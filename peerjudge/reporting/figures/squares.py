"""Figures of squares: grids of wins between contestants, and strips of verdicts turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from peerjudge.reporting.figures.shapes import (
    WIDTH,
    Drawing,
    Shape,
    fit_text,
    rectangle,
    text,
    wrap_text,
)
from peerjudge.reporting.formats import share

_NAMES = 104.0
"""Room for the names of the rows, left of the first grid of a line."""
_HEAD, _TITLE = 66.0, 30.0
_BETWEEN, _BELOW = 26.0, 22.0
_LEAST, _MOST = 30.0, 52.0
_TURNED = 34.0
"""Reach of the turned name of the last column beyond its square."""
_LETTERS = 14
_STRONGEST = 0.72
"""Greatest share of a square's colour, so that its number stays readable on it."""

_LEFT, _RIGHT, _TOP = 178.0, 588.0, 34.0
"""Strips and their bars lie between the names and the values in words."""
_SIDE, _APART, _GAP = 22.0, 3.0, 12.0
_ROW, _STRIP_HEAD, _GROUP = 27.0, 20.0, 20.0
_KEY = 104.0
_LEAST_BAR = 60.0
_LETTER_OF = {"other": "\u00d7", "tie": "=", "unreadable": "?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Shares `[row][column]` of battles won by the row; `None` for a pair without battles."""

    title: str
    names: Sequence[str]
    shares: Sequence[Sequence[float | None]]
    battles: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """One verdict: what it names, the letter of its seat, a tooltip; `fresh` starts a new part."""

    kind: str
    head: str
    title: str
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A strip of squares, its group, and how often it occurs, as a share and in words."""

    group: str
    squares: Sequence[Square]
    share: float
    note: str


def draw_heat_maps(grids: Sequence[Grid]) -> Drawing:
    """Draw the grids, as many side by side as there is room for; all have the same names."""
    size = len(grids[0].names)
    per_line = len(grids)
    while per_line > 1 and _cell(per_line, size) < _LEAST:
        per_line -= 1
    cell = max(min(_cell(per_line, size), _MOST), 1.0)
    height = _TITLE + _HEAD + cell * size + _BELOW
    shapes: list[Shape] = []
    for place, grid in enumerate(grids):
        line, column = divmod(place, per_line)
        x = _NAMES + column * (cell * size + _BETWEEN)
        shapes += _panel(grid, x, line * height, cell, named=column == 0)
    return Drawing(
        _NAMES + per_line * (cell * size + _BETWEEN) + _TURNED - _BETWEEN,
        -(-len(grids) // per_line) * height - _BELOW + 4,
        shapes,
    )


def _cell(per_line: int, size: int) -> float:
    room = WIDTH - _NAMES - _BETWEEN * (per_line - 1) - _TURNED
    return room / (per_line * size)


def _panel(grid: Grid, x: float, y: float, cell: float, *, named: bool) -> list[Shape]:
    top = y + _TITLE + _HEAD
    shapes = [text("panel", x, y + 32, grid.title)]
    for place, name in enumerate(grid.names):
        if named:
            middle = top + cell * (place + 0.5) + 4.5
            shapes.append(fit_text("heat-row", _NAMES - 10, middle, name, letters=_LETTERS))
        turned = fit_text(
            "heat-column", x + cell * (place + 0.5) - 3, top - 8, name, letters=_LETTERS
        )
        turn = f"rotate(-40 {turned.at['x']:.1f} {turned.at['y']:.1f})"
        shapes.append(replace(turned, at={**turned.at, "transform": turn}))
    for row, shares in enumerate(grid.shares):
        for column, won in enumerate(shares):
            left, above = x + cell * column, top + cell * row
            if row == column:
                shapes.append(rectangle("self", left, above, cell, cell))
            elif won is not None:
                shapes.append(_heat(grid, row, column, won, left, above, cell))
                shapes.append(text("share", left + cell / 2, above + cell / 2 + 4.5, share(won)))
    return shapes


def _heat(grid: Grid, row: int, column: int, won: float, x: float, y: float, cell: float) -> Shape:
    battles = f"{share(won)} % of {grid.battles[row][column]:,} battles"
    title = f"{grid.names[row]} won {battles} with {grid.names[column]}"
    drawn = rectangle("heat more" if won >= 0.5 else "heat less", x, y, cell, cell, title=title)
    strength = f"{abs(won - 0.5) * 2 * _STRONGEST:.3f}"
    return replace(drawn, at={**drawn.at, "fill-opacity": strength})


def draw_strips(strips: Sequence[Strip]) -> Drawing:
    """Draw the strips below each other, neighbours of one group together."""
    longest = max(len(strip.squares) for strip in strips)
    side = min(_SIDE, (_RIGHT - _LEFT - _GAP) / longest - _APART)
    bars = _LEFT + longest * (side + _APART) + 2 * _GAP
    scale = (_RIGHT - bars) / max(strip.share for strip in strips)
    shapes: list[Shape] = []
    kinds = dict.fromkeys(square.kind for strip in strips for square in strip.squares)
    for number, kind in enumerate(kinds):
        x = 17.0 + _KEY * number
        shapes.append(rectangle(f"square {kind}", x - 16, 3.5, 11, 11, radius=2))
        shapes.append(text("key", x, 13.5, kind))
    y = _TOP - _GROUP
    for name, group in groupby(strips, key=lambda strip: strip.group):
        y += _GROUP + _STRIP_HEAD
        for number, strip in enumerate(group):
            shapes += _strip(strip, y, side, name="" if number else name)
            if _RIGHT - bars > _LEAST_BAR:
                shapes.append(rectangle("course", bars, y + 4, strip.share * scale, side - 8))
            y += _ROW
    return Drawing(WIDTH, y, shapes)


def _strip(strip: Strip, y: float, side: float, *, name: str) -> list[Shape]:
    """Return the squares of a strip; the first strip of a group has a name and heads."""
    middle = y + side / 2 + 4.5
    shapes = [wrap_text("name", 0.0, middle, name)] if name else []
    x = _LEFT
    for place, square in enumerate(strip.squares):
        x += _GAP if square.fresh and place else 0.0
        if name:
            shapes.append(text("tick", x + side / 2, y - 6, square.head))
        css = f"square {square.kind}"
        shapes.append(rectangle(css, x, y, side, side, radius=3, title=square.title))
        if square.kind in _LETTER_OF:
            letter = _LETTER_OF[square.kind]
            shapes.append(text(f"square-letter {square.kind}", x + side / 2, middle, letter))
        x += side + _APART
    return [*shapes, text("note", WIDTH, middle, strip.note)]
