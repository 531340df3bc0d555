"""The one retry policy: which failures pass, how long to wait, and when to give up."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count

import stamina

from peerjudge.data import Limits

__all__ = ["RetryPolicy", "is_transient", "retry_after"]

_PASSING_STATUS = frozenset({408, 409, 429})
_SERVER_ERROR = 500
_PASSING_TYPES = frozenset(
    {
        "TimeoutError",  # the standard library's, and so asyncio's
        "ConnectionError",
        "APIConnectionError",  # openai and anthropic, their timeouts included
        "TransportError",  # httpx, its timeouts included
        "ClientConnectionError",  # aiohttp
    }
)
_MOMENT = 0.001
_HOPELESS_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how long one call is tried. Times are in seconds.

    Between attempts it waits what the server asks for (`Retry-After`), else anything between nothing
    and `wait` doubled each time, at most `wait_most`: full jitter, which of all ways parts those
    best who failed together (Brooker, "Exponential backoff and jitter", 2015). A wait that would
    pass the `deadline` is not begun.
    """

    attempts: int = 5
    deadline: float = 600.0
    wait: float = 1.0
    wait_most: float = 30.0

    @classmethod
    def within(cls, limits: Limits) -> RetryPolicy:
        """The policy of a card: its attempts, and no longer than all of them may take."""
        return cls(attempts=limits.attempts, deadline=limits.attempts * limits.timeout)

    def tries(
        self, *, begun: float, may: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[stamina.Attempt]:
        """Attempts to run a block in, each used as `with attempt:`; the last failure is raised.

        The first attempt is made before, since most calls need no other: raise what it raised in
        the first block. `begun` is when it began, by the clock of the event loop; `may` says after
        each failure whether another attempt makes sense.
        """
        left = begun + self.deadline - asyncio.get_running_loop().time()
        return aiter(
            stamina.retry_context(
                self._hook(begun + self.deadline, may),
                attempts=self.attempts,
                timeout=max(_MOMENT, left),
            )
        )

    def longest_wait(self, failures: int) -> float:
        """The most seconds to wait after so many failures, where the server does not say."""
        return min(self.wait_most, self.wait * 2.0 ** (failures - 1))

    def _hook(self, give_up: float, may: Callable[[], bool]) -> Callable[[Exception], bool | float]:
        """Decides after every failure how long to wait, or `False`: stamina waits what it is told."""
        now = asyncio.get_running_loop().time
        failures = count(1)

        def decide(error: Exception) -> bool | float:
            if not (may() and is_transient(error)):
                return False
            most = self.longest_wait(next(failures))
            asked = retry_after(error)
            # No secret and no result hangs on it: it only parts those who failed together.
            wait = random.uniform(0.0, most) if asked is None else asked  # noqa: S311
            return wait if now() + wait <= give_up else False

        return decide


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed later: 408, 409, 429, 5xx, timeouts, lost connections.

    Vendor errors are recognised by their status code or the names of their types, so that no
    vendor library need be imported. A used-up quota comes as 429 and does not pass.
    """
    said = (getattr(error, name, None) for name in ("code", "type"))
    if any(isinstance(each, str) and each in _HOPELESS_CODES for each in said):
        return False
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status in _PASSING_STATUS or status >= _SERVER_ERROR
    return any(kind.__name__ in _PASSING_TYPES for kind in type(error).__mro__)


def retry_after(error: BaseException) -> float | None:
    """The seconds that the server asked to wait, as a number or a date; `None` if it did not."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is not None:
            seconds = _seconds(str(value), now=headers.get("date"))
            if seconds is not None:
                return max(0.0, seconds / unit)
    return None


def _seconds(value: str, *, now: str | None) -> float | None:
    """What a header says, as a number or a date; a date is seen from the server's own clock."""
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return seconds if math.isfinite(seconds) else None
    try:
        when = parsedate_to_datetime(value).astimezone(UTC)
        since = parsedate_to_datetime(now).astimezone(UTC) if now else datetime.now(UTC)
        return (when - since).total_seconds()
    except (ValueError, OverflowError):
        return None
