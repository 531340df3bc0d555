"""Protection of existing files from the output of a command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from peerjudge.errors import StoreError

_FIGURES = {".svg": b'<svg id="figure-', ".png": b"Software\0PeerJudge", ".pdf": b"%PeerJudge"}
"""Bytes near the beginning or at the end of figures, by the ending of the file."""

_DATABASE = b"SQLite format 3\0"
_HEAD, _TAIL = 2048, 32
"""Bytes at both ends of a file that are read to recognise it."""


def require_free(
    path: Path, *, source: str, force: bool, own: bytes | None = None, option: str = "-o"
) -> None:
    """Raise `StoreError` if writing the path would destroy something else than an earlier output.

    Missing and empty files, and devices such as `/dev/null`, are free.

    Args:
        path: File to write.
        source: Source that the command reads; it is never overwritten, and no store and manifest is.
        force: Replace other files.
        own: Bytes near the beginning or at the end of earlier outputs, which are replaced without `force`.
        option: Option that names the file, for the message.
    """
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            head = file.read(_HEAD)
            file.seek(max(len(head), path.stat().st_size - _TAIL))
            tail = file.read(_TAIL)
        is_source = Path(source).is_file() and path.samefile(source)
    except OSError:
        return  # Writing it reports the cause.
    if head.startswith(_DATABASE) or is_source or path.name == "manifest.json":
        msg = f"{path} holds data of a run and is not replaced; name another place with {option}"
        raise StoreError(msg)
    if head and not force and (own is None or own not in head + tail):
        msg = f"{path} exists; name another place with {option}, or replace it with --force"
        raise StoreError(msg)


def require_free_figures(
    names: Iterable[str], folder: Path, *, source: str, force: bool, option: str
) -> None:
    """Raise `StoreError` if a figure would replace another file than an earlier figure."""
    for name in names:
        for ending, own in _FIGURES.items():
            path = folder / f"{name}{ending}"
            require_free(path, source=source, force=force, own=own, option=option)
