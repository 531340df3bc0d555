"""`peerjudge export`: the discussions of a run in the formats of other tools.

The formats are in `peerjudge.analysis.export`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.analysis.export import FORMATS, ExportFormat
from peerjudge.cli.export_frames import Frame, open_output, write_frame
from peerjudge.errors import DataError
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    from peerjudge.data import Transcript


async def export_command(
    run: str,
    /,
    *,
    format: Annotated[str, Parameter(help=f"One of {', '.join(FORMATS)}, parquet.")],  # noqa: A002
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    frame: Frame | None = None,
    stance: Stance = "final",
) -> int:
    """Write the discussions of a run.

    `jsonl` has one discussion per line, in PeerJudge's versioned form, which `peerjudge.data` reads.
    `csv` has one turn per row, with its text. `parquet`, and `csv` with --frame, have a frame.
    `arena` and `mt-bench` are JSON lines and `alpaca-eval` is a JSON list; each row is a reviewer's
    stance on two answers, for `mt-bench` together with its stance in the other order.

    Parameters
    ----------
    run
        Run folder or store URL.
    output
        File to write; by default standard output.
    frame
        Rows of the table: turns, discussions, calls, events, battles or weights; without texts.
        `parquet` writes turns by default.
    stance
        Verdicts for battles, weights and other tools' formats: private or final.
    """
    if format not in {*FORMATS, "parquet"}:
        msg = f"unknown format {format!r}; choose one of {', '.join(FORMATS)}, parquet"
        raise DataError(msg)
    if frame is not None and format not in {"csv", "parquet"}:
        msg = f"--frame writes a table; use it with --format csv or parquet, not {format}"
        raise DataError(msg)
    if format == "parquet" or (format == "csv" and frame is not None):
        form = "parquet" if format == "parquet" else "csv"
        write_frame(run, frame or "turns", form=form, output=output, stance=stance)
    else:
        await _write_rows(run, output, FORMATS[format], stance)
    return 0


async def _write_rows(run: str, output: Path | None, form: ExportFormat, stance: Stance) -> None:
    from peerjudge.runs import open_run

    # Open the run first: a misspelt name must not empty the file.
    async with open_run(run) as opened:
        with open_output(output) as file:
            table = csv.writer(file)
            if form.framing == "csv":
                table.writerow(form.columns)
            separator = "["
            async for together in _group_by_comparison(opened.transcripts()):
                for row in form.rows(together, stance):
                    if isinstance(row, str):
                        file.write(f"{row}\n")
                    elif form.framing == "csv":
                        table.writerow(row.values())
                    elif form.framing == "json list":
                        file.write(f"{separator}\n{json.dumps(row, ensure_ascii=False)}")
                        separator = ","
                    else:
                        file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
            if form.framing == "json list":
                file.write("[]\n" if separator == "[" else "\n]\n")


async def _group_by_comparison(
    transcripts: AsyncIterator[Transcript],
) -> AsyncIterator[list[Transcript]]:
    """Group the discussions by condition and comparison; they are sorted by both."""
    together: list[Transcript] = []
    async for one in transcripts:
        last = together[-1] if together else one
        if (one.condition, one.comparison.id) != (last.condition, last.comparison.id):
            yield together
            together = []
        together.append(one)
    yield together
