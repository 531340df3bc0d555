"""Opens the database behind a store, and sees that it is one."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Executable, Row, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from peerjudge.errors import StoreError
from peerjudge.store.location import Location, trouble
from peerjudge.store.revisions import prepare

__all__ = ["database", "fetched"]

_PATIENT = "busy_timeout=30000"
_CHANGE_NOTHING = "query_only=ON"

_MIGRATING = threading.Lock()
_MOMENT = 0.005


@asynccontextmanager
async def database(location: Location, *, writable: bool) -> AsyncGenerator[AsyncEngine]:
    """The engine of the store at this location, whose tables are made or brought up to date.

    Raises `StoreError` if there is no store, it is something else, or another version wrote it.
    """
    if not writable and location.file is not None and not location.file.exists():
        msg = f"there is no store at {location.name}"
        raise StoreError(msg)
    place = location if writable else location.for_reading()
    _probe(place, writable=writable)
    engine = _engine(place, pragmas=(_PATIENT,) if writable else (_PATIENT, _CHANGE_NOTHING))
    try:
        try:
            async with engine.begin() as connection, _alone(changing=writable):
                await connection.run_sync(prepare, location, writable=writable)
        except (SQLAlchemyError, OSError) as cause:
            raise trouble(cause, location) from cause
        yield engine
    finally:
        await _disposed(engine)


@asynccontextmanager
async def _alone(*, changing: bool) -> AsyncGenerator[None]:
    """Let one task of this process at a time make or change tables.

    What Alembic works on is global to the process: two that migrate at the same time, in one event
    loop or in two threads, would write each other's tables.
    """
    if not changing:
        yield
        return
    while not _MIGRATING.acquire(blocking=False):  # noqa: ASYNC110  an event belongs to one loop
        await asyncio.sleep(_MOMENT)
    try:
        yield
    finally:
        _MIGRATING.release()


async def _disposed(engine: AsyncEngine) -> None:
    """Close all connections, also while this is cancelled: a Ctrl-C must not leave them half closed."""
    disposing = asyncio.ensure_future(engine.dispose())
    try:
        await asyncio.shield(disposing)
    except asyncio.CancelledError:
        await disposing
        raise


async def fetched(
    engine: AsyncEngine, query: Executable, location: Location
) -> Sequence[Row[*tuple[Any, ...]]]:
    """All rows of a query; raises `StoreError` where the database fails."""
    try:
        async with engine.connect() as connection:
            return (await connection.execute(query)).all()
    except (SQLAlchemyError, OSError) as cause:
        raise trouble(cause, location) from cause


def _engine(location: Location, *, pragmas: Sequence[str]) -> AsyncEngine:
    try:
        engine = create_async_engine(location.url)
    except ModuleNotFoundError as cause:
        msg = f"store {location.name} needs the package {cause.name!r}: pip install {cause.name}"
        raise StoreError(msg) from cause
    if location.file is not None:

        @event.listens_for(engine.sync_engine, "connect")
        def connected(connection: Any, _record: object) -> None:  # noqa: ANN401  a DB-API connection
            cursor = connection.cursor()
            for pragma in pragmas:
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        _ = connected
    return engine


def _probe(place: Location, *, writable: bool) -> None:
    """Raise `StoreError` for a file that cannot be opened, or is no database.

    The asynchronous driver would find that out too, but leaves a thread that may outlive the loop.
    """
    if place.file is None:
        return
    options = urlencode({name: str(value) for name, value in place.url.query.items()})
    target = f"{place.url.database}?{options}" if options else str(place.url.database)
    try:
        with closing(sqlite3.connect(target, timeout=30, uri=bool(options))) as connection:
            # The mode is a property of the file: readers beside a writer, and neither waits.
            connection.execute("PRAGMA journal_mode=WAL" if writable else "PRAGMA schema_version")
    except sqlite3.Error as cause:
        raise trouble(cause, place) from cause
