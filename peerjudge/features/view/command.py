"""`peerjudge view`: runs in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from peerjudge.cli.console import print_status
from peerjudge.cli.servers import HOST, listen_here, require_web, serve_until_signal
from peerjudge.errors import StoreError

__all__ = ["view_command"]


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
    from peerjudge.features.view.app import build_app
    from peerjudge.reporting.formats import counted
    from peerjudge.shelf import Shelf
    from peerjudge.web.library import list_kinds, open_library
    from peerjudge.web.safety import SignIn

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
