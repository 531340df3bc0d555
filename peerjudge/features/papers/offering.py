"""What papers add to the core: their names, tables beside a score, and sections of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from peerjudge.analysis.published import PublishedTable
from peerjudge.data import Dataset
from peerjudge.features.papers.reading import list_papers
from peerjudge.features.papers.reproducing import list_tables
from peerjudge.features.papers.reproductions import ReproduceResult, reproduce
from peerjudge.results.added import AddedSection
from peerjudge.results.base import Result


def list_names() -> list[dict[str, str]]:
    """Return the rows of `peerjudge list papers`."""
    return [
        {
            "name": paper.name,
            "description": ", ".join(item.name for item in paper.items),
            "from": paper.source,
        }
        for paper in list_papers()
    ]


def find_tables() -> Mapping[str, Sequence[PublishedTable]]:
    """Return the tables of `score --beside` by paper, of the papers that have some."""
    tables = {paper.name: list_tables(paper) for paper in list_papers()}
    return {name: found for name, found in tables.items() if found}


def add_sections(dataset: Dataset) -> Mapping[str, AddedSection]:
    """Return a section for each paper about a dataset."""
    return {
        paper.name: AddedSection(
            title=f"Values of {paper.title}",
            meaning="What the paper prints beside ours.",
            compute=partial(reproduce, paper.name, dataset),
            glance=_count,
        )
        for paper in list_papers()
        if any(item.data == dataset.name for item in paper.items)
    }


def _count(result: Result) -> list[str]:
    return cast("ReproduceResult", result).describe_counts()
