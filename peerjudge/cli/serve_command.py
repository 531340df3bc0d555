"""`peerjudge serve`: a discussion as a judge for other programs, over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_status
from peerjudge.errors import ExperimentError, StoreError

if TYPE_CHECKING:
    from uvicorn import Server

    from peerjudge.judging import Judge

TOKEN = "PEERJUDGE_SERVE_TOKEN"  # noqa: S105  the name of the variable
_HOST = "127.0.0.1"
_PORT = 8760
_SHORTEST_TOKEN = 16


def serve_command(
    judge: str,
    /,
    *,
    host: str = _HOST,
    port: int = _PORT,
    out: Path | None = None,
    store: str | None = None,
    cache: str | None = None,
    seed: int | None = None,
    setting: Annotated[list[str] | None, Parameter(name=["--setting", "-S"])] = None,
    seat: list[str] | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    deadline: float | None = None,
) -> int:
    """Judge answers for other programs over HTTP, by a discussion in both orders.

    `POST /v1/judge` takes one JSON object with `question`, `answers` (2 to 4), and, if wanted, `criteria`.
    `POST /v1/chat/completions` takes the same object as the last message of a chat, with `reply`: index,
    letter or rubric. Each discussion is stored, and an equal request costs nothing. Ctrl-C ends it.

    Parameters
    ----------
    judge
        A card, PROTOCOL:CARD,CARD,..., an experiment, or EXPERIMENT#CONDITION.
    host
        Address to listen on. Any but this machine's own needs a token of 16 characters or more in the
        environment variable PEERJUDGE_SERVE_TOKEN, which requests send as `Authorization: Bearer`.
    port
        Port; 0 takes a free one.
    out
        Folder of the discussions, which every other command reads; by default `runs/JUDGE`.
    store
        Database URL instead of a folder.
    cache
        File or folder of the reply cache; see `run`.
    seed
        Seed of simulated reviewers and of cached replies.
    setting
        Setting `key=value`; see `run`.
    seat
        Card of a seat, `seat=card`; see `run`.
    max_connections
        Most comparisons judged at a time.
    cost_limit
        Limit in USD on all judgements in the folder; requests that do not fit get the status 429.
    token_limit
        Limit on the tokens of all judgements in the folder.
    deadline
        Time after which a discussion fails. [s]
    """
    token = check_token(host, os.environ.get(TOKEN))
    try:
        import starlette
        import uvicorn
    except ModuleNotFoundError as cause:
        msg = f"serving needs the package {cause.name!r}: pip install 'peerjudge[web]'"
        raise StoreError(msg) from cause
    _ = (starlette, uvicorn)
    from peerjudge.judging import Judge
    from peerjudge.judging.specs import build_judge
    from peerjudge.runs import parse_seats, parse_settings
    from peerjudge.shelf import Shelf

    if out is None and store is None:
        out = Path("runs") / build_judge(judge, Shelf()).name
    opening = Judge.open(
        judge,
        out=out,
        store=store,
        cache=cache,
        seed=seed,
        settings=parse_settings(setting or []),
        seats=parse_seats(seat or []),
        max_connections=max_connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        deadline=deadline,
    )

    async def serve() -> int:
        with _listen(host, port) as listener:
            async with opening as opened:
                return await _serve(opened, listener, token=token, local=_is_local(host))

    return asyncio.run(serve())


def check_token(host: str, token: str | None) -> str | None:
    """Return the token that requests must bear, if there is one.

    Raises:
        ExperimentError: Other machines can reach the host and there is no token, or it is too short.
    """
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isprintable()):
        msg = f"{TOKEN} needs {_SHORTEST_TOKEN} or more printable characters"
        raise ExperimentError(msg)
    if token is None and not _is_local(host):
        msg = (
            f"other machines can reach {host}, and could spend your money: set {TOKEN} to a token of "
            f"{_SHORTEST_TOKEN} or more characters, or leave out --host"
        )
        raise ExperimentError(msg)
    return token


async def _serve(judge: Judge, listener: socket.socket, *, token: str | None, local: bool) -> int:
    """Serve until a signal; return the exit code that a shell gives a process that it ended."""
    from uvicorn import Config, Server

    from peerjudge.web.judge_api import build_judge_api

    app = build_judge_api(judge, token=token, local=local)
    config = Config(
        app,
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    received = _stop_on_signals(server, judge)
    host, port = listener.getsockname()[:2]
    simulated = "; its reviewers are simulated" if judge.simulated else ""
    print_status(f"Judging by {judge.by}, stored in {judge.place}{simulated}. Ctrl-C ends.")
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}/v1", flush=True)
    # The private method leaves the signals alone, which `serve` would raise again at its end.
    await server._serve(sockets=[listener])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    print_status("Interrupted. All discussions so far are saved; equal requests resume them.")
    return 128 + received[0] if received else 0


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raises `StoreError` for an address that cannot be used."""
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
    except (OSError, OverflowError) as cause:
        listener.close()
        msg = f"port {port} cannot be used: {cause}; choose another one with --port"
        raise StoreError(msg) from cause
    return listener


def _stop_on_signals(server: Server, judge: Judge) -> list[int]:
    """End the server in order on SIGINT and SIGTERM; the returned list holds the signals received."""
    received: list[int] = []
    ending: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        received.append(number)
        server.should_exit = True
        # Requests under way are answered with an error, so that the server does not wait for them.
        ending.append(loop.create_task(judge.cancel_all()))

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no handlers in its loop.
            loop.add_signal_handler(number, stop, number)
    return received
