"""`peerjudge bias`: position, self-preference and length bias of reviewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from peerjudge.cli.console import print_json, results, say_if_simulated
from peerjudge.cli.rank_command import families_of, split_names
from peerjudge.cli.tables import gold_name, odds_of, or_dash, show, table_of
from peerjudge.data import Measurement, Noun, replace

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis import Bias

__all__ = ["bias_command", "print_bias"]

_Row = TypeVar("_Row", bound=Noun)
_Measures = Mapping[str, tuple[Noun, ...]]

_WITH_TABLE = ("position", "consistency", "self_enhancement", "verbosity")
"""Measures that have a table of their own."""


async def bias_command(
    source: str,
    /,
    *,
    reviewers: str | None = None,
    gold: str = "human",
    families: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Position, self-enhancement, verbosity and order consistency of every reviewer.

    Measured on the verdicts that reviewers gave before they heard another one; for a run also the
    position bias before and after the discussions. Intervals resample questions.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    reviewers
        Only these, separated by commas.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    families
        name=family, separated by commas: families of reviewers. The cards of a run name theirs.
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.analysis import build_bias_document, measure_bias
    from peerjudge.runs import read_ballots

    ballots = await read_ballots(source)
    found = measure_bias(
        ballots,
        reviewers=split_names(reviewers),
        gold=gold,
        families=await families_of(source, families),
        seed=seed,
    )
    if json:
        print_json(build_bias_document(found))
    else:
        say_if_simulated(ballots)
        print_bias(replace(found, gold=gold_name(ballots, gold)))
    return 0


def print_bias(found: Bias) -> None:
    """Print one table per measure."""
    _print_places(found.measures)
    if found.discussed is not None:
        _print_discussed(found.discussed)
    _print_own(found)
    _print_lengths(found)
    for name, rows in found.measures.items():
        if name not in _WITH_TABLE and rows:
            show(_table_rows(name, rows))


def _table_rows(name: str, rows: Sequence[Noun]) -> Table:
    """Return the rows of a measure that has no table of its own, one column per field."""
    names = type(rows[0]).__struct_fields__
    table = table_of(f"\n{name.replace('_', ' ').capitalize()}", *names)
    for row in rows:
        values = [getattr(row, field) for field in names]
        is_number = [one is None or isinstance(one, Measurement) for one in values]
        cells = zip(values, is_number, strict=True)
        table.add_row(*(or_dash(one) if number else str(one) for one, number in cells))
    return table


def _rows(measures: _Measures, name: str, kind: type[_Row]) -> list[_Row]:
    """Return the rows of a measure, all of which are of this kind."""
    return [row for row in measures.get(name, ()) if isinstance(row, kind)]


def _print_places(measures: _Measures) -> None:
    from peerjudge.analysis import OrderConsistency, Position

    table = table_of(
        "Position: choices by place, and the share of the first-shown answer",
        "reviewer",
        "first",
        "tie",
        "second",
        "first share",
        "same in both orders",
    )
    same = {row.reviewer: row.rate for row in _rows(measures, "consistency", OrderConsistency)}
    for row in _rows(measures, "position", Position):
        counts = (str(row.first), str(row.tie), str(row.second))
        rate = same[row.reviewer]
        # Pairs shown in one order only do not measure position bias.
        table.add_row(row.reviewer, *counts, str(row.share) if rate.n else "-", or_dash(rate))
    show(table)


def _print_discussed(discussed: _Measures) -> None:
    from peerjudge.analysis import OrderConsistency, Position

    table = table_of(
        "\nPosition before and after the discussion",
        "reviewer",
        "first before",
        "first after",
        "same before",
        "same after",
    )
    columns: list[dict[str, str]] = [
        {row.reviewer: str(row.share) for row in _rows(discussed, f"position_{when}", Position)}
        for when in ("before", "after")
    ]
    columns += [
        {
            row.reviewer: or_dash(row.rate)
            for row in _rows(discussed, f"consistency_{when}", OrderConsistency)
        }
        for when in ("before", "after")
    ]
    for name in columns[0]:
        table.add_row(name, *(column.get(name, "-") for column in columns))
    show(table)


def _print_own(found: Bias) -> None:
    from peerjudge.analysis import SelfEnhancement

    gold = found.gold
    table = table_of("\nOwn answers: win rate by judge", "reviewer")
    table.add_column("whose")
    for heading in ("reviewer", gold, "peers", f"over {gold}", "over peers"):
        table.add_column(heading, justify="right")
    for row in _rows(found.measures, "self_enhancement", SelfEnhancement):
        whose = row.kind if row.kind == "own" else f"family: {', '.join(row.authors)}"
        rates = ["-" if one is None else f"{one.value:.3f}" for one in (row.gold, row.peers)]
        over = map(or_dash, (row.against_gold, row.against_peers))
        table.add_row(row.reviewer, whose, str(row.own_view), *rates, *over)
    show(table)


def _print_lengths(found: Bias) -> None:
    from peerjudge.analysis import Verbosity

    gold = found.gold
    table = table_of(
        "\nLength: share and odds of the longer answer",
        "reviewer",
        "longer chosen",
        f"by {gold}",
        "odds",
        f"over {gold}",
    )
    rows = _rows(found.measures, "verbosity", Verbosity)
    for row in rows:
        shares, odds = (row.longer, row.gold_longer), (row.odds, row.over_gold)
        table.add_row(row.reviewer, *map(or_dash, shares), *map(odds_of, odds))
    show(table)
    measures = {"gold": f" and verdict of {gold}", "peers": " and verdicts of the others"}
    quality = measures.get(rows[0].control, "") if rows else ""
    results().print(
        f"odds: of being chosen, for each doubling of the length, at equal place, authors{quality}.\n"
        "  Too high where the better answers are longer: the verdict is a coarse measure of quality."
        f"\nover {gold}: at equal place and authors, divided by the odds of {gold} on the same pairs;"
        " 1 where length\n  counts alike. Chance in verdicts draws all odds to 1."
    )
