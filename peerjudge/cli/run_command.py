"""`peerjudge run`: play an experiment, or go on with one that was stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import Display, configure_logging, print_json, results, status
from peerjudge.cli.progress import showing

if TYPE_CHECKING:
    from peerjudge.experiment import Prepared, RunSummary

__all__ = ["run_command"]


async def run_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    out: str | None = None,
    store: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    setting: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"], negative=())] = (),
    max_connections: int = 10,
    dry_run: bool = False,
    display: Display = Display.RICH,
    log_level: str = "warning",
    json: bool = False,
) -> int:
    """Play an experiment. The same command again goes on where it stopped.

    Nothing that is stored is asked for twice; a larger --limit extends a run; failed discussions
    are taken up at the turn that failed.

    Parameters
    ----------
    experiment
        A name that `peerjudge list experiments` shows, or the path of a .py file.
    data
        A dataset, NAME or NAME:PATH, instead of the one the experiment declares.
    out
        The run folder. By default one under runs/ that is the same for the same experiment.
    store
        A database URL (sqlite or postgresql) instead of a folder.
    limit
        Play only the first so many comparisons.
    seed
        The seed of every random choice, instead of the declared one.
    setting
        key=value, as often as needed: an option of the protocols (turns=6, stop=agreement), of all
        conditions (leader=both, orders=given, prompts=NAME), of the experiment (repetitions=3), or
        of the reviewers (temperature=0.7, latency=0.05).
    max_connections
        How many calls are under way at a time.
    dry_run
        Print what would be played and call nobody.
    display
        How progress is shown on stderr.
    log_level
        Which log events are shown on stderr.
    json
        Print the summary as one JSON document.
    """
    from peerjudge.experiment import parse_settings, prepare, run

    configure_logging(level=log_level)
    settings = parse_settings(setting)
    if dry_run:
        prepared = prepare(experiment, data=data, limit=limit, seed=seed, settings=settings)
        _print_plan(prepared, json=json)
        return 0
    with showing(display) as observer:
        summary = await run(
            experiment,
            data=data,
            out=out,
            store=store,
            limit=limit,
            seed=seed,
            settings=settings,
            max_connections=max_connections,
            observer=observer,
        )
    await _print_outcome(summary, json=json)
    return 1 if summary.discussions.failed else 0


def _print_plan(prepared: Prepared, *, json: bool) -> None:
    plan = prepared.plan
    if json:
        conditions = [
            {
                "condition": part.condition.name,
                "protocol": part.protocol.name,
                "seats": [seat.reviewer for seat in part.seats],
                "options": part.protocol.settings(),
            }
            for part in plan.parts
        ]
        print_json({"run": prepared.run_id, "discussions": len(plan), "conditions": conditions})
        return
    from rich.table import Table

    table = Table("condition", "protocol", "seats", "options", box=None, pad_edge=False)
    for part in plan.parts:
        options = ", ".join(f"{key}={value}" for key, value in part.protocol.settings().items())
        seats = ", ".join(seat.reviewer for seat in part.seats)
        table.add_row(part.condition.name, part.protocol.name, seats, options)
    console = results()
    console.print(table)
    console.print(
        f"{len(plan)} discussions on {len(plan.comparisons)} comparisons; nothing was called"
    )


async def _print_outcome(summary: RunSummary, *, json: bool) -> None:
    from peerjudge.cli import reporting
    from peerjudge.experiment import open_run, summary_document
    from peerjudge.report import print_findings

    source = summary.folder or f"{summary.store}#{summary.run}"
    async with open_run(source) as opened:
        transcripts = await reporting.played(opened)
        found = reporting.find(transcripts)
        report = reporting.write(opened, transcripts, found) if summary.folder else None
    if json:
        print_json(summary_document(summary))
        return
    console = results()
    print_findings(found, console=console)
    counts = summary.discussions
    console.print(
        f"\n{counts.done} discussions played, {counts.skipped} found done, {counts.failed} failed"
    )
    console.print(f"run     {source}", soft_wrap=True)
    if report is not None:
        console.print(f"report  {report}", soft_wrap=True)
    if counts.failed:
        status().print("Run the same command again to retry only those that failed.")
