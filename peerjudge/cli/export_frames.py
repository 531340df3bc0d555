"""Writes the frames of a run as parquet or CSV, some discussions at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from peerjudge.errors import DataError, StoreError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Frame", "csv_to", "opened_for", "parquet_to", "write_frame"]

Frame = Literal["turns", "discussions", "calls", "events", "battles", "weights"]
Take = Callable[["pd.DataFrame"], None]


def write_frame(
    run: str,
    name: Frame,
    *,
    form: Literal["csv", "parquet"],
    output: Path | None,
    stance: Literal["private", "final"],
) -> None:
    """Write a frame, some discussions at a time; without a file, to standard output.

    Battles are small and weights come of all discussions: these are written at once.

    Raises:
        DataError: parquet without a file or without pyarrow.
        StoreError: the file cannot be written.
    """
    from peerjudge.runs import frames

    if form == "parquet" and output is None:
        msg = "parquet is not text: say where to write it with -o FILE.parquet"
        raise DataError(msg)
    if form == "parquet" and find_spec("pyarrow") is None:
        msg = "writing parquet needs pyarrow: pip install 'peerjudge[parquet]'"
        raise DataError(msg)
    with parquet_to(output) if form == "parquet" and output else csv_to(output) as take:
        if name == "battles":
            take(frames.battles_df(run, stance=stance))
        elif name == "weights":
            take(frames.weights_df(run, stance=stance))
        else:
            frames.read_in_parts(run, name, take)


def opened_for(output: Path | None) -> AbstractContextManager[IO[str]]:
    """The file to write text to, emptied; standard output where none is named."""
    if output is None:
        return nullcontext(sys.stdout)
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as cause:
        raise _unwritable(output, cause) from cause


# Both open the file when there is something to write: a misspelt run must not empty it.


@contextmanager
def csv_to(output: Path | None) -> Generator[Take]:
    """Takes the parts of a frame, and writes their columns' names once."""
    files: list[IO[str]] = []
    with ExitStack() as stack:

        def take(part: pd.DataFrame) -> None:
            first = not files
            if first:
                files.append(stack.enter_context(opened_for(output)))
            part.to_csv(files[0], index=False, header=first)  # pyright: ignore[reportUnknownMemberType]  partial stubs

        yield take


@contextmanager
def parquet_to(output: Path) -> Generator[Take]:
    """Takes the parts of a frame; each becomes a row group."""
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
    """The columns of a part, with room for the names of all parts, however many or few it has."""
    pa, _ = _pyarrow()
    found = pa.Schema.from_pandas(part, preserve_index=False)
    names = pa.dictionary(pa.int32(), pa.string())
    for at, field in enumerate(found):
        if pa.types.is_dictionary(field.type):
            found = found.set(at, field.with_type(names))
    return found


def _pyarrow() -> tuple[Any, Any]:
    # It has no types of its own.
    return import_module("pyarrow"), import_module("pyarrow.parquet")


def _unwritable(output: Path, cause: OSError) -> StoreError:
    return StoreError(
        f"cannot write {output}: {cause.strerror or cause}; choose another file with -o"
    )
