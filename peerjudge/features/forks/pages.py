"""Forks on the pages of a discussion: its parent, its branches, and the command for another one."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from peerjudge.data import StopReason, Transcript
from peerjudge.errors import StoreError
from peerjudge.features.forks.preparing import FORKS
from peerjudge.runs.manifest import FORKED, IMPORTED, MANIFEST, MERGED, read_manifest
from peerjudge.web.library import Library, ShownRun

_MOST = 40
"""Folders of forks that a page lists."""
_LENGTH = 40
"""Characters of a change in the name of a fork."""
_FIRST = 1.0
"""Time to wait for the index of a run of forks. [s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A fork of a discussion that the viewer can show."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """A run of forks: its turn, its changes, and its forks of one discussion.

    `key` is its run in the viewer, empty where the viewer does not show it; `command` then does.
    """

    at: int
    changes: Sequence[str]
    key: str
    forks: Sequence[Branch]
    command: str


def find_parent(library: Library, run: ShownRun, transcript: Transcript) -> str:
    """Return the key of the run with the parent of a fork, empty where the viewer does not show it."""
    link = _read_link(run.manifest)
    if transcript.fork is None or not link:
        return ""
    return next((one.key for one in library.runs.values() if one.id == link.get("run")), "")


async def list_branches(
    library: Library, run: ShownRun, transcript: Transcript
) -> Sequence[Branches]:
    """Return the runs of forks of a run; those that the viewer shows with the forks of a discussion."""
    if transcript.fork is not None:
        return ()
    found: list[Branches] = []
    for one in library.runs.values():
        link = _read_link(one.manifest)
        if link.get("run") == run.id:
            ids = await asyncio.to_thread(_find_forks, one, link, transcript)
            forks = [
                Branch(id=each.id, name=_name(each))
                async for each in one.store.transcripts_of(ids)
                if each.fork is not None and each.fork.parent == transcript.id
            ]
            found.append(_build(link, key=one.key, forks=forks))
    shown = {one.folder.resolve() for one in library.runs.values() if one.folder is not None}
    for folder in _list_folders(run):
        if folder.resolve() not in shown:
            try:
                link = _read_link(read_manifest(folder))
            except StoreError:
                continue
            command = f"peerjudge view {shlex.quote(run.address)} {shlex.quote(str(folder))}"
            found.append(_build(link, command=command))
    return found


async def show_forks(library: Library, run: ShownRun, transcript: Transcript) -> dict[str, object]:
    """Return what the page of a discussion shows of forks."""
    return {
        "parent": find_parent(library, run, transcript),
        "branches": await list_branches(library, run, transcript),
    }


def write_command(run: ShownRun, transcript: Transcript, *, at: int) -> str:
    """Return the command that forks a discussion at a turn, empty where that is not possible."""
    kinds = (FORKED, IMPORTED, MERGED)
    if run.folder is None or any(run.manifest.get(kind) for kind in kinds):
        return ""
    if transcript.stop is not StopReason.COMPLETE:
        return ""
    where = f"id={transcript.id}"
    words = ["peerjudge", "fork", run.address, "--at", str(at), "--where", where, "--draws", "2"]
    return shlex.join(words)


def _build(
    link: Mapping[str, object],
    *,
    key: str = "",
    forks: Sequence[Branch] = (),
    command: str = "",
) -> Branches:
    at = link.get("at")
    return Branches(
        at=at if isinstance(at, int) else 0,
        changes=list(dict.fromkeys(str(arm["change"]) for arm in _read_arms(link))),
        key=key,
        forks=forks,
        command=command,
    )


def _find_forks(run: ShownRun, link: Mapping[str, object], transcript: Transcript) -> list[str]:
    """Return the ids of the forks of all discussions of one comparison and condition."""
    run.follower.wait_for_rows(_FIRST)
    return [
        listed.id
        for arm in _read_arms(link)
        if arm["parent"] == transcript.condition
        for listed in run.reader.of_comparison(
            run.id, str(arm["condition"]), transcript.comparison.id
        )
    ]


def _list_folders(run: ShownRun) -> list[Path]:
    if run.folder is None:
        return []
    return sorted(one.parent for one in (run.folder / FORKS).glob(f"*/{MANIFEST}"))[:_MOST]


def _read_link(manifest: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", manifest.get(FORKED) or {})


def _read_arms(link: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    return cast("Sequence[Mapping[str, object]]", link.get("arms") or ())


def _name(fork: Transcript) -> str:
    link = fork.fork
    if link is None:
        return fork.id
    change = link.change if len(link.change) <= _LENGTH else f"{link.change[:_LENGTH]}…"
    return f"{change or 'no change'}, {link.draw or 'same draws'}"
