"""Rescue of a store whose file is damaged: every row that can still be read is copied into a new store."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import UNREADABLE, StopReason, from_json, replace, to_json
from peerjudge.errors import DataError, StoreError
from peerjudge.store.database import STORE_FILE, locate, lock_file, open_database
from peerjudge.store.rows import Head
from peerjudge.store.schema import discussions, schema, tables, turns

_PAGE = 500
_GAPS = 64
"""Most damaged places of a table between which rows are looked for."""

_Rows = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescue:
    """Result of a rescue: the new store, the rows copied by table, and the tables with damaged places."""

    store: str
    rows: dict[str, int]
    damaged: tuple[str, ...]


async def rescue_store(place: str | Path, target: str | Path) -> Rescue:
    """Copy every row that can be read of the store at a place into a new store.

    SQLite keeps rows in pages. A damaged page hides its own rows, and stops every reader that meets it;
    here each table is read from both ends and from the middle of what is left. A row that was read may
    still be wrong, as `examine_store` finds.

    Args:
        place: Folder or file; the store is not changed.
        target: Folder of the new store, with none in it yet.

    Raises:
        StoreError: The store is on a server, there is none, another process writes to it, the target has
            one already, or not even the list of tables can be read.
    """
    source, new = locate(place), locate(Path(target) / STORE_FILE)
    if source.file is None or not source.file.exists():
        msg = f"{source.name} is not the file of a store; a database on a server has backups of its own"
        raise StoreError(msg)
    if new.file is None or new.file.exists():
        msg = f"there is a store at {new.name} already; choose another folder"
        raise StoreError(msg)
    new.file.parent.mkdir(parents=True, exist_ok=True)
    with lock_file(source.file):
        async with open_database(new, writable=True):
            pass
        copied, damaged = _copy(source.file, new.file)
    return Rescue(store=new.name, rows=copied, damaged=damaged)


def _copy(source: Path, target: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    copied: dict[str, int] = {}
    damaged: list[str] = []
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        for table in tables.sorted_tables:
            if table is schema:
                continue
            walk = _Walk(old, table.name, [column.name for column in table.columns])
            marks = ",".join("?" for _ in table.columns)
            before = new.total_changes
            for rows in walk.read():
                new.executemany(f'INSERT OR IGNORE INTO "{table.name}" VALUES ({marks})', rows)  # noqa: S608
            copied[table.name] = new.total_changes - before
            if walk.failed:
                damaged.append(table.name)
        # A discussion that is played again must not meet the turns of a lost one.
        orphans = f"DELETE FROM {turns.name} WHERE discussion NOT IN (SELECT number FROM {discussions.name})"  # noqa: S608
        copied[turns.name] -= new.execute(orphans).rowcount
        if turns.name in damaged:
            _reopen(new)
        new.commit()
    return copied, tuple(damaged)


def _reopen(store: sqlite3.Connection) -> None:
    """Make complete discussions unfinished, as their last turns may be lost.

    The next run asks their protocol what is missing; a discussion that lacks nothing costs nothing.
    """
    query = f"SELECT number, head FROM {discussions.name} WHERE stop IS NOT NULL"  # noqa: S608
    for number, body in store.execute(query).fetchall():
        try:
            head = from_json(Head, body)
        except DataError:
            continue  # `examine_store` removes it.
        if head.stop is not StopReason.FAILED:
            opened = to_json(replace(head, stop=None, failure=None, verdict=UNREADABLE))
            change = f"UPDATE {discussions.name} SET stop = NULL, head = ? WHERE number = ?"  # noqa: S608
            store.execute(change, (opened, number))


class _Walk:
    """Reading of one table by its row ids, around what cannot be read."""

    def __init__(self, connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
        self.failed = False
        self._connection = connection
        self._columns = ",".join(f'"{name}"' for name in ("rowid", *columns))
        self._table = table
        self._gaps = _GAPS

    def read(self) -> Iterator[_Rows]:
        """Yield the rows that can be read, a page at a time."""
        waiting = [(-(2**63), 2**63 - 1)]
        while waiting and self._gaps:
            self._gaps -= 1
            low, high = waiting.pop(0)
            low = yield from self._read_from(low, high, forward=True)
            if low >= high:
                continue
            self.failed = True
            high = yield from self._read_from(low, high, forward=False)
            if high - low > 2:
                middle = (low + high) // 2
                waiting += [(low, middle), (middle - 1, high)]

    def _read_from(self, low: int, high: int, *, forward: bool) -> Generator[_Rows, None, int]:
        """Yield rows from one end; return the last row id before a page that cannot be read, or the end."""
        size = _PAGE
        while True:
            rows = self._select(self._columns, low, high, forward=forward, size=size)
            if rows is None and size > 1:
                size = 1  # Up to the damaged place, row by row.
                continue
            if rows is None:
                # Long rows go on in pages of their own: the row is lost, and its page can be read.
                self.failed = True
                rows = self._select("rowid", low, high, forward=forward, size=1)
                if rows is None:
                    return low if forward else high
            elif rows:
                yield [row[1:] for row in rows]
            if not rows:
                return high if forward else low
            low, high = (int(str(rows[-1][0])), high) if forward else (low, int(str(rows[-1][0])))

    def _select(
        self, columns: str, low: int, high: int, *, forward: bool, size: int
    ) -> _Rows | None:
        """Return rows between two row ids, without them; `None` where a page cannot be read."""
        query = (
            f'SELECT {columns} FROM "{self._table}" NOT INDEXED WHERE rowid > ? AND rowid < ? '  # noqa: S608
            f"ORDER BY rowid {'ASC' if forward else 'DESC'} LIMIT {size}"
        )
        try:
            return self._connection.execute(query, (low, high)).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return None
