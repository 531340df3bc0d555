"""Rows of a data file in any of three forms: JSON Lines, one JSON list, or a table with a header."""

from __future__ import annotations

import csv
from collections.abc import ItemsView, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from peerjudge.data.choices import suggest_name
from peerjudge.datasets.lines import (
    Bad,
    Row,
    read_items,
    read_lines,
    read_object,
    read_rows,
    require_size,
)
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError

DELIMITERS = (",", ";", "\t", "|")
_MISSING = object()
"""Stands for the value of a column that a row does not have."""
_BATCH = 1000
"""Rows of a Parquet file that are read at once."""
_SAMPLED = 50
"""Records that a delimiter must split into equally many cells."""
_LONGEST_CELL = 2**27
"""Longest cell of a table; conversations exceed the 128 KB of Python's reader. [characters]"""


def read_table(
    path: Path,
    options: Options,
    *,
    bad: Bad | None = None,
    may_be_empty: frozenset[str] = frozenset(),
) -> Iterator[Row]:
    """Yield the objects of a file, by its first character: `[` a JSON list, `{` JSON Lines, else a table.

    Empty cells of a table are left out, except in the fields of `may_be_empty`. Fields have the
    names that the format expects (`options.names`).

    Raises:
        DataError: as `read_unmapped`, which does the same without the names; or a name is mapped that the
            caller never reads.
    """
    names = options.names
    empty = frozenset(names.get(name, name) for name in may_be_empty)
    seen = set[str]()
    for row in read_unmapped(path, options, bad=bad, may_be_empty=empty):
        renamed = rename(names, row)
        yield renamed.enter(_Watched(renamed.fields, seen)) if names else renamed
    unread = sorted(names.keys() - seen)
    if unread:
        msg = f"{path}: --map names {unread[0]!r}, a field that this format does not read; correct the name"
        raise DataError(msg)


class _Watched(dict[str, object]):
    """Fields of a row that note which of them are read, for one file."""

    def __init__(self, fields: Mapping[str, object], seen: set[str]) -> None:
        super().__init__(fields)
        self.seen = seen

    def get(self, key: str, default: object = None, /) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.seen.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> object:
        self.seen.add(key)
        return super().__getitem__(key)

    def items(self) -> ItemsView[str, object]:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.seen.update(self)
        return super().items()


def read_unmapped(
    path: Path,
    options: Options,
    *,
    bad: Bad | None = None,
    may_be_empty: frozenset[str] = frozenset(),
) -> Iterator[Row]:
    """Yield the objects of a file under the names that they have there.

    Without a delimiter in the options, it is the one of `, ; tab |` that splits the first records into
    equally many cells. `bad` is called with the error of a line of JSON or a record that cannot be read.

    Raises:
        DataError: with file and line, for a file that cannot be read in its form, and for a table without
            a column that is mapped.
    """
    encoding = options.encoding
    if _is_parquet(path):
        return _read_parquet(path)
    if path.suffix in (".yaml", ".yml"):
        msg = f"{path} is YAML, which is not read; let its tool write JSON, or convert it"
        raise DataError(msg)
    start = _peek(path, encoding)
    if start in ("[", "{") and options.delimiter:
        msg = f"{path} is JSON, which has no delimiter; leave out --delimiter"
        raise DataError(msg)
    if start == "[":
        return read_items(path, encoding=encoding)
    if start == "{" and not _begins_with_object(path, encoding):
        with suppress(DataError):  # else the line that cannot be read is named
            return iter([Row(path, 1, read_object(path, encoding=encoding), "item")])
    if start == "{":
        return read_rows(path, encoding=encoding, bad=bad)
    delimiter = options.delimiter or find_delimiter(path, encoding=encoding)
    needed = options.names.values()
    return read_cells(
        path,
        delimiter=delimiter,
        encoding=encoding,
        may_be_empty=may_be_empty,
        needed=needed,
        bad=bad,
    )


def rename(names: Mapping[str, str], row: Row) -> Row:
    """Return the row with its fields under the names that the format expects.

    Raises `DataError` where the first row lacks a field that is mapped.
    """
    if not names:
        return row
    if row.line == 1:
        _require_fields(row, names.values())
    taken = set(names.values())
    found = {name: _find_value(row.fields, theirs) for name, theirs in names.items()}
    renamed = {name: value for name, value in found.items() if value is not _MISSING}
    kept = {key: value for key, value in row.fields.items() if key not in taken}
    return row.enter({**kept, **renamed})


def _require_fields(row: Row, needed: Iterable[str]) -> None:
    missing = sorted(one for one in set(needed) if _find_value(row.fields, one) is _MISSING)
    if missing:
        hint = suggest_name(missing[0], row.fields)
        msg = f"there is no field {missing[0]!r} to map{hint} (found {sorted(row.fields)})"
        raise row.error(msg)


def _find_value(fields: Mapping[str, object], column: str) -> object:
    """Return the value of a column; of `message.content`, that inside an object or list of this name."""
    if column in fields:
        return fields[column]
    value = cast("object", fields)
    for key in column.split("."):
        if isinstance(value, dict):
            value = cast("dict[str, object]", value).get(key, _MISSING)
        elif isinstance(value, list) and key.isdecimal():
            listed = cast("list[object]", value)
            value = listed[int(key)] if int(key) < len(listed) else _MISSING
        else:
            return _MISSING
    return value


def read_cells(
    path: Path,
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
    may_be_empty: frozenset[str] = frozenset(),
    needed: Iterable[str] = (),
    bad: Bad | None = None,
) -> Iterator[Row]:
    """Yield the records of a table by the names in its header; line numbers are those of the file.

    A cell may span lines if it is quoted. Empty cells are left out, except in the columns of
    `may_be_empty`. `bad` is called with the error of a record with another number of cells; without it,
    the error is raised.

    Raises:
        DataError: with file and line, for an unquoted delimiter or quote, a header that repeats a name or
            lacks a `needed` one, and a table without records.
    """
    records = _read_records(path, delimiter, encoding)
    first, header = next(records, (1, list[str]()))
    header = [name.strip() for name in header]
    if not header:
        msg = f"{path} is empty; give a header line and one comparison per record"
        raise DataError(msg)
    other = next((_NAMES[one] for one in DELIMITERS if one != delimiter and one in header[0]), "")
    if len(header) == 1 and other:
        msg = (
            f"{path}, line {first}: the columns are separated by a {other}, not by a "
            f"{_NAMES.get(delimiter, delimiter)}; save the table with the latter"
        )
        raise DataError(msg)
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        msg = f"{path}, line {first}: the column {twice[0]!r} occurs twice; give each its own name"
        raise DataError(msg)
    _require_fields(Row(path, first, dict.fromkeys(header)), needed)
    found = False
    for line, cells in records:
        found = True
        if len(cells) != len(header):
            msg = (
                f"{path}, line {line}: {len(cells)} cells under a header of {len(header)};"
                f" quote cells that hold a {_NAMES.get(delimiter, delimiter)} or a line break"
            )
            if bad is None:
                raise DataError(msg)
            bad(DataError(msg))
            continue
        named = zip(header, cells, strict=True)
        yield Row(path, line, {key: cell for key, cell in named if cell or key in may_be_empty})
    if not found:
        msg = f"{path} has a header but no records; give one comparison per record"
        raise DataError(msg)


_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def find_delimiter(path: Path, *, encoding: str = "utf-8") -> str:
    """Return the delimiter that splits the header; of several, the one that splits all records alike.

    Raises:
        DataError: none does, or several do.
    """
    for _, line in read_lines(path, encoding=encoding):
        if _names_delimiter(line):
            return line.strip("\r\n")[-1]
        break
    widths = {each: _measure_records(path, each, encoding) for each in DELIMITERS}
    fitting = [each for each, found in widths.items() if found and found[0] > 1]
    if len(fitting) > 1:
        fitting = [each for each in fitting if len(set(widths[each])) == 1] or fitting
    if len(fitting) != 1:
        several = " and ".join(_NAMES[one] for one in fitting)
        what = f"may be split by {several}" if fitting else "is no table with several columns"
        msg = (
            f"{path} {what}; name the character between cells with --delimiter, or give JSON Lines"
        )
        raise DataError(msg)
    return fitting[0]


def _measure_records(path: Path, delimiter: str, encoding: str) -> list[int]:
    """Return the number of cells in the first records, up to one that cannot be read."""
    widths: list[int] = []
    try:
        for _, cells in _read_records(path, delimiter, encoding):
            widths.append(len(cells))
            if len(widths) > _SAMPLED:
                break
    except DataError:
        widths.append(0)
    return widths


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _read_parquet(path: Path) -> Iterator[Row]:
    if find_spec("pyarrow") is None:
        msg = f"{path} is a Parquet file: run `pip install 'peerjudge[parquet]'` to read it"
        raise DataError(msg)
    require_size(path)
    # pyarrow has no type stubs.
    parquet = cast("Any", import_module("pyarrow.parquet"))
    try:
        number = 0
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=_BATCH):
            for fields in batch.to_pylist():
                number += 1
                yield Row(path, number, fields, "item")
    except (OSError, ValueError) as cause:
        msg = f"{path} cannot be read as Parquet: {cause}"
        raise DataError(msg) from cause


def _begins_with_object(path: Path, encoding: str) -> bool:
    """Return whether the first line is a whole object, so that the file has one in each line."""
    first = next(line.strip() for _, line in read_lines(path, encoding=encoding) if line.strip())
    return first.rstrip(",").endswith("}")


def _peek(path: Path, encoding: str) -> str:
    """Return the first character that is no white space."""
    for _, line in read_lines(path, encoding=encoding):
        if text := line.strip():
            return text[0]
    msg = f"{path} is empty"
    raise DataError(msg)


def _names_delimiter(line: str) -> bool:
    """Return whether a line is that by which spreadsheets name the delimiter, such as `sep=;`."""
    return line.strip("\r\n").lower() in [f"sep={each}" for each in DELIMITERS]


def _read_records(path: Path, delimiter: str, encoding: str) -> Iterator[tuple[int, list[str]]]:
    # Each with the line on which it begins, without empty lines.
    if len(delimiter) != 1 or delimiter in '"\r\n':
        msg = f"the delimiter of a table is one character between its cells, not {delimiter!r}"
        raise DataError(msg)
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    numbered = read_lines(path, encoding=encoding)
    lines = (line for number, line in numbered if not (number == 1 and _names_delimiter(line)))
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    begins = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as cause:
            msg = f"{path}, line {begins}: {cause}; a cell with quotes, {_NAMES.get(delimiter, '')}s or"
            msg += ' line breaks must stand in quotes, with each quote in it written twice ("")'
            raise DataError(msg) from cause
        if cells:
            yield begins, cells
        begins = reader.line_num + 1
