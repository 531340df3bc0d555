"""Downloads published datasets from their authors' repositories and verifies every file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.datasets.catalogue import find_source, names
from peerjudge.datasets.registry import cache_folder, published_files
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from pooch import Pooch

__all__ = ["download"]

_CONNECTIONS = 8


def download(name: str, *, into: Path | None = None, base_url: str | None = None) -> Path:
    """Fetch the published files of a dataset, and return the folder that holds them.

    A file that is already there and right is not fetched again; one that fails its checksum is not
    kept. The addresses name a commit, so the data cannot change under a study.

    * `vicuna80`: everything its loader reads. Not the repeat run of GPT-3.5, the Guanaco models'
      votes, and the prompt templates.
    * `lfqa`: the published file. The domains of the questions are not in it.
    * `llmbar`: the 419 instances, and the recorded calls of six runs on the subset Manual. Not the
      other runs.

    Args:
        name: `vicuna80`, `lfqa` or `llmbar`.
        into: the folder to put them in; the user's cache, where `load(name)` looks, if left out.
        base_url: a mirror that holds the files under the names they are kept under.

    Raises:
        DataError: an unknown dataset, or one with nothing to download; a file that cannot be
            fetched, or is not the published one.
    """
    source = find_source(name)
    if not source.upstream:
        offered = [listing.name for listing in names() if find_source(listing.name).upstream]
        msg = f"dataset {name!r} is not downloaded; those that are: {', '.join(offered)}"
        raise DataError(msg)
    folder = cache_folder(name) if into is None else into.expanduser()
    pooch = _pooch(name, folder, base_url or source.upstream, mirrored=base_url is not None)
    files = [file.name for file in published_files(name)]
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        list(threads.map(partial(_fetch, pooch), files))
    return folder


def _pooch(name: str, folder: Path, base_url: str, *, mirrored: bool) -> Pooch:
    from pooch import Pooch

    files = published_files(name)
    return Pooch(
        path=folder,
        base_url=base_url.rstrip("/") + "/",
        registry={file.name: f"sha256:{file.sha256}" for file in files},
        urls={} if mirrored else {file.name: file.url for file in files if file.url},
    )


def _fetch(pooch: Pooch, file: str) -> None:
    try:
        pooch.fetch(file)
    except ValueError as cause:
        msg = (
            f"{pooch.get_url(file)} is not the published file: its checksum differs;"
            " it was not kept, try again later"
        )
        raise DataError(msg) from cause
    except OSError as cause:
        msg = f"{pooch.get_url(file)} could not be fetched ({cause}); what has arrived is kept, try again"
        raise DataError(msg) from cause
