"""Commands that analyse, made of the functions of `peerjudge.results`; each is built when it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.commands import (
    DISCUSSIONS,
    SEVERAL,
    AsJson,
    Call,
    FunctionCommand,
    build_command,
)
from peerjudge.cli.console import print_json, print_status, status
from peerjudge.cli.options import split_names
from peerjudge.cli.tables import Layout, print_result, say, write_graph
from peerjudge.errors import DataError
from peerjudge.results.overwriting import require_free

if TYPE_CHECKING:
    from peerjudge.data import OpinionEvent
    from peerjudge.results.checking import Check
    from peerjudge.results.comparisons import CompareResult
    from peerjudge.results.opinions import EventsResult, StancesResult
    from peerjudge.results.rankings import RankResult
    from peerjudge.results.reports import Report
    from peerjudge.results.scores import ScoreResult

__all__ = ["COMMANDS", "RESAMPLING"]

RESAMPLING = "Reading, and resampling questions"
"""Shown in a terminal only, by commands that take seconds."""


def _rank(
    call: Call[RankResult],
    *,
    control: str | None = None,
    graph: Path | None = None,
    force: bool = False,
    layout: Layout = "text",
    json: AsJson = False,
) -> int:
    """Print a ranking, at equal style too if that is wanted, and write its graph.

    Options:
        control: Also rank at equal style: any of position,length,markdown, separated by commas.
            The scoring is then bradley-terry.
        graph: Write wins between contestants, under these weights, to this file as a GraphML graph.
        force: Replace the file of --graph if it exists.
    """
    if control is not None:
        from peerjudge.data import Scoring
        from peerjudge.results.styles import rank_styles

        scoring = call.given.get("scoring", Scoring.BRADLEY_TERRY)
        if scoring != Scoring.BRADLEY_TERRY:
            msg = f"style control is of Bradley-Terry: use --scoring bradley-terry, not {scoring}"
            raise DataError(msg)
        if call.given.get("trajectory") or graph is not None:
            msg = "style control has no --trajectory or --graph; leave it out"
            raise DataError(msg)
        chosen = call.select(rank_styles)
        styled = rank_styles(*call.sources, controls=split_names(control), **chosen)
        print_result(styled, json=json, layout=layout)
        return 0
    if graph is not None:
        require_free(graph, source=call.sources[0], force=force, option="--graph")
    found = call.compute()
    if graph is not None:
        write_graph(found.graph(), graph)
    print_result(found, json=json, layout=layout)
    return 0


def _score(
    call: Call[ScoreResult],
    *,
    all: bool = False,  # noqa: A002  the name of the option
    disagreements: bool = False,
    layout: Layout = "text",
    json: AsJson = False,
) -> int:
    """Print scores, with the replies that are read differently if these are wanted.

    Options:
        all: Print every table: accuracies by stance, the verdicts behind them, margins, and every discussion
            over every cheaper way; JSON always has them.
        disagreements: List the replies whose reading differs from the record; JSON always has them.
    """
    found = call.compute()
    print_result(found.with_details() if all else found, json=json, layout=layout)
    if disagreements and not json and found.published is None:
        say(*found.describe_disagreements())
    return 0


def _compare(
    call: Call[CompareResult],
    *,
    fail_if: tuple[str, ...] = (),
    layout: Layout = "text",
    json: AsJson = False,
) -> int:
    """Print a comparison, and hold conditions against its numbers.

    Options:
        fail_if: Exit with 1 if this holds, or cannot be tested, for any condition, reviewer or pair;
            repeat for more. `gain<0`, `accuracy[gpt4]<0.7`, `over_vote.low<-5%`,
            `difference<0 and p_holm<0.05`. The estimate is tested, or a bound of its interval with .low
            or .high.
    """
    from peerjudge.results.checking import parse_condition

    conditions = [parse_condition(one) for one in fail_if]
    found = call.compute()
    checks = found.check(*conditions)
    if json and checks and layout == "text":
        listed = [{**asdict(check), "passed": check.passed} for check in checks]
        print_json({**found.document(), "checks": listed})
    else:
        print_result(found, json=json, layout=layout)
    return _report_checks(checks)


def _report_checks(checks: Sequence[Check]) -> int:
    """Print the checks that failed, and how many passed; return the exit code."""
    failed = [check for check in checks if not check.passed]
    for one in failed:
        print_status(f"failed: {one.condition}: {one.text}")
    if checks:
        print_status(f"{len(checks) - len(failed)} of {len(checks)} checks passed")
    return 1 if failed else 0


def _events(
    call: Call[EventsResult | StancesResult],
    *,
    graph: Path | None = None,
    force: bool = False,
    layout: Layout = "text",
    json: Annotated[
        bool,
        Parameter(help="Print every event as one line of JSON, or the summary as one document."),
    ] = False,
) -> int:
    """Print opinion events or their summary, and write the graph of persuasion.

    Options:
        graph: Write persuasion between reviewers to this file as a GraphML graph.
        force: Replace the file of --graph if it exists.
    """
    from peerjudge.results.opinions import events

    summary = bool(call.given.get("summary"))
    if not summary and graph is None and layout == "text":
        chosen = {name: call.given.get(name, ()) for name in ("kinds", "reviewers")}
        return _print_events(*call.sources, **chosen, json=json)
    if not summary and graph is None:
        print_result(call.compute(), json=json, layout=layout)
        return 0
    if graph is not None:
        require_free(graph, source=call.sources[0], force=force, option="--graph")
    others = {name: value for name, value in call.given.items() if name != "summary"}
    found = events(*call.sources, summary=True, **others)
    if graph is not None:
        write_graph(found.graph(), graph)
    if summary:
        print_result(found, json=json, layout=layout)
    return 0


def _print_events(
    source: str, *, kinds: Sequence[str], reviewers: Sequence[str], json: bool
) -> int:
    """Print each event while the run is read: a large run has more than fit in memory."""
    from peerjudge.data import to_plain
    from peerjudge.marks import mark_controls
    from peerjudge.results.opinions import describe_event, explain_none, stream_events

    printed = 0

    def print_event(event: OpinionEvent) -> None:
        nonlocal printed
        printed += 1
        print_json(to_plain(event)) if json else print(mark_controls(describe_event(event)))

    total = stream_events(source, print_event, kinds=kinds, reviewers=reviewers)
    if not printed:
        print_status(explain_none(total))
    return 0


def _report(
    call: Call[Report],
    *,
    out: Path | None = None,
    figures: Path | None = None,
    force: bool = False,
) -> int:
    """Write a report, and print its path.

    Options:
        out: The file to write; by default `report.html` in the run folder, or `NAME-report.html` here
            for a dataset. The same numbers are beside it in a .json file.
        figures: A folder to write every figure to as well, as .svg, .png and .pdf.
        force: Replace files that are not earlier reports or figures.
    """
    with status().status(RESAMPLING):
        found = call.compute()
        if figures is not None:
            found.require_free_figures(figures, force=force)
        path = found.save(out, force=force)
    say(str(path))
    if figures is not None:
        say(*map(str, found.save_figures(figures, force=force)))
    return 0


COMMANDS: Mapping[str, FunctionCommand] = MappingProxyType(
    {
        "agreement": FunctionCommand(function="results.agreements:agreement"),
        "bias": FunctionCommand(function="results.biases:bias"),
        "compare": FunctionCommand(function="results.comparisons:compare", run=_compare),
        "events": FunctionCommand(
            function="results.opinions:events",
            run=_events,
            names={"kinds": "--kind", "reviewers": "--reviewer"},
            options={"source": DISCUSSIONS, "kinds": SEVERAL, "reviewers": SEVERAL},
        ),
        "rank": FunctionCommand(function="results.rankings:rank", run=_rank),
        "report": FunctionCommand(function="results.reports:report", run=_report),
        "score": FunctionCommand(function="results.scores:score", run=_score),
    }
)
"""Commands by name."""


def __getattr__(name: str) -> Callable[..., int]:
    return build_command(COMMANDS, name)
