"""What features add to reports and to `agreement --panel`, by the hooks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from peerjudge.analysis import Ballots
from peerjudge.data import Dataset
from peerjudge.registry import offers
from peerjudge.reporting.figures import Figure
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
    glance: Callable[[Result], Sequence[str]] = lambda _: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedResult:
    """A result that a feature adds to the report of a run, with the title and meaning of its section."""

    title: str
    meaning: str
    result: Result


def measure_added(ballots: Ballots) -> dict[str, AddedResult]:
    """Return what features measure in a run, by the names of their results in the document."""
    found = cast("Mapping[str, Callable[[Ballots], AddedResult | None]]", offers("report of a run"))
    measured = {name: measure(ballots) for name, measure in found.items()}
    return {name: one for name, one in measured.items() if one is not None}


def measure_own(ballots: Ballots, names: Sequence[str]) -> dict[str, AddedResult]:
    """Return the measures of these names, which a project has of its own, as `measure-NAME`.

    Raises `ShelfError` or `DataError` where there is none, or where it fails.
    """
    found = cast("Mapping[str, Callable[[Ballots, str], AddedResult]]", offers("own measure"))
    return {f"measure-{name}": find(ballots, name) for find in found.values() for name in names}


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
        drawn = list_drawn(one.result)
        sections.append(build_section(one.title, one.meaning, *drawn, *parts, anchor=name))
    return [section for section in sections if section is not None]


def list_own(ballots: Ballots, names: Sequence[str]) -> dict[str, AddedSection]:
    """Return the same as sections of the report of recorded reviews."""
    return {
        name: AddedSection(
            title=one.title, meaning=one.meaning, compute=partial(getattr, one, "result")
        )
        for name, one in measure_own(ballots, names).items()
    }


def list_drawn(result: Result) -> list[Figure]:
    """Return the figures of a result, none of one that draws none."""
    return list(result.figures.values()) if isinstance(result, DrawnResult) else []


def list_added(dataset: Dataset) -> dict[str, AddedSection]:
    """Return the sections for a dataset, by the names of their results in the document."""
    found = cast(
        "Mapping[str, Callable[[Dataset], Mapping[str, AddedSection]]]", offers("report of reviews")
    )
    return {name: one for offer in found.values() for name, one in offer(dataset).items()}
