"""Plan of a run in shards: its folder, its tasks, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.shards.tasks import ShardTask
from peerjudge.runs import Prepared, default_folder, prepare, read_manifest
from peerjudge.runs.awaited import list_awaited
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.manifest import MANIFEST, MERGED, SHARD
from peerjudge.runs.shards import check_divided

FOLDER = "shards"
"""Folder of the shards in that of the run."""
DRAFT = "merging"
"""Folder of a merge that is under way, in that of the run."""

_PREPARED = ("data", "limit", "seed", "settings", "seats")
_BOUNDS = ("max_connections", "cost_limit", "token_limit", "fail_on_error", "deadline")
_REFUSED: Mapping[str, str] = {
    "shard": "--shard plays one part and --shards all of them: give one of the two",
    "store": "--shards writes folders below --out, not a database: leave out --store, or start each shard "
    "with --shard K/N and --store",
    "wait": "--wait needs one process at which people answer: leave out --shards",
    "detach": "--detach leaves batches, which shards do not send: leave out --detach",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedRun:
    """A run in shards: what it plays as a whole, its folder, limits and tasks.

    `together` shards are played at a time. The tasks have no limits yet.
    """

    prepared: Prepared
    out: Path
    bounds: Bounds
    together: int
    tasks: tuple[ShardTask, ...]


def check_options(count: int, given: Mapping[str, Any]) -> None:
    """Raise `ExperimentError` for a number of shards or an option that a run in shards cannot keep."""
    if count < 1:
        msg = f"a run takes 1 shard or more, not {count}"
        raise ExperimentError(msg)
    if count == 1:
        return
    check_divided(
        until=given.get("until"),
        batch=bool(given.get("batch")),
        writes=given.get("questions") is not None,
    )
    for name, sentence in _REFUSED.items():
        if given.get(name):
            raise ExperimentError(sentence)


def plan_shards(
    experiment: str,
    count: int,
    given: Mapping[str, Any],
    *,
    level: str = "warning",
    together: int | None = None,
) -> ShardedRun:
    """Return the plan of a run in shards; no model is called.

    Args:
        experiment: A name on the shelf, or the path of a file.
        count: Number of shards.
        given: Options of `run` by the name of their argument.
        level: Lowest level of the events in the logs of the shards.
        together: Most shards that are played at a time; one a core of this machine by default.

    Raises:
        PeerJudgeError: The experiment cannot be run in shards, or the folder holds something else.
    """
    chosen = {name: given[name] for name in _PREPARED if given.get(name) is not None}
    prepared = prepare(experiment, **chosen)
    check_divided(until=None, batch=False, writes=prepared.answers is not None)
    if people := list_awaited(prepared.plan.cast):
        msg = (
            f"{', '.join(people)}: people answer at the desk of one run, and each shard would have its own; "
            "leave out --shards"
        )
        raise ExperimentError(msg)
    limits = {name: given[name] for name in _BOUNDS if given.get(name) is not None}
    bounds = Bounds(**limits)
    bounds.require_prices(prepared.costs)
    out = Path(given.get("out") or default_folder(prepared.plan.experiment))
    _require_folder(out, count)
    together = min(count, together or _count_cores())
    cache = given.get("cache")
    own = {name: value for name, value in limits.items() if not name.endswith("_limit")}
    first = ShardTask(
        experiment=str(experiment),
        shard="",
        out="",
        cache=None if cache is None else str(cache),
        log_level=level,
        **chosen,
        **own,
    )
    tasks = tuple(
        replace(
            first,
            shard=f"{number}/{count}%{together}",
            out=str(out / FOLDER / f"shard-{number}"),
        )
        for number in range(1, count + 1)
    )
    return ShardedRun(prepared=prepared, out=out, bounds=bounds, together=together, tasks=tasks)


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _require_folder(out: Path, count: int) -> None:
    """Raise `StoreError` if the folder holds something else than these shards and their merge."""
    if not out.exists():
        return
    shards = out / FOLDER
    if (out / MANIFEST).exists():
        if not (shards.is_dir() and read_manifest(out).get(MERGED)):
            msg = (
                f"{out} holds a run that was not played in shards; go on without --shards, or choose another "
                "folder with --out"
            )
            raise StoreError(msg)
    elif not out.is_dir() or any(found.name not in {FOLDER, DRAFT} for found in out.iterdir()):
        msg = f"{out} holds other files; name a new folder with --out"
        raise StoreError(msg)
    for folder in sorted(shards.glob("shard-*/")):
        if not (folder / MANIFEST).exists():
            continue
        part = str(read_manifest(folder).get(SHARD) or "")
        if part.partition("/")[2] != str(count):
            msg = (
                f"{folder} is shard {part}, and {count} shards divide the questions otherwise; resume with "
                f"--shards {part.partition('/')[2]}, or choose another folder with --out"
            )
            raise StoreError(msg)
