"""Frames of a run as parquet or CSV files, written in parts."""

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
    with write_parquet(output) if form == "parquet" and output else write_csv(output) as take:
        if name == "battles":
            take(frames.battles_df(run, stance=stance))
        elif name == "weights":
            take(frames.weights_df(run, stance=stance))
        else:
            frames.read_in_parts(run, name, take)


def open_output(output: Path | None) -> AbstractContextManager[IO[str]]:
    """Open the text file for writing, or standard output without a file."""
    if output is None:
        return nullcontext(sys.stdout)
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as cause:
        raise _unwritable(output, cause) from cause


@contextmanager
def write_csv(output: Path | None) -> Generator[Take]:
    """Return a function that appends parts of a frame to a CSV file.

    The file is opened with the first part, so that a misspelt run does not empty it.
    """
    files: list[IO[str]] = []
    with ExitStack() as stack:

        def take(part: pd.DataFrame) -> None:
            first = not files
            if first:
                files.append(stack.enter_context(open_output(output)))
            part.to_csv(files[0], index=False, header=first)  # pyright: ignore[reportUnknownMemberType]  partial stubs

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
