"""`peerjudge events`: opinion changes, event by event or as a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, print_status
from peerjudge.cli.tables import Layout, print_result, write_graph
from peerjudge.marks import mark_controls

if TYPE_CHECKING:
    from peerjudge.data import OpinionEvent


def events_command(
    run: str,
    /,
    *,
    summary: bool = False,
    graph: Path | None = None,
    force: bool = False,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Print the opinion events of a run, one per line, or a summary of them.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Parameters
    ----------
    run
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), or a bundle (.zip).
    summary
        Print counts and shares instead: opinion changes by reviewer, role, opponent and turn,
        persuasion, the effect of leading, the time to agreement, discussions against their better seat
        and the vote, controls.
    graph
        Write persuasion between reviewers to this file as a GraphML graph.
    force
        Replace that file if it exists.
    seed
        Seed of the resampling behind the intervals of the summary.
    json
        Print every event as one line of JSON, or the summary as one document.
    """
    from peerjudge.results.opinions import events
    from peerjudge.results.overwriting import require_free

    if not summary and graph is None:
        _print_events(run, json=json)
        return 0
    if graph is not None:
        require_free(graph, source=run, force=force, option="--graph")
    found = events(run, summary=True, seed=seed)
    if graph is not None:
        write_graph(found.graph(), graph)
    if summary:
        print_result(found, json=json, layout=layout)
    return 0


def _print_events(run: str, *, json: bool) -> None:
    """Print each event while the run is read: a large run has more than fit in memory."""
    from peerjudge.data import to_plain
    from peerjudge.reporting.opinions import describe_event
    from peerjudge.results.opinions import stream_events

    def print_event(event: OpinionEvent) -> None:
        print_json(to_plain(event)) if json else print(mark_controls(describe_event(event)))

    if not stream_events(run, print_event):
        print_status("no opinion events: no reviewer gave a verdict after hearing another's")
