"""Synchronous reading of sources: the ballots of runs, datasets and transcripts, also in notebooks."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, TypeVar, cast

from peerjudge.analysis import BallotCollector, Ballots, build_tournament, collect_reviews
from peerjudge.analysis.frames import read_ballots_frame
from peerjudge.analysis.pricing import Prices, Replies
from peerjudge.analysis.ratings import RatingKind, find_ratings
from peerjudge.analysis.selecting import identify_reviewers
from peerjudge.analysis.stopping import Decision
from peerjudge.data import Conventions, Dataset, Primary, RecordedReview, Tournament, Transcript
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError, StoreError
from peerjudge.runs.blocking import run_apart
from peerjudge.runs.results import RunSummary
from peerjudge.runs.sources import OpenRun, is_run, name_run, open_run
from peerjudge.store import Columns
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    import pandas as pd

Stored: TypeAlias = str | Path | RunSummary
"""Run folder, store URL, transcript file, dataset `NAME:PATH`, or the summary of a run."""

Source: TypeAlias = "Stored | Dataset | Iterable[Transcript] | pd.DataFrame"
"""Everything that can be analysed: `Stored`, a dataset, transcripts in memory, or a frame of ballots."""

Discussions: TypeAlias = Stored | Iterable[Transcript]
"""Sources of discussions: run folder, store URL, transcript file, summary of a run, or transcripts."""

T = TypeVar("T")

_BATCH = 1000
_MASK = ":***@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The ballots of a source, and what its run or its dataset declares about them.

    `of_run` is true for discussions, also for those in memory. `seats` has the cards in the seats that the
    experiment names. `families` are by card. `reviews` are
    those of a dataset, with their texts, and `conventions` of its published figures; `data` names the
    dataset that a run judged. `decision` is the last look of a run with a stopping rule. `ratings`
    counts ratings of single answers.
    """

    ballots: Ballots
    of_run: bool
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    primary: Primary | None = None
    decision: Decision | None = None
    families: Mapping[str, str] = field(default_factory=dict[str, str])
    reviews: Sequence[RecordedReview] = ()
    conventions: Conventions | None = None
    data: str | None = None
    ratings: Mapping[RatingKind, int] = field(default_factory=Counter[RatingKind])

    def merge_families(self, more: Mapping[str, str] | None) -> dict[str, str]:
        """Return the families with those given, which go before; empty ones are left out.

        A contestant is of the family of the reviewer that it is.
        """
        contestants = {
            contestant: self.families.get(reviewer, "")
            for reviewer, contestant in self.ballots.contestant_of.items()
        }
        known = {**contestants, **self.families, **(more or {})}
        return {name: family for name, family in known.items() if family}


def read_material(
    source: Source,
    *,
    contestant_of: Mapping[str, str] | None = None,
    logprobs: bool = False,
) -> Material:
    """Read the ballots of a source.

    Args:
        source: What to read.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs; they replace
            those that the cards of a run declare.
        logprobs: Read the log-probabilities of a run, for margins.

    Raises:
        StoreError: There is no such run.
        DataError: The dataset or transcript file cannot be read, or has no such reviewer or contestant.
    """
    material = _read(source, logprobs=logprobs)
    if not contestant_of:
        return material
    ballots = material.ballots
    named = identify_reviewers(ballots, declared=ballots.contestant_of, given=contestant_of)
    return replace(material, ballots=named)


def _read(source: Source, *, logprobs: bool) -> Material:
    if isinstance(source, Dataset):
        return Material(
            ballots=collect_reviews(source),
            of_run=False,
            reviews=source.reviews,
            conventions=source.conventions,
        )
    if is_frame(source):
        ballots = read_ballots_frame(source)
        return Material(ballots=ballots, of_run=len(ballots.discussions) > 0)
    if not isinstance(source, str | Path | RunSummary):
        told = ((one, None) for one in _check_transcripts(source))
        return _collect(told, name="transcripts")
    place = locate_source(source)
    if not is_run(place):
        return read_material(load_dataset(place))

    def read(opened: SyncRun) -> Material:
        run = opened.run
        told = opened.with_replies(logprobs=logprobs)
        material = _collect(told, name=name_run(place, run), prices=run.prices)
        return replace(
            material,
            ballots=identify_reviewers(material.ballots, declared=run.contestants),
            primary=run.primary,
            decision=run.decision,
            data=run.data,
            families=run.families,
            seats=run.seats,
        )

    return read_run(place, read)


def read_ballots(source: Source) -> Ballots:
    """Return the ballots of a source with all that a frame of them holds; see `read_material`."""
    return read_material(source, logprobs=True).ballots


def read_tournament(
    source: Source | Tournament,
    *,
    stance: Stance = "private",
    contestant_of: Mapping[str, str] | None = None,
) -> Tournament:
    """Return the battles of a source; a tournament is returned unchanged."""
    if isinstance(source, Tournament):
        return source
    material = read_material(source, contestant_of=contestant_of)
    return build_tournament(material.ballots.of_stance(stance))


def read_without_texts(
    source: Discussions,
    build: Callable[[Iterable[Transcript]], T],
    *,
    logprobs: bool = False,
) -> T:
    """Return the result of `build`, which iterates once over the discussions of a run without texts.

    Much faster than `open_run` where only verdicts matter. Transcripts in memory are passed unchanged.
    `logprobs` reads the log-probabilities of the replies with a verdict, for margins.
    """
    if isinstance(source, str | Path | RunSummary):
        return read_run(source, lambda opened: build(opened.transcripts(logprobs=logprobs)))
    return build(source)


def is_frame(source: object) -> TypeGuard[pd.DataFrame]:
    """Return whether the source is a pandas frame; pandas is not imported for this."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def locate_source(source: Stored) -> str:
    """Return the place of a source as commands name it.

    Raises:
        StoreError: The summary is of a run in a database whose password it does not hold.
    """
    if not isinstance(source, RunSummary):
        return str(source)
    if source.folder is None and _MASK in source.store:
        msg = (
            f"the summary of this run does not hold the password of {source.store}; "
            f"pass the URL of the database, with #{source.run[:8]} at its end"
        )
        raise StoreError(msg)
    return source.folder or f"{source.store}#{source.run}"


class SyncRun:
    """A run opened for synchronous reading."""

    def __init__(self, runner: asyncio.Runner, columns: Columns, run: OpenRun) -> None:
        self._runner = runner
        self.columns = columns
        self.run = run

    def heads(self) -> tuple[list[Transcript], list[int]]:
        """Return the discussions without their turns, and the number of turns of each."""
        return self._runner.run(self.columns.heads(self.run.id))

    def keep_readable(
        self, heads: Sequence[Transcript], counts: Sequence[int]
    ) -> tuple[list[Transcript], list[int]]:
        """Return those of these discussions, with their numbers, whose turns can be read."""
        readable = self._runner.run(self.columns.check(heads))
        kept = [place for place, head in enumerate(heads) if head.id in readable]
        return [heads[place] for place in kept], [counts[place] for place in kept]

    def transcripts(self, *, logprobs: bool = False) -> Iterator[Transcript]:
        """Read the discussions one by one without the texts of their turns; see `read_material`.

        The conditions come in the order in which the experiment declares them.
        """
        return (transcript for transcript, _ in self.with_replies(logprobs=logprobs))

    def with_replies(
        self, *, logprobs: bool = False
    ) -> Iterator[tuple[Transcript, Sequence[Replies]]]:
        """Read the same with what their replies cost."""
        heads = self.run.sort_heads(self.heads()[0])
        return self.pull(self.columns.with_replies(heads, logprobs=logprobs))

    def pull(self, items: AsyncIterator[T]) -> Iterator[T]:
        """Iterate over asynchronous items, read in batches."""

        async def take_batch() -> list[T]:
            batch: list[T] = []
            async for item in items:
                batch.append(item)
                if len(batch) == _BATCH:
                    break
            return batch

        while batch := self._runner.run(take_batch()):
            yield from batch


def read_run(source: Stored, build: Callable[[SyncRun], T]) -> T:
    """Return the result of `build` for an opened run; raises `StoreError` if there is none."""

    def read() -> T:
        with _open_sync(locate_source(source)) as opened, _without_collecting():
            return build(opened)

    return run_apart(read)


def _check_transcripts(source: object) -> Iterator[Transcript]:
    """Yield the discussions of a source in memory; raise `DataError` for anything else."""
    kinds = "a run folder, store URL, dataset, summary of a run, frame of ballots, or transcripts"
    if not isinstance(source, Iterable):
        msg = f"a source is {kinds}, not {source!r:.80}"
        raise DataError(msg)
    for transcript in cast("Iterable[object]", source):
        if not isinstance(transcript, Transcript):
            msg = f"a source is {kinds}; a list of transcripts cannot hold {transcript!r:.80}"
            if isinstance(transcript, str | Path | RunSummary | Dataset):
                msg += "; give each source as an argument of its own, as in pj.compare(one, other)"
            raise DataError(msg)
        yield transcript


def _collect(
    told: Iterable[tuple[Transcript, Sequence[Replies] | None]],
    *,
    name: str,
    prices: Prices | None = None,
) -> Material:
    collector, ratings = BallotCollector(prices=prices), Counter[RatingKind]()
    for transcript, replies in told:
        collector.add(transcript, replies=replies)
        ratings.update(find_ratings(transcript))
    return Material(ballots=collector.ballots(name=name), of_run=True, ratings=ratings)


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
def _open_sync(place: str) -> Generator[SyncRun]:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            opened = runner.run(stack.enter_async_context(open_run(place)))
            columns = runner.run(stack.enter_async_context(Columns.open(opened.place)))
            yield SyncRun(runner, columns, opened)
        finally:
            runner.run(stack.aclose())
