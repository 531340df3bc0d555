"""Limits of calls in flight: a card's own bounds and a congestion window per provider."""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime, timedelta

from aiolimiter import AsyncLimiter

from peerjudge.clients.charges import walk_causes
from peerjudge.clients.pace import Pace
from peerjudge.clients.retry import is_transient
from peerjudge.clients.waits import read_retry_after
from peerjudge.data import Limits
from peerjudge.logs import get_logger

START = 16
"""Concurrent calls to a provider at the start of a run."""

_RAMP = 0.2
"""Time without a refusal after which a full window doubles. Refusals come at once. [s]"""

_SETTLING = 1.0
"""Time after a reduction in which the window grows slowly, until the pace is known. [s]"""

_NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
_OVERLOAD = frozenset({429, 503, 529})

_SHORT = 2.0
"""Longest requested wait that the refused call alone may keep. [s]"""
_LONG = 60.0
"""Seconds of a wait from which a warning is logged, as the run looks dead."""
_DAY = 86400.0

_log = get_logger()


class Limiter:
    """Admits attempts as a card's limits and its provider's window, if any, allow."""

    def __init__(self, limits: Limits, window: Window | None = None) -> None:
        connections = limits.max_connections
        self._connections = asyncio.Semaphore(connections) if connections else None
        self._requests = _per_minute(limits.requests_per_minute)
        self._tokens = _per_minute(limits.tokens_per_minute)
        self._window = window

    @asynccontextmanager
    async def admit(self, tokens: int) -> AsyncGenerator[None]:
        """Wait until an attempt of about so many tokens is allowed, then hold its connection.

        An attempt larger than a minute's tokens counts as a minute's tokens.
        """
        async with self._connections or nullcontext():
            # Before the window: a card that waits for its rate must not hold a shared slot.
            if self._requests is not None:
                await self._requests.acquire()
            if self._tokens is not None:
                await self._tokens.acquire(min(tokens, self._tokens.max_rate))
            if self._window is None:
                yield
            else:
                async with self._window.slot():
                    yield


def _per_minute(rate: int | None) -> AsyncLimiter | None:
    return AsyncLimiter(rate, 60) if rate else None


class Window:
    """Congestion window of one provider: the number of calls in flight adapts to its replies.

    From `start` the window grows by one with every call that succeeds while it is at least half full,
    and so doubles in the time of a call, or in a fifth of a second while calls wait. Where a provider
    refuses too many calls (429, 503 or 529), they start at a `Pace`; until it is known, the window is
    halved, once for all calls that were sent before. A `Retry-After` of more than two seconds delays
    every call to the provider for as long as it says, a shorter one the refused call alone.

    A call that fails as this machine allows no more open files lowers the upper bound below the calls that
    are in flight. Waiting calls are admitted in order of arrival.

    Args:
        start: Concurrent calls at the start.
        most: Upper bound.
        name: Name of the provider in the log.
    """

    def __init__(
        self, *, start: int = START, most: int | None = None, name: str = "a provider"
    ) -> None:
        self._name = name
        self._most = float("inf") if most is None else float(most)
        self._size = min(float(start), self._most)
        self._healthy = True
        self._is_bound = False
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._pace = Pace()
        self._timer: asyncio.TimerHandle | None = None
        self._ramp: asyncio.TimerHandle | None = None
        self._held_until = self._halved_at = float("-inf")

    @property
    def size(self) -> int:
        """Return the number of calls that may be in flight now."""
        return int(self._size)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Wait for a slot, hold it during the call inside, and adapt the window to its outcome."""
        loop = asyncio.get_running_loop()
        await self._enter(loop)
        started = loop.time()
        used = 2 * self._in_flight >= self.size
        try:
            yield
        except Exception as error:
            if lacks_files(error):
                self._bound()
            elif is_overload(error):
                self._shrink(loop, started, read_retry_after(error))
            elif is_transient(error) and self._healthy:
                # One line until the next success, as failed calls are retried.
                self._healthy = False
                _log.info("calls fail", provider=self._name, kind=type(error).__name__)
            raise
        else:
            self._healthy = True
            if used:
                fast = self._pace.is_known or loop.time() - self._halved_at > _SETTLING
                self._size = min(self._most, self._size + (1.0 if fast else 1.0 / self._size))
        finally:
            self._in_flight -= 1
            self._admit(loop)

    async def _enter(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting and self._has_room(loop):
            self._take(loop)
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        self._set_timers(loop)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # Admitted and cancelled at the same moment: the next in line gets the slot.
                self._in_flight -= 1
                self._admit(loop)
            raise

    @property
    def _ready_at(self) -> float:
        return max(self._held_until, self._pace.ready_at)

    def _has_room(self, loop: asyncio.AbstractEventLoop) -> bool:
        return self._in_flight < self.size and loop.time() >= self._ready_at

    def _take(self, loop: asyncio.AbstractEventLoop) -> None:
        self._in_flight += 1
        self._pace.start(loop.time())

    def _admit(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting and self._has_room(loop):
            turn = self._waiting.popleft()
            if not turn.done():
                self._take(loop)
                turn.set_result(None)
        if self._waiting:
            self._set_timers(loop)

    def _set_timers(self, loop: asyncio.AbstractEventLoop) -> None:
        """Admit waiting calls when their time comes, and widen a full window."""
        if self._in_flight < self.size:
            if self._timer is None:
                self._timer = loop.call_at(self._ready_at, self._continue, loop)
        elif self._size < self._most and self._ramp is None:
            self._ramp = loop.call_later(_RAMP, self._widen, loop)

    def _continue(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self._admit(loop)

    def _widen(self, loop: asyncio.AbstractEventLoop) -> None:
        self._ramp = None
        if self._waiting and self._in_flight >= self.size:
            self._size = min(self._most, 2.0 * self._size)
        self._admit(loop)

    def _shrink(self, loop: asyncio.AbstractEventLoop, started: float, wait: float | None) -> None:
        """Slow down if too many calls are refused."""
        now = loop.time()
        if wait is not None and wait > _SHORT:
            self._hold(now, wait)
        searching = not self._pace.is_known
        self._pace.refuse(now, started=started)
        exceeded = self._pace.is_exceeded or self._pace.is_known
        if searching and exceeded and started > self._halved_at:
            self._size = max(1.0, self._size / 2.0)
            self._halved_at = now
            # One line for all calls that were sent before, not per refused call.
            _log.info("rate limited", provider=self._name, calls_at_once=self.size, wait=wait)

    def _bound(self) -> None:
        """Keep one call less in flight from now on."""
        if not self._is_bound:
            self._is_bound = True
            _log.warning(
                "this machine allows no more open files, so fewer calls are made at once; raise the limit "
                "with ulimit -n",
                provider=self._name,
            )
        self._most = max(1.0, min(self._most, self._in_flight - 1.0))
        self._size = min(self._size, self._most)

    def _hold(self, now: float, wait: float) -> None:
        """Delay every call, as the provider requests."""
        if now + wait > self._held_until:
            if now + wait > max(now, self._held_until) + _LONG:
                self._warn(wait)
            self._held_until = now + wait

    def _warn(self, wait: float) -> None:
        """Log the end of a long wait, once for refusals with about the same end."""
        until = datetime.now(UTC) + timedelta(seconds=min(wait, 1000 * _DAY))
        _log.warning(
            "calls paused, as the provider requests",
            provider=self._name,
            seconds=round(wait),
            until=until.isoformat(timespec="seconds"),
        )


def lacks_files(error: BaseException) -> bool:
    """Return whether a call failed because the process or the machine has too many open files."""
    return any(getattr(cause, "errno", None) in _NO_FILES for cause in walk_causes(error))


def is_overload(error: BaseException) -> bool:
    """Return whether the provider reports overload: 429, 503, or Anthropic's 529."""
    return getattr(error, "status_code", None) in _OVERLOAD
