"""Tables of typed columns and sections: one definition each, for terminal, page, frame, CSV and LaTeX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from peerjudge.data import Measurement, Noun, to_plain
from peerjudge.marks import mark_controls
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import (
    MISSING,
    SIMULATED,
    decimal,
    interval,
    p_value,
    percent,
    points,
    share,
    signed,
    span,
)
from peerjudge.spreadsheets import CsvTable

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table as RichTable

R = TypeVar("R")

Kind: TypeAlias = Literal["plain", "share", "points", "p"]
"""How a value is shown: a share in %, a difference in points, a p-value; or as it is."""

_WIDEST = 10_000
_PAGE = 134
"""About the number of letters in a row of a table across a page."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that holds several values, or one that is shown in a way of its own.

    `text` is shown. `values` are its values by the ending of their names in records and frames: of a column
    `range`, `{"_low": 0.6, "_high": 0.8}` are `range_low` and `range_high`.
    """

    text: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return self.text


def build_range(low: float, high: float, digits: int = 0) -> Cell:
    """Return the least and the greatest possible share as a cell, in percent as shown."""
    return Cell(span(low, high, digits), {"_low": low, "_high": high})


def build_couple(one: float, other: float, digits: int = 2) -> Cell:
    """Return a number and the one that it stands against as a cell."""
    return Cell(f"{decimal(one, digits)} : {decimal(other, digits)}", {"": one, "_other": other})


def build_points(measured: Measurement, digits: int = 0) -> Cell:
    """Return a difference as a cell in percentage points, for a column of shares."""
    return Cell(points(measured, digits), dict(_spread("", measured)))


@dataclass(frozen=True, slots=True)
class Column:
    """A typed column: its heading, where a row has its value, and how that is shown.

    `read` is a path of attributes or keys (`total.accuracy`; `""` is the row itself), or a function of the
    row. A path that meets `None` or a missing key is a missing value. A `Measurement` is shown with its
    interval. `key` is the name of the column in records and frames, by default the end of the path or the
    heading; `about` is its meaning, which stands in the note of the table.
    """

    heading: str
    read: str | Callable[[Any], object]
    kind: Kind = "plain"
    digits: int | None = None
    about: str = ""
    key: str = ""

    @property
    def name(self) -> str:
        """The name of the column in records and frames."""
        end = self.read.rpartition(".")[2] if isinstance(self.read, str) else ""
        return self.key or end or self.heading.lower().replace(" ", "_")

    def value(self, row: object) -> object:
        """Return the value of a row, `None` where it has none; a text without letters is none."""
        value = _read_path(row, self.read) if isinstance(self.read, str) else self.read(row)
        return None if isinstance(self.read, str) and value == "" else value

    def show(self, value: object) -> str:
        """Return a value as it stands in the table."""
        if value is None:
            return MISSING
        if isinstance(value, str | Cell):
            return str(value)
        digits = self.digits or 0
        number = cast("float", value)
        if isinstance(value, Measurement):
            if self.kind == "share":
                return percent(value, digits)
            if self.kind == "points":
                return points(value, digits)
            return interval(value, self.digits_or(3))
        if self.kind == "share":
            return share(number, digits)
        if self.kind == "points":
            return signed(number, digits)
        if self.kind == "p":
            return p_value(number)
        if isinstance(value, float):
            return decimal(number, self.digits_or(3))
        return f"{value:,}" if isinstance(value, int) else str(value)

    def digits_or(self, default: int) -> int:
        """Return the number of digits after the point."""
        return default if self.digits is None else self.digits


AnyColumn: TypeAlias = Column | tuple[str, Callable[[R], object]]
"""A column, or one of any values as its heading and its function."""


def _read_path(row: object, path: str) -> object:
    for name in path.split(".") if path else ():
        if row is None:
            return None
        if isinstance(row, Mapping):
            row = cast("Mapping[str, object]", row).get(name)
        elif name.isdigit():
            row = cast("Sequence[object]", row)[int(name)]
        else:
            row = getattr(row, name)
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. The title states the unit; the first `names` columns are names.

    `rows` are its cells as they are shown, `values` what these stand for; a table of texts has no `columns`.
    `groups` are headings above the columns of numbers, each with the number of columns below it.
    `total` says that the last row is a sum. A `folded` table is closed on a page until it is opened.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    note: str = ""
    groups: tuple[tuple[str, int], ...] = ()
    total: bool = False
    folded: bool = False
    columns: tuple[str, ...] = ()
    values: tuple[tuple[object, ...], ...] = ()

    @property
    def is_wide(self) -> bool:
        """True if the columns fit a page only with intervals on a second line."""
        return self.is_wider_than(_PAGE)

    @property
    def labels(self) -> tuple[str, ...]:
        """The headings, each below a group with the name of the group before it."""
        groups = [name for name, size in self.groups for _ in range(size)]
        above = [""] * (len(self.headings) - len(groups)) + groups
        return tuple(
            f"{group}: {heading}" if group else heading
            for group, heading in zip(above, self.headings, strict=True)
        )

    def is_wider_than(self, letters: int) -> bool:
        """Return whether the columns need more than so many letters, with every cell on one line."""
        columns = zip(self.headings, *self.rows, strict=True)
        widths = (max(map(len, (*heading.split(), *cells))) for heading, *cells in columns)
        return sum(width + 2 for width in widths) > letters

    def without_note(self) -> Table:
        """Return the table without its note."""
        return replace(self, note="")

    def first(self, most: int) -> Table:
        """Return the table with at most so many rows."""
        return replace(self, rows=self.rows[:most], values=self.values[:most])

    def only(self, *headings: str) -> Table:
        """Return the table with these columns, as far as it has them."""
        return self.take(
            [self.headings.index(heading) for heading in headings if heading in self.headings]
        )

    def pick(self, *places: int) -> Table:
        """Return the table with the columns of names and those at these places."""
        return self.take([*range(self.names), *places])

    def take(self, places: Sequence[int]) -> Table:
        """Return the table with the columns at these places."""

        def pick(row: Sequence[R]) -> tuple[R, ...]:
            return tuple(row[place] for place in places)

        return replace(
            self,
            headings=pick(self.headings),
            rows=tuple(map(pick, self.rows)),
            names=sum(place < self.names for place in places),
            columns=pick(self.columns) if self.columns else (),
            values=tuple(map(pick, self.values)),
        )

    def records(self) -> list[dict[str, object]]:
        """Return the rows as plain values by column; `x_low`, `x_high` and `x_n` belong to a measured `x`."""
        rows: Sequence[Sequence[object]] = self.values if self.columns else self.rows
        names = self.columns or self.headings
        records: list[dict[str, object]] = [{} for _ in rows]
        taken = Counter[str]()
        for place, name in enumerate(names):
            cells = [
                dict(_spread(name, row[place])) if row[place] is not None else {} for row in rows
            ]
            keys = [*dict.fromkeys(key for cell in cells for key in cell)] or [name]
            for key in keys:
                taken[key] += 1
                # A category or a contestant may have the name of another column.
                own = f"{key}_{taken[key]}" if taken[key] > 1 else key
                for record, cell in zip(records, cells, strict=True):
                    if key in cell or (key == keys[0] and not cell):
                        record[own] = cell.get(key)
        return records

    def to_csv(self) -> str:
        """Return the records as CSV with a line of headings; none is a formula of a spreadsheet."""
        records, written = self.records(), StringIO()
        keys = list(dict.fromkeys(key for record in records for key in record))
        table = CsvTable(written, line_end="\n")
        table.add(keys)
        for one in records:
            table.add(one.get(key) for key in keys)
        return written.getvalue()

    @property
    def df(self) -> pd.DataFrame:
        """The records as a frame.

        Raises:
            DataError: pandas is not installed.
        """
        from peerjudge.analysis.frames import import_pandas

        return import_pandas().DataFrame(self.records())


def _spread(name: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, Cell):
        return [(name + end, one) for end, one in value.values.items()]
    if not isinstance(value, Measurement):
        return [(name, to_plain(value) if isinstance(value, Noun) else value)]
    ends = (("", value.value), ("_low", value.low), ("_high", value.high), ("_n", value.n))
    return [(name + end, number) for end, number in ends]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: sentences, facts by name, figures, tables and sections below it."""

    id: str
    title: str
    parts: Sequence[Part]


Part: TypeAlias = "str | Mapping[str, str] | Figure | Table | Section"


def build_section(
    title: str, *parts: Part | None, anchor: str = "", required: bool = False
) -> Section | None:
    """Return the parts as a section, or `None` if there is nothing but sentences in it.

    Args:
        title: of the section.
        parts: in order; `None` and tables without rows are left out.
        anchor: its id; by default the title in lower case.
        required: keep a section of sentences only.
    """
    held = [part for part in parts if part and not (isinstance(part, Table) and not part.rows)]
    if not required and all(isinstance(part, str) for part in held):
        return None
    return Section(anchor or title.lower().replace(" ", "-"), title, held)


def build_table(
    title: str,
    rows: Iterable[R],
    *columns: AnyColumn[R],
    names: int = 1,
    note: str = "",
    folded: bool = False,
    total: bool = False,
    groups: tuple[tuple[str, int], ...] = (),
) -> Table:
    """Return rows as a table, without the columns that have no value in any row.

    All columns stay if there are groups, or if only the names would be left.
    """
    held = list(rows)
    typed = [column if isinstance(column, Column) else Column(*column) for column in columns]
    values = [[one.value(row) for row in held] for one in typed]
    cells = [[one.show(cell) for cell in own] for one, own in zip(typed, values, strict=True)]
    kept = [
        place for place, own in enumerate(cells) if groups or any(cell != MISSING for cell in own)
    ]
    if all(place < names for place in kept):
        kept = list(range(len(typed)))
    meanings = [f"{typed[at].heading}: {typed[at].about}." for at in kept if typed[at].about]
    table = Table(
        title=title,
        headings=tuple(column.heading for column in typed),
        rows=tuple(zip(*cells, strict=True)),
        names=names,
        note=" ".join([*meanings, *([note] if note else [])]),
        folded=folded,
        total=total,
        groups=groups,
        columns=tuple(column.name for column in typed),
        values=tuple(zip(*values, strict=True)),
    )
    return table.take(kept)


def build_generic_table(title: str, rows: Sequence[Noun]) -> Table:
    """Return rows with one column for each field: for a measure without a table of its own."""
    fields = list(rows[0].__struct_fields__) if rows else []
    columns = [Column(name.replace("_", " ").capitalize(), name) for name in fields]
    return build_table(title, rows, *columns)


def print_table(table: Table, console: Console) -> None:
    """Print a table that has rows, and its note below it."""
    from rich.text import Text

    if table.rows:

        def fits(part: Table) -> bool:
            options = console.options.update(width=_WIDEST)
            drawn = _rich_table(part, wraps=False)
            return console.measure(drawn, options=options).maximum <= console.width

        for part in _split_columns(table, fits):
            # Broken cells are harder to read than cut ones, but they are complete.
            console.print(_rich_table(part, wraps=not fits(part)))
        if table.note:
            console.print(Text(table.note))


def _split_columns(table: Table, fits: Callable[[Table], bool]) -> list[Table]:
    """Return a table that is too wide as several below each other, each with the columns of names.

    Rows without a value in a later part are left out there. A table whose names leave no room for any
    column of numbers stays whole.
    """
    every = range(table.names, len(table.headings))
    if fits(table) or table.groups or not all(fits(table.pick(place)) for place in every):
        return [table]
    parts: list[Table] = []
    taken: list[int] = []
    for place in every:
        wider = _pick_part(table, [*taken, place], first=not parts)
        if taken and not fits(wider):
            parts.append(_pick_part(table, taken, first=not parts))
            taken = []
        taken.append(place)
    parts.append(_pick_part(table, taken, first=not parts))
    return [part for part in parts if part.rows]


def _pick_part(table: Table, places: Sequence[int], *, first: bool) -> Table:
    part = table.pick(*places)
    if first:
        return part
    known = [any(cell != MISSING for cell in row[table.names :]) for row in part.rows]
    return replace(
        part,
        title=f"{table.title.partition(':')[0]} (continued)",
        rows=tuple(compress(part.rows, known)),
        values=tuple(compress(part.values, known)),
    )


def join_notes(parts: Iterable[str | Table]) -> list[str | Table]:
    """Return the parts that show something; of tables in a row with one note, only the last keeps it."""
    shown = [part for part in parts if not isinstance(part, Table) or part.rows]
    return [
        part.without_note()
        if isinstance(part, Table) and isinstance(after, Table) and part.note == after.note
        else part
        for part, after in pairwise([*shown, ""])
    ]


def print_parts(parts: Iterable[str | Table], console: Console, *, wrap: bool) -> None:
    """Print sentences and tables in order; `wrap` breaks long sentences at the width of the console."""
    from rich.text import Text

    for part in join_notes(parts):
        if isinstance(part, Table):
            print_table(part, console)
        else:
            text = Text(part, style="bold" if part == SIMULATED else "")
            console.print(text, soft_wrap=not wrap)


def _rich_table(table: Table, *, wraps: bool) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    def show(cell: str) -> Text:
        # Names come from data: a line break in one is marked too, so that no cell forges a row.
        return Text(mark_controls(cell))

    title = Text(f"\n{mark_controls(table.title)}", style="bold")

    drawn = RichTable(
        # A title is broken where its table ends, so that no table is narrower than its title.
        min_width=min(len(table.title), 80),
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
        header_style="",
    )
    for place, heading in enumerate(table.labels):
        if place < table.names:
            drawn.add_column(
                show(heading), overflow="fold", min_width=1 if wraps else min(len(heading), 8)
            )
        else:
            drawn.add_column(show(heading), justify="right", no_wrap=not wraps, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(show, row))
    return drawn
