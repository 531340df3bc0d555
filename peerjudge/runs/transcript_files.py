"""Transcript files: exported discussions (`.jsonl`, `.jsonl.gz`) that are read like a run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from peerjudge.data import Transcript, content_hash, from_json
from peerjudge.datasets.lines import read_lines
from peerjudge.errors import DataError
from peerjudge.store import Store

_SUFFIXES = (".jsonl", ".jsonl.gz")
_CHUNK = 200
"""Number of discussions that are written to the store at a time."""


def is_transcript_file(source: str | Path) -> bool:
    """Return whether the source is a file in the form of `peerjudge export --format jsonl`."""
    return str(source).endswith(_SUFFIXES) and Path(source).is_file()


def read_transcript_file(file: Path) -> Iterator[Transcript]:
    """Yield the discussions of a transcript file in its order; skip blank lines.

    Raises:
        DataError: The file is missing or empty, or a line is not a discussion.
    """
    empty = True
    for number, line in read_lines(file):
        if not line.strip():
            continue
        empty = False
        try:
            yield from_json(Transcript, line)
        except DataError as cause:
            msg = (
                f"{file}, line {number}: {cause}; `peerjudge export RUN --format jsonl` writes such "
                f"files, and jsonl:{file} reads comparisons"
            )
            raise DataError(msg) from cause
    if empty:
        msg = (
            f"{file} is empty; `peerjudge export RUN --format jsonl` writes one discussion per line"
        )
        raise DataError(msg)


@asynccontextmanager
async def import_transcripts(
    file: Path, *, manifest: Mapping[str, object] | None = None
) -> AsyncGenerator[Path]:
    """Import a transcript file as the only run of a temporary store; yield the store's file.

    Without the manifest of their run, one is made of what the transcripts say.

    Raises:
        DataError: See `read_transcript_file`; or a discussion is in the file twice.
    """
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        place = Path(folder) / "transcripts.db"
        await store_transcripts(file, place, manifest or build_bare_manifest(file))
        yield place


async def store_transcripts(file: Path, place: Path, manifest: Mapping[str, object]) -> None:
    """Import a transcript file into a new store, as the run of the manifest.

    Raises:
        DataError: See `import_transcripts`.
    """
    run = str(manifest["run"])
    async with Store.open(place) as store:
        await store.record_run(run, manifest)
        waiting = read_transcript_file(file)
        seen: set[str] = set()
        while chunk := list(islice(waiting, _CHUNK)):
            _require_new(file, chunk, seen)
            await store.enlist(run, chunk)
            await asyncio.gather(*map(store.end, chunk))


def build_bare_manifest(file: Path) -> dict[str, object]:
    """Return what a manifest says about the experiment, as far as the transcripts tell.

    Raises:
        DataError: See `read_transcript_file`.
    """
    ids: list[str] = []
    protocols: dict[str, str] = {}
    for one in read_transcript_file(file):
        ids.append(one.id)
        protocols[one.condition] = one.protocol
    return {
        "run": content_hash(*ids),
        "experiment": {
            "name": file.name.partition(".")[0],
            "conditions": [
                {"name": name, "protocol": protocol} for name, protocol in protocols.items()
            ],
        },
    }


def _require_new(file: Path, chunk: Sequence[Transcript], seen: set[str]) -> None:
    for one in chunk:
        if one.id in seen:
            msg = f"{file} holds discussion {one.id!r} twice; export the run again"
            raise DataError(msg)
        seen.add(one.id)
