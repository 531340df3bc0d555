"""Command `serve`."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from peerjudge.cli.console import print_status
from peerjudge.cli.options import OUT, BudgetOptions, CastOptions
from peerjudge.cli.servers import HOST, listen, require_web, serve_until_signal
from peerjudge.errors import ExperimentError
from peerjudge.places import is_loopback

if TYPE_CHECKING:
    from peerjudge.features.judge.opened import Judge

__all__ = ["TOKEN", "check_token", "serve_command"]

TOKEN = "PEERJUDGE_SERVE_TOKEN"  # noqa: S105  the name of the variable

_JUDGE_PORT = 8760

_SHORTEST_TOKEN = 16


def serve_command(
    judge: str,
    /,
    *,
    host: str = HOST,
    port: int = _JUDGE_PORT,
    out: Annotated[Path | None, OUT] = None,
    store: str | None = None,
    cache: str | None = None,
    seed: int | None = None,
    cast: CastOptions = CastOptions(),
    budget: BudgetOptions = BudgetOptions(),
    deadline: float | None = None,
) -> int:
    """Judge answers for other programs over HTTP, by a discussion in both orders.

    `POST /v1/judge` takes one JSON object with `question`, `answers` (2 to 4), and, if wanted, `criteria`.
    `POST /v1/chat/completions` takes the same object as the last message of a chat, with `reply`: index,
    letter or rubric. Each discussion is stored, and an equal request costs nothing. A
    request that does not fit a limit gets the status 429. Ctrl-C ends it.

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
    deadline
        Time after which a discussion fails. [s]
    """
    token = check_token(host, os.environ.get(TOKEN))
    require_web("serving")
    from peerjudge.features.judge.opened import Judge
    from peerjudge.features.judge.specs import build_judge
    from peerjudge.shelf import Shelf

    if out is None and store is None:
        out = Path("runs") / build_judge(judge, Shelf()).name
    opening = Judge.open(
        judge,
        out=out,
        store=store,
        cache=cache,
        seed=seed,
        deadline=deadline,
        **cast.list_arguments(),
        **budget.list_arguments(),
    )

    async def serve() -> int:
        with listen(host, port) as listener:
            async with opening as opened:
                return await _serve_judge(opened, listener, token=token, local=is_loopback(host))

    return asyncio.run(serve())


def check_token(host: str, token: str | None) -> str | None:
    """Return the token that requests must bear, if there is one.

    Raises:
        ExperimentError: Other machines can reach the host and there is no token, or it is too short.
    """
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isprintable()):
        msg = f"{TOKEN} needs {_SHORTEST_TOKEN} or more printable characters"
        raise ExperimentError(msg)
    if token is None and not is_loopback(host):
        msg = (
            f"other machines can reach {host}, and could spend your money: set {TOKEN} to a token of "
            f"{_SHORTEST_TOKEN} or more characters, or leave out --host"
        )
        raise ExperimentError(msg)
    return token


async def _serve_judge(
    judge: Judge, listener: socket.socket, *, token: str | None, local: bool
) -> int:
    """Serve until a signal; return the exit code that a shell gives a process that it ended."""
    from peerjudge.features.judge.api import build_judge_api

    host, port = listener.getsockname()[:2]
    simulated = "; its reviewers are simulated" if judge.simulated else ""
    print_status(f"Judging by {judge.by}, stored in {judge.place}{simulated}. Ctrl-C ends.")
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}/v1", flush=True)
    # Requests under way are answered with an error at the end, so that the server does not wait.
    received = await serve_until_signal(
        build_judge_api(judge, token=token, local=local), listener, at_end=judge.cancel_all
    )
    print_status("Interrupted. All discussions so far are saved; equal requests resume them.")
    return 0 if received is None else 128 + received
