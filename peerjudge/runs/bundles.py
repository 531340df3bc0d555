"""Bundles: zip archives with the transcripts of a run, read like the run itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from zipfile import BadZipFile, ZipFile

from peerjudge.errors import DataError
from peerjudge.runs.manifest import MANIFEST
from peerjudge.runs.transcript_files import import_transcripts

TRANSCRIPTS = "transcripts.jsonl.gz"
"""Member with the discussions, in the form of `peerjudge export --format jsonl`."""


_ALWAYS = 64 * 2**20
"""Size that the members of any archive may have together. [bytes]"""
_RATIO = 100
"""How many times its own size a larger archive may unpack to; discussions, packed already, are near 1."""


def require_bounded(archive: ZipFile, file: Path) -> None:
    """Refuse an archive whose members would take far more space than a bundle of its size.

    `zipfile` reads no more of a member than the size that it declares.

    Raises:
        DataError: the archive is such a one.
    """
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

    Raises:
        DataError: The file is no bundle, or is damaged.
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
        except (BadZipFile, OSError, EOFError) as cause:
            msg = f"{file} cannot be read: {cause}; `peerjudge verify {file}` checks a bundle"
            raise DataError(msg) from cause
        async with import_transcripts(transcripts, manifest=manifest) as place:
            yield place


def read_member_manifest(content: bytes) -> dict[str, object]:
    """Return the manifest in a bundle.

    Raises:
        DataError: It is no manifest.
    """
    try:
        manifest: object = json.loads(content)
    except (ValueError, RecursionError) as cause:
        msg = f"{MANIFEST} of the bundle is not JSON: {cause}; `peerjudge verify` checks a bundle"
        raise DataError(msg) from cause
    fields = cast("dict[str, object]", manifest) if isinstance(manifest, dict) else {}
    if not isinstance(fields.get("run"), str):
        msg = f"{MANIFEST} of the bundle names no run; `peerjudge verify` checks a bundle"
        raise DataError(msg)
    return fields
