"""Bounds on what strangers may hold of a server: connections, the time of a request, its size."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, ClassVar, cast

from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = [
    "BACKLOG",
    "BODY_SECONDS",
    "HEADER_SECONDS",
    "MOST_BYTES",
    "TooLargeError",
    "TooSlowError",
    "count_connections",
    "limit_connections",
    "read_body",
]

BACKLOG = 16
"""Connections that are taken at once, before any of them can be closed again."""
BODY_SECONDS = 30.0
"""Time in which a body must have arrived. [s]"""
HEADER_SECONDS = 10.0
"""Time in which the headers of a request must have arrived. [s]"""
MOST_BYTES = 1_000_000
"""Largest body. [bytes]"""

_MOST_CONNECTIONS = 256


class TooLargeError(Exception):
    """A body has more than `MOST_BYTES`."""


class TooSlowError(Exception):
    """A body has not arrived in `BODY_SECONDS`."""


async def read_body(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        TooLargeError: It is too large; what it says of its length counts first.
        TooSlowError: It does not arrive in time.
    """
    size = request.headers.get("content-length", "0")
    if size.isdecimal() and int(size[:20]) > MOST_BYTES:
        raise TooLargeError
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise TooLargeError
    except TimeoutError as cause:
        raise TooSlowError from cause
    return bytes(body)


def count_connections() -> int:
    """Return how many connections a server may hold: a quarter of the files that the process may open.

    As many again may be taken before any of them can be closed, and the store has files, too.
    """
    with suppress(ImportError):  # Windows has no such limit.
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY:
            return max(8, min(_MOST_CONNECTIONS, soft // 4))
    return _MOST_CONNECTIONS


def limit_connections(most: int, *, seconds: float = HEADER_SECONDS) -> type[H11Protocol]:
    """Return a protocol of uvicorn whose connections are bounded in number and time.

    Where there are too many, the one that has waited longest without a whole request is closed, so that
    idle connections do not block others. If none is idle, the new one is closed.

    Args:
        most: Number of connections.
        seconds: Time in which the headers of a request must have arrived. [s]
    """
    limits: dict[str, object] = {"most": most, "seconds": seconds, "idle": {}}
    return cast("type[H11Protocol]", type("BoundedConnection", (_Connection,), limits))


class _Connection(H11Protocol):
    """A connection that must ask in time; `idle` are those of its server that wait, in their order."""

    most: ClassVar[int]
    seconds: ClassVar[float]
    idle: ClassVar[dict[H11Protocol, None]]
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  as in uvicorn
        """Take a connection, and close another one where there are too many."""
        super().connection_made(transport)
        self.idle[self] = None
        if len(self.connections) > self.most:
            next(iter(self.idle)).transport.abort()
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what has arrived; with the last header, the request is at work."""
        super().data_received(data)
        self._await_headers()

    def on_response_complete(self) -> None:
        """Wait for the next request of the connection."""
        super().on_response_complete()
        self._await_headers()

    def _await_headers(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self._forget()
        elif self._timer is None and not self.transport.is_closing():
            self.idle[self] = None
            self._timer = self.loop.call_later(self.seconds, self.transport.abort)

    def _forget(self) -> None:
        self.idle.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
