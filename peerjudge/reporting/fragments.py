"""Sentences and tables as text, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from io import StringIO

from peerjudge.marks import mark_controls, mark_html
from peerjudge.reporting.formats import minus_signs
from peerjudge.reporting.layout import Table, join_notes, print_parts
from peerjudge.reporting.rendering import load_templates

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
