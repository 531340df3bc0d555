"""What accuracies count: the conventions on verdicts that decide nothing, in tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from peerjudge.data import COUNTING, Conventions, Measurement
from peerjudge.reporting.formats import MISSING, percent
from peerjudge.reporting.layout import Column, Table, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.scoring import Score

LEFT_OUT = "Inconsistent, unreadable and refused verdicts are left out."
AT_ONCE = (
    "the accuracy of the verdicts that the first reply states, without those that were named when asked "
    "or that a second model read"
)
"""Meaning of the accuracy `readable_at_once`."""
COUNTED = (
    "As tie: an inconsistent verdict is a tie, right where gold is a tie; an unreadable or refused "
    "one is wrong. As half: each of these is half right."
)


def build_conventions_table(rows: Sequence[Score]) -> Table:
    """Return the accuracy of each judge with undecided verdicts left out, as ties, and as half right.

    Judges without an undecided verdict are left out: all three are the same for them.
    """
    return build_table(
        "Accuracy in % by what counts for an undecided verdict",
        [row for row in rows if row.total.undecided],
        Column("Condition", "judge.condition"),
        Column("Reviewer", "judge.reviewer"),
        ("Stance", lambda row: row.judge.stance if row.judge.condition else MISSING),
        ("Undecided", lambda row: f"{row.total.undecided:,} of {row.total.n:,}"),
        Column("Left out", "total.accuracy", "share", 1),
        Column("As tie", "total.as_tie", "share", 1),
        Column("As half", "total.as_half", "share", 1),
        Column("Both choose", "total.decided", "share", 1),
        names=3,
        note=f"Undecided: inconsistent, unreadable or refused. {COUNTED} Both choose: where neither "
        "the verdict nor gold is a tie.",
    )


def describe_conventions(rows: Sequence[Score], followed: Conventions | None) -> list[str]:
    """Return what the accuracies count, and where the other ways to count are."""
    undecided = any(row.total.undecided for row in rows)
    if followed is not None:
        return [describe_published(followed)]
    if undecided or not rows:
        return [LEFT_OUT] if rows else []
    return ["No verdict is inconsistent, unreadable or refused; none is left out."]


def describe_published(followed: Conventions) -> str:
    """Return how the authors of a dataset count, in one sentence."""
    if followed.ratings:
        return f"As published ({followed.source}): {followed.ratings}."
    people = " or ".join(followed.votes)
    said = [
        COUNTING[followed.undecided],
        f"every vote of an {people} is a gold verdict" if people else "",
        "a group of subsets, and all, is the mean of its subsets"
        if followed.mean_of_groups
        else "",
    ]
    return f"As published ({followed.source}): {'; '.join(filter(None, said))}."


def list_counted(left_out: Measurement, as_tie: Measurement, as_half: Measurement) -> str:
    """Return the accuracy by each way to count undecided verdicts, in words and percent."""
    ways = (("left out", left_out), ("as ties", as_tie), ("as half right", as_half))
    return ", ".join(f"{percent(measured, 1)} {way}" for way, measured in ways)
