"""CSV for spreadsheets: the one writer of rows, whose cells are never run as formulas."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from numbers import Number
from typing import IO

__all__ = ["CsvTable", "defuse"]

_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of a cell that spreadsheets do not take as text, also as full-width letters."""
_BOM = "\ufeff"
"""Spreadsheets drop it at the beginning of a file."""
_LINE_END = "\r\n"


def defuse(cell: object) -> object:
    """Return a cell with `'` before what a spreadsheet would run as a formula.

    A cell of any type but a number is judged by the text that is written for it.
    """
    if cell is None or isinstance(cell, Number):
        return cell
    text = str(cell)
    return f"'{text}" if text.lstrip(_BOM).startswith(_BEGINNINGS) else cell


class CsvTable:
    """Rows written to an open text file; headings are a row like any other.

    Args:
        file: Text file, opened with `newline=""`.
        raw: Write cells unchanged, also those that a spreadsheet would run.
        line_end: End of each row.
    """

    def __init__(self, file: IO[str], *, raw: bool = False, line_end: str = _LINE_END) -> None:
        self._file = file
        self._raw = raw
        self._line_end = line_end
        # With this line end, cells that hold a carriage return are quoted too.
        self._rows = csv.writer(self, lineterminator=_LINE_END)

    def add(self, cells: Iterable[object]) -> None:
        """Write a row; `None` is an empty cell."""
        self._rows.writerow(cells if self._raw else map(defuse, cells))

    def write(self, line: str) -> int:
        """Write a row with its line end: `csv` calls this."""
        return self._file.write(line.removesuffix(_LINE_END) + self._line_end)
