"""Sentences and tables as text and as HTML, and the templates and style sheets of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING

from peerjudge.marks import mark_controls, mark_html
from peerjudge.reporting.formats import minus_signs
from peerjudge.reporting.layout import Table, join_notes, print_parts

if TYPE_CHECKING:
    from jinja2 import Environment

_WIDTH = 120
"""Columns of a text; wider tables have broken cells."""


def render_text(parts: Iterable[str | Table]) -> str:
    """Return sentences and tables as plain text without colours; control characters are marked."""
    from rich.console import Console

    # In a Jupyter kernel, a console would otherwise display and colour what it should capture.
    console = Console(
        file=StringIO(),
        width=_WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        highlight=False,
        markup=False,
    )
    with console.capture() as captured:
        print_parts(parts, console, wrap=True)
    lines = mark_controls(captured.get(), keep="\n").splitlines()
    return "\n".join(line.rstrip() for line in lines)


def cut_parts(parts: Iterable[str | Table], *, most: int) -> list[str | Table]:
    """Return the parts with at most so many sentences, and rows of each table; what is cut is counted."""
    kept: list[str | Table] = []
    sentences = 0
    for part in parts:
        if not isinstance(part, str):
            kept.append(_cut_rows(part, most))
            continue
        sentences += 1
        if sentences <= most:
            kept.append(part)
    if sentences > most:
        kept.append(f"... and {sentences - most:,} more lines, which `print` shows.")
    return kept


def _cut_rows(table: Table, most: int) -> Table:
    more = len(table.rows) - most
    if more <= 0:
        return table
    note = f"{table.note} ... and {more:,} more rows, which `print` shows.".strip()
    return replace(table.first(most), note=note)


def render_html(parts: Iterable[str | Table]) -> str:
    """Return sentences and tables as a part of a page; all texts are escaped, nothing is loaded."""
    shown = [part for part in join_notes(parts) if part]
    template = load_templates().get_template("fragment.html.j2")
    return mark_page(template.render(parts=shown, simulated=False, minus_signs=minus_signs))


def mark_page(page: str) -> str:
    """Return a page with marks for control characters, and `?` for characters without a UTF-8 form."""
    return mark_html(page).encode("utf-8", errors="replace").decode("utf-8")


@cache
def load_templates() -> Environment:
    """Return the templates of this room."""
    return build_environment("peerjudge.reporting")


def build_environment(package: str) -> Environment:
    """Return the templates of a package, which escape all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_packaged(name: str) -> str:
    """Return the text of a file beside the templates."""
    return files("peerjudge.reporting").joinpath("templates", name).read_text("utf-8")


def read_colours() -> str:
    """Return the style sheet with the colours of figures, light and dark."""
    style = read_packaged("figures.css")
    return style[: style.index(".chart")]


@cache
def read_palette() -> Mapping[str, str]:
    """Return the colours of figures on white paper, by name."""
    style = read_colours()
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", style[: style.index("@media")]))
