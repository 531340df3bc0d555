"""Tables and figure of ratings of single answers: mean, scatter and distribution, without gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from peerjudge.reporting.figures import Figure, Histogram, Histograms
from peerjudge.reporting.formats import (
    MISSING,
    caution,
    counted,
    decimal,
    interval,
    interval_note,
    isolated,
    p_value,
    share,
)
from peerjudge.reporting.layout import Column, Section, Table, build_section, build_table
from peerjudge.reporting.rating_pairs import build_shifts_table

if TYPE_CHECKING:
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.rating_levels import RatingLevel
    from peerjudge.analysis.rating_pairs import RatingShift

_MOST_POINTS = 11
"""A table has a column for each point of the scale up to this number."""


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
        ("Trials", lambda row: f"{row.trials:.4g}"),
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


def _mark(*, simulated: bool) -> str:
    return " (simulated reviewers)" if simulated else ""


def _build_distribution_table(levels: Sequence[RatingLevel], *, simulated: bool) -> Table:
    points = sorted({point for row in levels for point in row.distribution})

    def part(point: int) -> Callable[[RatingLevel], str]:
        return lambda row: (
            share(row.distribution[point] / row.ratings)
            if row.ratings and point in row.distribution
            else MISSING
        )

    return build_table(
        f"Distribution of ratings in % of the readable ones{_mark(simulated=simulated)}",
        levels if len(points) <= _MOST_POINTS else (),
        Column("Name", "name"),
        Column("Aspect", "aspect"),
        *((str(point), part(point)) for point in points),
        names=2,
        note="Ratings that are no whole numbers count as the nearest one.",
    )


def _lost(row: RatingLevel) -> float:
    return row.unreadable / (row.unreadable + row.ratings)


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
        build_shifts_table(findings.rating_shifts),
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
    said = f"Mean rating {decimal(most.mean.value, 2)} by {name(most.name)}"
    if most is not least:
        said += f", {decimal(least.mean.value, 2)} by {name(least.name)}"
    found = [f"{said}."]
    if pairs:
        clear = sum(pair.shift_holm <= 1 - pair.shift.difference.level for pair in pairs)
        widest = max(pairs, key=lambda pair: abs(pair.shift.difference.value))
        found.append(
            f"Of {counted(len(pairs), 'pair')} of conditions, {clear} differ in their mean rating "
            f"(p, Holm, at most {1 - widest.shift.difference.level:.2g}); the greatest difference is "
            f"{interval(widest.shift.difference, 2)} ({name(widest.one)} minus "
            f"{name(widest.other)}, p, Holm {p_value(widest.shift_holm)})."
        )
    return found
