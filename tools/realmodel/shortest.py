"""Dataset of the shortest comparisons of the built-in sample, shortest first.

`shortest.py` holds its pairs. In `shortest.py:3` each pair has the first answer to the next question
as a third answer, so that protocols for three answers have something to choose from. The text of
the gold answer is the reference answer, so that packs with reference answers have one to show; their
accuracy says whether the model compares with it, not whether it knows better.
"""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Answer, Comparison, Dataset, replace
from peerjudge.datasets import load
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError


def read_shortest(request: Request) -> Dataset:
    """Return the sample in order of length, with the number of answers that the path names."""
    if request.path.name not in {"2", "3"}:
        msg = f"comparisons of 2 or 3 answers can be read here, not of {request.path.name!r}"
        raise DataError(msg)
    ordered = [_add_reference(each) for each in load("sample").comparisons]
    ordered.sort(key=_measure_length)
    if request.path.name == "3":
        following = (*ordered[1:], ordered[0])
        ordered = [_add_answer(*each) for each in zip(ordered, following, strict=True)]
    return Dataset(name="sample", description=SOURCE.description, comparisons=tuple(ordered))


def _measure_length(comparison: Comparison) -> int:
    texts = [comparison.question.text, *(answer.text for answer in comparison.answers)]
    return sum(map(len, texts))


def _add_reference(comparison: Comparison) -> Comparison:
    chosen = comparison.gold.choice if comparison.gold is not None else None
    texts = [answer.text for answer in comparison.answers if answer.id == chosen]
    if not texts:
        return comparison
    return replace(comparison, meta={**comparison.meta, "reference": texts[0]})


def _add_answer(comparison: Comparison, other: Comparison) -> Comparison:
    unrelated = Answer(id="unrelated", text=other.answers[0].text)
    # An id names a set of answers, so the pair keeps its own.
    return replace(
        comparison, id=f"{comparison.id}-three", answers=(*comparison.answers, unrelated)
    )


SOURCE = Source(
    description="the built-in sample, shortest comparisons first",
    read=read_shortest,
    place=Path("2"),
)
