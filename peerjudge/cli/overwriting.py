"""Protection of existing files from the output of a command."""

from __future__ import annotations

from pathlib import Path

from peerjudge.errors import StoreError

__all__ = ["require_free"]

_DATABASE = b"SQLite format 3\0"
_HEAD = 2048
"""Bytes of a file that are read to recognise it."""


def require_free(path: Path, *, source: str, force: bool, own: bytes | None = None) -> None:
    """Raise `StoreError` if writing the path would destroy something else than an earlier output.

    Missing and empty files, and devices such as `/dev/null`, are free.

    Args:
        path: File to write.
        source: Source that the command reads; it is never overwritten, and no store and manifest is.
        force: Replace other files.
        own: Bytes near the beginning of earlier outputs, which are replaced without `force`.
    """
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            head = file.read(_HEAD)
        is_source = Path(source).is_file() and path.samefile(source)
    except OSError:
        return  # Writing it reports the cause.
    if head.startswith(_DATABASE) or is_source or path.name == "manifest.json":
        msg = f"{path} holds data of a run and is not replaced; name another file with -o"
        raise StoreError(msg)
    if head and not force and (own is None or own not in head):
        msg = f"{path} exists; name another file with -o, or replace it with --force"
        raise StoreError(msg)
