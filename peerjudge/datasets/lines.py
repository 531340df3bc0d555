"""Readers for JSON Lines, JSON and text files whose errors name file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan
from pathlib import Path
from typing import BinaryIO, TypeAlias, TypeVar, cast

from peerjudge.datasets.guesses import describe_guesses
from peerjudge.datasets.names import clean_name
from peerjudge.errors import DataError

T = TypeVar("T")

Bad: TypeAlias = Callable[[DataError], None]
"""A function that takes the error of a row that cannot be read, so that the next rows are read."""

_FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False, "": False}
_LONGEST_LINE = 2**28
"""Longest line. [bytes]"""
_LARGEST_FILE = 2**32
"""Largest file; its texts are held in memory. [bytes]"""
_UNPACKED = 2**26
"""Size of the text in a compressed file from which its expansion is limited. [bytes]"""
_EXPANSION = 200
"""Largest ratio of text to compressed file; texts reach 5 to 30."""
_BOM = b"\xef\xbb\xbf"


class ColumnsError(DataError):
    """A row lacks columns that seem to have other names."""


@dataclass(frozen=True, slots=True)
class Row:
    """Object of a data file with its place: the number of its line (or item), from 1.

    `at` is the path of keys to an object inside it, as in `annotations[2].result[0]`.
    """

    path: Path
    line: int
    fields: Mapping[str, object]
    unit: str = "line"
    at: str = ""

    def error(self, what: str) -> DataError:
        """Return an error for this place; `what` says what is wrong and what to do."""
        at = f", {self.at}" if self.at else ""
        return DataError(f"{self.path}, {self.unit} {self.line}{at}: {what}")

    def describe(self, other: Row) -> str:
        """Return the place of this row in words, with its file where the other row is in another one."""
        where = "" if self.path == other.path else f" of {self.path}"
        return f"{self.unit} {self.line}{where}"

    def enter(self, fields: Mapping[str, object], at: str = "") -> Row:
        """Return a row with these fields, at this place or at a path of keys inside it."""
        return replace(self, fields=fields, at=".".join(filter(None, (self.at, at))))

    def text(self, key: str) -> str:
        """Return the string of this key; raise `DataError` for anything else."""
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def integer(self, key: str) -> int:
        """Return the integer of this key; raise `DataError` for anything else."""
        value = self.fields.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "an integer")
        return value

    def label(self, key: str) -> str:
        """Return the id, name or code of this key as `clean_name` writes it, empty where it is missing.

        Raises `DataError` as `cell`.
        """
        return clean_name(self.cell(key))

    def cell(self, key: str) -> str:
        """Return the text, whole number or truth value of this key as text, empty where it is missing.

        Ids are often numbers in JSON, and whole numbers with a point where a table has an empty cell.
        Raises `DataError` for anything else.
        """
        value = self.fields.get(key)
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if not isinstance(value, str | int):
            raise self._wrong(key, "a text or a whole number")
        return str(value)

    def flag(self, key: str) -> bool:
        """Return the truth value of this key, also from 1 or 0; false where it is missing or `null`.

        Raises `DataError` for anything else.
        """
        said = self.label(key).lower()
        if said not in _FLAGS:
            raise self._wrong(key, "true or false")
        return _FLAGS[said]

    def number(self, key: str) -> float | None:
        """Return the number of this key, also from a text; `None` where it is missing, `null` or empty.

        Raises `DataError` for anything else, infinity and NaN included.
        """
        value = self.fields.get(key)
        if value is None or value == "":
            return None
        try:
            number = float(value) if isinstance(value, str | int | float) else nan
        except (ValueError, OverflowError):
            number = nan
        if isinstance(value, bool) or not isfinite(number):
            raise self._wrong(key, "a number")
        return number

    def choose(self, key: str, meanings: Mapping[str, T]) -> T:
        """Return the meaning of the text of this key; a missing or `null` one is an empty text.

        Raises `DataError` for a text without a meaning.
        """
        text = self.label(key)
        if text not in meanings:
            known = ", ".join(repr(meaning) for meaning in meanings if meaning)
            raise self._wrong(key, f"one of {known}")
        return meanings[text]

    def part(self, key: str) -> Row:
        """Return the object of this key; raise `DataError` for anything else."""
        return self._as_row(self.fields.get(key), key)

    def parts(self, key: str) -> list[Row]:
        """Return the objects in the list of this key, at least one; skip lists in it."""
        found = [
            self._as_row(entry, f"{key}[{place}]")
            for place, entry in enumerate(self._entries(key))
            if not isinstance(entry, list)
        ]
        if not found:
            raise self._wrong(key, "a list with an object in it")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the strings in the list of this key; raise `DataError` for anything else."""
        entries = self._entries(key)
        texts = tuple(entry for entry in entries if isinstance(entry, str))
        if len(texts) != len(entries) or not texts:
            raise self._wrong(key, "a list of texts")
        return texts

    def first_text(self, key: str) -> str:
        """Return the first entry of the list of this key; raise `DataError` if it is no string."""
        entries = self._entries(key)
        if not entries or not isinstance(entries[0], str):
            raise self._wrong(key, "a list that opens with a string")
        return entries[0]

    def _entries(self, key: str) -> list[object]:
        value = self.fields.get(key)
        return cast("list[object]", value) if isinstance(value, list) else []

    def _as_row(self, value: object, key: str) -> Row:
        if not isinstance(value, dict):
            if key in self.fields or "[" not in key:
                raise self._wrong(key, "an object")
            msg = f"{key!r} must be an object, not {value!r:.60}"
            raise self.error(msg)
        return self.enter(cast("dict[str, object]", value), key)

    def _wrong(self, key: str, wanted: str) -> DataError:
        if key not in self.fields:
            guesses = "" if self.at else describe_guesses([key], self.fields)
            error = self.error(f"no {key!r}; give {wanted} (found {sorted(self.fields)}){guesses}")
            return ColumnsError(str(error)) if guesses else error
        return self.error(f"{key!r} must be {wanted}, not {self.fields[key]!r:.60}")


def read_rows(path: Path, *, encoding: str = "utf-8", bad: Bad | None = None) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file (gzip if it ends in `.gz`); skip blank lines.

    `bad` is called with the error of a line that is no JSON object; without it, the error is raised.

    Raises:
        DataError: the file is missing or empty, or a line is not UTF-8 or not a JSON object.
    """
    empty = True
    for number, line in read_lines(path, encoding=encoding):
        if not line.strip():
            continue
        empty = False
        try:
            row = Row(path, number, _parsed(path, number, line))
        except DataError as error:
            if bad is None:
                raise
            bad(error)
            continue
        yield row
    if empty:
        msg = f"{path} is empty; give one JSON object per line"
        raise DataError(msg)


def read_items(path: Path, *, encoding: str = "utf-8") -> Iterator[Row]:
    """Yield the objects of a file with one JSON list.

    Raises:
        DataError: the file is missing, not UTF-8, or holds anything else.
    """
    text = "".join(line for _, line in read_lines(path, encoding=encoding))
    items = parse_json(text, where=str(path), wanted="complete JSON", advice="; fetch it again")
    if not isinstance(items, list):
        msg = f"{path}: expected a JSON list of objects; fetch it again"
        raise DataError(msg)
    for number, item in enumerate(cast("list[object]", items), start=1):
        if not isinstance(item, dict):
            msg = f"{path}, item {number}: expected a JSON object, found {item!r:.60}"
            raise DataError(msg)
        yield Row(path, number, cast("dict[str, object]", item), "item")


def read_object(path: Path, *, encoding: str = "utf-8") -> dict[str, object]:
    """Return the one JSON object of a file, which may span lines.

    Raises:
        DataError: the file is missing, is in another encoding, or holds anything else.
    """
    text = "".join(line for _, line in read_lines(path, encoding=encoding))
    found = parse_json(text, where=str(path), wanted="a complete JSON object", advice="")
    if not isinstance(found, dict):
        msg = f"{path}: expected a JSON object, found {text.strip()!r:.60}"
        raise DataError(msg)
    return cast("dict[str, object]", found)


def read_lines(
    path: Path, *, encoding: str = "utf-8", longest: int = _LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers from 1, with line ends, without BOM.

    Raises `DataError` for a file that cannot be read, or has a line of more than `longest` bytes.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            lines = _split_lines(path, file, encoding, longest)
            for number, raw in enumerate(lines, start=1):
                content = raw.removeprefix(_BOM) if number == 1 else raw
                yield number, _decoded(path, number, content, encoding)
    except FileNotFoundError as cause:
        msg = f"there is no file {path}; check the path"
        raise DataError(msg) from cause
    except (gzip.BadGzipFile, EOFError, zlib.error) as cause:
        msg = f"{path} is not a complete gzip file ({cause}); fetch it again"
        raise DataError(msg) from cause
    except OSError as cause:
        msg = f"{path} cannot be read: {cause.strerror or cause}"
        raise DataError(msg) from cause


def require_size(path: Path) -> int:
    """Return the size of a file [bytes]; raise `DataError` for one that is too large to be held in memory."""
    size = path.stat().st_size
    if size > _LARGEST_FILE:
        msg = (
            f"{path} has {size / 2**30:.1f} GiB, and a file may have {_LARGEST_FILE >> 30} GiB, as its texts "
            "are held in memory; split it"
        )
        raise DataError(msg)
    return size


def _split_lines(
    path: Path, file: BinaryIO | gzip.GzipFile, encoding: str, longest: int
) -> Iterator[bytes]:
    """Yield the lines, which end in LF, CR LF, or a lone CR as some spreadsheets write it.

    Raises `DataError` for a longer line, or more text out of a compressed file, than memory may hold.
    """
    size = require_size(path)
    packed = size if path.suffix == ".gz" else 0
    wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
    total, number = 0, 0
    while raw := file.readline(longest + 1):
        number, total = number + 1, total + len(raw)
        if len(raw) > longest:
            limit = f"{longest >> 20} MiB"
            msg = f"{path}, line {number}: longer than {limit}; give one object in each line"
            raise DataError(msg)
        if packed and total > max(_UNPACKED, packed * _EXPANSION):
            msg = (
                f"{path} holds more than {_EXPANSION} times its size in text, which no data do; unpack it if "
                "it is what you expect"
            )
            raise DataError(msg)
        if b"\r" in raw.removesuffix(b"\n").removesuffix(b"\r") and not wide:
            yield from raw.splitlines(keepends=True)
        else:
            yield raw


def _decoded(path: Path, number: int, raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as cause:
        byte = raw[cause.start]
        name = "UTF-8" if encoding == "utf-8" else encoding
        msg = f"{path}, line {number}: byte 0x{byte:02x} is not {name}; save the file as UTF-8"
        raise DataError(msg) from cause


def _parsed(path: Path, number: int, line: str) -> dict[str, object]:
    cut = "" if line.endswith("\n") else "; the file seems to be cut off here, fetch it again"
    value = parse_json(
        line, where=f"{path}, line {number}", wanted="a complete JSON object", advice=cut
    )
    if not isinstance(value, dict):
        msg = f"{path}, line {number}: expected a JSON object, found {line.strip()!r:.60}"
        raise DataError(msg)
    fields = cast("dict[str, object]", value)
    if "\\ud" in line.lower():
        _require_whole_characters(path, number, fields)
    return fields


def parse_json(text: str, *, where: str, wanted: str, advice: str) -> object:
    """Return the value of a JSON text.

    Args:
        text: the text.
        where: its place, for errors.
        wanted: what it should be, for errors.
        advice: what to do about a text that is none, with the sign before it.

    Raises:
        DataError: it is not complete JSON, is nested too deeply, or an object has a key twice.
    """
    try:
        return cast("object", json.loads(text, object_pairs_hook=_build_object))
    except _RepeatedKeyError as cause:
        msg = (
            f"{where}: the key {cause.args[0]!r} occurs twice in one object; give each its own name"
        )
        raise DataError(msg) from cause
    except RecursionError as cause:
        msg = f"{where}: JSON is nested too deeply to be read; give flat objects"
        raise DataError(msg) from cause
    except ValueError as cause:
        msg = f"{where}: not {wanted} ({cause}){advice}"
        raise DataError(msg) from cause


class _RepeatedKeyError(Exception):
    """A JSON object has a key twice; which of its values is meant is not known."""


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    built = dict(pairs)
    if len(built) != len(pairs):
        seen = set[str]()
        raise _RepeatedKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))
    return built


def _require_whole_characters(path: Path, number: int, value: object) -> None:
    # JSON can hold half a character (a lone surrogate), which cannot be encoded.
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as cause:
        msg = f"{path}, line {number}: holds half a character (a lone \\u surrogate); remove it"
        raise DataError(msg) from cause
