"""Command `serve`."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from peerjudge.cli.console import print_status
from peerjudge.cli.options import OUT, BudgetOptions, CastOptions
from peerjudge.cli.servers import HOST, listen, require_web, serve_until_signal
from peerjudge.errors import ExperimentError
from peerjudge.features.judge.clients import SHORTEST, Clients, build_clients, make_client
from peerjudge.places import is_loopback

if TYPE_CHECKING:
    from peerjudge.features.judge.opened import Judge

__all__ = ["TOKEN", "choose_clients", "serve_command"]

TOKEN = "PEERJUDGE_SERVE_TOKEN"  # noqa: S105  the name of the variable

_JUDGE_PORT = 8760


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
    token_file: Path | None = None,
    no_token: bool = False,
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
        Address to listen on. Requests send a token as `Authorization: Bearer`: that of the environment
        variable PEERJUDGE_SERVE_TOKEN (16 characters or more), one of --token-file, or, on this machine
        only, one that is made and printed at the start.
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
    token_file
        File with a token in each line and, if wanted, the most that its client may spend while the server
        runs (USD). Such limits need --cost-limit, which bounds the sum.
    no_token
        Ask for no token: every user of this machine can then spend your money.
    """
    clients, made = choose_clients(host, os.environ, token_file=token_file, no_token=no_token)
    if clients is not None and clients.limited and budget.cost_limit is None:
        msg = "limits of clients need --cost-limit, the limit of their sum"
        raise ExperimentError(msg)
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
                local = is_loopback(host)
                return await _serve_judge(opened, listener, clients, made=made, local=local)

    return asyncio.run(serve())


def choose_clients(
    host: str,
    environ: Mapping[str, str],
    *,
    token_file: Path | None = None,
    no_token: bool = False,
) -> tuple[Clients | None, str]:
    """Return those who may ask, `None` for everybody, and the token that was made for them, if one was.

    Raises:
        ExperimentError: Other machines can reach the host and no token is given, a token is too short, or
            both a token and none are asked for.
    """
    clients = build_clients(environ, TOKEN, token_file)
    if clients is not None and no_token:
        msg = f"--no-token asks for no token; leave out --token-file and {TOKEN} with it"
        raise ExperimentError(msg)
    if clients is None and not is_loopback(host):
        msg = (
            f"other machines can reach {host}, and could spend your money: set {TOKEN} to a token of "
            f"{SHORTEST} or more characters, give --token-file, or leave out --host"
        )
        raise ExperimentError(msg)
    if clients is not None or no_token:
        return clients, ""
    client = make_client()
    return Clients([client]), client.token


async def _serve_judge(
    judge: Judge, listener: socket.socket, clients: Clients | None, *, made: str, local: bool
) -> int:
    """Serve until a signal; return the exit code that a shell gives a process that it ended."""
    from peerjudge.features.judge.api import build_judge_api

    host, port = listener.getsockname()[:2]
    simulated = "; its reviewers are simulated" if judge.simulated else ""
    print_status(f"Judging by {judge.by}, stored in {judge.place}{simulated}. Ctrl-C ends.")
    if made:
        print_status(f"Token of this session, to be sent as the key of the API: {made}")
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}/v1", flush=True)
    # Requests under way are answered with an error at the end, so that the server does not wait.
    received = await serve_until_signal(
        build_judge_api(judge, clients=clients, local=local), listener, at_end=judge.cancel_all
    )
    print_status("Interrupted. All discussions so far are saved; equal requests resume them.")
    return 0 if received is None else 128 + received
