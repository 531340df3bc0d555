"""Tables of scores for the terminal; all shares in percent."""

from __future__ import annotations

from math import ceil, floor, isnan
from typing import TYPE_CHECKING

from peerjudge.cli.console import results
from peerjudge.cli.tables import show, table_of
from peerjudge.data import Measurement, Outcome

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis.cells import Cell
    from peerjudge.analysis.judges import Judge
    from peerjudge.analysis.published import Match, PublishedTable
    from peerjudge.analysis.scoring import Score, Scores

_NONE = "-"
_END = 120
_EXACT = 1e-9


def print_accuracy(scores: Scores) -> None:
    """Print the accuracy over readable verdicts, one row per judge and one column per group."""
    level = f"{scores.level:.0%}".removesuffix("%")
    title = f"Accuracy in %, with {level} % intervals{_simulated(scores)}"
    table = _table(title, *_headings(scores), "all", *scores.groups)
    for one in scores.scores:
        cells = [one.total, *(one.groups.get(group) for group in scores.groups)]
        table.add_row(*_who(one.judge, scores), *map(_accuracy, cells))
    show(table)


def print_details(scores: Scores) -> None:
    """Print the outcomes, bounds and order consistency of every judge."""
    own = any(one.own_reading for one in scores.scores)
    extra = ("own reading", "read differently") if own else ()
    table = _table(
        "\nVerdicts (bounds: accuracy if all without a verdict are wrong, or right)",
        *_headings(scores),
        "verdicts",
        "ties",
        "inconsistent",
        "unreadable",
        "refused",
        "bounds",
        "same in all orders",
        *extra,
    )
    for one in scores.scores:
        cell = one.total
        table.add_row(
            *_who(one.judge, scores),
            str(cell.judged),
            str(cell.outcomes[Outcome.TIE]),
            str(cell.outcomes[Outcome.INCONSISTENT]),
            str(cell.outcomes[Outcome.UNREADABLE]),
            str(cell.outcomes[Outcome.REFUSED]),
            f"{100 * cell.worst_case:.1f} to {100 * cell.best_case:.1f}",
            _NONE if cell.consistency.rate is None else _interval(cell.consistency.rate),
            *(_own(one) if own else ()),
        )
    show(table)
    if scores.left_out:
        results().print(f"\n{scores.left_out} incomplete discussions are left out")


def print_published(scores: Scores, published: PublishedTable, rows: tuple[Match, ...]) -> None:
    """Print measured and published accuracy, one row per method and one column per group."""
    ours = "simulated" if scores.simulated else "measured"
    columns = [column for column in published.items if column in scores.groups or not column]
    table = _table(
        f"Accuracy in %: {ours} / {published.title}, {published.name}",
        "reviewer",
        "method",
        "beside",
        *(f"{column or 'all'} ({published.items[column]})" for column in columns),
    )
    for score, method, line in rows:
        cells = [score.groups.get(column) if column else score.total for column in columns]
        printed = [None if line is None else line.values.get(column) for column in columns]
        table.add_row(
            score.judge.reviewer,
            method,
            _NONE if line is None else line.setting,
            *map(_pair, cells, printed),
        )
    show(table)
    console = results()
    console.print(f"\nPublished: {published.source}", soft_wrap=True)
    if scores.simulated:
        console.print("Simulated reviewers: these numbers say nothing about real models.")


def print_correlations(scores: Scores) -> None:
    """Print the correlation of ratings with gold, one row per judge and aspect."""
    table = _table(
        f"Ratings against gold{_simulated(scores)}",
        *_headings(scores),
        "aspect",
        "answers",
        "unrated",
        "mean",
        "gold",
        "error",
        "Pearson",
        "Spearman",
        "Kendall",
        "within question",
        "by author",
    )
    for one in scores.correlations:
        table.add_row(
            *_who(one.judge, scores),
            one.aspect,
            str(one.answers),
            str(one.unrated),
            *(_number(value) for value in (one.mean, one.mean_gold, one.mean_error)),
            _number(one.pearson.value) if isnan(one.pearson.low) else str(one.pearson),
            *(_number(value) for value in (one.spearman, one.kendall)),
            *(_number(level["spearman"]) for level in (one.by_question, one.by_author)),
        )
    show(table)
    results().print("\nThe last two columns are Spearman's")


def print_ratings(scores: Scores) -> None:
    """Print the number of ratings that are weighted by log-probabilities, stated or unreadable."""
    for one in scores.ratings:
        results().print(
            f"\n{one.condition}, {one.reviewer}: {one.weighted:,} ratings weighted by "
            f"log-probabilities, {one.stated:,} as stated, {one.unreadable:,} unreadable",
            soft_wrap=True,
            markup=False,
        )


def print_disagreements(scores: Scores) -> None:
    """Print every reply that is read differently from the record: its beginning and its end."""
    console = results()
    console.print(f"\n{len(scores.disagreements)} replies are read differently from the record")
    for one in scores.disagreements:
        line = (
            f"{one.judge.reviewer}  {one.comparison}  shown {' '.join(one.shown)}: on record "
            f"{one.recorded}, read as {one.own} ({one.rule}): {_excerpt(one.text)}"
        )
        console.print(line, soft_wrap=True, markup=False)


def _headings(scores: Scores) -> tuple[str, ...]:
    return ("condition", "reviewer", "stance") if _of_run(scores) else ("reviewer",)


def _who(judge: Judge, scores: Scores) -> tuple[str, ...]:
    if _of_run(scores):
        return judge.condition, judge.reviewer, judge.stance
    return (judge.reviewer,)


def _of_run(scores: Scores) -> bool:
    judged = (*scores.scores, *scores.correlations)
    return any(one.judge.condition for one in judged)


def _simulated(scores: Scores) -> str:
    return " (simulated reviewers)" if scores.simulated else ""


def _accuracy(cell: Cell | None) -> str:
    if cell is None or not cell.accuracy.n:
        return _NONE
    return _interval(cell.accuracy)


def _interval(share: Measurement) -> str:
    # Bounds are rounded outwards: no data make an interval a point.
    low, high = floor(100 * share.low + _EXACT), ceil(100 * share.high - _EXACT)
    return f"{100 * share.value:.1f} \\[{low},{high}]"


def _own(one: Score) -> tuple[str, str]:
    own = one.own_reading
    if own is None:
        return _NONE, _NONE
    return _accuracy(own.total), str(own.different + own.only_recorded + own.only_own)


def _pair(cell: Cell | None, printed: float | None) -> str:
    ours = _NONE if cell is None or not cell.accuracy.n else f"{100 * cell.accuracy.value:.1f}"
    return f"{ours} / {_NONE if printed is None else f'{100 * printed:.1f}'}"


def _excerpt(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 2 * _END else f"{plain[:_END]} ... {plain[-_END:]}"


def _number(value: float) -> str:
    return _NONE if isnan(value) else f"{value:.3f}"


def _table(title: str, *headings: str) -> Table:
    first, *others = headings
    table = table_of(title, first, *others)
    names = {"condition", "reviewer", "stance", "method", "beside", "aspect"}
    for column, heading in zip(table.columns, headings, strict=True):
        column.justify = "left" if heading in names else "right"
    return table
