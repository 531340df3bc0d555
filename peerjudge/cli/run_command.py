"""`peerjudge run`: run an experiment, or resume an interrupted run."""

from __future__ import annotations

import shlex
import typing
from collections.abc import Awaitable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from peerjudge.cli.commands import AsJson, Call, FunctionCommand
from peerjudge.cli.console import (
    configure_logging,
    log_status,
    print_json,
    print_status,
    results,
)
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, CastOptions, DryRun, LogOptions
from peerjudge.cli.progress import show_progress
from peerjudge.cli.tables import say
from peerjudge.cli.tracing import export_spans
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from peerjudge.results.reports import RunReport
    from peerjudge.runs import RunSummary


async def _run(
    call: Call[Awaitable[RunSummary]],
    *,
    dry_run: DryRun = False,
    logs: LogOptions = LogOptions(),
    json: AsJson = False,
) -> int:
    """Run an experiment, or estimate it, and print and save its results."""
    from peerjudge.results.summaries import list_next_steps
    from peerjudge.runs.results import DETACHED, WAITING

    configure_logging(level=logs.log_level, form=logs.log_format)
    if dry_run:
        return await _estimate(call, json=json)
    async with cancel_on_signal():
        with export_spans(), show_progress(logs.display, logs=logs.log_format) as observer:
            summary = await call.compute({"observer": observer})
    await _print_results(summary, store=call.given.get("store"), json=json)
    for sentence in list_next_steps(summary):
        (log_status if logs.log_format == "json" else print_status)(sentence)
    if summary.stopped is not None and (
        summary.stopped.endswith("limit") or summary.stopped in {DETACHED, WAITING}
    ):
        return 3
    failed = summary.discussions.failed + (summary.answers.failed if summary.answers else 0)
    return 1 if failed else 0


async def _estimate(call: Call[Awaitable[RunSummary]], *, json: bool) -> int:
    from peerjudge.runs import default_folder, prepare
    from peerjudge.runs.answer_plans import choose_data
    from peerjudge.runs.answering import estimate_answers
    from peerjudge.runs.batches import apply_batch_prices

    given = call.given
    data = choose_data(given.get("data"), given.get("questions"))
    chosen = {**call.select(prepare), "data": data, "shuffled": "until" in given}
    prepared = prepare(*call.sources, **chosen)
    if given.get("batch"):
        prepared = apply_batch_prices(prepared)
    for note in (*prepared.notes, *prepared.remarks):
        print_status(f"note: {note}")
    texts = None
    if prepared.answers is not None:
        store = given.get("store")
        folder = given.get("out") or default_folder(prepared.plan.experiment)
        out = None if store else folder
        texts = await estimate_answers(prepared.answers, out=out, store=store)
    print_estimate(prepared, texts, json=json)
    return 0


async def _print_results(summary: RunSummary, *, store: str | None, json: bool) -> None:
    from peerjudge.results.reports import report_run
    from peerjudge.runs import open_run, summary_document

    async with open_run(summary.folder or f"{store}#{summary.run}") as opened:
        found = await report_run(opened)
        remarks = typing.cast("Sequence[str]", opened.manifest.get("remarks") or ())
    report = _save_report(found) if summary.folder else None
    if json:
        print_json(summary_document(summary))
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
    if summary.folder and find_spec("starlette") and find_spec("uvicorn"):
        say(f"view    peerjudge view {shlex.quote(source)}")


def _save_report(report: RunReport) -> Path | None:
    """Write the report into the run folder; a file of the user there stays, and the run is complete."""
    try:
        return report.save()
    except StoreError as error:
        print_status(f"No report is written: {error}")
        return None


COMMAND = FunctionCommand(
    function="runs.runner:run",
    run=_run,
    groups=(CastOptions, CallOptions),
    names={"order": "--next"},
)
run_command = COMMAND.build()
