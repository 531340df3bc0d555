"""Studies in `peerjudge annotate`: their declaration from the command line, and the server of their forms."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from peerjudge.cli.console import print_status
from peerjudge.cli.local_server import HOST, listen_here, require_web, serve_until_signal
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.data import Study
    from peerjudge.store.study_desk import StudyDesk

_SAVE_AFTER = 1.0
"""Time after an answer at which the votes are written for other commands. [s]"""


def is_study(source: str, changes: Mapping[str, object]) -> bool:
    """Return whether a source is a study: a TOML file, a folder with one, or named annotators."""
    from peerjudge.store.study_desk import holds_study

    if source.endswith(".toml") or holds_study(Path(source)):
        return True
    return "annotators" in changes and not Path(source).is_dir()


def locate_study(
    source: str, *, out: Path | None, condition: str, changes: Mapping[str, object]
) -> tuple[Study, Path]:
    """Return the declaration of a study, with changes, and its folder.

    Raises `PeerJudgeError` where there is no such study, or a value is wrong.
    """
    from peerjudge.data import Study, from_plain, to_plain
    from peerjudge.runs.studies import read_study
    from peerjudge.shelf import Shelf
    from peerjudge.store.study_desk import StudyDesk, holds_study

    folder = Path(source)
    if holds_study(folder):
        if out is not None and out != folder:
            msg = f"{folder} is the folder of a study already; leave --out away"
            raise StoreError(msg)
        with StudyDesk.open(folder, create=False) as desk:
            plain = cast("Mapping[str, object]", to_plain(desk.read_study()))
        return from_plain(Study, {**plain, **changes}), folder
    study = read_study(source, shelf=Shelf(), condition=condition, changes=changes)
    return study, out or Path("runs") / (study.name or "study")


def serve_study(desk: StudyDesk, annotators: list[str], *, folder: Path, port: int | None) -> None:
    """Serve the forms of a study until Ctrl-C; raises `StoreError` for a port in use."""
    require_web("the forms")
    asyncio.run(_serve(desk, annotators, folder=folder, port=port))


async def _serve(desk: StudyDesk, annotators: list[str], *, folder: Path, port: int | None) -> None:
    from peerjudge.marks import mark_controls
    from peerjudge.runs.studies import save_votes
    from peerjudge.web.desk_safety import DeskSignIn
    from peerjudge.web.study_pages import build_study_app

    with listen_here(port) as listener:
        number = int(listener.getsockname()[1])
        planned: list[asyncio.TimerHandle] = []

        def say(name: str, key: str) -> None:
            print(f"{mark_controls(name)}: http://{HOST}:{number}/open?key={key}", flush=True)

        def save() -> None:
            planned.clear()
            save_votes(desk, folder)

        def plan_saving() -> None:
            if not planned:
                planned.append(asyncio.get_running_loop().call_later(_SAVE_AFTER, save))

        sign_in = DeskSignIn(desk, annotators, say)
        app = build_study_app(
            desk,
            sign_in,
            hosts=[f"{name}:{number}" for name in (HOST, "localhost")],
            cookie=f"peerjudge_desk_{number}",
            on_answer=plan_saving,
        )
        print_status(
            f"Study in {shlex.quote(str(folder))}. Each link below is of one person and works once; the "
            "next one follows. Ctrl-C ends."
        )
        sign_in.renew()
        await serve_until_signal(app, listener)
        save()
