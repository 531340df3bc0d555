"""Shapes of a figure in the units of its view box: texts that fit, lines, boxes, axes with round numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

Unit = Callable[[float], str]
Limits = tuple[float, float]

WIDTH = 760.0
"""Width of every figure, in units of its view box."""
_LETTERS = 24
_LINE = 16.0


@dataclass(frozen=True, slots=True)
class Shape:
    """One SVG element: its tag, class and attributes, its text, and a tooltip."""

    tag: str
    css: str
    at: Mapping[str, float | str]
    text: str = ""
    below: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The shapes of a figure in painting order, with the size of the plot."""

    width: float
    height: float
    shapes: Sequence[Shape]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A horizontal axis between two edges, with round ends and a round step."""

    left: float
    right: float
    low: float
    high: float
    step: float
    unit: Unit

    def at(self, value: float) -> float:
        """Return the x of a value; a value beyond an end is drawn at that end."""
        inside = min(max(value, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    def shapes(
        self, name: str, top: float, bottom: float, reference: tuple[float, str] | None = None
    ) -> list[Shape]:
        """Return grid lines, tick labels, the axis name, and a named reference line if there is one."""
        drawn: list[Shape] = []
        for value in multiples(self.low, self.high, self.step):
            x = self.at(value)
            drawn.append(line("grid", x, top, x, bottom))
            drawn.append(text("tick", x, bottom + 17, self.unit(value)))
        drawn.append(text("axis-name across", (self.left + self.right) / 2, bottom + 37, name))
        if reference is not None:
            x = self.at(reference[0])
            drawn.append(line("reference", x, top, x, bottom))
            drawn.append(text("reference-name", x, top - 6, reference[1]))
        return drawn


def build_axis(
    values: Iterable[float],
    *,
    left: float,
    right: float,
    unit: Unit,
    limits: Limits | None = None,
    reference: tuple[float, str] | None = None,
) -> Axis:
    """Return an axis that shows all values and the reference, within the limits."""
    shown = [*values] + ([] if reference is None else [reference[0]])
    low, high, step = find_round_ends(min(shown, default=0.0), max(shown, default=1.0), limits)
    return Axis(left=left, right=right, low=low, high=high, step=step, unit=unit)


def find_round_ends(least: float, most: float, limits: Limits | None) -> tuple[float, float, float]:
    """Return round ends and a round step that cover all values, within the limits."""
    span = max(most - least, 1e-9)
    power = 10.0 ** floor(log10(span / 4))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= span / 5)
    low, high = floor(least / step + 1e-9) * step, ceil(most / step - 1e-9) * step
    if low == high:
        low, high = low - step, high + step
    if limits is None:
        return low, high, step
    return max(low, limits[0]), min(high, limits[1]), step


def multiples(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the multiples of the step from low to high."""
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def text(css: str, x: float, y: float, words: str, *, title: str = "") -> Shape:
    """Return one line of text; `css` sets its alignment."""
    return Shape("text", css, {"x": x, "y": y}, text=words, title=title)


def fit_text(css: str, x: float, y: float, words: str, *, letters: int = _LETTERS) -> Shape:
    """Return one line of text, cut where it is too long; the tooltip then has the whole text."""
    if len(words) <= letters:
        return text(css, x, y, words)
    return text(css, x, y, words[: letters - 1].rstrip() + "\u2026", title=words)


def wrap_text(css: str, x: float, y: float, words: str, *, letters: int = _LETTERS) -> Shape:
    """Return the text on two lines where it is too long for one and has a space to break at."""
    break_at = words.rfind(" ", 0, letters + 1)
    if len(words) <= letters or break_at <= 0:
        return fit_text(css, x, y, words, letters=letters)
    second = fit_text(css, x, y, words[break_at + 1 :], letters=letters)
    at: dict[str, float | str] = {"x": x, "y": y - _LINE / 2}
    full = words if second.title else ""
    return Shape("text", css, at, text=words[:break_at], below=second.text, title=full)


def write_keys(names: Sequence[str], *, x: float, letter: float, gap: float = 30.0) -> list[Shape]:
    """Return the names of a key side by side above the plot, with room for a symbol before each."""
    keys: list[Shape] = []
    for name in names:
        keys.append(text("key", x, 13.5, name))
        x += letter * len(name) + gap
    return keys


def line(css: str, x1: float, y1: float, x2: float, y2: float) -> Shape:
    """Return a straight line."""
    return Shape("line", css, {"x1": x1, "x2": x2, "y1": y1, "y2": y2})


def circle(css: str, x: float, y: float, radius: float) -> Shape:
    """Return a circle."""
    return Shape("circle", css, {"cx": x, "cy": y, "r": radius})


def rectangle(
    css: str, x: float, y: float, width: float, height: float, *, radius: float = 0, title: str = ""
) -> Shape:
    """Return a rectangle, with rounded corners if a radius is given."""
    at: dict[str, float | str] = {"x": x, "y": y, "width": width, "height": height}
    return Shape("rect", css, at | ({"rx": radius} if radius else {}), title=title)
