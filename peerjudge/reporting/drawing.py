"""Figures as drawings: in the page, as SVG files that stand by themselves, and as PNG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, TypeAlias

import peerjudge.reporting.words as words
from peerjudge.errors import StoreError
from peerjudge.reporting.figures import (
    BarFigure,
    DotFigure,
    HeatFigure,
    Label,
    LineFigure,
    MarkFigure,
    NetworkFigure,
    StripFigure,
)
from peerjudge.reporting.raster import png_renderer

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Drawing", "Figure", "collected", "environment", "packaged", "save_figures", "svg_of"]

Drawing: TypeAlias = (
    BarFigure | DotFigure | HeatFigure | LineFigure | MarkFigure | NetworkFigure | StripFigure
)

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NARROWEST = 470.0
_LINE, _LETTER = 16.0, 5.9
"""The height of a line of a note, and about the width of a letter in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure: the name it is saved under, what it shows in words, and where everything goes.

    `note` stands at its foot: what has to be known wherever it is pasted.
    """

    id: str
    description: str
    drawing: Drawing
    note: str = ""

    @property
    def width(self) -> float:
        """In units of the view box, with room for the note."""
        return max(self.drawing.width, _NARROWEST)

    @property
    def height(self) -> float:
        """In units of the view box, the note included."""
        return self.drawing.height + _LINE * len(self.foot) + 5

    @property
    def foot(self) -> tuple[Label, ...]:
        """The lines of the note."""
        lines = wrap(self.note, int(self.width / _LETTER))
        top = self.drawing.height + _LINE
        return tuple(
            Label(x=0.0, y=top + _LINE * number, text=line) for number, line in enumerate(lines)
        )


def collected(*figures: Figure | None) -> Mapping[str, Figure]:
    """The figures by their names, `-` as `_`; without those that have nothing to show."""
    return {figure.id.replace("-", "_"): figure for figure in figures if figure is not None}


def svg_of(figure: Figure, *, simulated: bool) -> str:
    """The figure as an SVG document with its own style sheet, on white paper."""
    template = environment().get_template("figure.svg.j2")
    drawn = template.render(figure=figure, simulated=simulated, style=_style_on_paper())
    lines = (line for line in drawn.splitlines() if line.strip())
    return _NOT_XML.sub("\ufffd", "\n".join(lines)) + "\n"


def save_figures(
    figures: Mapping[str, Figure], folder: Path, *, simulated: bool
) -> tuple[tuple[Path, ...], str]:
    """Write every figure into the folder, as `NAME.svg` and as `NAME.png`.

    Returns the files, and a sentence that says why there are no PNGs where there are none.

    Raises:
        StoreError: the folder cannot be written.
    """
    written: list[Path] = []
    render, missing = png_renderer()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures.values():
            drawn = svg_of(figure, simulated=simulated)
            path = folder / f"{figure.id}.svg"
            path.write_text(drawn, encoding="utf-8", newline="\n")
            written.append(path)
            if render is not None:
                path.with_suffix(".png").write_bytes(render(drawn))
                written.append(path.with_suffix(".png"))
    except OSError as cause:
        msg = f"cannot write figures to {folder}: {cause.strerror}; choose another --figures folder"
        raise StoreError(msg) from cause
    return tuple(written), missing


@cache
def environment() -> Environment:
    """The templates. Whatever they are given is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("peerjudge.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update({name: getattr(words, name) for name in words.__all__})
    return made


def packaged(name: str) -> str:
    """A file that lies beside the templates."""
    return files("peerjudge.reporting").joinpath("templates", name).read_text("utf-8")


@cache
def _style_on_paper() -> str:
    """The figures' style sheet with the first palette written into it, as few programs know `var()`."""
    style = packaged("figures.css")
    palette = dict(re.findall(r"--([\w-]+):\s*([^;]+);", style[: style.index("@media")]))
    rules = style[style.index("svg.figure") :]
    return re.sub(r"var\(--([\w-]+)\)", lambda found: palette[found[1]], rules)
