"""Data frames of a run, read from its store or built from transcripts in memory."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from peerjudge.analysis import build_tournament, collect_transcripts
from peerjudge.analysis.frames import (
    TurnColumns,
    build_battles_frame,
    build_calls_frame,
    build_discussions_frame,
    build_events_frame,
    build_turns_frame,
    build_weights_frame,
    drop_turns,
    list_turns,
)
from peerjudge.data import Tournament, Transcript
from peerjudge.runs.sources import is_run, open_run, read_ballots
from peerjudge.store import Columns
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    import pandas as pd

Source: TypeAlias = str | Path | Iterable[Transcript]
"""Run folder, store URL, or transcripts in memory."""

PartFrame: TypeAlias = Literal["discussions", "turns", "calls", "events"]
"""Frames that can be read in batches of discussions."""

T = TypeVar("T")

Heads = tuple[list[Transcript], list[int], Iterable[TurnColumns]]
"""Discussions without turns, their numbers of turns, and the turns in batches."""

_BATCH = 1000
_PART = 10_000


def discussions_df(source: Source) -> pd.DataFrame:
    """Return one row per discussion: comparison, seats and verdict.

    `peerjudge.analysis.frames.FRAMES["discussions"]` describes the columns. No frame contains texts.
    The store is read in a separate thread, so this also works in a notebook.

    Args:
        source: Run folder, store URL, or iterable of transcripts.

    Raises:
        StoreError: There is no such run.
        DataError: pandas is not installed.
    """
    return _of_heads(source, lambda heads: build_discussions_frame(heads[0], heads[1]))


def turns_df(source: Source) -> pd.DataFrame:
    """Return one row per turn: seat, task and verdict; see `FRAMES["turns"]` and `discussions_df`."""
    return _of_heads(source, lambda heads: build_turns_frame(heads[0], heads[2]))


def calls_df(source: Source) -> pd.DataFrame:
    """Return one row per turn: model, tokens and time; see `FRAMES["calls"]` and `discussions_df`."""
    return _of_heads(source, lambda heads: build_calls_frame(heads[0], heads[2]))


def events_df(source: Source) -> pd.DataFrame:
    """Return one row per opinion event; see `FRAMES["events"]` and `discussions_df`."""
    return read_without_texts(source, build_events_frame)


def battles_df(source: Source, *, stance: Stance = "private") -> pd.DataFrame:
    """Return one row per battle: contestants, reviewer and winner; see `FRAMES["battles"]`.

    Args:
        source: As for `discussions_df`, or a dataset `NAME:PATH` with recorded reviews.
        stance: Verdicts of a run to use: the `private` ones or the `final` ones.
    """
    return build_battles_frame(_tournament(source, stance))


def weights_df(
    source: Source, *, stance: Stance = "private", bootstrap: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Return one row per scheme and reviewer: weight with bounds; see `FRAMES["weights"]`.

    Args:
        source: As for `battles_df`.
        stance: As for `battles_df`.
        bootstrap: Number of resamples of the questions for the bounds.
        seed: Seed of the resampling.
    """
    return build_weights_frame(_tournament(source, stance), bootstrap=bootstrap, seed=seed)


def read_in_parts(
    run: str | Path,
    name: PartFrame,
    take: Callable[[pd.DataFrame], None],
    *,
    discussions: int = _PART,
) -> None:
    """Read a frame of a run in parts, so that few turns are in memory at a time.

    The parts have the rows of the whole frame, in its order; the categories of a column are those of
    the part. There is at least one part, empty if the run has no rows.

    Args:
        run: Run folder or store URL.
        name: Name of the frame.
        take: Function that is called with each part, in the reading thread.
        discussions: Number of discussions per part.
    """

    def read(reading: _Reading) -> None:
        for part in reading.parts(name, discussions):
            take(part)

    _in_thread(lambda: _read(run, read))


def _tournament(source: Source, stance: Stance) -> Tournament:
    if isinstance(source, str) and not is_run(source):
        ballots = _in_thread(lambda: asyncio.run(read_ballots(source)))
    else:
        ballots = read_without_texts(source, collect_transcripts)
    return build_tournament(ballots.of_stance(stance))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A run opened for synchronous reading."""

    runner: asyncio.Runner
    columns: Columns
    run: str

    def heads(self) -> Heads:
        heads, counts = self.runner.run(self.columns.heads(self.run))
        return heads, counts, self.pull(self.columns.turns(heads))

    def transcripts(self) -> Iterator[Transcript]:
        heads, _ = self.runner.run(self.columns.heads(self.run))
        return self.pull(self.columns.transcripts_without_texts(heads))

    def parts(self, name: PartFrame, size: int) -> Iterator[pd.DataFrame]:
        heads, counts = self.runner.run(self.columns.heads(self.run))
        for start in range(0, len(heads) or 1, size):
            here = slice(start, start + size)
            yield self.part(name, heads[here], counts[here])

    def part(self, name: PartFrame, heads: list[Transcript], counts: list[int]) -> pd.DataFrame:
        match name:
            case "discussions":
                return build_discussions_frame(heads, counts)
            case "turns":
                return build_turns_frame(heads, self.pull(self.columns.turns(heads)))
            case "calls":
                return build_calls_frame(heads, self.pull(self.columns.turns(heads)))
            case "events":
                found = self.columns.transcripts_without_texts(heads)
                return build_events_frame(self.pull(found))

    def pull(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def take_batch() -> list[T]:
            return [item async for item in _first(items, _BATCH)]

        while batch := self.runner.run(take_batch()):
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
        heads.append(drop_turns(transcript))
        counts.append(len(transcript.turns))
        batches.append(list_turns(number, transcript))
    return build((heads, counts, batches))


def read_without_texts(source: Source, build: Callable[[Iterable[Transcript]], T]) -> T:
    """Return the result of `build` for the discussions of a run, read one by one without texts.

    Much faster than `open_run` where only verdicts matter. `build` is called in the reading thread.

    Args:
        source: As for `discussions_df`; transcripts in memory are passed unchanged.
        build: Function that iterates over the discussions once.
    """
    if isinstance(source, str | Path):
        return _in_thread(lambda: _read(source, lambda reading: build(reading.transcripts())))
    return build(source)


def _read(source: str | Path, build: Callable[[_Reading], T]) -> T:
    with _reading(source) as reading, _without_collecting():
        return build(reading)


@contextmanager
def _without_collecting() -> Generator[None]:
    """Disable the garbage collector: there are no cycles, and collecting takes as long as reading."""
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
    # In a notebook an event loop already runs in this thread.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()
