"""Reads data files line by line, so that every mistake in them is named by file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from peerjudge.errors import DataError

__all__ = ["Row", "read_lines", "read_rows"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON object of a file and where it stands; `line` counts from 1."""

    path: Path
    line: int
    fields: Mapping[str, object]

    def error(self, what: str) -> DataError:
        """The error that something is wrong on this line; `what` says what, and what to do."""
        return DataError(f"{self.path}, line {self.line}: {what}")

    def text(self, key: str) -> str:
        """The string under this key; raises `DataError` if it is absent or no string."""
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def integer(self, key: str) -> int:
        """The integer under this key; raises `DataError` if it is absent or no integer."""
        value = self.fields.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "an integer")
        return value

    def _wrong(self, key: str, wanted: str) -> DataError:
        if key not in self.fields:
            return self.error(f"no {key!r}; give {wanted} (found {sorted(self.fields)})")
        return self.error(f"{key!r} must be {wanted}, not {self.fields[key]!r:.60}")


def read_rows(path: Path) -> Iterator[Row]:
    """The JSON objects of a JSON Lines file (gzipped if it ends in `.gz`), blank lines left out.

    Raises:
        DataError: when the file is missing or empty, or a line is not UTF-8 or not a JSON object.
    """
    empty = True
    for number, line in read_lines(path):
        if not line.strip():
            continue
        empty = False
        yield Row(path, number, _parsed(path, number, line))
    if empty:
        msg = f"{path} is empty; give one JSON object per line"
        raise DataError(msg)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 text file with their numbers from 1, line ends kept, BOM dropped."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                content = raw.removeprefix(_BOM) if number == 1 else raw
                yield number, _decoded(path, number, content)
    except FileNotFoundError as cause:
        msg = f"there is no file {path}; check the path"
        raise DataError(msg) from cause
    except (gzip.BadGzipFile, EOFError, zlib.error) as cause:
        msg = f"{path} is not a complete gzip file ({cause}); fetch it again"
        raise DataError(msg) from cause
    except OSError as cause:
        msg = f"{path} cannot be read: {cause.strerror or cause}"
        raise DataError(msg) from cause


def _decoded(path: Path, number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as cause:
        byte = raw[cause.start]
        msg = f"{path}, line {number}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"
        raise DataError(msg) from cause


def _parsed(path: Path, number: int, line: str) -> dict[str, object]:
    try:
        value = cast("object", json.loads(line))
    except ValueError as cause:
        cut = "" if line.endswith("\n") else "; the file seems to be cut off here, fetch it again"
        msg = f"{path}, line {number}: not a complete JSON object ({cause}){cut}"
        raise DataError(msg) from cause
    if not isinstance(value, dict):
        msg = f"{path}, line {number}: expected a JSON object, found {line.strip()!r:.60}"
        raise DataError(msg)
    return cast("dict[str, object]", value)
