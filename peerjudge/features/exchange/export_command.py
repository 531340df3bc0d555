"""`peerjudge export`: the discussions of a run, or recorded reviews, in the formats of other tools.

The formats are in `peerjudge.features.exchange.exporting`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from peerjudge.cli.console import print_status
from peerjudge.cli.options import OUT
from peerjudge.cli.output import unmarked
from peerjudge.errors import DataError, StoreError
from peerjudge.features.exchange.exporting import FORMATS, ExportFormat
from peerjudge.registry import find_offer
from peerjudge.spreadsheets import CsvTable
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    import pandas as pd

    from peerjudge.cli.exports import RowExport
    from peerjudge.data import Transcript

Frame = Literal["turns", "discussions", "calls", "events", "battles", "weights"]

Take = Callable[["pd.DataFrame"], None]


async def export_command(
    run: str,
    /,
    *,
    format: Annotated[str, Parameter(help=f"One of {', '.join((*FORMATS, 'parquet'))}.")],  # noqa: A002
    out: Annotated[Path | None, OUT] = None,
    frame: Frame | None = None,
    stance: Stance = "final",
    raw_cells: bool = False,
    people: bool = False,
    force: bool = False,
) -> int:
    """Write the discussions of a run, or the recorded reviews of a dataset.

    `jsonl` has one discussion per line, in PeerJudge's versioned form, which `peerjudge.data` reads.
    `csv` has one turn per row, with its text. `parquet`, and `csv` with --frame, have a frame.
    `arena` is JSON lines; each row is a reviewer's stance on two answers.

    Parameters
    ----------
    run
        Run folder, store URL, transcript file (.jsonl, .jsonl.gz), bundle (.zip), or a dataset NAME:PATH or
        folder of records with reviews, each of which is a discussion of one turn; frames are of runs.
    out
        File to write; by default standard output.
    frame
        Rows of the table: turns, discussions, calls, events, battles or weights; without texts.
        `parquet` writes turns by default.
    stance
        Verdicts for battles, weights and `arena`: private or final.
    raw_cells
        Write CSV cells unchanged. By default a text that a spreadsheet would run as a formula
        (it begins with = + - @, a tab or a line break) gets a ' before it.
    people
        Write every answer of people instead, of a run folder, a database or a study, as csv or jsonl: also
        superseded ones, with reason, confidence and active time; of a study, with its checks.
    force
        Replace an existing file.
    """
    names = (*FORMATS, "parquet")
    if format not in names:
        msg = f"unknown format {format!r}; choose one of {', '.join(names)}"
        raise DataError(msg)
    other = _find_other("people") if people else None
    if other is not None:
        other.check(run, format, frame=frame is not None)
    if frame is not None and format not in {"csv", "parquet"}:
        msg = f"--frame writes a table; use it with --format csv or parquet, not {format}"
        raise DataError(msg)
    if out is not None:
        from peerjudge.results.overwriting import require_free

        require_free(out, source=run, force=force)
    if other is not None:
        rows = await other.read(run)
        with open_output(out) as file:
            other.write(run, rows, file, format, raw_cells=raw_cells)
        return 0
    if format == "parquet" or (format == "csv" and frame is not None):
        form = "parquet" if format == "parquet" else "csv"
        name = frame or "turns"
        write_frame(run, name, form=form, output=out, stance=stance, raw_cells=raw_cells)
    else:
        await _write_rows(run, out, FORMATS[format], stance, raw_cells=raw_cells)
    return 0


def _find_other(name: str) -> RowExport:
    """Return what a feature writes in place of discussions; raise `DataError` if none does."""
    found: RowExport | None = find_offer("export", name)
    if found is None:
        msg = f"no feature offers --{name}; `peerjudge list features` shows those that are here"
        raise DataError(msg)
    return found


async def _write_rows(
    run: str, output: Path | None, form: ExportFormat, stance: Stance, *, raw_cells: bool
) -> None:
    left_out = Counter[str]()
    # Open the source first: a misspelt name must not empty the file.
    async with _open_discussions(run) as discussions:
        with open_output(output) as file:
            table = CsvTable(file, raw=raw_cells)
            if form.framing == "csv":
                table.add(form.columns)
            async for together in _group_by_comparison(discussions):
                left_out.update(form.count_left_out(together, stance))
                for row in form.rows(together, stance):
                    if isinstance(row, str):
                        file.write(f"{row}\n")
                    elif form.framing == "csv":
                        table.add(row.values())
                    else:
                        file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    for reason, count in left_out.items():
        print_status(f"left out, {reason}: {count:,}")


@asynccontextmanager
async def _open_discussions(source: str) -> AsyncGenerator[AsyncIterator[Transcript]]:
    """Open the discussions of a run, or the recorded reviews of a dataset as discussions of one turn."""
    from peerjudge.runs import open_run
    from peerjudge.runs.sources import is_run

    if is_run(source):
        async with open_run(source) as opened:
            yield opened.transcripts()
        return
    from peerjudge.datasets import load
    from peerjudge.runs.imported import list_recorded

    dataset = load(source)
    if not dataset.reviews:
        msg = f"{source} has no reviews to export; judge it with `peerjudge run --data {source}`"
        raise DataError(msg)
    yield _iterate(list_recorded(dataset))


async def _iterate(transcripts: Iterable[Transcript]) -> AsyncIterator[Transcript]:
    for transcript in transcripts:
        yield transcript


async def _group_by_comparison(
    transcripts: AsyncIterator[Transcript],
) -> AsyncIterator[list[Transcript]]:
    """Group the discussions by condition and comparison; they come so."""
    together: list[Transcript] = []
    async for transcript in transcripts:
        last = together[-1] if together else transcript
        if (transcript.condition, transcript.comparison.id) != (last.condition, last.comparison.id):
            yield together
            together = []
        together.append(transcript)
    yield together


def write_frame(
    run: str,
    name: Frame,
    *,
    form: Literal["csv", "parquet"],
    output: Path | None,
    stance: Literal["private", "final"],
    raw_cells: bool,
) -> None:
    """Write a frame in parts to a file or to standard output.

    Battles are small and weights need all discussions, so these are written at once.

    Raises:
        DataError: parquet without a file, or pyarrow is not installed.
        StoreError: The file cannot be written.
    """
    from peerjudge.runs import frames

    if form == "parquet" and output is None:
        msg = "parquet cannot go to standard output; name a file with -o FILE.parquet"
        raise DataError(msg)
    if form == "parquet" and find_spec("pyarrow") is None:
        msg = "writing parquet needs pyarrow: pip install 'peerjudge[parquet]'"
        raise DataError(msg)
    to_file = (
        write_parquet(output)
        if form == "parquet" and output
        else write_csv(output, raw_cells=raw_cells)
    )
    with to_file as take:
        if name == "battles":
            take(frames.battles_df(run, stance=stance))
        elif name == "weights":
            take(frames.weights_df(run, stance=stance))
        else:
            frames.read_in_parts(run, name, take)


def open_output(output: Path | None) -> AbstractContextManager[IO[str]]:
    """Open the text file for writing, or standard output without a file."""
    if output is None:
        # In a pipe or a file, the data stay as they are.
        return nullcontext(sys.stdout if sys.stdout.isatty() else unmarked(sys.stdout))
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as cause:
        raise _unwritable(output, cause) from cause


@contextmanager
def write_csv(output: Path | None, *, raw_cells: bool) -> Generator[Take]:
    """Return a function that appends parts of a frame to a CSV file.

    The file is opened with the first part, so that a misspelt run does not empty it.
    """
    tables: list[CsvTable] = []
    with ExitStack() as stack:

        def take(part: pd.DataFrame) -> None:
            if not tables:
                file = stack.enter_context(open_output(output))
                tables.append(CsvTable(file, raw=raw_cells))
                tables[0].add(part.columns)
            cells = part.astype(object)  # pyright: ignore[reportUnknownMemberType]  partial stubs
            cells = cells.where(part.notna(), None)  # pyright: ignore[reportUnknownMemberType]
            for row in cells.itertuples(index=False, name=None):
                tables[0].add(row)

        yield take


@contextmanager
def write_parquet(output: Path) -> Generator[Take]:
    """Return a function that appends parts of a frame to a parquet file, as row groups."""
    pa, parquet = _pyarrow()
    writers: list[Any] = []
    with ExitStack() as stack:

        def take(part: pd.DataFrame) -> None:
            try:
                if not writers:
                    writer = parquet.ParquetWriter(output, _schema(part))
                    writers.append(stack.enter_context(writer))
                table = pa.Table.from_pandas(part, preserve_index=False)
                writers[0].write_table(table.cast(writers[0].schema))
            except OSError as cause:
                raise _unwritable(output, cause) from cause

        yield take


def _schema(part: pd.DataFrame) -> object:
    """Return the schema of a part; categories are strings, so that it holds for all parts."""
    pa, _ = _pyarrow()
    found = pa.Schema.from_pandas(part, preserve_index=False)
    names = pa.dictionary(pa.int32(), pa.string())
    for at, field in enumerate(found):
        if pa.types.is_dictionary(field.type):
            found = found.set(at, field.with_type(names))
    return found


def _pyarrow() -> tuple[Any, Any]:
    # pyarrow has no type stubs.
    return import_module("pyarrow"), import_module("pyarrow.parquet")


def _unwritable(output: Path, cause: OSError) -> StoreError:
    return StoreError(
        f"cannot write {output}: {cause.strerror or cause}; choose another file with -o"
    )
