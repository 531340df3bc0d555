"""Files in which a command that only computes keeps its result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import json_text, status
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.reporting.drawing import Figure

__all__ = ["report_interruption", "save_document"]

_CTRL_C = 130


def report_interruption() -> int:
    """Say that an interrupted computation saved nothing, and return the exit code of Ctrl-C."""
    status().print("Interrupted. Nothing is saved; run the same command to start again.")
    return _CTRL_C


def save_document(
    document: Mapping[str, object], figures: Mapping[str, Figure], folder: Path, *, name: str
) -> str:
    """Write the document as `name`, and the figures as SVG (and PNG), into the folder.

    Returns a sentence that lists the files. The figures say that they are simulated.

    Raises:
        StoreError: the folder cannot be written.
    """
    from peerjudge.reporting.drawing import save_figures

    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(document) + "\n", encoding="utf-8")
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause
    saved, note = save_figures(figures, folder, simulated=True)
    if note:
        status().print(note)
    return f"saved in {folder}: {', '.join(file.name for file in (path, *saved))}"
