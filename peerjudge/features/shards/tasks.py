"""A shard as a task: its arguments, its progress, and the process that plays it.

`start_shard` starts one here; whatever plays shards on other machines calls it there.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from peerjudge.data import Transcript, from_plain, to_plain
from peerjudge.errors import StoreError
from peerjudge.runs import Prepared, RunSummary, prepare
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.deliveries import choose_connections
from peerjudge.runs.results import CallCounts, RunCounts
from peerjudge.runs.runner import run_prepared
from peerjudge.shelf import Shelf

_SECONDS_BETWEEN_REPORTS = 0.2
_END_TIMEOUT = 10.0
"""Time in which a process must end that was asked to. [s]"""
_LONGEST_LINE = 2**26
"""Most bytes of a line of progress or of a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """Arguments of a shard, in plain values; secrets are in the environment only.

    The limits are of all that is spent in the folder. `log_level` is that of the file beside the folder.
    """

    experiment: str
    shard: str
    out: str
    data: str | None = None
    limit: int | None = None
    seed: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    cache: str | None = None
    max_connections: int | None = None
    cost_limit: float | None = None
    token_limit: int | None = None
    fail_on_error: float | None = None
    deadline: float | None = None
    log_level: str = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardProgress:
    """Counts of a shard while it runs."""

    done: int = 0
    before: int = 0
    active: int = 0
    failed: int = 0
    tokens: int = 0
    cost: float = 0.0
    cost_known: bool = True
    calls: CallCounts = field(default_factory=CallCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardReport:
    """A line that a process writes: progress, its summary at the end, or the error that ended it."""

    progress: ShardProgress | None = None
    summary: RunSummary | None = None
    error: str = ""


async def play_task(task: ShardTask, report: Callable[[ShardReport], None]) -> None:
    """Play a shard in this process, report its counts now and then, and its summary at the end.

    Raises:
        PeerJudgeError: Usage or configuration error; stored turns are kept.
    """
    shelf = Shelf()
    prepared = prepare(
        task.experiment,
        data=task.data,
        limit=task.limit,
        seed=task.seed,
        settings=task.settings,
        seats=task.seats,
        shard=task.shard,
        shelf=shelf,
    )
    bounds = Bounds(
        max_connections=choose_connections(task.max_connections),
        cost_limit=task.cost_limit,
        token_limit=task.token_limit,
        fail_on_error=task.fail_on_error,
        deadline=task.deadline,
    )
    place = Place(out=task.out, cache=task.cache)
    # The notes are those of the whole, which were shown before.
    quiet = dataclasses.replace(prepared, notes=())
    reporter = _Reporter(report)
    summary = await run_prepared(quiet, place=place, bounds=bounds, shelf=shelf, observer=reporter)
    reporter.report_now()
    report(ShardReport(summary=summary))


async def start_shard(task: ShardTask, *, folder: Path = Path()) -> AsyncGenerator[ShardReport]:
    """Start a process of this Python that plays a shard, and yield what it reports.

    The process works in `folder`, this process's own by default. It ends, and keeps what it has stored, when
    the iterator is closed or this process ends.

    Raises:
        StoreError: The log beside the folder cannot be written.
    """
    with _open_log(folder / f"{task.out}.log") as written:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "peerjudge.features.shards.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=written,
            cwd=folder,
            limit=_LONGEST_LINE,
            # Ctrl-C in a terminal reaches this process alone, which then ends its shards.
            start_new_session=True,
        )
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  both are pipes
    try:
        process.stdin.write(f"{json.dumps(to_plain(task))}\n".encode())
        with suppress(ConnectionError):
            await process.stdin.drain()
        async for line in process.stdout:
            yield from_plain(ShardReport, json.loads(line))
        await process.wait()
    finally:
        await _end(process)


def _open_log(log: Path) -> IO[bytes]:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("ab")
    except OSError as cause:
        msg = f"cannot write {log}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a process to end by closing its input, and kill it if it does not."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_END_TIMEOUT):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class _Reporter:
    """Observer that reports the counts of a run a few times a second."""

    def __init__(self, report: Callable[[ShardReport], None]) -> None:
        self._report = report
        self._counts: RunCounts | None = None
        self._done = self._before = self._active = self._failed = 0
        self._next = 0.0

    def planned(self, prepared: Prepared, counts: RunCounts) -> None:
        """Keep the counts, which change while the run plays."""
        del prepared
        self._counts = counts

    def began(self, transcript: Transcript) -> None:
        """Count a discussion as open."""
        del transcript
        self._active += 1
        self._report_now_and_then()

    def ended(self, transcript: Transcript) -> None:
        """Count a discussion as ended, or as one that waits for a person."""
        self._active -= 1
        self._done += transcript.stop is not None
        self._failed += transcript.failure is not None
        self._report_now_and_then()

    def skipped(self, count: int) -> None:
        """Count discussions that were complete before."""
        self._before += count
        self._report_now_and_then()

    def report_now(self) -> None:
        """Report the counts."""
        counts = self._counts
        if counts is None:
            return
        progress = ShardProgress(
            done=self._done + self._before,
            before=self._before,
            active=self._active,
            failed=self._failed,
            tokens=counts.tokens,
            cost=counts.cost,
            cost_known=counts.cost_known,
            calls=counts.calls,
        )
        self._report(ShardReport(progress=progress))

    def _report_now_and_then(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _SECONDS_BETWEEN_REPORTS
            self.report_now()
