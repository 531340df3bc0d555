"""Downloads of published files from their authors' addresses, verified by checksum."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.datasets.catalogue import find_source, list_datasets, read_registry
from peerjudge.errors import DataError
from peerjudge.places import find_cache

if TYPE_CHECKING:
    from pooch import Pooch

_CONNECTIONS = 8


def download(name: str, *, into: Path | None = None, base_url: str | None = None) -> Path:
    """Download the published files of a dataset, and return their folder.

    A file that is present with the right checksum is not downloaded again; one with another checksum
    is discarded. The addresses name a commit, so the data of a study cannot change.

    * `vicuna80`: everything its loader reads. Not the repeat run of GPT-3.5, the votes of the
      Guanaco models, and the prompt templates.
    * `lfqa`: the published file. It lacks the domains of the questions.
    * `llmbar`: the 419 instances, and the recorded calls of six runs on the subset Manual. Not the
      other runs.

    Args:
        name: `vicuna80`, `lfqa` or `llmbar`.
        into: the target folder; by default the user's cache, which `load(name)` reads.
        base_url: a mirror with the files under their local names.

    Raises:
        DataError: an unknown dataset, or one with nothing to download; a file that cannot be
            downloaded, or is not the published one.
    """
    source = find_source(name)
    if not source.upstream or name.endswith(".py"):
        offered = [each for each, declared in list_datasets().items() if declared.upstream]
        msg = f"dataset {name!r} is not downloaded; those that are: {', '.join(offered)}"
        raise DataError(msg)
    folder = find_cache("datasets", name) if into is None else into.expanduser()
    fetch_files(read_registry(name), folder, source.upstream, base_url=base_url)
    return folder


def fetch_files(
    files: Mapping[str, tuple[str, str]],
    folder: Path,
    upstream: str,
    *,
    base_url: str | None = None,
) -> None:
    """Download the files that are not in the folder with the right checksum.

    Args:
        files: by file name the SHA-256, and the address where it is not the name below `upstream`.
        folder: the target folder.
        upstream: the address of the folder of the published files.
        base_url: a mirror with the files under their local names.

    Raises:
        DataError: a file cannot be downloaded, or is not the published one.
    """
    from pooch import Pooch

    pooch = Pooch(
        path=folder,
        base_url=(base_url or upstream).rstrip("/") + "/",
        registry={file: f"sha256:{sha256}" for file, (sha256, _) in files.items()},
        urls={} if base_url else {file: url for file, (_, url) in files.items() if url},
    )
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        list(threads.map(partial(_fetch, pooch), files))


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
        msg = (
            f"{pooch.get_url(file)} could not be fetched ({cause});"
            " complete files are kept, try again"
        )
        raise DataError(msg) from cause
