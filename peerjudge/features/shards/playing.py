"""Run in shards: processes on this machine, their progress and money, and the merge at the end."""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import cast

from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.shards.planning import DRAFT, ShardedRun
from peerjudge.features.shards.purse import Purse
from peerjudge.features.shards.tasks import ShardProgress, ShardReport, ShardTask, start_shard
from peerjudge.features.shards.totals import add_progress, add_summaries, continue_summary
from peerjudge.runs import Observer, RunSummary
from peerjudge.runs.budget import Amount
from peerjudge.runs.ledger import read_spent
from peerjudge.runs.manifest import MANIFEST
from peerjudge.runs.merging import merge_runs
from peerjudge.runs.progress import Counting
from peerjudge.runs.results import CallCounts, RunCounts
from peerjudge.runs.shards import limit_to, list_slowed, measure_shares
from peerjudge.shown import money
from peerjudge.store import Archive
from peerjudge.store.database import STORE_FILE

StartShard = Callable[[ShardTask], AsyncGenerator[ShardReport]]
"""Starts a shard somewhere, and yields what it reports."""


async def play_shards(
    plan: ShardedRun, observer: Observer | None, *, start: StartShard = start_shard
) -> RunSummary:
    """Play all shards of a run, or resume them, and merge them into its folder.

    Raises:
        PeerJudgeError: Usage or configuration error of a shard, or a process that was killed; what the
            shards have stored is kept.
    """
    purse = await _open_purse(plan)
    shown = observer if isinstance(observer, Counting) else None
    if shown is not None:
        shown.note(_describe(plan))
    player = _Player(plan, purse, start, shown)
    ended = await player.play_all()
    run = await _merge(plan)
    whole = add_summaries(ended)
    return replace(
        whole, run=run, store=str(plan.out), folder=str(plan.out), limit=plan.bounds.limit
    )


class _Totals:
    """Counts of all shards, as a display reads them."""

    def __init__(self) -> None:
        self.tokens = 0
        self.cost = 0.0
        self.cost_known = True
        self.calls = CallCounts()

    def take(self, progress: ShardProgress) -> None:
        self.tokens, self.calls = progress.tokens, progress.calls
        self.cost, self.cost_known = progress.cost, progress.cost_known


class _Player:
    """The shards of a run: those that wait, those that play, and the summaries of those that have ended."""

    def __init__(
        self, plan: ShardedRun, purse: Purse | None, start: StartShard, shown: Counting | None
    ) -> None:
        self._plan, self._purse, self._start, self._shown = plan, purse, start, shown
        self._totals = _Totals()
        self._progress = [ShardProgress()] * len(plan.tasks)
        self._ended: dict[int, RunSummary] = {}
        self._lost: list[int] = []
        self._stuck: set[int] = set()
        if shown is not None:
            shown.planned(plan.prepared, cast("RunCounts", self._totals))

    async def play_all(self) -> Sequence[RunSummary]:
        """Play all shards, and return their summaries."""
        waiting = deque(range(len(self._plan.tasks)))
        running: set[asyncio.Task[None]] = set()
        try:
            while waiting or running:
                while waiting and len(running) < self._plan.together:
                    running.add(asyncio.create_task(self._play(waiting.popleft())))
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                if not (waiting or running):
                    waiting.extend(self._find_richer())
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        self._require_all()
        return [self._ended[at] for at in range(len(self._plan.tasks))]

    async def _play(self, at: int) -> None:
        """Play a shard until it ends or stops at a limit."""
        reached = None
        async with aclosing(self._start(self._limit(at))) as reports:
            async for report in reports:
                if report.error:
                    msg = f"shard {at + 1}/{len(self._plan.tasks)}: {report.error}"
                    raise ExperimentError(msg)
                reached = report.summary or reached
                if report.progress is not None:
                    self._show(at, report.progress)
        if reached is None:
            # What it spent is unknown, so that its share counts as spent.
            self._lost.append(at)
            return
        if self._purse is not None:
            self._purse.settle(at, reached)
        earlier = self._ended.get(at)
        if earlier is not None and not (reached.discussions.done or reached.tokens):
            self._stuck.add(at)
        self._ended[at] = reached if earlier is None else continue_summary(earlier, reached)

    def _limit(self, at: int) -> ShardTask:
        """Return the task of a shard with what it may spend."""
        task = self._plan.tasks[at]
        if self._purse is None:
            return task
        again = at in self._ended
        granted = self._purse.grant_rest(at) if again else self._purse.grant(at)
        bounds = limit_to(self._plan.bounds, granted)
        return replace(task, cost_limit=bounds.cost_limit, token_limit=bounds.token_limit)

    def _find_richer(self) -> list[int]:
        """Return the first shard that stopped at its limit and can play on with what others left."""
        if self._purse is None:
            return []
        for at, summary in sorted(self._ended.items()):
            if at not in self._stuck and self._purse.can_go_on(at, summary):
                return [at]
        return []

    def _show(self, at: int, progress: ShardProgress) -> None:
        self._progress[at] = progress
        if self._shown is None:
            return
        whole = add_progress(self._progress)
        self._totals.take(whole)
        self._shown.take(
            done=whole.done, before=whole.before, active=whole.active, failed=whole.failed
        )

    def _require_all(self) -> None:
        if self._lost:
            first = self._plan.tasks[self._lost[0]]
            msg = (
                f"{len(self._lost)} of {len(self._plan.tasks)} shards ended without a summary, such as "
                f"{first.out}, whose log is {first.out}.log; run the same command to resume"
            )
            raise StoreError(msg)


def _describe(plan: ShardedRun) -> str:
    """Return how the run is divided."""
    parts = [f"{len(plan.tasks)} shards, {plan.together} at a time"]
    limits: list[str] = []
    if plan.bounds.cost_limit is not None:
        limits.append(money(plan.bounds.cost_limit))
    if plan.bounds.token_limit is not None:
        limits.append(f"{plan.bounds.token_limit:,} tokens")
    if limits:
        parts.append(f"the limit of {' and '.join(limits)} is divided by their estimates")
    slowed = list_slowed(plan.prepared.plan.cast)
    if slowed and plan.together > 1:
        parts.append(
            f"each has 1/{plan.together} of the calls and tokens a minute of {', '.join(slowed)}"
        )
    return "; ".join(parts)


async def _open_purse(plan: ShardedRun) -> Purse | None:
    """Return the money of the run with what its shards have spent before; `None` without a limit."""
    limit = plan.bounds.limit
    if limit.tokens is None and limit.usd is None:
        return None
    spent: list[Amount] = []
    for task in plan.tasks:
        if not (Path(task.out) / STORE_FILE).exists():
            spent.append(Amount())
            continue
        async with Archive.open(task.out) as archive:
            spent.append(await read_spent(archive, plan.prepared.costs))
    shares = measure_shares(plan.prepared.plan, plan.prepared.costs, len(plan.tasks))
    return Purse(Amount(limit.tokens or 0, limit.usd or 0.0), shares, spent)


async def _merge(plan: ShardedRun) -> str:
    """Merge the shards into the folder of the run in place of an earlier merge, and return its id."""
    draft = plan.out / DRAFT
    shutil.rmtree(draft, ignore_errors=True)
    merged = await merge_runs(*(task.out for task in plan.tasks), out=draft)
    # A folder without a manifest is no run: an interruption here leaves one that the same command mends.
    (plan.out / MANIFEST).unlink(missing_ok=True)
    for rest in plan.out.glob(f"{STORE_FILE}-*"):
        rest.unlink()
    for name in (STORE_FILE, MANIFEST):
        (draft / name).replace(plan.out / name)
    shutil.rmtree(draft)
    return merged.run
