"""Command `fork`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from peerjudge.cli.commands import AsJson, Call, FunctionCommand
from peerjudge.cli.console import configure_logging, log_status, print_status, show_progress
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import BudgetOptions, DryRun, LogOptions
from peerjudge.cli.playing import print_next_steps
from peerjudge.cli.tables import print_result, say

if TYPE_CHECKING:
    from peerjudge.features.forks.forking import ForkResult

__all__ = ["FORK"]


async def _fork(
    call: Call[Awaitable[ForkResult]],
    *,
    dry_run: DryRun = False,
    logs: LogOptions = LogOptions(),
    json: AsJson = False,
) -> int:
    """Play forks, or estimate them, and print the table of their changes."""
    from peerjudge.features.forks.forking import plan_forks, play_forks
    from peerjudge.results.summaries import describe_spending

    configure_logging(level=logs.log_level, form=logs.log_format)
    prepared, folder = await plan_forks(*call.sources, **call.select(plan_forks))
    if dry_run:
        for (change, reason), count in prepared.refused.items():
            print_status(f"note: {count} not forked under {change!r}: {reason}")
        print_estimate(prepared, None, json=json)
        return 0
    say_estimate = log_status if logs.log_format == "json" else print_status
    async with cancel_on_signal():
        with show_progress(logs.display, logs=logs.log_format) as observer:
            found = await play_forks(
                prepared, folder, **call.select(play_forks), observer=observer, say=say_estimate
            )
    print_result(found, json=json)
    summary = found.summary
    if not json:
        say("", describe_spending(summary), f"forks   {found.folder}")
    print_next_steps(summary, logs)
    if summary.stopped is not None:
        return 3
    return 1 if summary.discussions.failed else 0


FORK = FunctionCommand(
    function="features.forks.forking:fork",
    run=_fork,
    groups=(BudgetOptions,),
    names={"changes": "--set"},
)
