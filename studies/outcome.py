"""Outcome of a study: sentences, tables, figures and one JSON document, printed and saved."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, report_interruption, results, save_document, status
from peerjudge.errors import PeerJudgeError
from peerjudge.reporting.figures import Curve, Curves, Figure, Mark, Row, Rows

if TYPE_CHECKING:
    import rich.table

    from peerjudge.data import Measurement

Cell = str | int | float | None

_DECIMALS = 4
_LARGE = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under named columns; `note` says how to read them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything that a study found; `document` holds plain values (JSON), figures go by file name."""

    title: str
    summary: tuple[str, ...]
    tables: tuple[Table, ...]
    figures: Mapping[str, Figure] = field(hash=False)
    document: Mapping[str, object] = field(hash=False)


def run_study(name: str, compute: Callable[[int], Study], argv: Sequence[str] | None = None) -> int:
    """Compute a study from its seed, save it in a folder and print it; return the exit code.

    Args:
        name: of the study; its default folder is `runs/NAME`.
        compute: returns the study for a seed. It should import numpy only when called, because the
            number of threads for small matrices is set here.
        argv: the arguments, without the program; by default those of the process.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(prog=f"python -m studies.{name}")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulated studies")
    parser.add_argument("--out", type=Path, help=f"folder of the results (default: runs/{name})")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(argv)
    status().print(f"{name}: simulating; no model is called")
    try:
        study = compute(chosen.seed)
        folder = chosen.out or Path("runs") / name
        saved = save_document(study.document, study.figures, folder, name="study.json", force=True)
    except KeyboardInterrupt:
        return report_interruption()
    except PeerJudgeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if chosen.json:
        print_json(study.document)
    else:
        _print_study(study, saved)
    return 0


def draw_targets(
    name: str,
    rows: Sequence[tuple[str, Measurement, float | None]],
    *,
    title: str,
    across: str,
    series: str,
) -> Figure:
    """Draw one measurement per named row, beside its published value if there is one."""
    marks = [
        Row(
            name=row,
            marks=[
                Mark(measured=value, note=_format(value.value, _places(value.value)), printed=old)
            ],
        )
        for row, value, old in rows
    ]
    return Figure(id=name, description=title, chart=Rows(rows=marks, across=across))


def draw_curves(
    name: str,
    curves: Sequence[tuple[str, str, Sequence[float], Sequence[Measurement]]],
    *,
    title: str,
    across: str,
    up: str,
) -> Figure:
    """Draw curves, each given as its name, the note at its end, its places and its measurements."""
    drawn = [
        Curve(
            name=curve,
            note=note,
            at=at,
            values=[value.value for value in values],
            low=[value.low for value in values],
            high=[value.high for value in values],
        )
        for curve, note, at, values in curves
    ]
    return Figure(id=name, description=title, chart=Curves(curves=drawn, across=across, up=up))


def _print_study(study: Study, saved: str) -> None:
    console = results()
    console.print(f"{study.title} (simulated)", style="bold")
    for table in study.tables:
        console.print()
        console.print(table.title, style="bold")
        console.print(_layout(table))
        if table.note:
            console.print(table.note)
    console.print()
    for sentence in study.summary:
        console.print(sentence)
    console.print(f"\n{saved}", soft_wrap=True)


def _layout(table: Table) -> rich.table.Table:
    from rich.table import Table as Layout

    drawn = Layout(box=None, pad_edge=False)
    columns = [[row[number] for row in table.rows] for number in range(len(table.columns))]
    for name, cells in zip(table.columns, columns, strict=True):
        numeric = any(isinstance(cell, int | float) for cell in cells)
        drawn.add_column(name, justify="right" if numeric else "left")
    for row in zip(*map(_column, columns), strict=True):
        drawn.add_row(*row)
    return drawn


def _column(cells: Sequence[Cell]) -> list[str]:
    """Format a column; its numbers get as many decimals as one of them needs."""
    places = max((_places(cell) for cell in cells if isinstance(cell, float)), default=0)
    return [_format(cell, places) for cell in cells]


def _places(number: float) -> int:
    """Return how many decimals a number needs, up to four; none where it is large."""
    if not isfinite(number) or abs(number) >= _LARGE:
        return 0
    return len(f"{number:.{_DECIMALS}f}".rstrip("0").partition(".")[2])


def _format(cell: Cell, places: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        # Adding 0.0 turns a rounded -0.0 into 0.0.
        return f"{round(cell, places) + 0.0:,.{places}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
