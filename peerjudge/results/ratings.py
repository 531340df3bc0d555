"""Tables and figure of ratings of single answers: alone, in pairs of conditions, and against gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from peerjudge.reporting.figures import Figure, Histogram, Histograms
from peerjudge.reporting.formats import (
    caution,
    counted,
    decimal,
    interval,
    interval_note,
    isolated,
    p_value,
    share,
)
from peerjudge.reporting.layout import (
    AnyColumn,
    Cell,
    Column,
    Section,
    Table,
    build_couple,
    build_section,
    build_table,
)

if TYPE_CHECKING:
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.rating_pairs import GoldDifference, RatingPair, RatingShift
    from peerjudge.analysis.ratings import RatingLevel


S = TypeVar("S", bound="RatingShift")
_MOST_OPEN = 30
"""A table of more pairs is closed on a page."""
_DIFFERENCE = (
    "Difference: mean rating of the first minus that of the second; p: of no "
    "difference, adjusted for all pairs (Holm)."
)
_UNIT = (
    "Intervals have questions as the unit: the trials of an answer, and the answers to a question, "
    "are kept together."
)
_MOST_POINTS = 11
"""A table has a column for each point of the scale up to this number."""


def build_rating_tables(pairs: Sequence[RatingPair]) -> list[Table]:
    """Return how the ratings of two conditions or reviewers agree, and which is closer to gold."""
    against = [(pair, gold) for pair in pairs for gold in pair.against_gold]
    note = f"{_DIFFERENCE} Mean absolute: the mean absolute difference. Kendall: tau-b. {_UNIT}"
    return [
        _build_shifts_table(
            pairs,
            Column("Mean absolute", "mean_error"),
            Column("Pearson", "pearson"),
            Column("Spearman", "spearman"),
            Column("Kendall", "kendall"),
            note=note,
        ),
        _build_gold_table(against),
    ]


def build_level_tables(levels: Sequence[RatingLevel], *, simulated: bool) -> list[Table]:
    """Return the mean and the scatter of ratings, and their distribution over the scale."""
    return [
        build_levels_table(levels, simulated=simulated),
        _build_distribution_table(levels, simulated=simulated),
    ]


def build_levels_table(levels: Sequence[RatingLevel], *, simulated: bool) -> Table:
    """Return the mean and the scatter of ratings, and the share that is unreadable."""
    level = f"{levels[0].mean.level:.0%} interval" if levels else ""
    return build_table(
        f"Ratings of answers [{level}]{_mark(simulated=simulated)}",
        levels,
        Column("Name", "name"),
        Column("Aspect", "aspect"),
        Column("Items", "items"),
        Column("Trials", lambda row: Cell(f"{row.trials:.4g}", {"": row.trials})),
        Column("Mean", "mean", digits=2),
        Column("SD", "sd", digits=2),
        Column("SD of items", "sd_items", digits=2),
        Column("SD of trials", "sd_trials", digits=2),
        Column("Unreadable, %", lambda row: _lost(row), "share", 1),
        names=2,
        note="Items: answers. Trials: how often each was rated. Mean: of the items' mean ratings; its "
        "interval has questions as the unit. SD: the standard deviation of all ratings; of items: of the "
        "items' mean ratings; of trials: of the ratings of one item, pooled over the items. Unreadable: "
        "share of all replies; they enter no other column.",
    )


def draw_ratings(levels: Sequence[RatingLevel]) -> Figure | None:
    """Return the distribution of the ratings of each condition or reviewer in a panel of its own."""
    shown = [level for level in levels if level.ratings]
    if not shown:
        return None
    return Figure(
        id="ratings",
        description="Distribution of ratings: one panel for each condition or reviewer, with a bar for "
        "each point of the scale and a line at the mean.",
        chart=Histograms(
            panels=[
                Histogram(
                    name=" ".join(filter(None, (one.name, one.aspect))),
                    note=f"mean {decimal(one.mean.value, 2)}, SD {decimal(one.sd, 2)}"
                    + (f", unreadable {share(_lost(one), 1)} %" if one.unreadable else ""),
                    counts=one.distribution,
                    mean=one.mean.value,
                )
                for one in shown
            ],
            across="rating",
            up="share of the readable ratings",
        ),
        note="Line: mean. SD: standard deviation of all ratings, over items and trials.",
    )


def build_ratings_section(findings: Findings) -> Section | None:
    """Return the distribution of the ratings of every condition, their means, and each two compared."""
    return build_section(
        "Ratings",
        "Ratings of single answers by condition. They need no gold: conditions are compared with each "
        "other on the same answers. "
        + " ".join(
            [interval_note(findings.level, findings.questions), *caution(findings.questions)]
        ),
        draw_ratings(findings.rated),
        *build_level_tables(findings.rated, simulated=findings.simulated),
        replace(
            _build_shifts_table(findings.rating_shifts, note=f"{_DIFFERENCE} {_UNIT}"),
            folded=len(findings.rating_shifts) > _MOST_OPEN,
        ),
        anchor="ratings",
    )


def say_ratings(
    levels: Sequence[RatingLevel], pairs: Sequence[RatingShift], *, isolate: bool = True
) -> list[str]:
    """Return the range of the mean ratings, and the pair of conditions whose means differ most.

    Args:
        levels: of the conditions.
        pairs: every two conditions compared.
        isolate: set names apart for a page, where they may have another direction.
    """
    name = isolated if isolate else str
    known = [level for level in levels if level.ratings]
    if not known or len({one.aspect for one in known}) > 1:
        return []
    most, least = (pick(known, key=lambda one: one.mean.value) for pick in (max, min))
    sentence = f"Mean rating {decimal(most.mean.value, 2)} by {name(most.name)}"
    if most is not least:
        sentence += f", {decimal(least.mean.value, 2)} by {name(least.name)}"
    sentences = [f"{sentence}."]
    if pairs:
        clear = sum(pair.shift_holm <= 1 - pair.shift.difference.level for pair in pairs)
        widest = max(pairs, key=lambda pair: abs(pair.shift.difference.value))
        sentences.append(
            f"Of {counted(len(pairs), 'pair')} of conditions, {clear} differ in their mean rating "
            f"(p, Holm, at most {1 - widest.shift.difference.level:.2g}); the greatest difference is "
            f"{interval(widest.shift.difference, 2)} ({name(widest.one)} minus "
            f"{name(widest.other)}, p, Holm {p_value(widest.shift_holm)})."
        )
    return sentences


def _build_shifts_table(shifts: Sequence[S], *columns: AnyColumn[S], note: str) -> Table:
    return build_table(
        "Ratings of the same answers",
        shifts,
        Column("First", "one"),
        Column("Second", "other"),
        Column("Aspect", "aspect"),
        Column("Answers", "answers"),
        Column("Means", lambda row: build_couple(row.mean, row.other_mean)),
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
        "first is closer. p: Williams' test with questions as the unit, and that of the "
        "interval; each adjusted for all pairs and aspects (Holm). If independent: Williams' test as papers "
        "often do it, with every answer as a unit; answers to one question are not independent.",
    )


def _mark(*, simulated: bool) -> str:
    return " (simulated reviewers)" if simulated else ""


def _build_distribution_table(levels: Sequence[RatingLevel], *, simulated: bool) -> Table:
    points = sorted({point for row in levels for point in row.distribution})

    def part(point: int) -> Callable[[RatingLevel], float | None]:
        return lambda row: (
            row.distribution[point] / row.ratings
            if row.ratings and point in row.distribution
            else None
        )

    return build_table(
        f"Distribution of ratings in % of the readable ones{_mark(simulated=simulated)}",
        levels if len(points) <= _MOST_POINTS else (),
        Column("Name", "name"),
        Column("Aspect", "aspect"),
        *(Column(str(point), part(point), "share", key=f"share_of_{point}") for point in points),
        names=2,
        note="Ratings that are no whole numbers count as the nearest one.",
    )


def _lost(row: RatingLevel) -> float:
    return row.unreadable / (row.unreadable + row.ratings)
