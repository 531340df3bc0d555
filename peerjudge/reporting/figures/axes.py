"""What all figures share: their width, labels that fit, and axes with round numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log10

__all__ = [
    "WIDTH",
    "Across",
    "Label",
    "Limits",
    "Scale",
    "Unit",
    "axis",
    "cut",
    "decimal",
    "in_points",
    "per_cent",
    "rating",
    "ticks_at",
    "wrapped",
]

Scale = Callable[[float], float]
Unit = Callable[[float], str]
Limits = tuple[float, float]

WIDTH = 760.0
"""Of every figure, in units of its view box."""
_LETTERS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text at a place, on one line or two; `full` is the whole of it where it had to be cut."""

    x: float
    y: float
    text: str
    below: str = ""
    full: str = ""


def axis(least: float, most: float, limits: Limits | None) -> tuple[float, float, float]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Across:
    """A horizontal axis: where its values lie between two edges, and how they are written."""

    left: float
    right: float
    low: float
    high: float
    step: float
    unit: Unit

    def at(self, value: float) -> float:
        """The x of a value; what lies beyond an end is drawn at it."""
        inside = min(max(value, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    def ticks(self, *, y: float) -> tuple[Label, ...]:
        """The round values, written at this height."""
        return tuple(
            Label(x=self.at(value), y=y, text=self.unit(value))
            for value in ticks_at(self.low, self.high, self.step)
        )

    def named(self, name: str, *, y: float) -> Label:
        """The axis's name in its middle."""
        return Label(x=(self.left + self.right) / 2, y=y, text=name)

    def marked(self, reference: tuple[float, str] | None, *, y: float) -> Label | None:
        """A value that means something, and what."""
        return None if reference is None else Label(x=self.at(reference[0]), y=y, text=reference[1])


def ticks_at(low: float, high: float, step: float) -> tuple[float, ...]:
    """The multiples of the step from low to high."""
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def wrapped(text: str, *, x: float, y: float, letters: int = _LETTERS) -> Label:
    """The text on two lines where it is too long for one and has a space to break at."""
    break_at = text.rfind(" ", 0, letters + 1)
    if len(text) <= letters or break_at <= 0:
        return cut(text, x=x, y=y, letters=letters)
    below = cut(text[break_at + 1 :], x=x, y=y, letters=letters)
    full = text if below.full else ""
    return Label(x=x, y=y - 8, text=text[:break_at], below=below.text, full=full)


def cut(text: str, *, x: float, y: float, letters: int = _LETTERS) -> Label:
    """The text, without its end where it is too long."""
    if len(text) <= letters:
        return Label(x=x, y=y, text=text)
    return Label(x=x, y=y, text=text[: letters - 1].rstrip() + "\u2026", full=text)


def per_cent(value: float) -> str:
    """A share, in per cent."""
    return f"{100 * value:.4g} %"


def in_points(value: float) -> str:
    """A difference of shares, in points."""
    return "0" if abs(value) < 1e-9 else f"{100 * value:+.4g}".replace("-", "\u2212")


def rating(value: float) -> str:
    """An Elo rating, as papers print it."""
    return f"{value:.0f}"


def decimal(value: float) -> str:
    """A number as it is."""
    return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"
