"""Folders of this machine: where downloads and replies of models are kept."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["CACHE_VARIABLE", "find_cache"]

CACHE_VARIABLE = "PEERJUDGE_CACHE_DIR"


def find_cache(*parts: str) -> Path:
    """Return a folder of the cache: in `PEERJUDGE_CACHE_DIR` if it is set, else in the user's cache."""
    from platformdirs import user_cache_path

    root = os.environ.get(CACHE_VARIABLE)
    return (Path(root) if root else user_cache_path("peerjudge")).joinpath(*parts)
