"""Tables and sentences of an annotator model: accuracies side by side, and reliabilities."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from peerjudge.reporting.formats import MISSING, counted, percent, share
from peerjudge.reporting.layout import Column, Table, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.annotators import AnnotatedGold

_SHOWN = 12
"""Annotators in the table; JSON has all."""


def build_annotator_tables(found: AnnotatedGold) -> list[Table]:
    """Return the accuracies of the judges, and the reliability of the annotators."""
    simulated = " (simulated reviewers)" if found.simulated else ""
    return [
        build_table(
            f"Accuracy in % [{found.level:.0%} interval] against people who err{simulated}",
            found.accuracies,
            Column("Condition", "judge.condition"),
            Column("Reviewer", "judge.reviewer"),
            ("Stance", lambda row: row.judge.stance if row.judge.condition else MISSING),
            Column("Verdicts", "gold.n"),
            Column("Gold", "gold", "share", 1),
            Column("Model's label", "label", "share", 1),
            Column("Expected", "expected", "share", 1),
            Column("Label - gold", "label_change", "points"),
            Column("Expected - gold", "expected_change", "points"),
            names=3,
            note="Gold: the rule of the data, such as a majority. Model's label: the most probable true "
            "label given the votes. Expected: the mean probability that a verdict is the true label, "
            "given the votes and how often this reviewer is right. Differences in points.",
        ),
        build_table(
            f"Annotators, shares in % [{found.level:.0%} interval]",
            found.annotators[:_SHOWN],
            Column("Annotator", "name"),
            Column("Votes", "votes"),
            Column("Comparisons", "comparisons"),
            Column("Reliability", "reliability", "share"),
            Column("Right choice", "right", "share"),
            Column("Wrong choice", "opposite", "share"),
            ("Calls a tie", lambda row: share(row.undecided) if found.tie_votes else MISSING),
            ("Tie seen", lambda row: MISSING if row.tie is None else share(row.tie)),
            note="Reliability: how often a vote is the true label. Right choice, wrong choice, calls a "
            "tie: where one answer is better. Tie seen: where the answers are equally good.",
        ),
    ]


def describe_annotators(found: AnnotatedGold) -> list[str]:
    """Return what the model changes, and what limits it."""
    votes = Counter(comparison.votes for comparison in found.comparisons)
    voted = counted(len(found.comparisons), "comparison")
    said = [f"{found.changed:,} of {voted} with votes have another label than gold."]
    if votes[1]:
        said.append(f"{votes[1]:,} have one vote only.")
    if len(found.annotators) > _SHOWN:
        left = len(found.annotators) - _SHOWN
        said.append(f"{left:,} annotators with fewer votes are not shown; the JSON has all.")
    if not found.told_apart:
        said.append(
            "The votes do not tell people apart: all have the same rates, and no vote weighs more."
        )
    if found.ties is not None:
        said.append(
            f"True ties, in %: {percent(found.ties)}. A tie is a comparison on which the answers are "
            "equally good; if this interval is wide, the votes cannot tell such ties from errors."
        )
    elif found.tie_votes:
        said.append(
            f"No true ties are estimated: {counted(found.tie_votes, 'vote')} for a tie are no evidence of "
            "pairs on which the answers are equally good, because they fall together on a pair too rarely. "
            "Such a vote counts as undecided; no tie is right under the model."
        )
    if found.unsettled:
        said.append(
            f"In {found.unsettled:,} of {found.samples:,} resamples the fit did not settle."
        )
    said.append(
        "The model assumes that errors are independent given the true label. A taste that people and "
        "reviewers share, such as one for length, counts as truth."
    )
    return said
