"""Lists the datasets there are; each is one module in `peerjudge.datasets.sources`."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import NamedTuple, cast

from peerjudge.datasets.source import Source
from peerjudge.errors import DataError

__all__ = ["Listing", "find_source", "names"]

_SOURCES = "peerjudge.datasets.sources"


class Listing(NamedTuple):
    """A dataset's name, one line about it, and whether it lies somewhere the caller must name.

    Published datasets need no path once they are downloaded.
    """

    name: str
    description: str
    needs_path: bool


def names() -> tuple[Listing, ...]:
    """Every dataset, by name."""
    found = ((name, find_source(name)) for name in _modules())
    return tuple(Listing(name, source.description, source.place is None) for name, source in found)


def find_source(name: str) -> Source:
    """The dataset of this name; raises `DataError` naming those there are."""
    modules = _modules()
    if name not in modules:
        msg = f"there is no dataset {name!r}; there are {', '.join(modules)}"
        raise DataError(msg)
    return cast("Source", import_module(f"{_SOURCES}.{modules[name]}").SOURCE)


def _modules() -> dict[str, str]:
    # `csv_` is the dataset `csv`: a module must not take the name of one of Python's own.
    found = sorted(module.name for module in pkgutil.iter_modules(import_module(_SOURCES).__path__))
    return {name.removesuffix("_"): name for name in found}
