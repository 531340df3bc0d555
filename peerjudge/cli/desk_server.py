"""Server of `peerjudge annotate --browser`: the forms of a desk, with a one-time link for each person."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_status
from peerjudge.cli.local_server import HOST, listen_here, require_web, serve_until_signal

if TYPE_CHECKING:
    from peerjudge.store.desk import Desk


def serve_desk(desk: Desk, cards: Sequence[str], *, run: str, port: int | None) -> None:
    """Serve the requests to these cards until Ctrl-C; raises `StoreError` for a port in use."""
    require_web("the forms")
    asyncio.run(_serve(desk, cards, run=run, port=port))


async def _serve(desk: Desk, cards: Sequence[str], *, run: str, port: int | None) -> None:
    from peerjudge.marks import mark_controls
    from peerjudge.web.desk import build_desk_app
    from peerjudge.web.desk_safety import DeskSignIn

    with listen_here(port) as listener:
        number = int(listener.getsockname()[1])

        def say(card: str, key: str) -> None:
            print(f"{mark_controls(card)}: http://{HOST}:{number}/open?key={key}", flush=True)

        sign_in = DeskSignIn(desk, cards, say)
        hosts = [f"{name}:{number}" for name in (HOST, "localhost")]
        app = build_desk_app(desk, sign_in, hosts=hosts, cookie=f"peerjudge_desk_{number}")
        waiting = sum(count for card, count in desk.count_open().items() if card in cards)
        print_status(
            f"{waiting} open requests in {shlex.quote(run)}. Each link below is of one person and works "
            "once; the next one follows. `peerjudge run --wait` takes the answers up as they come. "
            "Ctrl-C ends."
        )
        sign_in.renew()
        await serve_until_signal(app, listener)
