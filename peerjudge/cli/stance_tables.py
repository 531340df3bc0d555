"""Lays out what became of stances as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from peerjudge.cli.console import results
from peerjudge.cli.tables import p_value_of, percent, print_pairs, show, table_of

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis.influence import StanceCounts
    from peerjudge.analysis.stances import Stances

__all__ = ["print_summary"]


def print_summary(found: Stances) -> None:
    """Print all measures of opinion change as tables; shares in percent."""
    from peerjudge.reporting.formats import points

    _print_counts(found.counts)
    console = results()
    table = table_of("\nWho persuades whom", "speaker", "listener", "contradicted", "altered")
    for row in found.persuasion:
        table.add_row(row.speaker, row.listener, str(row.contradicted), percent(row.share))
    show(table)
    table = table_of(
        "\nLeading instead of following, on the same comparisons",
        "reviewer",
        "altered more by",
        "p",
        "right more by",
        "p",
        "leader prevails",
    )
    for row in found.ordering:
        cells: list[str] = []
        for one in (row.altered, row.accuracy):
            cells += (
                ["-", "-"] if one is None else [points(one.difference), p_value_of(one.p_value)]
            )
        table.add_row(row.reviewer or "all", *cells, percent(row.leader_prevails))
    show(table)
    _print_outcomes(found)
    _print_controls(found)
    for name in found.silent:
        console.print(f"\nIn {name} no seat heard another: it is a vote, not a discussion.")
    note = "; the reviewers are simulated" if found.simulated else ""
    console.print(
        f"\n{found.discussions} ended discussions; shares in %, differences in percentage points; "
        f"intervals and p-values resample questions{note}"
    )


def _print_counts(counts: Sequence[StanceCounts]) -> None:
    """One table for each way to group the events."""
    groups = {
        "Who alters, of those contradicted, in %; moves to and from gold, majority, first-shown": (
            "reviewer",
        ),
        "\nAs leader and as follower": ("reviewer", "role"),
        "\nAgainst whom": ("reviewer", "opponent"),
        "\nAt which turn": ("role", "round"),
    }
    for title, keys in groups.items():
        rows = [row for row in counts if _keys(row) == set(keys)]
        if rows:
            show(_counted(title, keys, rows))


def _keys(row: StanceCounts) -> set[str]:
    keys = ("reviewer", "role", "opponent", "round")
    return {key for key in keys if getattr(row, key) is not None}


def _counted(title: str, keys: Sequence[str], rows: Iterable[StanceCounts]) -> Table:
    from peerjudge.data import Direction

    names = ("contradicted", "altered", "moved to gold", "gold +/-", "majority +/-", "first +/-")
    words = {"opponent": "against", "round": "turn"}
    table = table_of(title, *(words.get(key, key) for key in keys), *names)
    for row in rows:
        directions = (row.gold, row.majority, row.first)
        table.add_row(
            *(str(getattr(row, key)) for key in keys),
            str(row.altered.n),
            percent(row.altered),
            percent(row.towards_gold),
            *(f"{one[Direction.TOWARDS]}/{one[Direction.AWAY]}" for one in directions),
        )
    return table


def _print_outcomes(found: Stances) -> None:
    from peerjudge.reporting.formats import points

    table = table_of(
        "\nComing to agree", "condition", "from start", "reached", "lasted", "after turns", "never"
    )
    for row in found.settling:
        after = ", ".join(f"{turn}: {count}" for turn, count in row.after.items())
        start = f"{row.from_start} of {row.discussions}"
        reached, lasted = percent(row.reached), percent(row.lasted)
        table.add_row(row.condition, start, reached, lasted, after, str(row.never))
    show(table)
    table = table_of(
        "\nAccuracy of stances", "condition", "reviewer", "before", "after", "gain", "p"
    )
    for row in found.changes:
        shares = (percent(row.before), percent(row.after))
        gain = points(row.gain.difference)
        table.add_row(row.condition, row.reviewer, *shares, gain, p_value_of(row.gain.p_value))
    show(table)
    if found.over_vote:
        print_pairs(
            "\nWhat discussing adds to the accuracy of a vote of the same reviewers",
            found.over_vote,
        )
    others = len(found.conditions) - len(found.over_vote)
    if others > 0:
        results().print(f"\n{others} other pairs of conditions: peerjudge compare RUN")


def _print_controls(found: Stances) -> None:
    from peerjudge.reporting.formats import points

    if not found.controls:
        return
    table = table_of(
        "\nWhat altering owes to the argument: altered at the first turn, if contradicted",
        "condition",
        "control",
        "reviewer",
        "altered",
        "by gold",
        "by another",
        "without control more by",
        "p",
        "Holm",
    )
    for row in found.controls:
        difference = row.difference
        compared = ["-", "-", "-"]
        if difference is not None and row.holm is not None:
            p_values = map(p_value_of, (difference.p_value, row.holm))
            compared = [points(difference.difference), *p_values]
        shares = (row.altered, row.contradicted_by_gold, row.contradicted_by_wrong)
        table.add_row(
            row.condition, row.control, row.reviewer or "all", *map(percent, shares), *compared
        )
    show(table)
