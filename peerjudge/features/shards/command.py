"""Option `--shards` of `peerjudge run`: the run in several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from peerjudge.cli.commands import AddedOption, Call, Code
from peerjudge.cli.console import configure_logging, print_status, show_progress
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import LogOptions
from peerjudge.cli.playing import finish_run


def _run_in_shards(
    call: Call[Any],
    value: int,
    go_on: Callable[[Call[Any]], Code],
    own: Mapping[str, Any],
) -> Code:
    """Run an experiment in shards; one shard, or an estimate, is the command without the option."""
    from peerjudge.features.shards.planning import check_options

    check_options(value, call.given)
    return go_on(call) if value == 1 or own.get("dry_run") else _play(call, value, own)


async def _play(call: Call[Any], count: int, own: Mapping[str, Any]) -> int:
    from peerjudge.features.shards.planning import plan_shards
    from peerjudge.features.shards.playing import play_shards

    logs: LogOptions = own.get("logs") or LogOptions()
    configure_logging(level=logs.log_level, form=logs.log_format)
    async with cancel_on_signal():
        plan = plan_shards(call.sources[0], count, call.given, level=logs.log_level)
        for note in plan.prepared.notes:
            print_status(f"note: {note}")
        with show_progress(logs.display, logs=logs.log_format) as observer:
            summary = await play_shards(plan, observer)
    return await finish_run(summary, store=None, logs=logs, json=bool(own.get("json")))


SHARDS = AddedOption(
    type=int,
    about="Number of processes that play a part of the questions each, one a core at a time, and whose runs "
    "are merged into --out at the end. Limits on cost and tokens are of the whole.",
    run=_run_in_shards,
)
"""The option `--shards`."""
