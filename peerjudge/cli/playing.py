"""Commands that play discussions or write texts, made of functions; each is built when it is called."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, cast

from peerjudge.cli.commands import AsJson, Call, FunctionCommand, build_command
from peerjudge.cli.console import (
    Display,
    configure_logging,
    log_status,
    print_json,
    print_status,
    results,
    show_progress,
)
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, CastOptions, DryRun, LogOptions
from peerjudge.cli.tables import say
from peerjudge.errors import StoreError
from peerjudge.registry import find_command

if TYPE_CHECKING:
    from peerjudge.results.reports import RunReport
    from peerjudge.runs import RunSummary
    from peerjudge.runs.merging import MergedRun

__all__ = ["COMMANDS", "compute_by_steps", "finish_run", "print_next_steps"]

R = TypeVar("R")


async def _run(
    call: Call[Awaitable[RunSummary]],
    *,
    dry_run: DryRun = False,
    logs: LogOptions = LogOptions(),
    json: AsJson = False,
) -> int:
    """Run an experiment, or estimate it, and print and save its results."""
    configure_logging(level=logs.log_level, form=logs.log_format)
    if dry_run:
        return await _estimate(call, json=json)
    async with cancel_on_signal():
        with show_progress(logs.display, logs=logs.log_format) as observer:
            summary = await call.compute({"observer": observer})
    return await finish_run(summary, store=call.given.get("store"), logs=logs, json=json)


async def finish_run(
    summary: RunSummary, *, store: str | None, logs: LogOptions, json: bool
) -> int:
    """Print and save the results of a run that has ended, and return the exit code."""
    from peerjudge.runs.results import DETACHED, WAITING

    await _print_results(summary, store=store, json=json)
    print_next_steps(summary, logs)
    if summary.stopped is not None and (
        summary.stopped.endswith("limit") or summary.stopped in {DETACHED, WAITING}
    ):
        return 3
    failed = summary.discussions.failed + (summary.answers.failed if summary.answers else 0)
    return 1 if failed else 0


def print_next_steps(summary: RunSummary, logs: LogOptions) -> None:
    """Print what to do after a run, and what of the log was not shown."""
    from peerjudge.results.summaries import list_next_steps

    for sentence in list_next_steps(summary):
        (log_status if logs.log_format == "json" else print_status)(sentence)


async def _estimate(call: Call[Awaitable[RunSummary]], *, json: bool) -> int:
    from peerjudge.runs import default_folder, prepare
    from peerjudge.runs.deliveries import choose_connections, choose_delivery
    from peerjudge.runs.written_data import choose_data

    given = call.given
    data = choose_data(given.get("data"), given.get("questions"))
    chosen = {**call.select(prepare), "data": data, "shuffled": "until" in given}
    prepared = prepare(*call.sources, **chosen)
    delivery = choose_delivery(batch=bool(given.get("batch")))
    if delivery is not None:
        prepared = delivery.prepare(prepared)
    for note in (*prepared.notes, *prepared.remarks):
        print_status(f"note: {note}")
    texts = None
    if prepared.answers is not None:
        store = given.get("store")
        folder = given.get("out") or default_folder(prepared.plan.experiment)
        out = None if store else folder
        texts = await prepared.answers.estimate(out=out, store=store)
    most_open = choose_connections(given.get("max_connections"), delivery=delivery)
    print_estimate(prepared, texts, delivery=delivery, most_open=most_open, json=json)
    return 0


async def _print_results(summary: RunSummary, *, store: str | None, json: bool) -> None:
    from peerjudge.results.reports import report_run
    from peerjudge.runs import open_run, summary_document

    async with open_run(summary.folder or f"{store}#{summary.run}") as opened:
        found = await report_run(opened)
        remarks = cast("Sequence[str]", opened.manifest.get("remarks") or ())
    report = _save_report(found) if summary.folder else None
    if json:
        print_json({**summary_document(summary), "notes": remarks})
    else:
        _print_summary(summary, found, report=report)
    for remark in remarks:
        print_status(f"note: {remark}")


def _print_summary(summary: RunSummary, built: RunReport, *, report: Path | None) -> None:
    from peerjudge.reporting.layout import print_parts
    from peerjudge.results.contrasts import describe_decision
    from peerjudge.results.summaries import describe_place, describe_spending

    console = results()
    print_parts(built.parts(), console, wrap=True)
    counts = summary.discussions
    console.print(
        f"\n{counts.done} discussions completed, {counts.skipped} already complete, "
        f"{counts.failed} failed"
        + (f", {counts.waiting} waiting for people" if counts.waiting else "")
    )
    if summary.decision is not None:
        say(describe_decision(summary.decision, isolate=False))
    console.print(describe_spending(summary))
    for line in describe_place(summary):
        console.print(line)
    source = summary.folder or f"{summary.store}#{summary.run}"
    say(f"run     {source}")
    if report is not None:
        say(f"report  {report}")
    if summary.folder and find_command("view") and find_spec("starlette") and find_spec("uvicorn"):
        say(f"view    peerjudge view {shlex.quote(source)}")


def _save_report(report: RunReport) -> Path | None:
    """Write the report into the run folder; a file of the user there stays, and the run is complete."""
    try:
        return report.save()
    except StoreError as error:
        print_status(f"No report is written: {error}")
        return None


async def _merge(call: Call[Awaitable[MergedRun]], *, json: AsJson = False) -> int:
    """Merge runs, and print what each of them adds."""
    found = await call.compute()
    if json:
        document = asdict(found)
        print_json({**document, "folder": str(found.folder)})
        return 0
    say(
        f"{found.discussions:,} discussions of {found.comparisons:,} comparisons from "
        f"{len(found.sources)} runs"
    )
    for source in found.sources:
        book = f"{source.calls:,} calls" + (
            f", {source.repeated:,} booked before" * bool(source.repeated)
        )
        say(
            f"{source.name}: {source.discussions:,} discussions, {source.new:,} new; "
            + (
                book
                if source.booked
                else "a file has no book of calls, so what they cost is not included"
            )
        )
    print_status(f"written to {found.folder}; next: peerjudge report {found.folder}")
    return 0


async def compute_by_steps(call: Call[Awaitable[R]], display: Display) -> R:
    """Return the result of a function that says on stderr what it does."""
    configure_logging(level="error", form="text")
    async with cancel_on_signal():
        return await call.compute({"on_step": None if display == "none" else print_status})


COMMANDS: Mapping[str, FunctionCommand] = MappingProxyType(
    {
        "merge": FunctionCommand(function="runs.merging:merge_runs", run=_merge),
        "run": FunctionCommand(
            function="runs.runner:run",
            run=_run,
            groups=(CastOptions, CallOptions),
            hook="option of run",
        ),
    }
)
"""Commands by name."""


def __getattr__(name: str) -> Callable[..., int]:
    return build_command(COMMANDS, name)
