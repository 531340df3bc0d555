"""The table of all ways to judge, as it is shown first by a run, its scores, its report and the viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.data import to_plain
from peerjudge.reporting.formats import counted
from peerjudge.reporting.layout import (
    AnyColumn,
    Cell,
    Column,
    Section,
    Table,
    build_section,
    build_table,
)
from peerjudge.results.plain import make_plain

if TYPE_CHECKING:
    from peerjudge.analysis.ways import Way, Ways
    from peerjudge.results.base import Document

_LOST = "Inconsistent, unreadable and refused verdicts are left out"
_OVER_SEATS = "the least of the differences from each of its seats asked once"
_OVER_VOTE = "the difference from a vote of as many calls"
_ALTERED = "of its verdicts after a contradiction, those that took the other's opinion"
_MOVES = "its moves to gold, and away from gold"


def build_ways_table(ways: Ways, *, simulated: bool, title: str = "Ways to judge") -> Table:
    """Return one row for each way, the most accurate first."""
    known = any(row.right is not None for row in ways.rows)
    measure = "accuracy against gold" if known else "agreement with the majority of the others"
    return build_table(
        f"{title}: {measure} in %, differences in points [{ways.level:.0%} interval]"
        f"{' (simulated reviewers)' if simulated else ''}",
        ways.rows,
        Column("Way", "name", key="way"),
        Column("Right", "right", "share"),
        *([] if known else [Column("Agrees", "agrees", "share")]),
        *_list_readable(ways),
        Column("Calls", "calls", digits=1),
        Column("USD per 1,000", "usd", digits=2, about="price of 1,000 verdicts, if played alone"),
        Column("Over seats", "over_better_seat", "points", about=_OVER_SEATS),
        Column("Over vote", "over_vote", "points", about=_OVER_VOTE),
        Column("Altered", "altered", "share", about=_ALTERED),
        Column("To : from", _show_moves, about=_MOVES, key="gold"),
        Column("So", "so"),
    )


def list_ways(ways: Ways, *, simulated: bool) -> list[str | Table]:
    """Return the table, and below it what of each way is shown."""
    if not ways.rows:
        return []
    table = build_ways_table(ways, simulated=simulated)
    kept = [heading for heading in table.headings if heading != "So"]
    return [table.only(*kept), *describe_ways(ways)]


def describe_ways(ways: Ways, *, alone: bool = True) -> list[str]:
    """Return what the rows are counted from, what is shown of each, and which way that recommends.

    Args:
        ways: the ways.
        alone: say what is shown of discussions, for a table without the column that says it.
    """
    said: dict[str, list[str]] = {}
    for row in ways.rows:
        # Of the others the sentence below says how many are told apart.
        if alone and row.so and row.discusses and not row.control:
            said.setdefault(row.so, []).append(row.name)
    return [
        describe_counts(ways),
        *(f"{'; '.join(names)}: {so}." for so, names in said.items()),
        *([ways.summary] if ways.summary else []),
    ]


def describe_counts(ways: Ways) -> str:
    """Return how many comparisons have gold, and what is the unit of the intervals."""
    asked = counted(ways.questions, "question")
    pairs = counted(ways.comparisons, "comparison")
    if not ways.with_gold:
        return f"None of {pairs} has gold: which way is right is not known. The unit of intervals is {asked}."
    of = pairs if ways.with_gold == ways.comparisons else f"{ways.with_gold:,} of {pairs}"
    have = "has gold" if ways.with_gold == 1 else "have gold"
    lost = "" if all(row.readable == 1.0 for row in ways.rows) else f" {_LOST}."
    return f"{of} {have}; intervals have their {asked} as the unit.{lost}"


def build_ways_section(ways: Ways) -> Section | None:
    """Return the table as the first section of a page, which says itself that reviewers are simulated."""
    if not ways.rows:
        return None
    return build_section(
        "Ways to judge",
        describe_counts(ways),
        build_ways_table(ways, simulated=False),
        anchor="ways",
    )


def build_ways_document(ways: Ways) -> Document:
    """Return the table as plain values for JSON."""
    return make_plain(to_plain(ways))


def _list_readable(ways: Ways) -> list[AnyColumn[Way]]:
    if all(row.readable == 1.0 for row in ways.rows):
        return []
    return [Column("Readable", "readable", "share")]


def _show_moves(row: Way) -> Cell | None:
    if row.to_gold is None or row.from_gold is None:
        return None
    text = f"{row.to_gold:,} : {row.from_gold:,}"
    return Cell(text, {"_to": row.to_gold, "_from": row.from_gold})
