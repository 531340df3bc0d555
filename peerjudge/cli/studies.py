"""Runs a study that computes instead of playing, prints it, and keeps it in a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import json_text, print_json, results, status
from peerjudge.data import CurveFigure, TargetFigure
from peerjudge.errors import ExperimentError, StoreError

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.data import Cell, Study, StudyTable
    from peerjudge.report.drawing import Figure

__all__ = ["run_study"]


def run_study(
    name: str,
    study: Callable[..., Study],
    *,
    seed: int | None,
    out: str | None,
    json: bool,
    unused: Mapping[str, object],
) -> int:
    """Compute, print, and keep `study.json` and the figures in the folder.

    Raises `ExperimentError` where an option is given that a study does not take (`unused`).
    """
    for option, given in unused.items():
        if given:
            msg = f"{name} computes instead of playing, so it takes no --{option}; only --seed and --out"
            raise ExperimentError(msg)
    status().print(f"{name}: simulating; no model is asked")
    found = study(seed=seed or 0)
    folder = Path(out) if out else Path("runs") / name
    written, note = _keep(found, folder)
    if json:
        print_json(found.document)
        return 0
    console = results()
    console.print(f"{found.title} (simulated)" if found.simulated else found.title, style="bold")
    for table in found.tables:
        console.print()
        console.print(table.title, style="bold")
        console.print(_table(table))
        if table.note:
            console.print(table.note)
    console.print()
    for sentence in found.summary:
        console.print(sentence)
    console.print(f"\nkept in {folder}: {', '.join(path.name for path in written)}", soft_wrap=True)
    if note:
        status().print(note)
    return 0


def _table(table: StudyTable) -> Table:
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False)
    for number, column in enumerate(table.columns):
        numeric = any(isinstance(row[number], int | float) for row in table.rows)
        drawn.add_column(column, justify="right" if numeric else "left")
    for row in table.rows:
        drawn.add_row(*map(_shown, row))
    return drawn


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return (
            f"{cell:,.0f}"
            if abs(cell) >= 1000
            else f"{cell:.4g}"
            if abs(cell) >= 1
            else f"{cell:.4f}"
        )
    return f"{cell:,}" if isinstance(cell, int) else cell


def _keep(found: Study, folder: Path) -> tuple[list[Path], str]:
    from peerjudge.report.drawing import save_figures

    figures = {name: _drawn(name, figure) for name, figure in found.figures.items()}
    saved, note = save_figures(figures, folder, simulated=found.simulated)
    path = folder / "study.json"
    try:
        path.write_text(json_text(found.document) + "\n", encoding="utf-8")
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause
    return [path, *saved], note


def _drawn(name: str, figure: CurveFigure | TargetFigure) -> Figure:
    from peerjudge.report.drawing import Figure
    from peerjudge.report.figures import Marked, Series, line_figure, mark_figure

    if isinstance(figure, TargetFigure):
        drawing = mark_figure(
            [
                (
                    row.name,
                    [
                        Marked(measured=value, note=_shown(value.value), printed=published)
                        for value, published in zip(row.values, row.published, strict=True)
                    ],
                )
                for row in figure.rows
            ],
            figure.series,
        )
    else:
        drawing = line_figure(
            [
                Series(
                    name=curve.name,
                    note=curve.note,
                    at=curve.at,
                    values=[value.value for value in curve.values],
                    low=[value.low for value in curve.values],
                    high=[value.high for value in curve.values],
                )
                for curve in figure.curves
            ],
            across=figure.across,
            up=figure.up,
        )
    return Figure(id=name, description=figure.title, drawing=drawing)
