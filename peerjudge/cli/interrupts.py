"""Interrupts: Ctrl-C and SIGTERM end a command at once, and a run cleanly.

Stored turns are durable at any moment, so a process that ends at once loses only calls in flight.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = "Interrupted. Progress is saved; run the same command to resume."

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STOP_TIMEOUT = 0.6
"""Time in which the event loop must start to stop. [s]"""
_END_TIMEOUT = 0.3
"""Time in which tasks and threads must end once the run has ended. [s]"""
_SHOW_CURSOR = b"\x1b[?25h"


@contextmanager
def interrupt_at_once() -> Generator[None]:
    """Raise `KeyboardInterrupt` on Ctrl-C wherever the program is.

    asyncio replaces Python's own handler by one that waits until the event loop runs again.
    """
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if own:
        signal.signal(signal.SIGINT, _raise_interrupt)
    try:
        yield
    finally:
        if own:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code that a shell gives a process ended by the signal."""
    return 128 + int(interrupt.args[0] if interrupt.args else signal.SIGINT)


def exit_at_once(code: int) -> NoReturn:
    """Print that the command was interrupted, and end the process without teardown.

    The teardown of the interpreter takes most of a second, and several on a busy machine.
    """
    with suppress(OSError):
        # Write to the descriptor: sys.stderr may be in use at this moment.
        if os.isatty(2):
            os.write(2, _SHOW_CURSOR)
        os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(code)


@asynccontextmanager
async def cancel_on_signal() -> AsyncGenerator[None]:
    """Cancel the task on Ctrl-C or SIGTERM; end the process on a second one.

    The process also ends if blocking code keeps the event loop from stopping, or if a task or thread
    is left that does not end.

    Raises:
        KeyboardInterrupt: The task was stopped; the argument is the number of the signal.
    """
    stop = _Stop()
    before: dict[signal.Signals, Any] = {
        number: signal.signal(number, stop.on_signal) for number in _SIGNALS
    }
    try:
        yield
    except asyncio.CancelledError:
        if stop.received is None:
            raise
    finally:
        stop.over = True
        for number, handler in before.items():
            signal.signal(number, handler)
    if stop.received is not None:
        if not await _end_tasks():
            exit_at_once(128 + stop.received)
        raise KeyboardInterrupt(stop.received)


class _Stop:
    """Signal handler that cancels the current task on the first signal."""

    def __init__(self) -> None:
        self.received: int | None = None
        self.over = False
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.received is not None:
            exit_at_once(128 + number)
        self.received = number
        watchdog = threading.Timer(_STOP_TIMEOUT, exit_at_once, (128 + number,))
        watchdog.daemon = True
        watchdog.start()
        self._loop.call_soon_threadsafe(self._cancel, watchdog)

    def _cancel(self, watchdog: threading.Timer) -> None:
        watchdog.cancel()
        if self._task is not None and not self.over:
            self._task.cancel()


async def _end_tasks() -> bool:
    """Cancel remaining tasks, and return whether they and the executor's threads end in time."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    threads = asyncio.ensure_future(asyncio.get_running_loop().shutdown_default_executor())
    _, pending = await asyncio.wait({*left, threads}, timeout=_END_TIMEOUT)
    return not pending


def _raise_interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(number)
