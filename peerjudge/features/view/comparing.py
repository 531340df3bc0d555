"""Comparison of runs in a process of its own, and of two conditions discussion by discussion."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from peerjudge.analysis.listing import Against, ListedDiscussion
from peerjudge.errors import PeerJudgeError
from peerjudge.reporting.layout import Table
from peerjudge.store.numbered import Mark
from peerjudge.web.library import ShownRun

DIFFERENT = 25
"""Comparisons on a page of those that differ."""

_WAIT = 0.7
"""Time that a page waits for the numbers, before it says that they are being computed. [s]"""
_SHORT = 0.05
"""The same of a page that shows something else as well. [s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Sentences and tables of a comparison. `pending` while they are computed."""

    parts: Sequence[str | Table] = ()
    error: str = ""
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One comparison with the discussions of both sides."""

    question: str
    comparison: str
    one: Sequence[ListedDiscussion]
    other: Sequence[ListedDiscussion]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Comparisons whose conclusions differ between two conditions; `gained` and `lost` are of `other`."""

    rows: Sequence[Difference]
    page: int
    total: int
    shared: int
    gained: int
    lost: int

    @property
    def has_more(self) -> bool:
        """True if there is another page."""
        return (self.page + 1) * DIFFERENT < self.total


class Comparer:
    """Computes comparisons, one at a time, each in a new process that gives its memory back."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Future[Compared]] = {}
        self._pool: ProcessPoolExecutor | None = None

    async def compare(self, runs: Sequence[ShownRun]) -> Compared:
        """Return the comparison of the runs, or that it is still being computed."""
        return await self._compute(compute_comparison, runs, wait=_WAIT)

    async def list_ways(self, run: ShownRun) -> Compared:
        """Return all ways to judge of a run, or that they are still being computed; never waits long."""
        return await self._compute(compute_ways, [run], wait=_SHORT)

    async def _compute(
        self,
        compute: Callable[[Sequence[str]], Compared],
        runs: Sequence[ShownRun],
        *,
        wait: float,
    ) -> Compared:
        marks: tuple[Mark | None, ...] = tuple(run.store.mark() for run in runs)
        key = (compute, *(run.key for run in runs), *marks)
        if key not in self._kept:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    1, mp_context=get_context("spawn"), max_tasks_per_child=1
                )
            while len(self._kept) >= 16:
                self._kept.pop(next(iter(self._kept))).cancel()
            sources = [run.address for run in runs]
            self._kept[key] = self._pool.submit(compute, sources)
        future = self._kept[key]
        waiting = asyncio.wrap_future(future)
        done, _ = await asyncio.wait({waiting}, timeout=wait)
        if not done:
            return Compared(pending=True)
        try:
            return future.result()
        except Exception as cause:  # noqa: BLE001  the process may have been killed
            del self._kept[key]
            return Compared(error=f"The comparison failed: {cause}")


def compute_comparison(sources: Sequence[str]) -> Compared:
    """Return what `peerjudge compare` prints for these runs."""
    from peerjudge.results.comparisons import compare

    try:
        return Compared(parts=tuple(part for part in compare(*sources).parts() if part))
    except PeerJudgeError as cause:
        return Compared(error=str(cause))


def compute_ways(sources: Sequence[str]) -> Compared:
    """Return the first table of `peerjudge score` for a run."""
    from peerjudge.results.scores import score
    from peerjudge.results.ways import build_ways_table, describe_ways

    try:
        found = score(sources[0])
    except PeerJudgeError as cause:
        return Compared(error=str(cause))
    if found.ways is None or not found.ways.rows:
        return Compared()
    table = build_ways_table(found.ways, simulated=found.simulated)
    return Compared(parts=(table, *describe_ways(found.ways, alone=False)))


def find_differences(
    one: tuple[ShownRun, str], other: tuple[ShownRun, str], *, page: int
) -> Differences:
    """Return the comparisons of both conditions on which their conclusions differ.

    Conclusions are compared as the shares of the answers chosen, over the discussions of a comparison.
    """
    (run_one, name_one), (run_other, name_other) = one, other
    left = run_one.reader.verdicts(run_one.id, name_one)
    right = run_other.reader.verdicts(run_other.id, name_other)
    shared = [name for name in left if name in right]
    differ = [name for name in shared if _summarize(left[name]) != _summarize(right[name])]
    moves = [_share_right(right[name]) - _share_right(left[name]) for name in shared]
    rows: list[Difference] = []
    for name in differ[page * DIFFERENT : (page + 1) * DIFFERENT]:
        these = run_one.reader.of_comparison(run_one.id, name_one, name)
        those = run_other.reader.of_comparison(run_other.id, name_other, name)
        question = these[0].question if these else name
        rows.append(Difference(question=question, comparison=name, one=these, other=those))
    return Differences(
        rows=rows,
        page=page,
        total=len(differ),
        shared=len(shared),
        gained=sum(move > 0 for move in moves),
        lost=sum(move < 0 for move in moves),
    )


def _summarize(verdicts: Sequence[tuple[int, int]]) -> dict[int, float]:
    """Return the share of each choice."""
    choices = [choice for choice, _ in verdicts]
    return {choice: choices.count(choice) / len(choices) for choice in set(choices)}


def _share_right(verdicts: Sequence[tuple[int, int]]) -> float:
    return sum(value == Against.RIGHT for _, value in verdicts) / max(1, len(verdicts))
