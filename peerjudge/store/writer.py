"""Group commit: everything that waits to be written is written in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Self

from peerjudge.errors import StoreError
from peerjudge.store.commits import Commit
from peerjudge.store.statements import Statement

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["Row", "Writer"]

Row = tuple[Statement, Mapping[str, object]]
"""A statement and the values of one row."""

_MOST_TURNS = 10
"""How often those who are about to write may take their turn before the next commit."""

_MANY = 100
"""So many share a commit that it costs none of them much; whoever comes later has the next one."""


class Writer:
    """The one task that writes. While it waits for the disk, the next batch gathers behind it.

    After the first failed commit nothing more is written: whoever waits, and whoever comes later,
    gets the same `StoreError`.
    """

    def __init__(
        self,
        committing: AbstractAsyncContextManager[Commit],
        trouble: Callable[[BaseException], StoreError],
    ) -> None:
        self._committing = committing
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

    def write(self, rows: Sequence[Row]) -> asyncio.Future[None]:
        """Write these rows together; what is returned is done when they are durable."""
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
        """Wait until everything asked for so far is durable, so that reading finds it."""
        if self._waiting or self._busy:
            await self.write(())

    async def _run(self) -> None:
        try:
            async with self._committing as commit:
                while self._waiting or not self._closing:
                    await self._wake.wait()
                    self._wake.clear()
                    while self._waiting:
                        await self._gather()
                        await self._write(commit)
        except Exception as cause:  # noqa: BLE001  whoever waits must hear of it, whatever it is
            self._broken = self._trouble(cause)
        # Only after a failure does anybody still wait here.
        for _, done in self._waiting:
            self._answer(done)

    async def _gather(self) -> None:
        """Let those go first who will write at once: a commit costs as much for one as for many."""
        for _ in range(_MOST_TURNS):
            before = len(self._waiting)
            await asyncio.sleep(0)
            if len(self._waiting) == before or before >= _MANY:
                return

    async def _write(self, commit: Commit) -> None:
        waiting, self._waiting = self._waiting, []
        batch: dict[Statement, list[tuple[object, ...]]] = {}
        for rows, _ in waiting:
            for statement, row in rows:
                batch.setdefault(statement, []).append(statement.values(row))
        self._busy = True
        try:
            if batch:
                in_order = sorted(batch, key=attrgetter("names_others"))
                await commit({each: batch[each] for each in in_order})
        except Exception:
            self._waiting = [*waiting, *self._waiting]
            raise
        finally:
            self._busy = False
        for _, done in waiting:
            self._answer(done)

    def _answer(self, done: asyncio.Future[None]) -> None:
        if done.done():
            return  # whoever waited was cancelled; the rows are kept all the same
        if self._broken is None:
            done.set_result(None)
        else:
            done.set_exception(StoreError(str(self._broken)))
