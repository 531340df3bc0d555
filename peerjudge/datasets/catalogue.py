"""Lists the datasets there are, and loads one by its `NAME` or `NAME:PATH`."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from peerjudge.data import Dataset
from peerjudge.datasets.gold import GoldRule
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

__all__ = ["Listing", "find_source", "load", "names"]

_SOURCES = "peerjudge.datasets.sources"


class Listing(NamedTuple):
    """A dataset's name, one line about it, and whether a path must be given with the name."""

    name: str
    description: str
    needs_path: bool


def names() -> tuple[Listing, ...]:
    """Every dataset, by name."""
    found = ((name, find_source(name)) for name in _module_names())
    return tuple(Listing(name, source.description, source.place is None) for name, source in found)


def load(
    spec: str, *, limit: int | None = None, gold: GoldRule | None = None, reviews: bool = True
) -> Dataset:
    """The dataset that `spec` names.

    Args:
        spec: `NAME` or `NAME:PATH`; `NAME+RULE` and `NAME+RULE:PATH` choose a gold rule.
        limit: keep only this many comparisons, the first ones, and the reviews of those.
        gold: how votes that disagree become gold; `None` is the dataset's own rule.
        reviews: `False` leaves the recorded reviews unread, which is quicker where there are many.

    Raises:
        DataError: for an unknown name, a missing path, or a file that is not as it should be.
    """
    if limit is not None and limit < 1:
        msg = f"a limit of {limit} comparisons leaves nothing; give 1 or more"
        raise DataError(msg)
    name, rule, path = _parsed(spec)
    source = find_source(name)
    if (rule or gold) and not source.votes:
        msg = f"dataset {name!r} has one gold verdict per comparison, so no gold rule applies to it"
        raise DataError(msg)
    place = Path(path).expanduser() if path else _default_place(name, source)
    dataset = source.read(Request(path=place, reviews=reviews, gold=rule or gold))
    return dataset if limit is None else _limited(dataset, limit)


def find_source(name: str) -> Source:
    """The dataset of this name; raises `DataError` naming those there are."""
    if name not in _module_names():
        msg = f"there is no dataset {name!r}; there are {', '.join(_module_names())}"
        raise DataError(msg)
    return cast("Source", import_module(f"{_SOURCES}.{name}").SOURCE)


def _module_names() -> list[str]:
    found = (module.name for module in pkgutil.iter_modules(import_module(_SOURCES).__path__))
    return sorted(name for name in found if not name.startswith("_"))


def _parsed(spec: str) -> tuple[str, GoldRule | None, str]:
    head, _, path = spec.partition(":")
    name, plus, rule = head.partition("+")
    if not plus:
        return name, None, path
    try:
        return name, GoldRule(rule), path
    except ValueError as cause:
        msg = f"{spec!r} names no gold rule {rule!r}; there are {', '.join(GoldRule)}"
        raise DataError(msg) from cause


def _default_place(name: str, source: Source) -> Path:
    if source.place is not None:
        return source.place
    msg = f"dataset {name!r} needs a path; say {name}:PATH"
    raise DataError(msg)


def _limited(dataset: Dataset, limit: int) -> Dataset:
    kept = dataset.comparisons[:limit]
    ids = {comparison.id for comparison in kept}
    reviews = tuple(review for review in dataset.reviews if review.comparison in ids)
    return replace(dataset, comparisons=kept, reviews=reviews)
