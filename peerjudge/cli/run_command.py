"""`peerjudge run`: run an experiment, or resume an interrupted run."""

from __future__ import annotations

import shlex
import typing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from peerjudge.cli.console import (
    configure_logging,
    log_status,
    print_json,
    print_status,
    results,
)
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, CastOptions, LogOptions
from peerjudge.cli.progress import show_progress
from peerjudge.cli.tables import say
from peerjudge.cli.tracing import export_spans
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from peerjudge.results.reports import RunReport
    from peerjudge.runs import RunSummary


async def run_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    questions: str | None = None,
    out: str | None = None,
    store: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    cast: CastOptions = CastOptions(),
    calls: CallOptions = CallOptions(),
    until: str | None = None,
    order: Annotated[Literal["plain", "open"], Parameter(name="--next")] = "plain",
    batch: bool = False,
    detach: bool = False,
    wait: bool = False,
    dry_run: bool = False,
    logs: LogOptions = LogOptions(),
    json: bool = False,
) -> int:
    """Run an experiment; run the same command again to resume it.

    Stored turns are not requested again. A larger --limit extends a run. Failed discussions resume
    at the turn that failed.

    Parameters
    ----------
    experiment
        A name from `peerjudge list experiments`, or the path of a .py file.
    data
        Dataset NAME, NAME:PATH or FILE.py:PATH that replaces the one in the experiment.
    questions
        Questions without answers, instead of data: a .txt, .csv or .jsonl file, or a dataset. The seated
        cards answer them first, with the same limits, and then judge all pairs of answers.
    out
        Run folder. By default a folder under runs/, the same for the same experiment.
    store
        Database URL (sqlite or postgresql) instead of a folder.
    limit
        Number of comparisons to run.
    seed
        Seed of all random choices, instead of the one in the experiment.
    until
        Stop when the primary contrast of the experiment is decided: `decided` (above or below 0),
        `decided within 0.05` (that, or between -0.05 and 0.05) or `ci<0.05` (half of the width of its
        interval). Questions are played in a random order, --limit is the most, and the first look is
        after 20. Declare the contrast with primary= in the experiment or -S primary=...
    order
        `open` plays comparisons of contestants whose order is open first, for a ranking with --limit or
        --cost-limit; `plain` plays the comparisons in the order of the data.
    batch
        Send the calls of OpenAI and Anthropic cards as batches: half the price, within 24 hours. A batch
        goes out when every open discussion waits for one. Ctrl-C leaves it at the provider; the same
        command collects it.
    detach
        With --batch: collect the batches that have ended, send what is ready, and exit with 3. Run the
        same command later, for example from cron, to go on.
    wait
        Wait for people who are seated as reviewers and take up their answers as they come, in place of
        exit code 3. Answer meanwhile with `peerjudge annotate`.
    dry_run
        Print the estimated calls, tokens and cost, and call no model.
    json
        Print the summary as one JSON document.
    """
    from peerjudge.results.summaries import list_next_steps
    from peerjudge.runs import default_folder, parse_seats, parse_settings, prepare, run
    from peerjudge.runs.answering import estimate_answers
    from peerjudge.runs.arguments import choose_data
    from peerjudge.runs.batches import apply_batch_prices
    from peerjudge.runs.results import DETACHED, WAITING

    configure_logging(level=logs.log_level, form=logs.log_format)
    settings, seats = parse_settings(cast.setting), parse_seats(cast.seat)
    if dry_run:
        prepared = prepare(
            experiment,
            data=choose_data(data, questions),
            limit=limit,
            seed=seed,
            settings=settings,
            seats=seats,
            shuffled=until is not None,
        )
        if batch:
            prepared = apply_batch_prices(prepared)
        for note in (*prepared.notes, *prepared.remarks):
            print_status(f"note: {note}")
        texts = None
        if prepared.answers is not None:
            folder = out or default_folder(prepared.plan.experiment)
            texts = await estimate_answers(
                prepared.answers, out=None if store else folder, store=store
            )
        print_estimate(prepared, texts, json=json)
        return 0
    async with cancel_on_signal():
        with export_spans(), show_progress(logs.display, logs=logs.log_format) as observer:
            summary = await run(
                experiment,
                data=data,
                questions=questions,
                out=out,
                store=store,
                limit=limit,
                seed=seed,
                settings=settings,
                seats=seats,
                cache=calls.cache,
                max_connections=calls.max_connections,
                cost_limit=calls.cost_limit,
                token_limit=calls.token_limit,
                fail_on_error=calls.fail_on_error,
                deadline=calls.deadline,
                until=until,
                order=order,
                batch=batch,
                detach=detach,
                wait=wait,
                observer=observer,
            )
    await _print_results(summary, store=store, json=json)
    for sentence in list_next_steps(summary):
        (log_status if logs.log_format == "json" else print_status)(sentence)
    if summary.stopped is not None and (
        summary.stopped.endswith("limit") or summary.stopped in {DETACHED, WAITING}
    ):
        return 3
    failed = summary.discussions.failed + (summary.answers.failed if summary.answers else 0)
    return 1 if failed else 0


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


def _print_summary(summary: RunSummary, found: RunReport, *, report: Path | None) -> None:
    from peerjudge.reporting.layout import print_parts
    from peerjudge.reporting.stopping import describe_decision
    from peerjudge.results.summaries import describe_place, describe_spending

    console = results()
    print_parts(found.parts(), console, wrap=True)
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
