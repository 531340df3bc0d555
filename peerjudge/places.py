"""Places of this machine: where downloads and replies of models are kept, and its names in the network."""

from __future__ import annotations

import os
from ipaddress import ip_address
from pathlib import Path

__all__ = ["CACHE_VARIABLE", "find_cache", "is_loopback"]

CACHE_VARIABLE = "PEERJUDGE_CACHE_DIR"


def find_cache(*parts: str) -> Path:
    """Return a folder of the cache: in `PEERJUDGE_CACHE_DIR` if it is set, else in the user's cache."""
    from platformdirs import user_cache_path

    root = os.environ.get(CACHE_VARIABLE)
    return (Path(root) if root else user_cache_path("peerjudge")).joinpath(*parts)


def is_loopback(host: str) -> bool:
    """Return whether a name or address of a host, without a port, is of this machine only."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
