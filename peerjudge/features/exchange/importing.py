"""Import of files of other tools: find the format by the fields of a row, read, and write records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.data.choices import suggest_name
from peerjudge.datasets.catalogue import find_formats, list_datasets, load, name_format
from peerjudge.datasets.formats import read_table
from peerjudge.datasets.guesses import describe_guesses
from peerjudge.datasets.source import Options
from peerjudge.datasets.sources.records import write_records
from peerjudge.errors import DataError

_HEAD = 2000
"""Bytes at the beginning of a file by which a log is recognized."""
_LOG_KEYS = (b'"status"', b'"eval"', b'"task"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A dataset that was imported, with its format and the folder of its records."""

    dataset: Dataset
    format: str
    folder: Path


def import_records(
    path: Path,
    *,
    out: Path,
    format: str = "",  # noqa: A002  the word of the command
    options: Options | None = None,
    licence: str = "",
) -> Imported:
    """Read a file of another tool and write its comparisons and reviews into a records folder.

    Args:
        path: the file, or the folder of a format that reads folders.
        out: the records folder; earlier records in it are replaced.
        format: name of a dataset format, or `FILE.py` with a reader of your own; by default the one
            whose fields the first row has.
        options: how to read the file.
        licence: of the records.

    Raises:
        DataError: no format or several fit; a row cannot be read; the folder cannot be written.
    """
    options = options or Options()
    name = choose_format(path, format, options)
    dataset = load(f"{name}:{path}", options=options)
    files = [file for each in (path, *options.files) for file in _list_files(each)]
    write_records(dataset, out, origin=name, files=files, licence=licence)
    return Imported(dataset=dataset, format=name, folder=out)


def choose_format(path: Path, format: str, options: Options) -> str:  # noqa: A002
    """Return the format of this name, or without a name the one whose fields the first row has.

    Raises:
        DataError: there is no such format; or none or several fit.
    """
    if format.endswith(".py"):
        return format
    name = format.replace("-", "_") or recognize(path, options)
    if name not in list_datasets():
        hint = suggest_name(name, list_datasets())
        msg = f"there is no format {format!r}{hint} (known: {', '.join(list_formats())})"
        raise DataError(msg)
    return name


def _list_files(path: Path) -> list[Path]:
    return sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def split_format(words: Sequence[str]) -> tuple[str, tuple[Path, ...]]:
    """Return the format that comes before the paths, empty where none is named, and the paths.

    Raises `DataError` where no path is given.
    """
    head = words[0] if len(words) > 1 else ""
    named = head.replace("-", "_") in list_datasets() or head.endswith(".py")
    if head and not named:
        named = not Path(head).expanduser().exists()
    paths = tuple(Path(word).expanduser() for word in words[named:])
    if not paths:
        msg = "name the file to import, as in `peerjudge import battles.json --out records`"
        raise DataError(msg)
    return head if named else "", paths


def _is_log(path: Path) -> bool:
    """Return whether a file is a log of Inspect AI: an archive, or one JSON object over many lines."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return head.lstrip().startswith(b"{") and all(key in head for key in _LOG_KEYS)


def list_formats() -> list[str]:
    """Return the names of the formats that `import` reads: datasets without a place of their own."""
    return [name for name, source in list_datasets().items() if source.place is None]


def recognize(path: Path, options: Options) -> str:
    """Return the format whose fields the first row of a file has; a table of pairs is one's own.

    Raises:
        DataError: none fits, or several do.
    """
    if path.is_dir():
        msg = f"{path} is a folder; name its format, as in `peerjudge import mtbench {path}`"
        raise DataError(msg)
    if _is_log(path):
        return "inspect"
    first = next(read_table(path, options))
    fitting = find_formats(first.fields)
    if len(fitting) == 1:
        return fitting[0]
    own = name_format(str(path)).partition(":")[0]
    answered = any(key.startswith("answer") for key in first.fields)
    if not fitting and own in ("csv", "jsonl") and "question" in first.fields and answered:
        return own
    known = ", ".join(sorted(first.fields))
    if fitting:
        msg = f"{path} may be {' or '.join(fitting)}; name one, as in `peerjudge import {fitting[0]} {path}`"
        raise DataError(msg)
    guesses = describe_guesses(("question", "answer_a", "answer_b", "gold"), first.fields)
    if guesses:
        msg = f"{path} has the fields {known}, which no format knows{guesses}"
        raise DataError(msg)
    msg = (
        f"{path} has the fields {known}, which no format knows; name one of {', '.join(list_formats())}, map "
        "its fields with --map NAME=FIELD, or write a reader (docs/datasets.md)"
    )
    raise DataError(msg)
