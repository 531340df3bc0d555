"""What features add to reports and to `agreement --panel`, by the hooks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from peerjudge.analysis import Ballots
from peerjudge.data import Dataset
from peerjudge.registry import offers
from peerjudge.reporting.formats import SIMULATED
from peerjudge.reporting.layout import Section, build_section
from peerjudge.results.base import DrawnResult, FramedResult, Result


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedResult:
    """A result that a feature adds to the report of a run, with the title and meaning of its section."""

    title: str
    meaning: str
    result: DrawnResult


def measure_added(ballots: Ballots) -> dict[str, AddedResult]:
    """Return what features measure in a run, by the names of their results in the document."""
    found = cast("Mapping[str, Callable[[Ballots], AddedResult | None]]", offers("report of a run"))
    measured = {name: measure(ballots) for name, measure in found.items()}
    return {name: one for name, one in measured.items() if one is not None}


def measure_added_panel(ballots: Ballots, *, seed: int) -> dict[str, FramedResult]:
    """Return what features measure of a panel, by the names of their results in the document."""
    found = cast(
        "Mapping[str, Callable[[Ballots, int], FramedResult | None]]", offers("panel of reviewers")
    )
    measured = {name: measure(ballots, seed) for name, measure in found.items()}
    return {name: one for name, one in measured.items() if one is not None}


def build_added_sections(added: Mapping[str, AddedResult]) -> list[Section]:
    """Return the sections; the page says itself that reviewers are simulated or questions few."""
    sections: list[Section | None] = []
    for name, one in added.items():
        parts = [part for part in one.result.parts() if part and part != SIMULATED]
        drawn = list(one.result.figures.values())
        sections.append(build_section(one.title, one.meaning, *drawn, *parts, anchor=name))
    return [section for section in sections if section is not None]


def list_added(dataset: Dataset) -> dict[str, AddedSection]:
    """Return the sections for a dataset, by the names of their results in the document."""
    found = cast(
        "Mapping[str, Callable[[Dataset], Mapping[str, AddedSection]]]", offers("report of reviews")
    )
    return {name: one for offer in found.values() for name, one in offer(dataset).items()}
