"""Exported discussions that are read like a run: transcript files (`.jsonl`, `.jsonl.gz`) and bundles.

A bundle is a zip archive with the transcripts and the manifest of a run.
"""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from lzma import LZMAError
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from peerjudge.data import Transcript, content_hash, from_json, read_manifest_text
from peerjudge.data.discussion import require_fitting
from peerjudge.datasets.lines import read_lines
from peerjudge.errors import DataError
from peerjudge.runs.manifest import MANIFEST
from peerjudge.store import Store

_SUFFIXES = (".jsonl", ".jsonl.gz")

TRANSCRIPTS = "transcripts.jsonl.gz"
"""Member with the discussions, in the form of `peerjudge export --format jsonl`."""
DAMAGED = (
    BadZipFile,
    EOFError,
    LZMAError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""Errors by which `zipfile` says that an archive, or a member, is damaged or in a form that none has."""
MOST_MEMBERS = 5_000
"""Most members of a bundle, which has one for each card, protocol and prompt pack, and some ten more."""
_LONGEST = 64 * 2**20
"""Longest discussion. [bytes]"""
_MOST_BLANK = 10_000
"""Most empty lines of a transcript file."""
_ALWAYS = 64 * 2**20
"""Size that the members of any archive may have together. [bytes]"""
_RATIO = 100
"""How many times its own size a larger archive may unpack to; discussions, packed already, are near 1."""


def is_transcript_file(source: str | Path) -> bool:
    """Return whether the source is a file in the form of `peerjudge export --format jsonl`."""
    return str(source).endswith(_SUFFIXES) and Path(source).is_file()


def read_transcript_file(file: Path) -> Iterator[Transcript]:
    """Yield the discussions of a transcript file in its order; skip blank lines.

    Raises:
        DataError: The file is missing or empty, a line is not a discussion, or it unpacks to more than any
            discussions do.
    """
    empty, blank = True, 0
    for number, line in read_lines(file, longest=_LONGEST):
        if not line.strip():
            blank += 1
            if blank > _MOST_BLANK:
                msg = f"{file} has more than {_MOST_BLANK:,} empty lines; export the run again"
                raise DataError(msg)
            continue
        empty = False
        try:
            transcript = from_json(Transcript, line)
            require_fitting(transcript)
        except DataError as cause:
            msg = (
                f"{file}, line {number}: {cause}; `peerjudge export RUN --format jsonl` writes such "
                f"files, and jsonl:{file} reads comparisons"
            )
            raise DataError(msg) from cause
        yield transcript
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
    """Import a transcript file into a new store, as the run of the manifest."""
    run = str(manifest["run"])
    async with Store.open(place) as store:
        await store.record_run(run, manifest)
        await store.add(run, _read_once(file))


def build_bare_manifest(file: Path) -> dict[str, object]:
    """Return what a manifest says about the experiment, as far as the transcripts tell."""
    ids: list[str] = []
    protocols: dict[str, str] = {}
    for transcript in read_transcript_file(file):
        ids.append(transcript.id)
        protocols[transcript.condition] = transcript.protocol
    return {
        "run": content_hash(*ids),
        "experiment": {
            "name": file.name.partition(".")[0],
            "conditions": [
                {"name": name, "protocol": protocol} for name, protocol in protocols.items()
            ],
        },
    }


def _read_once(file: Path) -> Iterator[Transcript]:
    seen: set[str] = set()
    for transcript in read_transcript_file(file):
        if transcript.id in seen:
            msg = f"{file} holds discussion {transcript.id!r} twice; export the run again"
            raise DataError(msg)
        seen.add(transcript.id)
        yield transcript


def require_bounded(archive: ZipFile, file: Path) -> None:
    """Raise `DataError` if the members are more, or take far more space, than those of a bundle of its size.

    `zipfile` reads no more of a member than the size that it declares; what a member unpacks to itself is
    bounded where its lines are read.
    """
    members = len(archive.infolist())
    if members > MOST_MEMBERS:
        msg = f"{file} has {members:,} members, and no bundle more than {MOST_MEMBERS:,}; it was not read"
        raise DataError(msg)
    unpacked = sum(member.file_size for member in archive.infolist())
    packed = file.stat().st_size
    if unpacked > max(_ALWAYS, _RATIO * packed):
        msg = (
            f"{file} has {packed:,} bytes and would unpack to {unpacked:,}, more than {_RATIO} times as "
            "many: no bundle does; it was not read"
        )
        raise DataError(msg)


def is_bundle(source: str | Path) -> bool:
    """Return whether the source is a file in the form of `peerjudge bundle`."""
    return str(source).endswith(".zip") and Path(source).is_file()


@asynccontextmanager
async def import_bundle(file: Path) -> AsyncGenerator[Path]:
    """Import the discussions and the manifest of a bundle into a temporary store; yield its file.

    Raises `DataError` if the file is no bundle, or is damaged.
    """
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        transcripts = Path(folder) / TRANSCRIPTS
        try:
            with ZipFile(file) as archive:
                require_bounded(archive, file)
                with archive.open(TRANSCRIPTS) as member, transcripts.open("wb") as copy:
                    shutil.copyfileobj(member, copy)
                manifest = read_member_manifest(archive.read(MANIFEST))
        except KeyError as cause:
            msg = f"{file} is not a bundle: {cause.args[0]}; `peerjudge bundle RUN -o FILE.zip` writes one"
            raise DataError(msg) from cause
        except (OSError, *DAMAGED) as cause:
            msg = f"{file} cannot be read: {cause}; `peerjudge verify {file}` checks a bundle"
            raise DataError(msg) from cause
        async with import_transcripts(transcripts, manifest=manifest) as place:
            yield place


def read_member_manifest(content: bytes) -> dict[str, object]:
    """Return the manifest in a bundle; raises `DataError` if it is none."""
    try:
        manifest = read_manifest_text(content)
    except DataError as cause:
        msg = (
            f"{MANIFEST} of the bundle cannot be read: {cause}; `peerjudge verify` checks a bundle"
        )
        raise DataError(msg) from cause
    if not isinstance(manifest.get("run"), str):
        msg = f"{MANIFEST} of the bundle names no run; `peerjudge verify` checks a bundle"
        raise DataError(msg)
    return manifest
