"""Loads a dataset by its `NAME` or `NAME:PATH`."""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Dataset, replace
from peerjudge.datasets.catalogue import find_source
from peerjudge.datasets.gold import GoldRule
from peerjudge.datasets.registry import cache_folder, missing_files
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

__all__ = ["load"]


def load(
    spec: str, *, limit: int | None = None, gold: GoldRule | None = None, reviews: bool = True
) -> Dataset:
    """The dataset that `spec` names.

    Args:
        spec: `NAME` or `NAME:PATH`. `NAME+RULE` and `NAME+RULE:PATH` choose a gold rule, as in
            `vicuna80+strict_majority:data/vicuna80`. A published dataset without a path is read from
            where `download` put it.
        limit: keep only this many comparisons, the first ones, and the reviews of those.
        gold: how votes that disagree become gold; `None` is the rule in `spec`, else the dataset's.
        reviews: `False` leaves the recorded reviews unread, which is quicker where there are many.

    Raises:
        DataError: for an unknown name, a missing path, or a file that is not as it should be.
    """
    if limit is not None and limit < 1:
        msg = f"a limit of {limit} comparisons leaves nothing; give 1 or more"
        raise DataError(msg)
    name, rule, path = _parsed(spec)
    source = find_source(name)
    chosen = gold or rule
    if chosen and not source.votes:
        msg = f"dataset {name!r} has one gold verdict per comparison, so no gold rule applies to it"
        raise DataError(msg)
    place = Path(path).expanduser() if path else _place(name, source)
    dataset = source.read(Request(path=place, reviews=reviews, gold=chosen))
    return dataset if limit is None else _limited(dataset, limit)


def _parsed(spec: str) -> tuple[str, GoldRule | None, str]:
    head, _, path = spec.partition(":")
    name, plus, rule = head.partition("+")
    place, late_plus, late_rule = path.rpartition("+")
    if late_plus and late_rule in tuple(GoldRule):
        msg = f"the gold rule follows the name: say {name}+{late_rule}:{place}"
        raise DataError(msg)
    if not plus:
        return name, None, path
    try:
        return name, GoldRule(rule), path
    except ValueError as cause:
        msg = f"{spec!r} asks for an unknown gold rule {rule!r}; there are {', '.join(GoldRule)}"
        raise DataError(msg) from cause


def _place(name: str, source: Source) -> Path:
    if source.place is not None:
        return source.place
    if not source.upstream:
        msg = f"dataset {name!r} needs a path; say {name}:PATH"
        raise DataError(msg)
    folder = cache_folder(name)
    missing = missing_files(name, folder)
    if missing:
        msg = (
            f"{name} is not in {folder} ({len(missing)} files are missing);"
            f" run `peerjudge download {name}`, or say {name}:PATH"
        )
        raise DataError(msg)
    return folder


def _limited(dataset: Dataset, limit: int) -> Dataset:
    kept = dataset.comparisons[:limit]
    ids = {comparison.id for comparison in kept}
    reviews = tuple(review for review in dataset.reviews if review.comparison in ids)
    return replace(dataset, comparisons=kept, reviews=reviews)
