"""Server of pages on this machine: its port, its signals, and its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Server

HOST = "127.0.0.1"

_PORT = 8750
"""Port that is taken where none is given and it is free."""


def require_web(what: str) -> None:
    """Raise `StoreError` if the packages of the web server are not installed."""
    try:
        import starlette
        import uvicorn
    except ModuleNotFoundError as cause:
        msg = f"{what} needs the package {cause.name!r}: pip install 'peerjudge[web]'"
        raise StoreError(msg) from cause
    _ = (starlette, uvicorn)


async def serve_until_signal(app: ASGIApp, listener: socket.socket) -> None:
    """Serve an application on a socket until Ctrl-C or SIGTERM."""
    from uvicorn import Config, Server

    config = Config(
        app,
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    _stop_on_signals(server)
    # The private method leaves the signals alone, which `serve` would raise again at its end.
    await server._serve(sockets=[listener])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def listen(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine only; raises `StoreError` for a port in use."""
    for number in (_PORT, 0) if port is None else (port,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            # From here on connections wait until the server answers.
            listener.listen(128)
        except (OSError, OverflowError) as cause:
            listener.close()
            if number == _PORT and port is None:
                continue
            msg = f"port {number} cannot be used: {cause}; choose another one with --port"
            raise StoreError(msg) from cause
        return listener
    msg = "no port is free; choose one with --port"
    raise StoreError(msg)


def _stop_on_signals(server: Server) -> None:
    """End the server in order on Ctrl-C and SIGTERM."""

    def stop() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no handlers in its loop.
            loop.add_signal_handler(number, stop)
