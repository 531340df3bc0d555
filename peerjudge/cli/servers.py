"""The viewer (`view`), and what every server of pages or of a judge needs: a socket, and its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_status
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["listen", "view_command"]

HOST = "127.0.0.1"

_PAGE_PORT = 8750
"""Port of pages that is taken where none is given and it is free."""


def view_command(*sources: str, port: int | None = None) -> int:
    """Show runs in the browser: progress, discussions, prompts, comparisons. Reads; changes nothing.

    Prints a link that works once, and the next one when it was used. Ctrl-C ends it.

    Parameters
    ----------
    sources
        Run folders, folders of studies, folders of these, `.db` files, store URLs (URL#RUN for one run),
        transcript files (.jsonl, .jsonl.gz) and bundles (.zip). A run may still be going on.
    port
        The port on this machine; by default 8750, or any free one where it is in use.
    """
    if not sources:
        msg = "name what to show: a run folder, a folder of run folders, or a store URL"
        raise StoreError(msg)
    require_web("the viewer")
    asyncio.run(_show_library(sources, port=port))
    return 0


async def _show_library(sources: Sequence[str], *, port: int | None) -> None:
    from peerjudge.reporting.formats import counted
    from peerjudge.shelf import Shelf
    from peerjudge.web import SignIn, build_app, open_library
    from peerjudge.web.library import list_kinds

    async with open_library(sources) as library:
        with listen_here(port) as listener:
            number = int(listener.getsockname()[1])

            def say(key: str) -> None:
                print(f"http://{HOST}:{number}/open?key={key}", flush=True)

            sign_in = SignIn(say)
            app = build_app(library, sign_in, cookie=f"peerjudge_{number}", shelf=Shelf())
            shown = [counted(len(library.runs), "run")] if library.runs else []
            shown += [
                counted(len(folders), *list_kinds()[name].noun)
                for name, folders in library.others.items()
                if folders
            ]
            print_status(
                f"Viewing {' and '.join(shown)}, read-only. Open the link below: it works "
                "once, and the next one follows. Ctrl-C ends."
            )
            sign_in.renew()
            await serve_until_signal(app, listener)


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
