"""Shards as tasks of Ray: the only module that imports it.

A task of Ray starts the process of the shard on its node, as `start_shard` does here, and hands its reports
on. Ray chooses the node and repeats the task where a node or process is lost; the shard then resumes from
its folder, which all nodes share. Keys are in the environment of the nodes, never in a task.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from peerjudge.data import from_plain, to_plain
from peerjudge.errors import ExperimentError, PeerJudgeError, StoreError
from peerjudge.features.shards.playing import StartShard
from peerjudge.features.shards.tasks import ShardReport, ShardTask, start_shard
from peerjudge.store.database import STORE_FILE, lock_file

LOCAL = "local"
"""Address that starts Ray on this machine and ends it with the run."""
_REPEATS = 30
"""Times that Ray starts a shard again whose node or process was lost."""
_LONGEST_CONNECT = 10.0
"""Time in which a cluster must take a connection; Ray itself tries for minutes. [s]"""
_SECONDS_BETWEEN_LOOKS = 0.3
_LONGEST_END = 15.0
"""Time in which a shard that is cancelled must end. [s]"""
_LONGEST_RELEASE = 60.0
"""Time in which a lost process must release its store. [s]"""


@contextmanager
def connect(address: str) -> Generator[tuple[StartShard, int]]:
    """Connect to Ray; yields what starts a shard there, and how many shards play at a time.

    Args:
        address: `local`, or an address that `ray.init` takes, such as `auto`.

    Raises:
        ExperimentError: Ray is not installed, or does not answer at the address.
    """
    ray = _import_ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        _require_port(address)
        ray.init(
            address=None if address == LOCAL else address,
            include_dashboard=False if address == LOCAL else None,
            log_to_driver=False,
            logging_level="error",
        )
    except (OSError, ValueError, RuntimeError) as cause:
        msg = (
            f"Ray does not answer at {address!r}: {cause}; name a running cluster, or --ray {LOCAL}"
        )
        raise ExperimentError(msg) from cause
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        yield _make_start(ray), max(1, cores)
    finally:
        ray.shutdown()


def _require_port(address: str) -> None:
    """Raise an error if nothing listens at an address with a port."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_LONGEST_CONNECT).close()


def _import_ray() -> Any:  # noqa: ANN401  an extra, which type checkers need not have
    try:
        return import_module("ray")
    except ImportError as cause:
        msg = "--ray needs Ray: pip install 'peerjudge[ray]'"
        raise ExperimentError(msg) from cause


def _make_start(ray: Any) -> StartShard:  # noqa: ANN401
    """Return what plays a shard as a task of Ray."""
    board = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Board).remote()
    repeats = {"max_retries": _REPEATS, "retry_exceptions": [LostProcessError]}
    play = ray.remote(num_cpus=1, **repeats)(play_there)
    folder = str(Path.cwd())

    async def start(task: ShardTask) -> AsyncGenerator[ShardReport]:
        plain = to_plain(task)
        place = play.remote(plain, board, folder)
        ended = asyncio.wrap_future(place.future())
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=_SECONDS_BETWEEN_LOOKS)
                if (latest := await board.take.remote(task.shard)) is not None:
                    yield from_plain(ShardReport, latest)
            yield from_plain(ShardReport, await ended)
        except ray.exceptions.RayError as cause:
            reason = str(cause).strip().splitlines()[-1]
            msg = f"Ray gave up shard {task.shard}: {reason}; run the same command to resume"
            raise StoreError(msg) from cause
        finally:
            if not ended.done():
                ray.cancel(place)
                await asyncio.wait({ended}, timeout=_LONGEST_END)

    return start


class LostProcessError(Exception):
    """The process of a shard ended without a summary or an error: it was killed."""


class Board:
    """Actor of Ray that holds the latest report of each shard."""

    def __init__(self) -> None:
        self._latest: dict[str, Any] = {}

    def put(self, shard: str, report: Any) -> None:  # noqa: ANN401  plain values
        """Keep a report in place of the one before."""
        self._latest[shard] = report

    def take(self, shard: str) -> Any:  # noqa: ANN401
        """Return the report of a shard since the last look; `None` without."""
        return self._latest.pop(shard, None)


def play_there(plain: Any, board: Any, folder: str) -> Any:  # noqa: ANN401  plain values, an actor
    """Play a shard on the node where this runs, and return its last report.

    Args:
        plain: The task in plain values.
        board: Takes the reports before the last.
        folder: Working directory of the command, which all nodes share.
    """
    task = from_plain(ShardTask, plain)
    _wait_for_release(Path(folder, task.out, STORE_FILE))
    return asyncio.run(_play_there(task, board, folder))


async def _play_there(task: ShardTask, board: Any, folder: str) -> Any:  # noqa: ANN401
    try:
        async with aclosing(start_shard(task, folder=Path(folder))) as reports:
            async for report in reports:
                if report.progress is None:
                    return to_plain(report)
                board.put.remote(task.shard, to_plain(report))
    except PeerJudgeError as error:
        return to_plain(ShardReport(error=str(error)))
    msg = f"the process of shard {task.shard} was killed, see {task.out}.log"
    raise LostProcessError(msg)


def _wait_for_release(store: Path) -> None:
    """Wait until the process of an earlier start, whose task was lost, has released its store."""
    until = time.monotonic() + _LONGEST_RELEASE
    while store.exists() and time.monotonic() < until:
        with suppress(StoreError), lock_file(store):
            return
        time.sleep(_SECONDS_BETWEEN_LOOKS)
