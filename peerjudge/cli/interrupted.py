"""Ctrl-C outside of runs: heard at once, and told in one sentence.

Needs next to nothing, for it may come while anything else is being imported.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["INTERRUPTED", "at_once", "exit_code"]

INTERRUPTED = "interrupted; what is stored stays: the same command goes on"


@contextmanager
def at_once() -> Generator[None]:
    """Inside, Ctrl-C raises `KeyboardInterrupt` wherever the program is.

    An event loop that finds Python's own handler puts another in its place, which lets whatever is
    being computed go on to its end.
    """
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if own:
        signal.signal(signal.SIGINT, _raise)
    try:
        yield
    finally:
        if own:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """What a shell would say of a process that the signal has ended."""
    return 128 + int(interrupt.args[0] if interrupt.args else signal.SIGINT)


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(number)
