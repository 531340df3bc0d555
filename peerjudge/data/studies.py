"""What a study that only computes has found: tables, figures and one document of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from peerjudge.data.ranking import Measurement

__all__ = ["Cell", "Curve", "CurveFigure", "Study", "StudyTable", "Target", "TargetFigure"]

Cell = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """Rows under named columns; `note` says how to read them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A named line through values at places; `note` is put at its end."""

    name: str
    at: tuple[float, ...]
    values: tuple[Measurement, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFigure:
    """Curves over a common axis that begins at zero; `across` and `up` name the axes."""

    title: str
    across: str
    up: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A row of values with their bounds, and what was published of each, where anything was."""

    name: str
    values: tuple[Measurement, ...]
    published: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFigure:
    """Rows of values beside published ones; `series` names the values of a row, `across` the axis."""

    title: str
    across: str
    series: tuple[str, ...]
    rows: tuple[Target, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What was found. `document` is plain (JSON-able); `simulated` says that no model was asked.

    `summary` says it in sentences, `figures` are by the name under which they are saved.
    """

    title: str
    summary: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    figures: Mapping[str, CurveFigure | TargetFigure] = field(hash=False)
    document: Mapping[str, object] = field(hash=False)
    simulated: bool = True
