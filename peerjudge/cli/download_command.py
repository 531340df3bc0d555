"""`peerjudge download`: fetch a published dataset and verify every file."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import print_status
from peerjudge.cli.tables import say

__all__ = ["download_command"]


def download_command(name: str, /, *, into: Path | None = None) -> int:
    """Fetch a published dataset from its authors' repository and verify it.

    Parameters
    ----------
    name
        The dataset, as `peerjudge list datasets` shows it.
    into
        The folder to put it in; the user's cache when left out.
    """
    from peerjudge.datasets import download

    path = download(name, into=into)
    say(str(path))
    print_status(f"use it as {name}:{path}")
    return 0
