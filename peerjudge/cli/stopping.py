"""Stops a run cleanly when it is told to stop, and at once when it is told so twice.

What is stored is durable at any moment, so that leaving at once loses nothing but calls in flight.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, NoReturn

from peerjudge.cli.interrupted import INTERRUPTED

__all__ = ["stoppable"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_HEARD = 0.6
"""How long an event loop that is told to stop may take to hear of it. [s]"""
_GRACE = 0.3
"""How long anybody's tasks and threads may take to end once the run has ended. [s]"""
_SHOW_CURSOR = b"\x1b[?25h"


@asynccontextmanager
async def stoppable() -> AsyncGenerator[None]:
    """Inside, Ctrl-C and SIGTERM cancel the task; a second one ends the process at once.

    The process is ended as well if the event loop hears nothing, for somebody's code holds it up,
    and if anything is left, when the task has ended, that will not end: a task that takes no
    cancellation, a thread.

    Raises:
        KeyboardInterrupt: It was told to stop, and has stopped. Holds the number of the signal.
    """
    stop = _Stop()
    before: dict[signal.Signals, Any] = {
        number: signal.signal(number, stop.on_signal) for number in _SIGNALS
    }
    try:
        yield
    except asyncio.CancelledError:
        if stop.told is None:
            raise
    finally:
        stop.over = True
        for number, handler in before.items():
            signal.signal(number, handler)
    if stop.told is not None:
        if not await _all_ended():
            _leave(stop.told)
        raise KeyboardInterrupt(stop.told)


class _Stop:
    """Hears signals, and passes the first of them on to the task that is running now."""

    def __init__(self) -> None:
        self.told: int | None = None
        self.over = False
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Stop, or leave if that was said before."""
        if self.told is not None:
            _leave(number)
        self.told = number
        deaf = threading.Timer(_HEARD, _leave, (number,))
        deaf.daemon = True
        deaf.start()
        self._loop.call_soon_threadsafe(self._stop, deaf)

    def _stop(self, deaf: threading.Timer) -> None:
        deaf.cancel()
        if self._task is not None and not self.over:
            self._task.cancel()


async def _all_ended() -> bool:
    """Whether everything that the run may have left behind ends when it is told to."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    threads = asyncio.ensure_future(asyncio.get_running_loop().shutdown_default_executor())
    _, pending = await asyncio.wait({*left, threads}, timeout=_GRACE)
    return not pending


def _leave(number: int) -> NoReturn:
    # Not by way of sys.stderr, which may be in use at this very moment.
    if sys.stderr.isatty():
        os.write(2, _SHOW_CURSOR)
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(128 + number)
