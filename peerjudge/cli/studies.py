"""Runs a study that computes instead of playing, prints it, and keeps it in a folder."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import json_text, print_json, results, status
from peerjudge.data import CurveFigure, TargetFigure
from peerjudge.errors import ExperimentError, StoreError

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.data import Cell, Study, StudyTable
    from peerjudge.reporting.drawing import Figure

__all__ = ["interrupted", "keep_study", "run_study"]

_DECIMALS = 4
_LARGE = 1000.0
_CTRL_C = 130


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
    # An event loop would only hear of Ctrl-C when the computing is over.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = study(seed=seed or 0)
    except KeyboardInterrupt:
        return interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
    kept = keep_study(
        found.document,
        found.figures,
        Path(out) if out else Path("runs") / name,
        simulated=found.simulated,
    )
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
    console.print(f"\n{kept}", soft_wrap=True)
    return 0


def interrupted() -> int:
    """Say that what only computes has kept nothing, and give the exit code of Ctrl-C."""
    status().print("interrupted; nothing is kept: the same command begins anew")
    return _CTRL_C


def keep_study(
    document: Mapping[str, object],
    figures: Mapping[str, CurveFigure | TargetFigure],
    folder: Path,
    *,
    name: str = "study.json",
    simulated: bool = True,
) -> str:
    """Write the document and the figures into the folder, and say what is there.

    Raises:
        StoreError: the folder cannot be written.
    """
    from peerjudge.reporting.drawing import save_figures

    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(document) + "\n", encoding="utf-8")
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause
    drawn = {name: _drawn(name, figure) for name, figure in figures.items()}
    saved, note = save_figures(drawn, folder, simulated=simulated)
    if note:
        status().print(note)
    return f"kept in {folder}: {', '.join(one.name for one in (path, *saved))}"


def _table(table: StudyTable) -> Table:
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False)
    columns = [[row[number] for row in table.rows] for number in range(len(table.columns))]
    for name, cells in zip(table.columns, columns, strict=True):
        numeric = any(isinstance(cell, int | float) for cell in cells)
        drawn.add_column(name, justify="right" if numeric else "left")
    for row in zip(*map(_column, columns), strict=True):
        drawn.add_row(*row)
    return drawn


def _column(cells: Sequence[Cell]) -> list[str]:
    """The cells as text, the numbers of a column with as many decimals as one of them needs."""
    numbers = [cell for cell in cells if isinstance(cell, float)]
    places = max((_places(number) for number in numbers), default=0)
    return [_shown(cell, places) for cell in cells]


def _places(number: float) -> int:
    """How many decimals tell this number, up to four; none where it is large."""
    if not isfinite(number) or abs(number) >= _LARGE:
        return 0
    return len(f"{number:.{_DECIMALS}f}".rstrip("0").partition(".")[2])


def _shown(cell: Cell, places: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        # Adding 0.0 turns a rounded -0.0 into 0.0.
        return f"{round(cell, places) + 0.0:,.{places}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _drawn(name: str, figure: CurveFigure | TargetFigure) -> Figure:
    from peerjudge.reporting.drawing import Figure
    from peerjudge.reporting.figures import Marked, Series, line_figure, mark_figure

    if isinstance(figure, TargetFigure):
        drawing = mark_figure(
            [
                (
                    row.name,
                    [
                        Marked(
                            measured=value,
                            note=_shown(value.value, _places(value.value)),
                            printed=published,
                        )
                        for value, published in zip(row.values, row.published, strict=True)
                    ],
                )
                for row in figure.rows
            ],
            figure.series,
            across=figure.across,
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
