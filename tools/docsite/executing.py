"""Outputs of tutorials: executed in a Jupyter kernel, and as parts of a page."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, TypeAlias, cast

from tools.docsite.tutorials import Cell, build_notebook

Output: TypeAlias = Mapping[str, Any]
"""An output of a cell, as nbformat has it."""
Outputs: TypeAlias = Sequence[Sequence[Output]]
"""The outputs of the code cells of a tutorial, in their order."""

_SECONDS = 120
"""Longest time of a cell. [s]"""
_LINES = 40
"""Most lines of a text."""
_BLANK_LINE = re.compile(r"\n(?=\s*\n)")
_SHOWN = ("text/html", "image/svg+xml", "text/plain")
"""Forms of a display, the preferred one first."""


def execute_tutorials(tutorials: Mapping[str, Iterable[Cell]], *, root: Path) -> dict[str, Outputs]:
    """Execute tutorials in one kernel, each in an empty folder, and return their outputs by name.

    The kernel imports the packages of `root`. A cell that fails raises `CellExecutionError`.
    """
    from nbclient import NotebookClient
    from nbformat import NotebookNode, from_dict  # pyright: ignore[reportUnknownVariableType]

    found: dict[str, Outputs] = {}
    with tempfile.TemporaryDirectory() as folder:
        texts: list[str] = [f"import sys\nsys.path.insert(0, {str(root)!r})"]
        places: dict[str, range] = {}
        for name, cells in tutorials.items():
            own = Path(folder) / name
            own.mkdir()
            texts.append(f"%reset -f\nimport os\nos.chdir({str(own)!r})")
            code = [cell.text for cell in cells if cell.kind == "code"]
            places[name] = range(len(texts), len(texts) + len(code))
            texts += code
        built = build_notebook(Cell("code", text) for text in texts)
        notebook = cast("NotebookNode", from_dict(built))
        client = NotebookClient(
            notebook, timeout=_SECONDS, resources={"metadata": {"path": folder}}
        )
        # No settings and cards of this machine, and no kernel but the one of this environment.
        client.execute(env={**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder})
        for name, cells in places.items():
            done = cast("list[Any]", notebook["cells"])
            found[name] = [done[number].outputs for number in cells]
    return found


def render_outputs(outputs: Iterable[Output]) -> str:
    """Return the outputs of a cell as parts of a Markdown page; empty for a cell without any."""
    shown = [text for one in outputs if (text := _render(one))]
    return "\n\n".join(f'<div class="output">\n{text}\n</div>' for text in shown)


def _render(output: Output) -> str:
    if "data" not in output:
        return _render_text(output.get("text", ""))
    data = output["data"]
    form = next((form for form in _SHOWN if form in data), None)
    if form is None:
        return ""
    return _render_text(data[form]) if form == "text/plain" else _join_lines(data[form].strip())


def _render_text(text: str) -> str:
    lines = text.rstrip().splitlines()
    more = len(lines) - _LINES
    if more > 0:
        lines = [*lines[:_LINES], f"... and {more} more lines"]
    return f"<pre>{_join_lines(escape(chr(10).join(lines)))}</pre>" if lines else ""


def _join_lines(html: str) -> str:
    """Return HTML without blank lines, which would end its block in Markdown; they become entities."""
    return _BLANK_LINE.sub("&#10;", html)
