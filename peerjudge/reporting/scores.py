"""Tables of scores against gold: accuracy by group, its details, published values, ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from peerjudge.data import Conventions, Measurement
from peerjudge.reporting.conventions import (
    AT_ONCE,
    LEFT_OUT,
    build_conventions_table,
    describe_conventions,
    describe_published,
)
from peerjudge.reporting.formats import MISSING, decimal, share, span
from peerjudge.reporting.layout import AnyColumn, Column, Table, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.leaders import LedAccuracy
    from peerjudge.analysis.published import Match, PublishedTable
    from peerjudge.analysis.ratings import Correlation
    from peerjudge.analysis.scoring import Score, Scores

J = TypeVar("J", "Score", "Correlation")
_PLAIN = Conventions(source="")
"""Undecided verdicts are left out, and groups are pooled."""
_END = 120
"""Letters of a reply that are shown, at its start and at its end."""


def build_scores_table(
    title: str,
    scores: Sequence[Score],
    groups: Sequence[str],
    *,
    followed: Conventions | None = None,
) -> Table:
    """Return the accuracy of each judge over all readable verdicts and by group.

    Args:
        title: of the table.
        scores: one row each.
        groups: one column each.
        followed: conventions by which to count instead.
    """

    def group(name: str) -> Column:
        def read(row: Score) -> Measurement | None:
            return row.accuracy_by(name, followed or _PLAIN)

        return Column(name or "All", read, "share", 1, key=name)

    def mean(name: str) -> Column:
        def read(row: Score) -> Measurement | None:
            return row.means[name].accuracy if name in row.means else None

        return Column(f"{name}, mean", read, "share", 1)

    totals = {name for row in scores for name in row.means if name and followed is None}
    return _judged(
        title,
        scores,
        *map(group, ("", *groups)),
        *(mean(name) for name in groups if name in totals),
        note="Mean: of the subsets, each of which counts the same; the other column pools them."
        if totals
        else "",
    )


def build_details_table(scores: Scores) -> Table:
    """Return the verdicts behind each accuracy, its bounds, and its order consistency."""
    return _judged(
        "Verdicts behind the accuracies, shares in %",
        scores.scores,
        Column("Verdicts", "total.n"),
        Column("Ties", "total.ties"),
        Column("Inconsistent", "total.inconsistent"),
        Column("Unreadable", "total.unreadable"),
        Column("Refused", "total.refused"),
        Column("At once", "total.readable_at_once", "share", 1, AT_ONCE),
        ("Range", lambda row: span(row.total.worst_case, row.total.best_case, 1)),
        Column("Same in all orders", "total.consistency.rate", "share", 1),
        Column("Own reading", "own_reading.total.accuracy", "share", 1),
        ("Read differently", _read_differently),
        note="Range: the accuracy if all verdicts without a choice were wrong, or right."
        + (
            " Own reading: the accuracy when the recorded texts are read again."
            if any(row.own_reading is not None for row in scores.scores)
            else ""
        ),
    )


def build_margins_table(scores: Scores) -> Table:
    """Return the margin of each judge with log-probabilities, in total and by group."""
    return _judged(
        f"Margin in % [{scores.level:.0%} interval]{_simulated(scores)}",
        [row for row in scores.scores if row.total.margin is not None],
        Column("All", "total.margin.measured", "share", 1),
        *(Column(name, _margin_of(name), "share", 1, key=name) for name in scores.groups),
        Column("Judgements", "total.margin.measured.n"),
        Column("In one order", "total.margin.one_order"),
        note="Margin: the mean probability of the gold answer, from log-odds averaged over the shown "
        "orders of a judgement. A judgement in one order has the position bias in its margin.",
    )


def _margin_of(group: str) -> Callable[[Score], Measurement | None]:
    def read(row: Score) -> Measurement | None:
        margin = row.groups[group].margin if group in row.groups else None
        return None if margin is None else margin.measured

    return read


def build_published_table(
    scores: Scores, published: PublishedTable, rows: Sequence[Match]
) -> Table:
    """Return the measured and the published accuracy of each method, by group."""
    ours = "simulated" if scores.simulated else "measured"
    groups = [name for name in published.items if name in scores.groups or not name]

    def pair(group: str) -> Callable[[Match], str]:
        return lambda row: _pair(row, group, scores.conventions)

    return build_table(
        f"Accuracy in %: {ours} / {published.title}, {published.name}",
        rows,
        Column("Reviewer", "0.judge.reviewer"),
        Column("Method", "1"),
        (
            "Published for",
            lambda row: MISSING if row[2] is None else f"{row[2].setting}, {row[2].table}",
        ),
        *((f"{name or 'All'} ({published.items[name]})", pair(name)) for name in groups),
        names=3,
        note=f"Published: {published.source}. "
        + (LEFT_OUT if scores.conventions is None else describe_published(scores.conventions)),
    )


def _pair(row: Match, group: str, followed: Conventions | None) -> str:
    score, _, line = row
    found = score.accuracy_by(group, followed or _PLAIN)
    ours = MISSING if found is None or not found.n else share(found.value, 1)
    printed = None if line is None else line.values.get(group)
    return f"{ours} / {MISSING if printed is None else share(printed, 1)}"


def build_correlations_table(scores: Scores) -> Table:
    """Return how the ratings of each judge correlate with gold, by aspect."""
    return _judged(
        f"Ratings against gold{_simulated(scores)}",
        scores.correlations,
        Column("Aspect", "aspect"),
        Column("Answers", "answers"),
        Column("Unrated", "unrated"),
        Column("Mean", "mean"),
        Column("Gold", "mean_gold"),
        Column("Error", "mean_error"),
        ("Error of a constant", _show_constant),
        Column("Pearson", "pearson"),
        Column("Spearman", "spearman"),
        Column("Kendall", "kendall"),
        Column("Within question", "by_question.spearman"),
        Column("By author", "by_author.spearman"),
        Column("By author, Kendall", "by_author.kendall"),
        names=4,
        note="Error of a constant: of a judge that gives every answer the median of gold and reads nothing. "
        "Within question and by author (of the authors' means): Spearman's coefficient, or Kendall's.",
    )


def _show_constant(row: Correlation) -> str:
    found = row.constant_error
    return MISSING if found is None else f"{decimal(found.value)} (at {decimal(row.constant)})"


def build_score_tables(scores: Scores) -> list[Table]:
    """Return the tables of a scored source, as `peerjudge score` prints them."""
    followed = scores.conventions
    as_published = " as published" if followed is not None else ""
    title = f"Accuracy in %{as_published} [{scores.level:.0%} interval]{_simulated(scores)}"
    return [
        build_scores_table(title, scores.scores, scores.groups, followed=followed),
        build_conventions_table(scores.scores),
        build_margins_table(scores),
        build_details_table(scores),
        build_correlations_table(scores),
    ]


def build_leaders_table(rows: Sequence[LedAccuracy]) -> Table:
    """Return the accuracy of the conclusions of each condition by the seat that leads."""
    return build_table(
        "Accuracy of discussions by leader, in %",
        rows,
        Column("Condition", "condition"),
        ("Leader", lambda row: row.reviewer or "any"),
        Column("Temperature", "temperature", digits=1),
        Column("Accuracy", "accuracy", "share", 1),
        Column("Conclusions", "accuracy.n"),
        Column("Unreadable", "unreadable"),
        names=2,
        note="Unreadable conclusions count as wrong, as in PRD's discussion accuracy.",
    )


def describe_scores(scores: Scores) -> list[str]:
    """Return what counts, how many discussions are left out, and how the ratings were obtained."""
    said = describe_conventions(scores.scores, scores.conventions)
    said += [f"{scores.left_out} incomplete discussions are left out"] if scores.left_out else []
    return said + [
        f"{rating.condition}, {rating.reviewer}: {rating.weighted:,} ratings weighted by "
        f"log-probabilities, {rating.stated:,} as stated, {rating.unreadable:,} unreadable"
        for rating in scores.ratings
    ]


def describe_choosers(names: Sequence[str]) -> list[str]:
    """Return a warning where reviewers helped to choose the comparisons that they are scored on."""
    if not names:
        return []
    warning = (
        f"{', '.join(names)} helped to choose these comparisons, by verifying them or by erring on them: "
        "this accuracy does not hold for others"
    )
    return [warning]


def describe_disagreements(scores: Scores) -> list[str]:
    """Return every reply whose reading differs from the recorded verdict, with its start and end."""
    found = scores.disagreements
    return [
        f"{len(found)} replies are read differently from the record",
        *(
            f"{one.judge.reviewer}  {one.comparison}  shown {' '.join(one.shown)}: on record "
            f"{one.recorded}, read as {one.own} ({one.rule}): {_excerpt(one.text)}"
            for one in found
        ),
    ]


def _excerpt(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 2 * _END else f"{plain[:_END]} ... {plain[-_END:]}"


def _simulated(scores: Scores) -> str:
    return " (simulated reviewers)" if scores.simulated else ""


def _judged(
    title: str, rows: Sequence[J], *columns: AnyColumn[J], names: int = 3, note: str = ""
) -> Table:
    """Return a table whose rows are named by the judge; outside runs that is the reviewer alone."""
    return build_table(
        title,
        rows,
        Column("Condition", "judge.condition"),
        Column("Reviewer", "judge.reviewer"),
        ("Stance", lambda row: row.judge.stance if row.judge.condition else MISSING),
        *columns,
        names=names,
        note=note,
    )


def _read_differently(row: Score) -> str:
    own = row.own_reading
    return MISSING if own is None else f"{own.different + own.only_recorded + own.only_own:,}"
