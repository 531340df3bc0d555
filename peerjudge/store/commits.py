"""Commits what was gathered, in one transaction: all of it or nothing.

A file is written through a connection and a thread of its own, which takes one change of threads a
commit; a database server through the engine.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from peerjudge.store.location import Location
from peerjudge.store.statements import Statement

__all__ = ["Batch", "Commit", "committing"]

Batch = Mapping[Statement, Sequence[tuple[object, ...]]]
Commit = Callable[[Batch], Awaitable[None]]

# FULL makes a commit survive a loss of power; with commits shared by all who wait it costs little.
# A checkpoint writes each page of the tables once, however often it was changed since the last one,
# and waits for the disk: one in 16 MiB costs large stores a third less than SQLite's one in 4 MiB.
_SETTINGS = (
    "PRAGMA busy_timeout=30000",
    "PRAGMA synchronous=FULL",
    "PRAGMA wal_autocheckpoint=4000",
)


@asynccontextmanager
async def committing(engine: AsyncEngine, location: Location) -> AsyncGenerator[Commit]:
    """How to commit to this store; what is committed is durable when that returns."""
    if location.file is None:
        async with engine.connect() as connection:

            async def commit(batch: Batch) -> None:
                async with connection.begin():
                    for statement, rows in batch.items():
                        await connection.exec_driver_sql(statement.sql, [*rows])

            yield commit
    else:
        async with _own_thread(location.file) as commit_in_thread:
            yield commit_in_thread


@asynccontextmanager
async def _own_thread(file: Path) -> AsyncGenerator[Commit]:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="store") as thread:
        connection = await loop.run_in_executor(thread, _connected, file)

        async def commit(batch: Batch) -> None:
            await loop.run_in_executor(thread, _commit, connection, batch)

        try:
            yield commit
        finally:
            await loop.run_in_executor(thread, connection.close)


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


def _commit(connection: sqlite3.Connection, batch: Batch) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement, rows in batch.items():
            connection.executemany(statement.sql, rows)
