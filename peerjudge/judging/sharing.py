"""A judge that overlapping users share: opened by the first of them, closed after the last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from peerjudge.judging.opened import Judge

Open = Callable[[], AbstractAsyncContextManager[Judge]]


class SharedJudge:
    """A judge for callers that cannot close it, such as scorers of other frameworks.

    A task of its own opens and closes the judge, because users come and go in tasks of theirs. A judge
    that is opened again waits until the earlier one has closed its store.

    Args:
        open_judge: Opens the judge.
    """

    def __init__(self, open_judge: Open) -> None:
        self._open_judge = open_judge
        self._users = 0
        self._ready: asyncio.Future[Judge] | None = None
        self._unused = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[Judge]:
        """Yield the judge; raises the error with which it could not be opened."""
        loop = asyncio.get_running_loop()
        if self._owner is not None and self._owner.get_loop() is not loop:
            self._owner = None  # It belongs to a loop that has ended, and so has ended as well.
            self._users = 0
        if not self._users or self._ready is None:
            self._ready, self._unused = loop.create_future(), asyncio.Event()
            work = self._own(self._owner, self._ready, self._unused)
            self._owner = loop.create_task(work)
        self._users += 1
        ready, unused, owner = self._ready, self._unused, self._owner
        try:
            yield await asyncio.shield(ready)
        finally:
            self._users -= 1
            if not self._users:
                unused.set()
                if owner is not None:
                    await asyncio.shield(owner)

    async def _own(
        self,
        earlier: asyncio.Task[None] | None,
        ready: asyncio.Future[Judge],
        unused: asyncio.Event,
    ) -> None:
        if earlier is not None:
            await asyncio.wait({earlier})
        try:
            async with self._open_judge() as judge:
                ready.set_result(judge)
                await unused.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
