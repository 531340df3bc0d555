"""Tables for the terminal, and numbers with their bounds in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from peerjudge.cli.console import results

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis import Compared
    from peerjudge.analysis.ballots import Ballots
    from peerjudge.data import Dataset, Measurement

__all__ = [
    "gold_name",
    "odds_of",
    "or_dash",
    "p_value_of",
    "percent",
    "print_pairs",
    "show",
    "table_of",
]

_NONE = "-"
_WIDE = 1000
_LEAST, _MOST = 0.001, 1000.0


def table_of(title: str, first: str, *others: str) -> Table:
    """An open table: the first column to the left, the others to the right."""
    from rich.table import Table

    # A title is broken where its table ends, so that no table is narrower than its title.
    wide = len(title.strip())
    table = Table(title=title, box=None, pad_edge=False, title_justify="left", min_width=wide)
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table


def show(table: Table) -> None:
    """Print a table that has rows; one that is not read on a terminal has one line per row."""
    if not table.row_count:
        return
    console = results()
    if not console.is_terminal:
        console.width = _WIDE
    console.print(table)


def or_dash(found: Measurement | None) -> str:
    """A number with its bounds, and a dash where there is none."""
    return _NONE if found is None or found.n == 0 else str(found)


def odds_of(found: Measurement | None) -> str:
    """Odds with their bounds; what is beyond a thousand to one is not told apart."""
    if found is None or found.n == 0:
        return _NONE
    value, low, high = (_odds(number) for number in (found.value, found.low, found.high))
    return f"{value} [{low}, {high}]"


def _odds(odds: float) -> str:
    if odds > _MOST:
        return f">{_MOST:.0f}"
    return f"<{_LEAST}" if odds < _LEAST else f"{odds:.3f}"


def percent(found: Measurement) -> str:
    """A share in percent with its bounds, and a dash where there is none."""
    if found.n == 0:
        return _NONE
    return f"{100 * found.value:.0f} [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def gold_name(dataset: Dataset | Ballots, gold: str) -> str:
    """What gold is called where no people are named whose verdicts it is."""
    from peerjudge.analysis.selecting import HUMAN

    return "gold" if gold == HUMAN and not dataset.humans else gold


def p_value_of(p_value: float) -> str:
    """A p-value as it is printed: four digits, never 0."""
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def print_pairs(title: str, pairs: Iterable[Compared]) -> None:
    """One row per pair."""
    table = table_of(
        title, "one", "other", "difference", "turns", "more right on questions", "p", "Holm", "BH"
    )
    for pair in pairs:
        table.add_row(
            pair.one,
            pair.other,
            str(pair.difference.difference),
            f"{pair.turns:.1f}:{pair.other_turns:.1f}",
            f"{pair.test.ours}:{pair.test.theirs}",
            *map(p_value_of, (pair.test.p_value, pair.holm, pair.benjamini_hochberg)),
        )
    show(table)
