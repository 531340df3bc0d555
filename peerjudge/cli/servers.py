"""What every server of pages or of a judge needs: a socket, and an end at a signal."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["HOST", "listen", "listen_here", "require_web", "serve_until_signal"]

HOST = "127.0.0.1"

_PAGE_PORT = 8750
"""Port of pages that is taken where none is given and it is free."""


def require_web(what: str) -> None:
    """Raise `StoreError` if the packages of the web server are not installed."""
    try:
        import starlette
        import uvicorn
    except ModuleNotFoundError as cause:
        msg = f"{what} needs the package {cause.name!r}: pip install 'peerjudge[web]'"
        raise StoreError(msg) from cause
    _ = (starlette, uvicorn)


async def serve_until_signal(
    app: ASGIApp,
    listener: socket.socket,
    *,
    at_end: Callable[[], Coroutine[object, object, None]] | None = None,
    most: int | None = None,
    header_seconds: float | None = None,
) -> int | None:
    """Serve an application on a socket until Ctrl-C or SIGTERM.

    Args:
        app: The application.
        listener: A socket that listens already.
        at_end: Awaited when the signal arrives, while requests under way are still open.
        most: Number of connections; None for as many as `count_connections` returns.
        header_seconds: Time in which the headers of a request must have arrived; None for
            `HEADER_SECONDS`. [s]

    Returns:
        The number of the signal; None where the server ended without one.
    """
    from uvicorn import Config, Server

    from peerjudge.web.connections import (
        BACKLOG,
        HEADER_SECONDS,
        count_connections,
        limit_connections,
    )

    config = Config(
        app,
        http=limit_connections(
            most or count_connections(), seconds=header_seconds or HEADER_SECONDS
        ),
        backlog=BACKLOG,
        log_config=None,
        # A stranger who sends no HTTP would else write a line of the log for each try.
        log_level="error",
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    received: list[int] = []
    ending: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        received.append(number)
        server.should_exit = True
        if at_end is not None:
            ending.append(loop.create_task(at_end()))

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no handlers in its loop.
            loop.add_signal_handler(number, stop, number)
    # The private method leaves the signals alone, which `serve` would raise again at its end.
    await server._serve(sockets=[listener])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return received[0] if received else None


def listen_here(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine only; raises `StoreError` for a port in use."""
    if port is None:
        with suppress(StoreError):
            return listen(HOST, _PAGE_PORT)
    return listen(HOST, port or 0)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens: connections wait from now on until a server answers.

    Raises:
        StoreError: The address cannot be used.
    """
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, number)
    except (OSError, OverflowError) as cause:
        msg = f"host {host!r} cannot be used: {cause}; choose another one with --host"
        raise StoreError(msg) from cause
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except (OSError, OverflowError) as cause:
        listener.close()
        msg = f"port {port} cannot be used: {cause}; choose another one with --port"
        raise StoreError(msg) from cause
    return listener
