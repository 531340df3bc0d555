"""What a file on a shelf says, read as text: its docstring, and its code without words."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from peerjudge.errors import ShelfError

__all__ = ["code_alone", "file_text", "first_paragraph"]


def first_paragraph(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.cleandoc(docstring or "").split("\n\n")[0].split())


def code_alone(source: str) -> str:
    """The Python source without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    del node.body[0]
            case _:
                pass
    return ast.unparse(tree)


def file_text(path: Path) -> str:
    """The text of a file; raises `ShelfError` where it is not UTF-8 or cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        msg = f"{path} cannot be read as UTF-8 text: {cause}"
        raise ShelfError(msg) from cause
