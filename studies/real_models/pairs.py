"""Comparisons of the study: of the built-in sample by category in turn, of LLMBar the shortest pairs.

A reader for `FILE.py:PATH`; the path is `sample` or the folder of LLMBar. The first n comparisons are a
fair choice for any n: the sample goes round its categories, so that 12 are two of each, and of LLMBar's
Natural subset come those with the fewest characters first, because small models on a processor read
slowly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from peerjudge.data import Comparison, Dataset, replace
from peerjudge.datasets import load
from peerjudge.datasets.source import Request, Source

SAMPLE = "sample"


def take_turns(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons ordered by their place within their category, then by category."""
    taken: defaultdict[str, int] = defaultdict(int)
    ranked: list[tuple[int, Comparison]] = []
    for one in comparisons:
        ranked.append((taken[one.question.category], one))
        taken[one.question.category] += 1
    return tuple(one for _, one in sorted(ranked, key=lambda row: row[0]))


def sort_by_length(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Return the Natural pairs of LLMBar, those with the fewest characters first."""
    natural = [one for one in comparisons if one.subset == "Natural"]
    return tuple(sorted(natural, key=lambda one: (_count_characters(one), one.id)))


def _count_characters(comparison: Comparison) -> int:
    return len(comparison.question.text) + sum(len(answer.text) for answer in comparison.answers)


def _read(request: Request) -> Dataset:
    if request.path.name == SAMPLE:
        found = load(SAMPLE)
        return replace(found, comparisons=take_turns(found.comparisons))
    found = load(f"llmbar:{request.path}", reviews=False)
    return replace(found, comparisons=sort_by_length(found.comparisons))


SOURCE = Source(description="the comparisons of the study with real models", read=_read)
