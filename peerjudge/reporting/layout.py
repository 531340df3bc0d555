"""Tables and sections: one definition each, shown in a terminal or on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from peerjudge.data import Measurement, Noun
from peerjudge.marks import mark_controls
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import MISSING, SIMULATED, decimal, interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

R = TypeVar("R")
Column: TypeAlias = tuple[str, Callable[[R], str]]
"""The heading of a column and the function that formats its cell of a row."""


_WIDEST = 10_000
_PAGE = 134
"""About the number of letters in a row of a table across a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of formatted cells. The title states the unit; the first `names` columns are names.

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

    @property
    def is_wide(self) -> bool:
        """True if the columns fit a page only with intervals on a second line."""
        columns = zip(self.headings, *self.rows, strict=True)
        widths = (max(map(len, (*heading.split(), *cells))) for heading, *cells in columns)
        return sum(width + 2 for width in widths) > _PAGE

    def without_note(self) -> Table:
        """Return the table without its note."""
        return replace(self, note="")

    def only(self, *headings: str) -> Table:
        """Return the table with these columns, as far as it has them."""
        places = [self.headings.index(one) for one in headings if one in self.headings]
        return replace(
            self,
            headings=tuple(self.headings[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
            names=sum(place < self.names for place in places),
        )


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
    *columns: Column[R],
    names: int = 1,
    note: str = "",
    folded: bool = False,
    total: bool = False,
    groups: tuple[tuple[str, int], ...] = (),
) -> Table:
    """Format rows as a table, without the columns that have no value in any row.

    All columns stay if there are groups, or if only the names would be left.
    """
    held = list(rows)
    cells = [[cell(row) for row in held] for _, cell in columns]
    kept = [
        place
        for place in range(len(columns))
        if groups or any(cell != MISSING for cell in cells[place])
    ]
    if all(place < names for place in kept):
        kept = list(range(len(columns)))
    return Table(
        title=title,
        headings=tuple(columns[place][0] for place in kept),
        rows=tuple(zip(*(cells[place] for place in kept), strict=True)),
        names=sum(place < names for place in kept),
        note=note,
        folded=folded,
        total=total,
        groups=groups,
    )


def build_generic_table(title: str, rows: Sequence[Noun]) -> Table:
    """Format rows with one column for each field: for a measure without a table of its own."""
    fields = list(rows[0].__struct_fields__) if rows else []
    return Table(
        title=title,
        headings=tuple(name.replace("_", " ").capitalize() for name in fields),
        rows=tuple(tuple(_cell(getattr(row, name)) for name in fields) for row in rows),
    )


def _cell(value: object) -> str:
    if isinstance(value, Measurement):
        return interval(value)
    if isinstance(value, float):
        return decimal(value)
    if value is None:
        return MISSING
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(table: Table, console: Console) -> None:
    """Print a table that has rows, and its note below it."""
    from rich.text import Text

    if table.rows:
        drawn = _rich_table(table, wraps=False)
        if (
            console.measure(drawn, options=console.options.update(width=_WIDEST)).maximum
            > console.width
        ):
            # Broken cells are harder to read than cut ones, but they are complete.
            drawn = _rich_table(table, wraps=True)
        console.print(drawn)
        if table.note:
            console.print(Text(table.note))


def print_parts(parts: Iterable[str | Table], console: Console, *, wrap: bool) -> None:
    """Print sentences and tables in order; `wrap` breaks long sentences at the width of the console."""
    from rich.text import Text

    for part in parts:
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
    for place, heading in enumerate(_headings(table)):
        if place < table.names:
            drawn.add_column(
                show(heading), overflow="fold", min_width=1 if wraps else min(len(heading), 8)
            )
        else:
            drawn.add_column(show(heading), justify="right", no_wrap=not wraps, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(show, row))
    return drawn


def _headings(table: Table) -> list[str]:
    """Return the headings, each below a group with the name of the group before it."""
    groups = [name for name, size in table.groups for _ in range(size)]
    above = [""] * table.names + groups if groups else [""] * len(table.headings)
    return [
        f"{group}: {one}" if group else one
        for group, one in zip(above, table.headings, strict=True)
    ]
