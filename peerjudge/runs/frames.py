"""Data frames and rankings of a run, read from its store or built from transcripts in memory."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
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
from peerjudge.data import Ranking, ReviewerWeights, Scheme, Scoring, Tournament, Transcript
from peerjudge.ranking import Weighting
from peerjudge.ranking import peer_rank as weigh_reviewers
from peerjudge.ranking import rank as rank_contestants
from peerjudge.runs.sources import is_run, open_run, read_ballots
from peerjudge.store import Columns
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    import pandas as pd

Source: TypeAlias = str | Path | Iterable[Transcript]
"""Run folder, store URL, transcript file, or transcripts in memory."""

PartFrame: TypeAlias = Literal["discussions", "turns", "calls", "events"]
"""Frames that can be read in batches of discussions."""

T = TypeVar("T")

_BATCH = 1000
_PART = 10_000


def discussions_df(source: Source) -> pd.DataFrame:
    """Return one row per discussion: comparison, seats and verdict.

    `peerjudge.analysis.frames.FRAMES["discussions"]` describes the columns. No frame contains texts.
    The store is read in a separate thread, so this also works in a notebook.

    Args:
        source: Run folder, store URL, transcript file, or iterable of transcripts.

    Raises:
        StoreError: There is no such run.
        DataError: pandas is not installed.
    """
    return _load_frame(source, "discussions")


def turns_df(source: Source) -> pd.DataFrame:
    """Return one row per turn: seat, task and verdict; see `FRAMES["turns"]` and `discussions_df`."""
    return _load_frame(source, "turns")


def calls_df(source: Source) -> pd.DataFrame:
    """Return one row per turn: model, tokens and time; see `FRAMES["calls"]` and `discussions_df`."""
    return _load_frame(source, "calls")


def events_df(source: Source) -> pd.DataFrame:
    """Return one row per opinion event; see `FRAMES["events"]` and `discussions_df`."""
    return _load_frame(source, "events")


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


def rank(
    source: Source | Tournament,
    *,
    stance: Stance = "private",
    scoring: Scoring = Scoring.WIN_RATE,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    orders: int = 1000,
    seed: int = 0,
    bootstrap: int = 1000,
    prior: float = 0.0,
) -> Ranking:
    """Score and rank the contestants of a run, a dataset or a tournament, best first.

    Args:
        source: As for `battles_df`, or a tournament.
        stance: As for `battles_df`.
        scoring: As for `peerjudge.ranking.rank`, like `weights`, `scheme`, `orders`, `seed`,
            `bootstrap` and `prior`.
        weights: See `scoring`.
        scheme: See `scoring`.
        orders: See `scoring`.
        seed: See `scoring`.
        bootstrap: See `scoring`.
        prior: See `scoring`.

    Raises:
        StoreError: There is no such run.
        DataError: There are no readable battles, or the weights do not fit.
        ConvergenceError: The peer weights do not converge.
    """
    return rank_contestants(
        _tournament(source, stance),
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=orders,
        seed=seed,
        bootstrap=bootstrap,
        prior=prior,
    )


def peer_rank(
    source: Source | Tournament,
    *,
    stance: Stance = "private",
    scheme: Scheme = Scheme.PRD,
    damping: float = 0.85,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> ReviewerWeights:
    """Weight the reviewers of a run, a dataset or a tournament by the scores of their own answers.

    Args:
        source: As for `battles_df`, or a tournament.
        stance: As for `battles_df`.
        scheme: As for `peerjudge.ranking.peer_rank`, like `damping`, `tolerance` and
            `max_iterations`.
        damping: See `scheme`.
        tolerance: See `scheme`.
        max_iterations: See `scheme`.

    Raises:
        StoreError: There is no such run.
        ConvergenceError: The weights still change after `max_iterations`.
    """
    return weigh_reviewers(
        _tournament(source, stance),
        scheme=scheme,
        damping=damping,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )


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

    def read(opened: _SyncRun) -> None:
        for part in opened.parts(name, discussions):
            take(part)

    _in_thread(lambda: _read(run, read))


def _tournament(source: Source | Tournament, stance: Stance) -> Tournament:
    if isinstance(source, Tournament):
        return source
    if isinstance(source, str) and not is_run(source):
        ballots = _in_thread(lambda: asyncio.run(read_ballots(source)))
    else:
        ballots = read_without_texts(source, collect_transcripts)
    return build_tournament(ballots.of_stance(stance))


class _SyncRun:
    """A run opened for synchronous reading."""

    def __init__(self, runner: asyncio.Runner, columns: Columns, run: str) -> None:
        self._runner = runner
        self._columns = columns
        self._run = run

    def transcripts(self, *, logprobs: bool) -> Iterator[Transcript]:
        heads, _ = self._runner.run(self._columns.heads(self._run))
        return self._pull(self._columns.transcripts_without_texts(heads, logprobs=logprobs))

    def parts(self, name: PartFrame, size: int | None = None) -> Iterator[pd.DataFrame]:
        heads, counts = self._runner.run(self._columns.heads(self._run))
        size = size or len(heads) or 1
        for start in range(0, len(heads) or 1, size):
            some = heads[start : start + size]
            # Both are lazy: a frame reads at most one of them.
            turns = self._pull(self._columns.turns(some))
            transcripts = self._pull(self._columns.transcripts_without_texts(some))
            yield _build_frame(name, some, counts[start : start + size], turns, transcripts)

    def _pull(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def take_batch() -> list[T]:
            return [item async for item in _first(items, _BATCH)]

        while batch := self._runner.run(take_batch()):
            yield from batch


async def _first(items: AsyncIterator[T], count: int) -> AsyncIterator[T]:
    async for item in items:
        yield item
        count -= 1
        if count == 0:
            return


def _load_frame(source: Source, name: PartFrame) -> pd.DataFrame:
    if isinstance(source, str | Path):
        return _in_thread(lambda: _read(source, lambda opened: next(opened.parts(name))))
    if name == "events":
        return build_events_frame(source)
    heads: list[Transcript] = []
    counts: list[int] = []
    turns: list[TurnColumns] = []
    for number, transcript in enumerate(source):
        heads.append(drop_turns(transcript))
        counts.append(len(transcript.turns))
        turns.append(list_turns(number, transcript))
    return _build_frame(name, heads, counts, turns, ())


def _build_frame(
    name: PartFrame,
    heads: list[Transcript],
    counts: list[int],
    turns: Iterable[TurnColumns],
    transcripts: Iterable[Transcript],
) -> pd.DataFrame:
    match name:
        case "discussions":
            return build_discussions_frame(heads, counts)
        case "turns":
            return build_turns_frame(heads, turns)
        case "calls":
            return build_calls_frame(heads, turns)
        case "events":
            return build_events_frame(transcripts)


def read_without_texts(
    source: Source, build: Callable[[Iterable[Transcript]], T], *, logprobs: bool = False
) -> T:
    """Return the result of `build` for the discussions of a run, read one by one without texts.

    Much faster than `open_run` where only verdicts matter. `build` is called in the reading thread.

    Args:
        source: As for `discussions_df`; transcripts in memory are passed unchanged.
        build: Function that iterates over the discussions once.
        logprobs: Read the log-probabilities of the replies with a verdict, for margins.
    """
    if isinstance(source, str | Path):
        return _in_thread(
            lambda: _read(source, lambda opened: build(opened.transcripts(logprobs=logprobs)))
        )
    return build(source)


def _read(source: str | Path, build: Callable[[_SyncRun], T]) -> T:
    with _open_sync(source) as opened, _without_collecting():
        return build(opened)


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
def _open_sync(source: str | Path) -> Generator[_SyncRun]:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            opened = runner.run(stack.enter_async_context(open_run(source)))
            columns = runner.run(stack.enter_async_context(Columns.open(opened.place)))
            yield _SyncRun(runner, columns, opened.id)
        finally:
            runner.run(stack.aclose())


def _in_thread(work: Callable[[], T]) -> T:
    # In a notebook an event loop already runs in this thread.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()
