"""Which published files a dataset consists of, what they must hash to, and where they are kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PublishedFile", "cache_folder", "missing_files", "published_files"]

CACHE_VARIABLE = "PEERJUDGE_CACHE_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """A file below a dataset's folder, its SHA-256, and its address if it lies elsewhere upstream."""

    name: str
    sha256: str
    url: str = ""


def published_files(dataset: str) -> tuple[PublishedFile, ...]:
    """The files of a dataset that can be downloaded: `registry/NAME.txt`, one per line."""
    registry = Path(__file__).parent / "registry" / f"{dataset}.txt"
    lines = (line.split() for line in registry.read_text(encoding="utf-8").splitlines())
    return tuple(
        PublishedFile(name=name, sha256=sha, url="".join(url)) for name, sha, *url in lines
    )


def cache_folder(dataset: str) -> Path:
    """Where downloads of this dataset are kept: below `PEERJUDGE_CACHE_DIR`, else the user's cache."""
    from platformdirs import user_cache_path

    root = os.environ.get(CACHE_VARIABLE)
    return (Path(root) if root else user_cache_path("peerjudge")) / "datasets" / dataset


def missing_files(dataset: str, folder: Path) -> tuple[str, ...]:
    """The published files that are not in this folder."""
    return tuple(
        file.name for file in published_files(dataset) if not (folder / file.name).is_file()
    )
