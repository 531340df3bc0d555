"""Files of measures: where they lie, and what they declare."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from peerjudge.data.choices import suggest_name
from peerjudge.errors import DataError, ShelfError
from peerjudge.shelf.folders import first_paragraph
from peerjudge.shelf.loading import load_module

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MeasureFile", "MeasureFunction", "Values", "find_measure", "list_rows", "make_measure"]

FOLDER = "measures"
"""Folder below the working directory."""

MeasureFunction: TypeAlias = "Callable[[pd.DataFrame], pd.DataFrame]"
"""Takes the frame of ballots, and returns one row per observation; see `measuring.measure`."""

Values = Literal["share", "difference", "number"]
"""What the values of a measure are: from 0 to 1, from -1 to 1, or any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureFile:
    """A measure: its name, its title, what its values are, and its function."""

    name: str
    title: str
    values: Values
    function: MeasureFunction


def find_measure(name: str, *, project: Path | None = None) -> MeasureFile:
    """Return the measure of a file `measures/NAME.py`, which is executed.

    Raises:
        ShelfError: There is no such file, or it does not load.
        DataError: It has no function `measure`, or `VALUES` is none of the kinds of values.
    """
    files = _list_files(project)
    if name not in files:
        hint = suggest_name(name, files) or "."
        known = f"{hint} Choose one of {', '.join(files)}" if files else ""
        msg = f"no measure {name!r}{known}; put your own in {FOLDER}/{name}.py"
        raise ShelfError(msg)
    module = load_module(files[name], FOLDER)
    function = getattr(module, "measure", None)
    if not callable(function):
        msg = f"{files[name]} needs a function measure(ballots) that returns a frame"
        raise DataError(msg)
    title = first_paragraph(module.__doc__).rstrip(".") or name
    return make_measure(
        cast("MeasureFunction", function),
        name=name,
        title=title,
        values=getattr(module, "VALUES", "share"),
    )


def make_measure(
    function: MeasureFunction, *, name: str, title: str, values: object
) -> MeasureFile:
    """Return a measure; raises `DataError` if its values are of no kind."""
    if values not in get_args(Values):
        msg = f"measure {name!r}: VALUES is {' or '.join(map(repr, get_args(Values)))}, not {values!r}"
        raise DataError(msg)
    return MeasureFile(name=name, title=title, values=cast("Values", values), function=function)


def list_rows() -> list[dict[str, str]]:
    """Return the rows of `peerjudge list measures`; executes nothing."""
    return [
        {"name": name, "description": _describe(path), "from": "this project"}
        for name, path in _list_files(None).items()
    ]


def _list_files(project: Path | None) -> dict[str, Path]:
    folder = (project or Path.cwd()) / FOLDER
    return {one.stem: one for one in sorted(folder.glob("*.py")) if one.name[0] not in "_."}


def _describe(path: Path) -> str:
    try:
        return first_paragraph(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, SyntaxError, RecursionError):
        # One bad file must not break a list; measuring by name reports the error.
        return ""
