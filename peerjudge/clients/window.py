"""How many calls one provider is sent at once: more while it answers, half when it says too many."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import structlog

from peerjudge.clients.retry import is_transient, retry_after

__all__ = ["START", "Window", "is_overload"]

START = 16
"""Calls at once to a provider of which nothing is known yet."""

_OVERLOAD = frozenset({429, 503, 529})

_LONG = 60.0
"""During a longer wait a run looks dead, so it is told of. [s]"""
_DAY = 86400.0

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Window:
    """The calls in flight to one provider, whose number finds its own bound.

    Additive increase, multiplicative decrease, as TCP has it (Jacobson, "Congestion avoidance and
    control", 1988). From `start` the window grows by one with every call that succeeds while it is
    at least half full, and so doubles in the time of a call. A 429, 503 or 529 halves it, once for
    all calls that were sent before the halving; from then on it grows by one in the time of a call.
    A `Retry-After` holds back every call to the provider for as long as it says.

    Waiting calls are let in in the order in which they came.

    Args:
        start: Calls at once to begin with.
        most: Never more than this.
        name: What the log calls the provider.
    """

    def __init__(
        self, *, start: int = START, most: int | None = None, name: str = "a provider"
    ) -> None:
        self._name = name
        self._most = float("inf") if most is None else float(most)
        self._size = min(float(start), self._most)
        self._fast = True
        self._well = True
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved_at = float("-inf")
        self._held_until = float("-inf")

    @property
    def size(self) -> int:
        """How many calls may be in flight now."""
        return int(self._size)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Wait for a place, and hold it while the call inside lasts; learns from how it ends."""
        loop = asyncio.get_running_loop()
        await self._enter(loop)
        begun = loop.time()
        used = 2 * self._in_flight >= self.size
        try:
            yield
        except Exception as error:
            if is_overload(error):
                self._refused(loop, begun, retry_after(error))
            elif is_transient(error) and self._well:
                # One line until the next call succeeds; what is tried again is no news.
                self._well = False
                _log.info("calls fail", provider=self._name, kind=type(error).__name__)
            raise
        else:
            self._well = True
            if used:
                self._grow()
        finally:
            self._in_flight -= 1
            self._admit(loop)

    async def _enter(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting and self._open(loop):
            self._in_flight += 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # Let in and cancelled at the same moment: the next in line has the place.
                self._in_flight -= 1
                self._admit(loop)
            raise

    def _open(self, loop: asyncio.AbstractEventLoop) -> bool:
        return self._in_flight < self.size and loop.time() >= self._held_until

    def _admit(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting and self._open(loop):
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    def _grow(self) -> None:
        self._size = min(self._most, self._size + (1.0 if self._fast else 1.0 / self._size))

    def _refused(self, loop: asyncio.AbstractEventLoop, begun: float, wait: float | None) -> None:
        if begun >= self._halved_at:
            if self.size > 1:
                # One line each time; the single refusals of a storm are no news.
                now = self.size // 2
                _log.info("asked too much", provider=self._name, calls_at_once=now, wait=wait)
            self._fast = False
            self._size = max(1.0, self._size / 2)
            self._halved_at = loop.time()
        if wait is not None and loop.time() + wait > self._held_until:
            if loop.time() + wait > max(loop.time(), self._held_until) + _LONG:
                self._warn(wait)
            self._held_until = loop.time() + wait
            loop.call_at(self._held_until, self._admit, loop)

    def _warn(self, wait: float) -> None:
        """Say how long nobody is asked; the refusals that follow at once say the same."""
        until = datetime.now(UTC) + timedelta(seconds=min(wait, 1000 * _DAY))
        _log.warning(
            "no calls for a while, as the provider asks",
            provider=self._name,
            seconds=round(wait),
            until=until.isoformat(timespec="seconds"),
        )


def is_overload(error: BaseException) -> bool:
    """Whether the provider says that it is asked too much: 429, 503, or Anthropic's 529."""
    return getattr(error, "status_code", None) in _OVERLOAD
