"""Uncertain gold: how often people err, and the accuracies that follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.analysis.annotators import (
    AnnotatedGold,
    build_annotators_document,
    measure_annotators,
)
from peerjudge.data import Dataset
from peerjudge.datasets import load as load_dataset
from peerjudge.reporting.annotators import build_annotator_tables, describe_annotators
from peerjudge.reporting.formats import preface
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnnotatorsResult(FramedResult):
    """Accuracies against gold and under an annotator model, and the reliability of the annotators."""

    frame: ClassVar[str] = "annotators"
    model: AnnotatedGold

    def document(self) -> Document:
        """Return the document of `peerjudge score --annotators --json`."""
        return make_plain(build_annotators_document(self.model))

    def parts(self) -> Shown:
        """Return the tables of accuracies and of annotators, with what limits them."""
        return [
            *preface(simulated=self.model.simulated, questions=self.model.questions),
            *build_annotator_tables(self.model),
            "",
            *describe_annotators(self.model),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield the accuracies of each judge: against gold, against labels, and expected."""
        for accuracy in self.model.accuracies:
            judge = {
                "condition": accuracy.judge.condition or None,
                "reviewer": accuracy.judge.reviewer,
            }
            for against in ("gold", "label", "expected"):
                yield {**judge, "against": against, **list_cells(getattr(accuracy, against))}


def annotators(
    source: Source,
    *,
    gold: str | Dataset | None = None,
    reviewers: str | Sequence[str] | None = None,
    seed: int = 0,
) -> AnnotatorsResult:
    """Score reviewers against people who err, by an annotator model of votes that disagree.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        gold: Dataset whose votes and gold replace those of the source; a run needs one.
        reviewers: Names or patterns of the reviewers to score; by default all but people.
        seed: Seed of the resampling of questions.

    Raises:
        DataError: There are no votes of people on pairs, or one on each comparison.
        StoreError: There is no such run.
    """
    material = read_material(source)
    replaced = load_dataset(gold) if isinstance(gold, str) else gold
    return AnnotatorsResult(
        model=measure_annotators(
            material.ballots, gold=replaced, reviewers=list_names(reviewers), seed=seed
        )
    )
