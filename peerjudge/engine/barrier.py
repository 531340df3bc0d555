"""Barrier of a run in batch mode: detects when every open discussion waits for the batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_WAKE_STEPS = 20
"""Steps of the event loop in which a task that was just released starts to run again."""

_BARRIER: ContextVar[Barrier | None] = ContextVar("peerjudge_barrier", default=None)


class Barrier:
    """Counter of the active tasks of a run, which calls `on_quiet` when none is active.

    A task is active while it is `counted` and not `parked`. A parked task waits for something that
    another task of the run or a batch provides. `on_quiet` is set by the batch; no timer is involved.
    """

    def __init__(self) -> None:
        self.on_quiet: Callable[[], None] | None = None
        self._active = 0
        self._checking: asyncio.Task[None] | None = None

    @contextmanager
    def use(self) -> Generator[None]:
        """Make this the barrier of all tasks started inside."""
        token = _BARRIER.set(self)
        try:
            yield
        finally:
            _BARRIER.reset(token)
            if self._checking is not None:
                self._checking.cancel()

    def count(self, change: int) -> None:
        """Add tasks that became active, or subtract tasks that no longer are."""
        self._active += change
        self.check()

    def check(self) -> None:
        """Call `on_quiet` soon if no task is active then."""
        if self._active == 0 and self._checking is None:
            self._checking = asyncio.get_running_loop().create_task(self._check())

    async def _check(self) -> None:
        # A task whose wait has ended counts as parked until it runs.
        for _ in range(_WAKE_STEPS):
            await asyncio.sleep(0)
        self._checking = None
        if self._active == 0 and self.on_quiet is not None:
            self.on_quiet()


@contextmanager
def counted() -> Generator[None]:
    """Count the task as active inside, where the run has a barrier."""
    barrier = _BARRIER.get()
    if barrier is None:
        yield
        return
    barrier.count(1)
    try:
        yield
    finally:
        barrier.count(-1)


@contextmanager
def parked() -> Generator[None]:
    """Count the task as waiting inside, where the run has a barrier."""
    barrier = _BARRIER.get()
    if barrier is None:
        yield
        return
    barrier.count(-1)
    try:
        yield
    finally:
        barrier.count(1)
