"""Figures as files: SVG documents that need nothing else, PNG and PDF."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from peerjudge.errors import StoreError
from peerjudge.reporting.figures import Drawing, Shape, text
from peerjudge.reporting.rendering import find_renderers

if TYPE_CHECKING:
    from jinja2 import Environment

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NARROWEST = 470.0
_LINE, _LETTER = 16.0, 5.9
"""Height of a line of a note, and about the width of a letter in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing with its file name, its description in words, and a note at its foot.

    The note holds what a reader needs wherever the figure is pasted.
    """

    id: str
    description: str
    drawing: Drawing
    note: str = ""

    @property
    def width(self) -> float:
        """Width in units of the view box, at least that of a readable note."""
        return max(self.drawing.width, _NARROWEST)

    @property
    def height(self) -> float:
        """Height in units of the view box, with the note."""
        return self.drawing.height + _LINE * len(self._foot) + 5

    @property
    def shapes(self) -> list[Shape]:
        """Shapes of the drawing and of the note."""
        top = self.drawing.height + _LINE
        note = [
            text("axis-name", 0.0, top + _LINE * number, words)
            for number, words in enumerate(self._foot)
        ]
        return [*self.drawing.shapes, *note]

    @property
    def _foot(self) -> list[str]:
        return wrap(self.note, int(self.width / _LETTER))


def render_svg(figure: Figure, *, simulated: bool) -> str:
    """Return the figure as an SVG document with its own style sheet, on white paper."""
    template = load_templates().get_template("figure.svg.j2")
    drawn = template.render(figure=figure, simulated=simulated, style=_style_on_paper())
    lines = (line for line in drawn.splitlines() if line.strip())
    return _NOT_XML.sub("\ufffd", "\n".join(lines)) + "\n"


def save_figures(
    figures: Mapping[str, Figure], folder: Path, *, simulated: bool
) -> tuple[tuple[Path, ...], str]:
    """Write every figure into the folder, as `NAME.svg`, `NAME.png` and `NAME.pdf`.

    Returns the files, and a sentence that names what is missing and the packages for it.

    Raises:
        StoreError: the folder cannot be written.
    """
    written: list[Path] = []
    renderers, missing = find_renderers()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures.values():
            drawn = render_svg(figure, simulated=simulated)
            for ending, render in renderers.items():
                path = folder / f"{figure.id}{ending}"
                path.write_bytes(render(drawn))
                written.append(path)
    except OSError as cause:
        msg = f"cannot write figures to {folder}: {cause.strerror}; choose another --figures folder"
        raise StoreError(msg) from cause
    return tuple(written), missing


@cache
def load_templates() -> Environment:
    """Return the templates, which escape all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("peerjudge.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_packaged(name: str) -> str:
    """Return the text of a file beside the templates."""
    return files("peerjudge.reporting").joinpath("templates", name).read_text("utf-8")


@cache
def _style_on_paper() -> str:
    """Return the style sheet with the colours of the first palette: few programs support `var()`."""
    style = read_packaged("figures.css")
    palette = dict(re.findall(r"--([\w-]+):\s*([^;]+);", style[: style.index("@media")]))
    rules = style[style.index("svg.figure") :]
    return re.sub(r"var\(--([\w-]+)\)", lambda found: palette[found[1]], rules)
