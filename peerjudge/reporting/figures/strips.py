"""Courses of discussions: a strip of squares each, one for every verdict, in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from peerjudge.reporting.figures.axes import WIDTH, Label, wrapped

__all__ = ["Square", "Strip", "StripFigure", "StripRow", "strip_figure"]

_LEFT, _RIGHT, _TOP = 178.0, 588.0, 34.0
"""The strips and their bars lie between the names and the values in words."""
_SIDE, _APART, _GAP = 22.0, 3.0, 12.0
_ROW, _HEAD, _GROUP = 27.0, 20.0, 20.0
_KEY = 104.0
_LEAST_BAR = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """One verdict: its letter, what it names, and whose it is; `fresh` begins a part of the strip."""

    kind: str
    head: str
    title: str
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A strip to be drawn: its group, its squares from left to right, how often it is, in words too."""

    group: str
    squares: Sequence[Square]
    share: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StripRow:
    """A strip in its place. `name` and `heads` are set on the first of a group.

    `bar` is the x and the width of the bar of its share, `None` where there is no room for bars.
    """

    y: float
    name: Label | None
    heads: tuple[Label, ...]
    places: tuple[tuple[float, Square], ...]
    bar: tuple[float, float] | None
    note: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class StripFigure:
    """Strips of squares of one size; the keys say what the squares are."""

    kind: ClassVar[str] = "strips"

    height: float
    rows: tuple[StripRow, ...]
    keys: tuple[Label, ...]
    side: float
    width: float = WIDTH


def strip_figure(strips: Sequence[Strip]) -> StripFigure:
    """The strips below each other, neighbours of one group together."""
    longest = max(len(strip.squares) for strip in strips)
    side = min(_SIDE, (_RIGHT - _LEFT - _GAP) / longest - _APART)
    bars = _LEFT + longest * (side + _APART) + 2 * _GAP
    scale = (_RIGHT - bars) / max(strip.share for strip in strips)
    rows: list[StripRow] = []
    y = _TOP
    for name, group in groupby(strips, key=lambda strip: strip.group):
        y += _GROUP if rows else 0.0
        for number, strip in enumerate(group):
            y += _HEAD if not number else 0.0
            bar = (bars, strip.share * scale) if _RIGHT - bars > _LEAST_BAR else None
            rows.append(_row(strip, y, side=side, bar=bar, name=name if not number else ""))
            y += _ROW
    kinds = dict.fromkeys(square.kind for strip in strips for square in strip.squares)
    return StripFigure(
        height=y,
        side=round(side, 1),
        rows=tuple(rows),
        keys=tuple(
            Label(x=17.0 + _KEY * number, y=13.5, text=kind) for number, kind in enumerate(kinds)
        ),
    )


def _row(
    strip: Strip, y: float, *, side: float, bar: tuple[float, float] | None, name: str
) -> StripRow:
    places: list[tuple[float, Square]] = []
    x = _LEFT
    for square in strip.squares:
        x += _GAP if square.fresh and places else 0.0
        places.append((x, square))
        x += side + _APART
    middle = y + side / 2 + 4.5
    return StripRow(
        y=y,
        name=wrapped(name, x=0.0, y=middle) if name else None,
        heads=tuple(
            Label(x=at + side / 2, y=y - 6, text=square.head)
            for at, square in (places if name else [])
        ),
        places=tuple(places),
        bar=bar,
        note=Label(x=WIDTH, y=middle, text=strip.note),
    )
