"""Group commit: everything that waits to be written is written in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

from sqlalchemy import Insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["Row", "Writer"]

Row = tuple[Insert, Mapping[str, object]]
"""A statement, one of a few that are built once, and the values of one row."""


class Writer:
    """The one task that writes. While it waits for the disk, the next batch gathers behind it.

    After the first failed commit nothing more is written: whoever waits, and whoever comes later,
    gets the same `StoreError`.
    """

    def __init__(self, engine: AsyncEngine, trouble: Callable[[BaseException], StoreError]) -> None:
        self._engine = engine
        self._trouble = trouble
        self._waiting: list[tuple[Sequence[Row], asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._busy = False
        self._broken: StoreError | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Write while this is open; on leaving, write what still waits."""
        task = asyncio.create_task(self._run(), name="store writer")
        try:
            yield self
        finally:
            self._closing = True
            self._wake.set()
            await task

    async def write(self, rows: Sequence[Row]) -> None:
        """Write these rows together; returns when they are durable."""
        if self._broken is not None:
            raise StoreError(str(self._broken))
        if self._closing:
            msg = "the store is closed; nothing more can be written to it"
            raise StoreError(msg)
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((rows, done))
        self._wake.set()
        await done

    async def flush(self) -> None:
        """Wait until everything asked for so far is durable, so that reading finds it."""
        if self._waiting or self._busy:
            await self.write(())

    async def _run(self) -> None:
        try:
            async with self._engine.connect() as connection:
                while self._waiting or not self._closing:
                    await self._wake.wait()
                    self._wake.clear()
                    while self._waiting:
                        await self._commit(connection)
        except Exception as cause:  # noqa: BLE001  whoever waits must hear of it, whatever it is
            self._broken = self._trouble(cause)
        # Only after a failure does anybody still wait here.
        for _, done in self._waiting:
            self._answer(done)

    async def _commit(self, connection: AsyncConnection) -> None:
        batch, self._waiting = self._waiting, []
        by_statement: dict[Insert, list[Mapping[str, object]]] = {}
        for rows, _ in batch:
            for statement, values in rows:
                by_statement.setdefault(statement, []).append(values)
        self._busy = True
        try:
            async with connection.begin():
                for statement, values in by_statement.items():
                    await connection.execute(statement, values)
        except Exception:
            self._waiting = [*batch, *self._waiting]
            raise
        finally:
            self._busy = False
        for _, done in batch:
            self._answer(done)

    def _answer(self, done: asyncio.Future[None]) -> None:
        if done.done():
            return  # whoever waited was cancelled; the rows are kept all the same
        if self._broken is None:
            done.set_result(None)
        else:
            done.set_exception(StoreError(str(self._broken)))
