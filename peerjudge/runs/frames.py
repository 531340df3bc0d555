"""Frames of a run by name: reads what they need from its store, or from discussions at hand."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from peerjudge.analysis.frames import (
    TurnColumns,
    battles_frame,
    calls_frame,
    discussions_frame,
    events_frame,
    head_of,
    turn_columns,
    turns_frame,
    weights_frame,
)
from peerjudge.data import Tournament, Transcript
from peerjudge.ranking import Stance, battles_from_transcripts, collect, from_dataset
from peerjudge.runs.source import is_run, open_run, read_source
from peerjudge.store import Columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PartFrame",
    "battles_df",
    "calls_df",
    "discussions_df",
    "events_df",
    "part_by_part",
    "read_without_texts",
    "turns_df",
    "weights_df",
]

Source: TypeAlias = str | Path | Iterable[Transcript]
"""A run folder, a store URL, or discussions at hand."""

PartFrame: TypeAlias = Literal["discussions", "turns", "calls", "events"]
"""The frames that can be had some discussions at a time."""

T = TypeVar("T")

Heads = tuple[list[Transcript], list[int], Iterable[TurnColumns]]
"""Discussions without turns, how many turns they have, and these turns in batches."""

_BATCH = 1000
_PART = 10_000


def discussions_df(source: Source) -> pd.DataFrame:
    """One row per discussion: what was compared, by whom, and what was concluded.

    The columns are described in `peerjudge.analysis.frames.FRAMES["discussions"]`. Like all frames
    this keeps no texts, and it reads in a thread of its own, so that it also works in a notebook.

    Args:
        source: a run folder, a store URL, or an iterable of transcripts.

    Raises:
        StoreError: there is no run there.
        DataError: pandas is not installed.
    """
    return _of_heads(source, lambda heads: discussions_frame(heads[0], heads[1]))


def turns_df(source: Source) -> pd.DataFrame:
    """One row per turn: who spoke, and what was read from it.

    The columns are described in `FRAMES["turns"]`; otherwise as `discussions_df`.
    """
    return _of_heads(source, lambda heads: turns_frame(heads[0], heads[2]))


def calls_df(source: Source) -> pd.DataFrame:
    """One row per turn: which model answered, and what that took.

    The columns are described in `FRAMES["calls"]`; otherwise as `discussions_df`.
    """
    return _of_heads(source, lambda heads: calls_frame(heads[0], heads[2]))


def events_df(source: Source) -> pd.DataFrame:
    """One row per opinion event: who held, altered or shifted, and which way.

    The columns are described in `FRAMES["events"]`; otherwise as `discussions_df`.
    """
    return read_without_texts(source, events_frame)


def battles_df(source: Source, *, stance: Stance = "private") -> pd.DataFrame:
    """One row per battle: which of two contestants won in whose eyes.

    The columns are described in `FRAMES["battles"]`; otherwise as `discussions_df`.

    Args:
        source: as for `discussions_df`, or a dataset `NAME:PATH` that carries reviews.
        stance: of a run: the verdicts that reviewers came with, or those they left with.
    """
    return battles_frame(_tournament(source, stance))


def weights_df(
    source: Source, *, stance: Stance = "private", bootstrap: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """One row per scheme and reviewer: how much each counts, with bounds.

    The columns are described in `FRAMES["weights"]`; otherwise as `battles_df`.

    Args:
        source: as for `battles_df`.
        stance: as for `battles_df`.
        bootstrap: how many resamples of the questions make the bounds.
        seed: of the resampling.
    """
    return weights_frame(_tournament(source, stance), bootstrap=bootstrap, seed=seed)


def part_by_part(
    run: str | Path,
    name: PartFrame,
    take: Callable[[pd.DataFrame], None],
    *,
    discussions: int = _PART,
) -> None:
    """Give `take` a frame of a run some discussions at a time, so that few turns are held at once.

    The rows are those of the whole frame, in its order; the categories of a column are those of the
    part. There is at least one part, without rows where the run has none.

    Args:
        run: a run folder or a store URL.
        name: which frame.
        take: is called in the thread that reads.
        discussions: how many at a time.
    """

    def read(reading: _Reading) -> None:
        for part in reading.parts(name, discussions):
            take(part)

    _in_thread(lambda: _read(run, read))


def _tournament(source: Source, stance: Stance) -> Tournament:
    if isinstance(source, str) and not is_run(source):
        return from_dataset(_in_thread(lambda: asyncio.run(read_source(source, stance=stance))))
    return read_without_texts(
        source,
        lambda transcripts: collect(battles_from_transcripts(transcripts, stance=stance)),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A run opened for synchronous reading."""

    runner: asyncio.Runner
    columns: Columns
    run: str

    def heads(self) -> Heads:
        heads, counts = self.runner.run(self.columns.heads(self.run))
        return heads, counts, self.pulled(self.columns.turns(heads))

    def transcripts(self) -> Iterator[Transcript]:
        heads, _ = self.runner.run(self.columns.heads(self.run))
        return self.pulled(self.columns.transcripts_without_texts(heads))

    def parts(self, name: PartFrame, size: int) -> Iterator[pd.DataFrame]:
        heads, counts = self.runner.run(self.columns.heads(self.run))
        for start in range(0, len(heads) or 1, size):
            here = slice(start, start + size)
            yield self.part(name, heads[here], counts[here])

    def part(self, name: PartFrame, heads: list[Transcript], counts: list[int]) -> pd.DataFrame:
        match name:
            case "discussions":
                return discussions_frame(heads, counts)
            case "turns":
                return turns_frame(heads, self.pulled(self.columns.turns(heads)))
            case "calls":
                return calls_frame(heads, self.pulled(self.columns.turns(heads)))
            case "events":
                told = self.columns.transcripts_without_texts(heads)
                return events_frame(self.pulled(told))

    def pulled(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def pull() -> list[T]:
            return [item async for item in _first(items, _BATCH)]

        while batch := self.runner.run(pull()):
            yield from batch


async def _first(items: AsyncIterator[T], count: int) -> AsyncIterator[T]:
    async for item in items:
        yield item
        count -= 1
        if count == 0:
            return


def _of_heads(source: Source, build: Callable[[Heads], T]) -> T:
    if isinstance(source, str | Path):
        return _in_thread(lambda: _read(source, lambda reading: build(reading.heads())))
    heads: list[Transcript] = []
    counts: list[int] = []
    batches: list[TurnColumns] = []
    for number, transcript in enumerate(source):
        heads.append(head_of(transcript))
        counts.append(len(transcript.turns))
        batches.append(turn_columns(number, transcript))
    return build((heads, counts, batches))


def read_without_texts(source: Source, build: Callable[[Iterable[Transcript]], T]) -> T:
    """What `build` makes of the discussions of a run, which it is given one by one without texts.

    For everything that looks at verdicts and not at words, much quicker than `open_run` does. It
    reads in a thread of its own, in which `build` is called.

    Args:
        source: as for `discussions_df`; discussions at hand are passed on as they are.
        build: reads the discussions once.
    """
    if isinstance(source, str | Path):
        return _in_thread(lambda: _read(source, lambda reading: build(reading.transcripts())))
    return build(source)


def _read(source: str | Path, build: Callable[[_Reading], T]) -> T:
    with _reading(source) as reading, _without_collecting():
        return build(reading)


@contextmanager
def _without_collecting() -> Generator[None]:
    """Leaves the collector of cycles off: it finds none, and looking takes as long as the reading."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _reading(source: str | Path) -> Generator[_Reading]:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            opened = runner.run(stack.enter_async_context(open_run(source)))
            place = str(source).partition("#")[0]
            columns = runner.run(stack.enter_async_context(Columns.open(place)))
            yield _Reading(runner=runner, columns=columns, run=opened.id)
        finally:
            runner.run(stack.aclose())


def _in_thread(work: Callable[[], T]) -> T:
    # A notebook's own event loop is running in this thread, and no second one can.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()
