"""Server of the forms of people (`annotate --browser`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_status
from peerjudge.cli.servers import HOST, listen_here, require_web, serve_until_signal

if TYPE_CHECKING:
    from peerjudge.features.people.desk import Desk

__all__ = ["serve_desk"]

_SAVE_AFTER = 1.0
"""Time after an answer at which the votes of a study are written for other commands. [s]"""


def serve_desk(
    desk: Desk,
    people: Sequence[str],
    *,
    introduction: str,
    port: int | None,
    save: Callable[[], object] | None = None,
) -> None:
    """Serve the requests to these people until Ctrl-C; raises `StoreError` for a port in use.

    Args:
        desk: The open desk of a run or a study.
        people: Cards or annotators, each of whom gets a link.
        introduction: Text above the links.
        port: The port; `None` for the usual or any free one.
        save: Writes the votes of a study; called soon after an answer, and at the end.
    """
    require_web("the forms")
    asyncio.run(_serve_forms(desk, people, introduction=introduction, port=port, save=save))


async def _serve_forms(
    desk: Desk,
    people: Sequence[str],
    *,
    introduction: str,
    port: int | None,
    save: Callable[[], object] | None,
) -> None:
    from peerjudge.features.people.forms import build_desk_app
    from peerjudge.features.people.safety import DeskSignIn
    from peerjudge.marks import mark_controls

    planned: list[asyncio.TimerHandle] = []

    def save_now() -> None:
        planned.clear()
        if save is not None:
            save()

    def plan_saving() -> None:
        if not planned:
            planned.append(asyncio.get_running_loop().call_later(_SAVE_AFTER, save_now))

    with listen_here(port) as listener:
        number = int(listener.getsockname()[1])

        def say(name: str, key: str) -> None:
            print(f"{mark_controls(name)}: http://{HOST}:{number}/open?key={key}", flush=True)

        sign_in = DeskSignIn(desk, people, say)
        hosts = [f"{name}:{number}" for name in (HOST, "localhost")]
        cookie = f"peerjudge_desk_{number}"
        app = build_desk_app(desk, sign_in, hosts=hosts, cookie=cookie, on_answer=plan_saving)
        print_status(introduction)
        sign_in.renew()
        await serve_until_signal(app, listener)
        save_now()
