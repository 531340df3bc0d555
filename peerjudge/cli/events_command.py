"""`peerjudge events`: opinion changes, event by event or as a summary."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_json, print_status, say_if_few
from peerjudge.cli.overwriting import require_free
from peerjudge.cli.tables import say, show, write_graph
from peerjudge.marks import mark_controls

if TYPE_CHECKING:
    from peerjudge.analysis.stances import Stances
    from peerjudge.data import OpinionEvent, Primary, Transcript


async def events_command(
    run: str,
    /,
    *,
    summary: bool = False,
    graph: Path | None = None,
    force: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Print the opinion events of a run, one per line, or a summary of them.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Parameters
    ----------
    run
        A run folder, a store URL, or a transcript file (.jsonl or .jsonl.gz).
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
    if not summary and graph is None:
        _print_events(run, json=json)
        return 0
    if graph is not None:
        require_free(graph, source=run, force=force, option="--graph")
    from peerjudge.analysis import build_persuasion_graph
    from peerjudge.reporting.opinions import build_summary_tables, describe_summary
    from peerjudge.runs import open_run

    async with open_run(run) as opened:
        primary = opened.primary
    found, questions = _stances(run, seed, primary)
    if graph is not None:
        write_graph(build_persuasion_graph(found.persuasion), graph)
    if summary and json:
        from peerjudge.data import to_plain

        print_json(to_plain(found))
    elif summary:
        say_if_few(questions)
        show(*build_summary_tables(found))
        say("", *describe_summary(found))
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
                print_json(to_plain(event)) if json else print(mark_controls(_line(event)))
        return found

    if not frames.read_without_texts(run, print_all):
        print_status("no opinion events: no reviewer gave a verdict after hearing another's")


def _line(event: OpinionEvent) -> str:
    simulated = ", simulated" if event.simulated else ""
    control = "" if event.control == "none" else f" ({event.control})"
    heard = "not told" if event.control == "placebo" else "heard"
    return (
        f"{event.condition}  {event.comparison}  turn {event.turn}  "
        f"{event.reviewer} ({event.role}{simulated}) {event.kind.replace('_', ' ')}: "
        f"{event.before} -> {event.after}, {heard} {event.others}{control}"
    )


def _stances(run: str, seed: int, primary: Primary | None) -> tuple[Stances, int]:
    from peerjudge.analysis import Sampler, build_stances, collect_transcripts
    from peerjudge.runs import frames

    ballots = frames.read_without_texts(run, collect_transcripts)
    found = build_stances(ballots, sampler=Sampler(seed=seed), primary=primary)
    return found, ballots.count_questions()
