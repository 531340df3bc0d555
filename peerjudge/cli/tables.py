"""Output that several commands share: results and GraphML files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from peerjudge.cli.console import print_json, results
from peerjudge.errors import DataError, StoreError

if TYPE_CHECKING:
    import networkx as nx

    from peerjudge.cli.terminal import Terminal
    from peerjudge.results.base import Result

_WIDE = 1000

Layout: TypeAlias = Annotated[
    Literal["text", "latex", "csv"],
    Parameter(
        name="--format",
        help="text; latex: tables with booktabs rules and captions for a paper, sentences as comments; csv: "
        "tables of unrounded numbers.",
    ),
]
"""The option `--format` of commands that print tables."""


def print_result(result: Result, *, json: bool, layout: Layout = "text") -> None:
    """Print a result as one JSON document, as tables and sentences, as LaTeX, or as CSV.

    Outside a terminal every sentence, and every row of a table, is one line.

    Raises:
        DataError: both JSON and another form are asked for.
    """
    if layout != "text":
        if json:
            msg = f"--json and --format {layout} exclude each other; leave one out"
            raise DataError(msg)
        print(result.to_latex() if layout == "latex" else result.to_csv(), end="")
        return
    if json:
        print_json(result.document())
        return
    from peerjudge.reporting.layout import print_parts

    console = open_results()
    print_parts(result.parts(), console, wrap=console.is_terminal)


def open_results() -> Terminal:
    """Return the console for results; outside a terminal every row of a table is one line."""
    console = results()
    if not console.is_terminal:
        console.width = _WIDE
    return console


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
