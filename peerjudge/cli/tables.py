"""Output that several commands share: tables in the terminal, GraphML files, the name of gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import results
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    import networkx as nx

    from peerjudge.analysis.ballots import Ballots
    from peerjudge.data import Dataset
    from peerjudge.reporting.layout import Table

_WIDE = 1000


def show(*tables: Table) -> None:
    """Print the tables that have rows; outside a terminal every row is one line."""
    from peerjudge.reporting.layout import print_table

    console = results()
    if not console.is_terminal:
        console.width = _WIDE
    for table in tables:
        print_table(table, console)


def say(*sentences: str) -> None:
    """Print sentences among the results, without breaking lines."""
    for sentence in sentences:
        print(sentence)


def write_graph(graph: nx.DiGraph[str], path: Path) -> None:
    """Write a graph as GraphML.

    Raises:
        StoreError: the file cannot be written.
    """
    import networkx as nx

    try:
        nx.write_graphml(graph, path)  # pyright: ignore[reportUnknownMemberType]  partial stubs
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another file with --graph"
        raise StoreError(msg) from cause


def gold_name(dataset: Dataset | Ballots, gold: str) -> str:
    """Return the name of gold: `gold` where the data name no people as its source."""
    from peerjudge.analysis.selecting import HUMAN

    return "gold" if gold == HUMAN and not dataset.humans else gold
