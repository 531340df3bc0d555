"""Tables of ratings on the same answers: of two conditions, and of each against gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from peerjudge.reporting.formats import MISSING, decimal, interval, p_value
from peerjudge.reporting.layout import Column, Table, build_table

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
        ("Mean absolute", lambda row: interval(row.mean_error)),
        ("Pearson", lambda row: interval(row.pearson)),
        ("Spearman", lambda row: interval(row.spearman)),
        ("Kendall", lambda row: interval(row.kendall)),
        note=f"{_DIFFERENCE} Mean absolute: the mean absolute difference. Kendall: tau-b. {_UNIT}",
    )


def _build_shifts_table(shifts: Sequence[S], *columns: Column[S], note: str) -> Table:
    return build_table(
        "Ratings of the same answers",
        shifts,
        ("First", lambda row: row.one),
        ("Second", lambda row: row.other),
        ("Aspect", lambda row: row.aspect or MISSING),
        ("Answers", lambda row: f"{row.answers:,}"),
        ("Means", lambda row: f"{decimal(row.mean)} : {decimal(row.other_mean)}"),
        ("Difference", lambda row: interval(row.shift.difference)),
        ("p", lambda row: p_value(row.shift.p_value)),
        ("p, Holm", lambda row: p_value(row.shift_holm)),
        *columns,
        names=3,
        note=note,
    )


def _build_gold_table(against: Sequence[tuple[RatingPair, GoldDifference]]) -> Table:
    return build_table(
        "Agreement of ratings with gold: first minus second",
        against,
        ("First", lambda row: row[0].one),
        ("Second", lambda row: row[0].other),
        ("Aspect", lambda row: row[1].aspect),
        ("Answers", lambda row: f"{row[1].answers:,}"),
        ("Pearson", lambda row: interval(row[1].pearson)),
        ("p, Williams", lambda row: p_value(row[1].williams and row[1].williams.p_value)),
        ("p, Holm", lambda row: p_value(row[1].williams_holm)),
        (
            "p, if independent",
            lambda row: p_value(row[1].williams and row[1].williams.p_independent),
        ),
        ("Spearman", lambda row: interval(row[1].spearman)),
        ("Kendall", lambda row: interval(row[1].kendall)),
        ("Mean error", lambda row: interval(row[1].mean_error.difference)),
        ("p, error", lambda row: p_value(row[1].mean_error.p_value)),
        ("p, error, Holm", lambda row: p_value(row[1].mean_error_holm)),
        names=3,
        note="Coefficients with gold: above 0 the first agrees better. Mean (absolute) error: below 0 the "
        "first is closer. p: Williams' test with questions as the unit, and sign-flip permutation of "
        "questions; each adjusted for all pairs and aspects (Holm). If independent: Williams' test as papers "
        "often do it, with every answer as a unit; answers to one question are not independent.",
    )
