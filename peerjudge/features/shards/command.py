"""Option `--shards` of `peerjudge run`: the run in several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from peerjudge.cli.commands import AddedOption, Call, Code
from peerjudge.cli.console import configure_logging, print_status, show_progress
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import LogOptions
from peerjudge.cli.playing import finish_run
from peerjudge.errors import ExperimentError


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
    from peerjudge.features.shards.on_ray import connect
    from peerjudge.features.shards.planning import plan_shards
    from peerjudge.features.shards.playing import play_shards
    from peerjudge.features.shards.tasks import start_shard

    logs: LogOptions = own.get("logs") or LogOptions()
    configure_logging(level=logs.log_level, form=logs.log_format)
    address = own.get("ray")
    # Ray sets handlers of signals when it connects, so ours come after it.
    with nullcontext((start_shard, None)) if address is None else connect(address) as (start, most):
        async with cancel_on_signal():
            plan = plan_shards(
                call.sources[0], count, call.given, level=logs.log_level, together=most
            )
            for note in plan.prepared.notes:
                print_status(f"note: {note}")
            with show_progress(logs.display, logs=logs.log_format) as observer:
                summary = await play_shards(plan, observer, start=start)
    return await finish_run(summary, store=None, logs=logs, json=bool(own.get("json")))


SHARDS = AddedOption(
    type=int,
    about="Number of processes that play a part of the questions each, one a core at a time, and whose runs "
    "are merged into --out at the end. Limits on cost and tokens are of the whole.",
    run=_run_in_shards,
)
"""The option `--shards`."""


def _run_on_ray(
    call: Call[Any],
    value: str,
    go_on: Callable[[Call[Any]], Code],
    own: Mapping[str, Any],
) -> Code:
    """Run the command, whose shards read the address; without shards there is nothing to divide."""
    if own.get("shards") is None:
        msg = f"--ray {value} plays shards: add --shards N, or leave out --ray"
        raise ExperimentError(msg)
    return go_on(call)


RAY = AddedOption(
    type=str,
    about="With --shards: address of the Ray cluster that plays them; 'auto' for the one that this machine "
    "belongs to, 'local' to start one here. Needs peerjudge[ray], and a folder that all nodes share.",
    run=_run_on_ray,
)
"""The option `--ray`."""
