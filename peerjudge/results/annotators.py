"""Uncertain gold: how often people err, and the accuracies that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from peerjudge.analysis.annotators import AnnotatedGold, measure_annotators
from peerjudge.analysis.score_document import describe_judge, list_values
from peerjudge.data import Dataset
from peerjudge.datasets import load as load_dataset
from peerjudge.reporting.formats import counted, percent, preface
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.accuracy import build_judged_table
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material

_SHOWN = 12
"""Annotators in the table; JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnnotatorsResult(FramedResult):
    """Accuracies against gold and under an annotator model, and the reliability of the annotators."""

    frame: ClassVar[str] = "annotators"
    model: AnnotatedGold

    def document(self) -> Document:
        """Return the document of `peerjudge score --annotators --json`.

        It has the fields of `AnnotatedGold`, its annotators by name, its comparisons by id, and in `rows` the
        judges, each with `accuracy {gold, label, expected}` and `change {label, expected}` against gold. A
        measured value is `{value, low, high, n, method}`.
        """
        plain = cast("dict[str, list[dict[str, object]]]", list_values(self.model))
        accuracies, names = plain.pop("accuracies"), ("gold", "label", "expected")
        rows = [
            {
                **describe_judge(judged.judge),
                "accuracy": {name: accuracy[name] for name in names},
                "change": {name: accuracy[f"{name}_change"] for name in names[1:]},
            }
            for judged, accuracy in zip(self.model.accuracies, accuracies, strict=True)
        ]
        annotators = {annotator.pop("name"): annotator for annotator in plain.pop("annotators")}
        comparisons = {comparison.pop("id"): comparison for comparison in plain.pop("comparisons")}
        by_name = {"annotators": annotators, "comparisons": comparisons}
        return make_plain({**plain, "level": self.model.level, "rows": rows, **by_name})

    def parts(self) -> Shown:
        """Return the tables of accuracies and of annotators, with what limits them."""
        return [
            *preface(simulated=self.model.simulated, questions=self.model.questions),
            *_build_annotator_tables(self.model),
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


def describe_annotators(annotated: AnnotatedGold) -> list[str]:
    """Return what the model changes, and what limits it."""
    votes = Counter(comparison.votes for comparison in annotated.comparisons)
    voted = counted(len(annotated.comparisons), "comparison")
    sentences = [f"{annotated.changed:,} of {voted} with votes have another label than gold."]
    if votes[1]:
        sentences.append(f"{votes[1]:,} have one vote only.")
    if len(annotated.annotators) > _SHOWN:
        left = len(annotated.annotators) - _SHOWN
        sentences.append(f"{left:,} annotators with fewer votes are not shown; the JSON has all.")
    if not annotated.told_apart:
        sentences.append(
            "The votes do not tell people apart: all have the same rates, and no vote weighs more."
        )
    if annotated.ties is not None:
        sentences.append(
            f"True ties, in %: {percent(annotated.ties)}. A tie is a comparison on which the answers are "
            "equally good; if this interval is wide, the votes cannot tell such ties from errors."
        )
    elif annotated.tie_votes:
        sentences.append(
            f"No true ties are estimated: {counted(annotated.tie_votes, 'vote')} for a tie are no evidence "
            "of pairs on which the answers are equally good, because they fall together on a pair too "
            "rarely. "
            "Such a vote counts as undecided; no tie is right under the model."
        )
    if annotated.unsettled:
        sentences.append(
            f"In {annotated.unsettled:,} of {annotated.samples:,} resamples the fit did not settle."
        )
    sentences.append(
        "The model assumes that errors are independent given the true label. A taste that people and "
        "reviewers share, such as one for length, counts as truth."
    )
    return sentences


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


def _build_annotator_tables(annotated: AnnotatedGold) -> list[Table]:
    """Return the accuracies of the judges, and the reliability of the annotators."""
    simulated = " (simulated reviewers)" if annotated.simulated else ""
    return [
        build_judged_table(
            f"Accuracy in % [{annotated.level:.0%} interval] against people who err{simulated}",
            annotated.accuracies,
            Column("Verdicts", "gold.n"),
            Column("Gold", "gold", "share", 1, about="the rule of the data, such as a majority"),
            Column(
                "Model's label",
                "label",
                "share",
                1,
                about="the most probable true label given the votes",
            ),
            Column(
                "Expected",
                "expected",
                "share",
                1,
                about="the mean probability that a verdict is the true label, given the votes and how "
                "often this reviewer is right",
            ),
            Column("Label - gold", "label_change", "points"),
            Column("Expected - gold", "expected_change", "points"),
            note="Differences in points.",
        ),
        build_table(
            f"Annotators, shares in % [{annotated.level:.0%} interval]",
            annotated.annotators[:_SHOWN],
            Column("Annotator", "name"),
            Column("Votes", "votes"),
            Column("Comparisons", "comparisons"),
            Column(
                "Reliability", "reliability", "share", about="how often a vote is the true label"
            ),
            Column("Right choice", "right", "share", about="of an answer that is better"),
            Column("Wrong choice", "opposite", "share", about="of one that is worse"),
            Column(
                "Calls a tie",
                lambda row: row.undecided if annotated.tie_votes else None,
                "share",
                about="where one answer is better",
            ),
            Column("Tie seen", "tie", "share", about="where the answers are equally good"),
        ),
    ]
