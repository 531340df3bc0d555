"""Import of discussions that were held elsewhere, as a run folder that every command on runs reads."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from peerjudge.data import Transcript, content_hash
from peerjudge.datasets.discussions import Discussions, read_discussions
from peerjudge.datasets.source import Options, Request
from peerjudge.errors import StoreError
from peerjudge.runs.manifest import IMPORTED, find_versions, write_manifest
from peerjudge.store import Store

_CHUNK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """Discussions that were imported, and the run folder that has them."""

    discussions: Discussions
    folder: Path


async def import_discussions(
    path: Path, *, out: Path, options: Options | None = None, licence: str = ""
) -> ImportedRun:
    """Read discussions from files and write them into a new run folder.

    Args:
        path: The file; `options.files` has further ones.
        out: A folder that does not exist or is empty.
        options: How to read the files.
        licence: Of the discussions.

    Raises:
        DataError: A row is no discussion, see `read_discussions`.
        StoreError: The folder holds files, or cannot be written.
    """
    options = options or Options()
    discussions = read_discussions(Request(path=path, options=options))
    _require_new(out)
    manifest = _build_manifest(discussions, (path, *options.files), licence=licence)
    run = str(manifest["run"])
    async with Store.open(out) as store:
        await store.record_run(run, manifest)
        waiting = iter(discussions.transcripts)
        while chunk := list(islice(waiting, _CHUNK)):
            await store.enlist(run, chunk)
            await asyncio.gather(*map(store.end, chunk))
    # The manifest makes the folder a run, so it comes last.
    write_manifest(out, manifest)
    return ImportedRun(discussions=discussions, folder=out)


def _require_new(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{folder} holds other files; name a new folder with --out"
        raise StoreError(msg)


def _build_manifest(
    discussions: Discussions, files: Sequence[Path], *, licence: str
) -> dict[str, object]:
    one = discussions.transcripts
    protocols = {each.condition: each.protocol for each in one}
    return {
        "schema": "peerjudge-manifest/1",
        "run": content_hash(*(each.id for each in one)),
        "experiment": {
            "name": files[0].name.partition(".")[0],
            "question": "",
            "conditions": [
                {"name": name, "protocol": protocol, "seats": _list_speakers(one, name)}
                for name, protocol in protocols.items()
            ],
        },
        IMPORTED: {
            "format": "discussions",
            "files": {file.name: _digest(file) for file in files},
            "discussions": len(one),
            "left_out": dict(discussions.left_out),
            "licence": licence,
        },
        "comparisons": len({each.comparison.id for each in one}),
        "cards": {},
        "versions": find_versions(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _list_speakers(transcripts: Sequence[Transcript], condition: str) -> list[str]:
    own = (transcript.seats for transcript in transcripts if transcript.condition == condition)
    return list(dict.fromkeys(seat.reviewer for seats in own for seat in seats))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
