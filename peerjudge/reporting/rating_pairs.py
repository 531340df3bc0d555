"""Tables of ratings on the same answers: of two conditions, and of each against gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from peerjudge.reporting.formats import decimal
from peerjudge.reporting.layout import AnyColumn, Column, Table, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.rating_pairs import GoldDifference, RatingPair, RatingShift

S = TypeVar("S", bound="RatingShift")

_MOST_OPEN = 30
"""A table of more pairs is closed on a page."""
_DIFFERENCE = (
    "Difference: mean rating of the first minus that of the second; p: sign-flip permutation of "
    "questions, adjusted for all pairs (Holm)."
)
_UNIT = (
    "Intervals have questions as the unit: the trials of an answer, and the answers to a question, "
    "are kept together."
)


def build_rating_tables(pairs: Sequence[RatingPair]) -> list[Table]:
    """Return how the ratings of two conditions or reviewers agree, and which is closer to gold."""
    against = [(pair, gold) for pair in pairs for gold in pair.against_gold]
    return [_build_pairs_table(pairs), _build_gold_table(against)]


def build_shifts_table(shifts: Sequence[RatingShift]) -> Table:
    """Return the differences of the mean ratings of conditions or reviewers."""
    table = _build_shifts_table(shifts, note=f"{_DIFFERENCE} {_UNIT}")
    return replace(table, folded=len(shifts) > _MOST_OPEN)


def _build_pairs_table(pairs: Sequence[RatingPair]) -> Table:
    return _build_shifts_table(
        pairs,
        Column("Mean absolute", "mean_error"),
        Column("Pearson", "pearson"),
        Column("Spearman", "spearman"),
        Column("Kendall", "kendall"),
        note=f"{_DIFFERENCE} Mean absolute: the mean absolute difference. Kendall: tau-b. {_UNIT}",
    )


def _build_shifts_table(shifts: Sequence[S], *columns: AnyColumn[S], note: str) -> Table:
    return build_table(
        "Ratings of the same answers",
        shifts,
        Column("First", "one"),
        Column("Second", "other"),
        Column("Aspect", "aspect"),
        Column("Answers", "answers"),
        ("Means", lambda row: f"{decimal(row.mean)} : {decimal(row.other_mean)}"),
        Column("Difference", "shift.difference"),
        Column("p", "shift.p_value", "p"),
        Column("p, Holm", "shift_holm", "p"),
        *columns,
        names=3,
        note=note,
    )


def _build_gold_table(against: Sequence[tuple[RatingPair, GoldDifference]]) -> Table:
    return build_table(
        "Agreement of ratings with gold: first minus second",
        against,
        Column("First", "0.one"),
        Column("Second", "0.other"),
        Column("Aspect", "1.aspect"),
        Column("Answers", "1.answers"),
        Column("Pearson", "1.pearson"),
        Column("p, Williams", "1.williams.p_value", "p"),
        Column("p, Holm", "1.williams_holm", "p"),
        Column("p, if independent", "1.williams.p_independent", "p"),
        Column("Spearman", "1.spearman"),
        Column("Kendall", "1.kendall"),
        Column("Mean error", "1.mean_error.difference"),
        Column("p, error", "1.mean_error.p_value", "p"),
        Column("p, error, Holm", "1.mean_error_holm", "p"),
        names=3,
        note="Coefficients with gold: above 0 the first agrees better. Mean (absolute) error: below 0 the "
        "first is closer. p: Williams' test with questions as the unit, and sign-flip permutation of "
        "questions; each adjusted for all pairs and aspects (Holm). If independent: Williams' test as papers "
        "often do it, with every answer as a unit; answers to one question are not independent.",
    )
