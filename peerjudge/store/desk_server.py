"""Place of a desk: beside the file of a store, or in the database of the store on a server.

The tables on a server are in a schema of their own, `peerjudge_desk`, with their own version: the
tables of the store do not change with them. All runs of a database share one desk, as all runs into one
folder do.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from peerjudge.errors import StoreError
from peerjudge.store.database import STORE_FILE, Location, create_engine, describe_error, locate
from peerjudge.store.desk import DESK_FILE, Desk
from peerjudge.store.desk_file import NO_REQUEST, list_tables

SCHEMA = 1
_LOCK = 7_230_197_512
"""Advisory lock of a database: one writer of the desk at a time, as in a file."""
_TABLES = (
    "CREATE SCHEMA IF NOT EXISTS peerjudge_desk",
    *list_tables("BIGSERIAL"),
    "CREATE INDEX tasks_by_card ON tasks (card, number)",
    "CREATE TABLE desk_schema (number INTEGER PRIMARY KEY)",
)
FIND_DESK = "SELECT CAST(to_regclass('peerjudge_desk.desk_schema') AS TEXT)"
COUNT_OPEN = (
    "SELECT card, count(*) FROM peerjudge_desk.tasks AS tasks WHERE NOT EXISTS "
    "(SELECT 1 FROM peerjudge_desk.answers AS answers WHERE answers.task = tasks.id) GROUP BY card"
)
# Postgres refuses to convert the escape of NUL to text, which a question may hold.
_LISTED = (
    "SELECT id, substr(request #>> '{sheet,question}', 1, 160), state, request ->> 'expects', "
    "coalesce(request #>> '{sheet,place}', '') <> '', "
    "coalesce(json_array_length(request #> '{sheet,heard}'), 0) FROM ("
    "SELECT tasks.id, number, replace(tasks.body, '\\u0000', '\\ufffd')::json AS request, "
    "CASE WHEN taken IS NOT NULL THEN 'taken' "
    "WHEN EXISTS (SELECT 1 FROM answers WHERE answers.task = tasks.id) THEN 'answered' "
    "WHEN drafts.task IS NOT NULL THEN 'draft' ELSE 'open' END AS state "
    "FROM tasks LEFT JOIN drafts ON drafts.task = tasks.id WHERE card = ?) AS tasks ORDER BY number"
)

T = TypeVar("T")
Row = tuple[Any, ...]


class Rows:
    """Rows of a query, read with the names of `sqlite3.Cursor`."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def fetchone(self) -> Row | None:
        """Return the first row, if there is one."""
        return self._rows[0] if self._rows else None

    def fetchall(self) -> list[Row]:
        """Return all rows."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)


class ServerConnection:
    """Connection to the desk on a server, for callers without an event loop of their own.

    The driver is asynchronous: a thread runs it. Calls of several threads wait for each other. A
    connection that the server has closed, as overnight, is opened again.
    """

    def __init__(self, location: Location) -> None:
        self._location = location
        self._engine = create_engine(location, ("SET search_path TO peerjudge_desk",), single=True)
        self._calls = threading.RLock()
        self._open: AsyncConnection | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="desk", daemon=True)
        self._thread.start()

    def execute(self, sql: str, parameters: Sequence[object] = (), /) -> Rows:
        """Execute a statement whose parameters are `?`, inside the open transaction if there is one."""
        with self._calls:
            return Rows(self._wait(self._execute(sql, tuple(parameters))))

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Open a transaction during which no other process writes to the desk."""
        with self._calls:
            opened = self._wait(self._begin())
            self._open = opened
            try:
                yield
            except BaseException:
                self._wait(self._end(opened.rollback))
                raise
            self._wait(self._end(opened.commit))

    def close(self) -> None:
        """Close the connection and end its thread."""
        with self._calls:
            try:
                self._wait(self._engine.dispose())
            finally:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()

    async def _execute(self, sql: str, parameters: tuple[object, ...]) -> list[Row]:
        if self._open is not None:
            return await _fetch(self._open, sql, parameters)
        async with self._engine.connect() as opened:
            connection = await opened.execution_options(isolation_level="AUTOCOMMIT")
            return await _fetch(connection, sql, parameters)

    async def _begin(self) -> AsyncConnection:
        connection = await self._engine.connect()
        try:
            await connection.exec_driver_sql("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _end(self, end: Callable[[], Awaitable[None]]) -> None:
        opened, self._open = self._open, None
        try:
            await end()
        finally:
            if opened is not None:
                await opened.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, self._location) from cause


class ServerDesk(Desk):
    """Tasks, drafts and answers of the runs in one database on a server."""

    is_remote = True
    _listed = _LISTED

    def __init__(self, connection: ServerConnection, name: str) -> None:
        super().__init__(connection, name)
        self._server = connection

    @classmethod
    @contextmanager
    def open_at(cls, location: Location, *, create: bool) -> Generator[Self]:
        """Open the desk of a database; raises as `open_desk`."""
        with connect_server(location, create=create) as connection:
            yield cls(connection, location.name)

    def read_change(self) -> int:
        """Return a number that changes with every answer."""
        return int(self._fetch("SELECT count(*) FROM answers")[0][0])

    @contextmanager
    def _writing(self) -> Generator[None]:
        with self._server.transaction():
            yield

    def _relax(self) -> None:
        """Do nothing: a server decides itself when it writes through."""


def open_desk(place: str | Path, *, create: bool = True) -> AbstractContextManager[Desk]:
    """Open the desk of the runs at a place.

    Args:
        place: A run folder, a file of a store, or the URL of one on SQLite or Postgres.
        create: Make the desk if there is none.

    Raises:
        StoreError: There is none and `create` is `False`, another program or version wrote it, or it
            cannot be used.
    """
    location = locate(place)
    if location.file is None:
        return ServerDesk.open_at(location, create=create)
    return Desk.open_file(locate_desk(location), create=create, name=location.name)


def locate_desk(location: Location) -> Path:
    """Return the file of the desk beside a store: `desk.db` in a run folder, else `NAME.desk.db`."""
    if location.file is None:
        msg = f"the desk of {location.name} is in the database"
        raise ValueError(msg)
    name = location.file.name
    return location.file.with_name(
        DESK_FILE if name == STORE_FILE else f"{location.file.stem}.{DESK_FILE}"
    )


@contextmanager
def connect_server(location: Location, *, create: bool) -> Generator[ServerConnection]:
    """Connect to the desk of a database; raises as `ServerDesk.open_at`."""
    connection = ServerConnection(location)
    try:
        _prepare(connection, location.name, create=create)
        yield connection
    finally:
        connection.close()


def _prepare(connection: ServerConnection, name: str, *, create: bool) -> None:
    """Create the tables of the desk, or check that they are of this version."""
    with connection.transaction():
        desk = connection.execute(FIND_DESK).fetchone()
        if desk is not None and desk[0] is not None:
            row = connection.execute("SELECT number FROM desk_schema").fetchone()
            written = None if row is None else row[0]
            if written != SCHEMA:
                msg = (
                    f"the desk of {name} was written by another version of PeerJudge (schema {written}, "
                    f"this is {SCHEMA}); use that version"
                )
                raise StoreError(msg)
        elif create:
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO desk_schema VALUES (?)", (SCHEMA,))
        else:
            raise StoreError(NO_REQUEST.format(place=name))


async def _fetch(
    connection: AsyncConnection, sql: str, parameters: tuple[object, ...]
) -> list[Row]:
    first, *rest = sql.split("?")
    numbered = first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
    result = await connection.exec_driver_sql(numbered, parameters)
    return [tuple(row) for row in result.all()] if result.returns_rows else []
