"""`peerjudge events`: who altered and who held its opinion, event by event or summed up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, status
from peerjudge.cli.stance_tables import print_summary
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.analysis.stances import Stances
    from peerjudge.data import OpinionEvent, Transcript

__all__ = ["events_command"]


async def events_command(
    run: str,
    /,
    *,
    summary: bool = False,
    graph: Path | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Print the opinion events of a run, one per line, or what they add up to.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Parameters
    ----------
    run
        A run folder or a store URL.
    summary
        Sum up: who alters and holds, against whom, when and which way; who persuades whom; what
        leading does; when agreement comes; what discussing gains; conditions against one another.
    graph
        Write who persuades whom to this file as a GraphML graph.
    seed
        Of the resampling that makes the intervals of the summary.
    json
        Print every event as one line of JSON, or the summary as one document.
    """
    if not summary and graph is None:
        _print_events(run, json=json)
        return 0
    found = _stances(run, seed)
    if graph is not None:
        _write_graph(found, graph)
    if summary and json:
        from peerjudge.data import to_plain

        print_json(to_plain(found))
    elif summary:
        print_summary(found)
    return 0


def _print_events(run: str, *, json: bool) -> None:
    from peerjudge.data import to_plain
    from peerjudge.runs import frames
    from peerjudge.tracker import opinion_events

    def print_all(transcripts: Iterable[Transcript]) -> bool:
        found = False
        for transcript in transcripts:
            for event in opinion_events(transcript):
                found = True
                print_json(to_plain(event)) if json else print(_line(event))
        return found

    if not frames.read_without_texts(run, print_all):
        status().print("no opinion events: nobody gave a verdict after hearing another's")


def _line(event: OpinionEvent) -> str:
    simulated = ", simulated" if event.simulated else ""
    control = "" if event.control == "none" else f" ({event.control})"
    heard = "not told" if event.control == "placebo" else "heard"
    return (
        f"{event.condition}  {event.comparison}  turn {event.turn}  "
        f"{event.reviewer} ({event.role}{simulated}) {event.kind.replace('_', ' ')}: "
        f"{event.before} -> {event.after}, {heard} {event.others}{control}"
    )


def _stances(run: str, seed: int) -> Stances:
    from peerjudge.analysis.collecting import collect_transcripts
    from peerjudge.analysis.inference import Sampler
    from peerjudge.analysis.stances import build_stances
    from peerjudge.runs import frames

    ballots = frames.read_without_texts(run, collect_transcripts)
    return build_stances(ballots, sampler=Sampler(seed=seed))


def _write_graph(found: Stances, path: Path) -> None:
    import networkx as nx

    from peerjudge.analysis.influence import build_persuasion_graph

    try:
        nx.write_graphml(build_persuasion_graph(found.persuasion), path)  # pyright: ignore[reportUnknownMemberType]  partial stubs
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another file with --graph"
        raise StoreError(msg) from cause
