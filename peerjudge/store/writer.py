"""Group commit: one task writes all waiting rows in one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Self

from sqlalchemy.ext.asyncio import AsyncEngine

from peerjudge.errors import StoreError
from peerjudge.store.database import Location, connect_file, describe_error
from peerjudge.store.rows import Statement

Row = tuple[Statement, Mapping[str, object]]
"""A statement and the values of one row."""

_Batch = Mapping[Statement, Sequence[tuple[object, ...]]]
_Commit = Callable[[_Batch], Awaitable[None]]

_YIELDS = 10
"""Times that other tasks may run, and add rows, before the next commit."""
_FULL_BATCH = 100
"""Writes that share a commit at little cost to each; later ones wait for the next commit."""

# FULL makes a commit survive a loss of power; shared commits make it cheap. A checkpoint writes each
# changed page once and waits for the disk: one in 16 MiB costs large stores a third less than SQLite's
# default of one in 4 MiB.
_SETTINGS = (
    "PRAGMA busy_timeout=30000",
    "PRAGMA synchronous=FULL",
    "PRAGMA wal_autocheckpoint=4000",
)


class Writer:
    """The one task that writes. During a commit, the next batch gathers.

    After the first failed commit nothing more is written: all waiting and later writes fail with the
    same `StoreError`.
    """

    def __init__(self, engine: AsyncEngine, location: Location) -> None:
        self._engine = engine
        self._location = location
        self._waiting: list[tuple[Sequence[Row], asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._busy = False
        self._broken: StoreError | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Write while this context is open; on exit, write all waiting rows."""
        task = asyncio.create_task(self._run(), name="store writer")
        try:
            yield self
        finally:
            self._closing = True
            self._wake.set()
            await task

    def write(self, rows: Sequence[Row]) -> asyncio.Future[None]:
        """Write these rows in one transaction; the future is done when they are durable."""
        if self._broken is not None:
            raise StoreError(str(self._broken))
        if self._closing:
            msg = "the store is closed; nothing more can be written to it"
            raise StoreError(msg)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((rows, done))
        self._wake.set()
        return done

    async def flush(self) -> None:
        """Wait until all earlier writes are durable, so that a query finds them."""
        if self._waiting or self._busy:
            await self.write(())

    async def _run(self) -> None:
        try:
            async with _open_commits(self._engine, self._location) as commit:
                while self._waiting or not self._closing:
                    await self._wake.wait()
                    self._wake.clear()
                    while self._waiting:
                        await self._gather()
                        await self._write(commit)
        except Exception as cause:  # noqa: BLE001  all waiting writes must fail
            self._broken = describe_error(cause, self._location)
        # Writes wait here only after a failure.
        for _, done in self._waiting:
            self._resolve(done)

    async def _gather(self) -> None:
        # A commit costs as much for one write as for many, so tasks about to write go first.
        for _ in range(_YIELDS):
            before = len(self._waiting)
            await asyncio.sleep(0)
            if len(self._waiting) == before or before >= _FULL_BATCH:
                return

    async def _write(self, commit: _Commit) -> None:
        waiting, self._waiting = self._waiting, []
        batch: dict[Statement, list[tuple[object, ...]]] = {}
        for rows, _ in waiting:
            for statement, row in rows:
                batch.setdefault(statement, []).append(statement.values(row))
        self._busy = True
        try:
            if batch:
                in_order = sorted(batch, key=attrgetter("has_references"))
                await commit({each: batch[each] for each in in_order})
        except Exception:
            self._waiting = [*waiting, *self._waiting]
            raise
        finally:
            self._busy = False
        for _, done in waiting:
            self._resolve(done)

    def _resolve(self, done: asyncio.Future[None]) -> None:
        if done.done():
            return  # the waiting task was cancelled; its rows are written all the same
        if self._broken is None:
            done.set_result(None)
        else:
            done.set_exception(StoreError(str(self._broken)))


@asynccontextmanager
async def _open_commits(engine: AsyncEngine, location: Location) -> AsyncGenerator[_Commit]:
    """Provide the function that commits a batch durably, all of it or nothing."""
    if location.file is None:
        async with engine.connect() as connection:

            async def commit(batch: _Batch) -> None:
                async with connection.begin():
                    for statement, rows in batch.items():
                        await connection.exec_driver_sql(statement.sql, [*rows])

            yield commit
    else:
        async with _open_thread(location.file) as commit_in_thread:
            yield commit_in_thread


@asynccontextmanager
async def _open_thread(file: Path) -> AsyncGenerator[_Commit]:
    # A connection and a thread of its own take one change of threads a commit.
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="store") as thread:
        connect = partial(connect_file, file, settings=_SETTINGS, check_same_thread=False)
        connection = await loop.run_in_executor(thread, connect)

        async def commit(batch: _Batch) -> None:
            await loop.run_in_executor(thread, _commit, connection, batch)

        try:
            yield commit
        finally:
            await loop.run_in_executor(thread, connection.close)


def _commit(connection: sqlite3.Connection, batch: _Batch) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement, rows in batch.items():
            connection.executemany(statement.sql, rows)
