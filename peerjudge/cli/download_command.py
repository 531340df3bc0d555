"""`peerjudge download`: fetch a published dataset, or vocabularies of tokens, and verify every file."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import print_status
from peerjudge.cli.tables import say

__all__ = ["download_command"]

TOKENIZERS = "tokenizers"


def download_command(name: str, /, *, into: Path | None = None) -> int:
    """Fetch a published dataset or the vocabularies that count tokens, and verify every file.

    Parameters
    ----------
    name
        The dataset, as `peerjudge list datasets` shows it; or `tokenizers`, for runs whose servers do
        not report tokens.
    into
        The folder to put it in; the user's cache when left out.
    """
    if name == TOKENIZERS:
        return _download_tokenizers(into)
    from peerjudge.datasets import download

    path = download(name, into=into)
    say(str(path))
    print_status(f"use it as {name}:{path}")
    return 0


def _download_tokenizers(into: Path | None) -> int:
    from peerjudge.clients.vocabularies import (
        UPSTREAM,
        VOCABULARIES,
        name_file,
        vocabulary_folder,
    )
    from peerjudge.datasets.fetching import fetch_files

    folder = vocabulary_folder() if into is None else into.expanduser()
    files = {
        name_file(name): (digest, f"{UPSTREAM}/{name}.tiktoken")
        for name, digest in VOCABULARIES.items()
    }
    fetch_files(files, folder, UPSTREAM)
    say(str(folder))
    if into is not None:
        print_status(f"set TIKTOKEN_CACHE_DIR={folder} to use it")
    return 0
