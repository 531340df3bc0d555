"""Tutorials: notebooks in the percent format of Jupytext, as cells, as notebooks and as pages.

`# %% [markdown]` begins a cell of text, each line of which is a comment, and `# %%` a cell of code.
`python -m tools.docsite.tutorials FOLDER` writes them as `.ipynb` files without outputs.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

TUTORIALS = "docs/tutorials"
"""Folder of the tutorials, relative to the repository."""

_HEAD = re.compile(r"^# %%(?P<text> \[markdown\])?$\n", re.MULTILINE)


class Cell(NamedTuple):
    """Cell of a notebook; `text` of a Markdown cell is without the comment signs."""

    kind: Literal["markdown", "code"]
    text: str


def read_cells(source: str) -> list[Cell]:
    """Return the cells of a notebook in the percent format.

    Raises:
        ValueError: the file does not begin with a cell, or a line of a Markdown cell is no comment.
    """
    heads = list(_HEAD.finditer(source))
    if not heads or heads[0].start() > 0:
        msg = "a tutorial begins with `# %%` or `# %% [markdown]`"
        raise ValueError(msg)
    ends = [*(head.start() for head in heads[1:]), len(source)]
    cells: list[Cell] = []
    for head, end in zip(heads, ends, strict=True):
        text = source[head.end() : end].strip("\n")
        cells.append(Cell("markdown", _uncomment(text)) if head["text"] else Cell("code", text))
    return cells


def _uncomment(text: str) -> str:
    lines = text.splitlines()
    for line in lines:
        if line != "#" and not line.startswith("# "):
            msg = f"a line of a Markdown cell begins with `# `, unlike {line!r}"
            raise ValueError(msg)
    return "\n".join(line[2:] for line in lines)


def render_page(cells: Iterable[Cell], *, name: str, outputs: Iterable[str] = ()) -> str:
    """Return a tutorial as a Markdown page, with a link to the file of this name beside it.

    `outputs` are those of the code cells as parts of a page; without them the page shows code only.
    """
    left = iter(outputs)
    parts = [
        cell.text
        if cell.kind == "markdown"
        else "\n\n".join(filter(None, (_fence(cell.text), next(left, ""))))
        for cell in cells
    ]
    note = (
        f"This page is a notebook: [{name}]({name}) opens as one in Jupyter (with Jupytext), VS Code, "
        "PyCharm and Spyder."
    )
    return "\n\n".join([parts[0], note, *parts[1:]]) + "\n"


def _fence(code: str) -> str:
    return f"```python\n{code}\n```"


def build_notebook(cells: Iterable[Cell]) -> dict[str, Any]:
    """Return a notebook (nbformat 4.5) without outputs."""
    code: dict[str, Any] = {"execution_count": None, "outputs": []}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [
            {
                "id": f"cell-{number}",
                "cell_type": cell.kind,
                "metadata": {},
                "source": cell.text,
                **(code if cell.kind == "code" else {}),
            }
            for number, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def main() -> None:
    """Write the tutorials of the repository as notebooks."""
    parser = argparse.ArgumentParser(prog="python -m tools.docsite.tutorials", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((Path(__file__).resolve().parents[2] / TUTORIALS).glob("*.py")):
        notebook = build_notebook(read_cells(source.read_text("utf-8")))
        target = folder / f"{source.stem}.ipynb"
        target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(target)


if __name__ == "__main__":
    main()
