"""What a study that only computes has found: tables, figures and one document of plain values."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.data.noun import Noun
from peerjudge.data.ranking import Measurement

__all__ = ["Cell", "Curve", "CurveFigure", "Study", "StudyTable", "Target", "TargetFigure"]

Cell = str | int | float | None


class StudyTable(Noun, frozen=True, kw_only=True):
    """Rows under named columns; `note` says how to read them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


class Curve(Noun, frozen=True, kw_only=True):
    """A named line through values at places; `note` is put at its end."""

    name: str
    at: tuple[float, ...]
    values: tuple[Measurement, ...]
    note: str = ""


class CurveFigure(Noun, frozen=True, kw_only=True):
    """Curves over a common axis that begins at zero; `across` and `up` name the axes."""

    title: str
    across: str
    up: str
    curves: tuple[Curve, ...]


class Target(Noun, frozen=True, kw_only=True):
    """A row of values with their bounds, and what was published of each, where anything was."""

    name: str
    values: tuple[Measurement, ...]
    published: tuple[float | None, ...]


class TargetFigure(Noun, frozen=True, kw_only=True):
    """Rows of values beside published ones; `series` names the values of a row, `across` the axis."""

    title: str
    across: str
    series: tuple[str, ...]
    rows: tuple[Target, ...]


class Study(Noun, frozen=True, kw_only=True):
    """What was found. `document` is plain (JSON-able); `simulated` says that no model was asked.

    `summary` says it in sentences, `figures` are by the name under which they are saved.
    """

    title: str
    summary: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    figures: Mapping[str, CurveFigure | TargetFigure]
    document: Mapping[str, object]
    simulated: bool = True
