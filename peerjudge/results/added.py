"""Sections that features add to the report of recorded reviews (the hook `report of reviews`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from peerjudge.data import Dataset
from peerjudge.registry import offers
from peerjudge.results.base import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedSection:
    """A section of the report.

    `compute` raises `DataError` or `ConvergenceError` where the dataset does not allow it.
    `glance` returns sentences for the beginning of the page.
    """

    title: str
    meaning: str
    compute: Callable[[], Result]
    glance: Callable[[Result], Sequence[str]]


def list_added(dataset: Dataset) -> dict[str, AddedSection]:
    """Return the sections for a dataset, by the names of their results in the document."""
    found = cast(
        "Mapping[str, Callable[[Dataset], Mapping[str, AddedSection]]]", offers("report of reviews")
    )
    return {name: one for offer in found.values() for name, one in offer(dataset).items()}
