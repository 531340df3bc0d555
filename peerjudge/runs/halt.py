"""Stops a run before its end: at a limit, or when it fails too often to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from peerjudge.errors import ExperimentError

__all__ = ["TOO_MANY_FAILURES", "FailureRate", "play_until"]

TOO_MANY_FAILURES = "too many failures"

_LEAST_FAILED = 5
"""A rate of fewer failures says nothing yet."""


class FailureRate:
    """Watches how many of the discussions that end have failed.

    Args:
        most: The share of failed discussions at which a run is hopeless, from 0 to 1; a run is
            never hopeless before 5 have failed.

    Raises:
        ExperimentError: `most` is no such share.
    """

    def __init__(self, most: float) -> None:
        if not 0.0 <= most <= 1.0:
            msg = f"the rate of failures to stop at is from 0 to 1, not {most:g}"
            raise ExperimentError(msg)
        self.hopeless = asyncio.Event()
        self._most = most
        self._ended = self._failed = 0

    def count(self, *, failed: bool) -> None:
        """One more discussion has ended."""
        self._ended += 1
        self._failed += failed
        if self._failed >= _LEAST_FAILED and self._failed >= self._most * self._ended:
            self.hopeless.set()


async def play_until(playing: Awaitable[None], *stops: asyncio.Event) -> None:
    """Play to the end, or until one of these events; what is under way then is cancelled.

    Raises:
        asyncio.CancelledError: This was cancelled; so is the playing.
        Exception: What the playing raised.
    """
    task = asyncio.ensure_future(playing)
    waiting = [asyncio.ensure_future(stop.wait()) for stop in stops]
    try:
        await asyncio.wait({task, *waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped = not task.done()
        for each in (task, *waiting):
            each.cancel()
        await asyncio.wait({task, *waiting})
    if not (stopped and task.cancelled()):
        task.result()
