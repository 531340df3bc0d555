"""Plays an experiment: resolves what it names, opens the store, seats the reviewers, goes on."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from structlog.contextvars import bound_contextvars

from peerjudge.data import (
    Card,
    Dataset,
    Experiment,
    ReviewerKind,
    Transcript,
    content_hash,
    to_plain,
)
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import ExperimentError
from peerjudge.experiment.casting import seated
from peerjudge.experiment.folder import default_folder, manifest_of, write_manifest
from peerjudge.experiment.plan import Part, Plan, cast_parts
from peerjudge.experiment.settings import apply_settings, cards_of
from peerjudge.experiment.summary import RunSummary, Tally
from peerjudge.shelf import Shelf
from peerjudge.stage import Reviewer, Staging, play_all
from peerjudge.store import Store

__all__ = ["Observer", "Prepared", "prepare", "run"]

# How many discussions are looked up in the store at a time.
_CHUNK = 200


class Observer(Protocol):
    """Whoever watches a run."""

    def planned(self, prepared: Prepared) -> None:
        """Told once, before the first discussion."""
        ...

    def ended(self, transcript: Transcript) -> None:
        """Told of every discussion that ended now."""
        ...

    def skipped(self, count: int) -> None:
        """Told of discussions that were done before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An experiment with everything it names found, and the data it will be played on."""

    plan: Plan
    dataset: Dataset
    manifest: Mapping[str, object]

    @property
    def run_id(self) -> str:
        """The same for the same experiment, however many comparisons are played."""
        return content_hash(to_plain(replace(self.plan.experiment, question="")))


def prepare(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    shelf: Shelf | None = None,
) -> Prepared:
    """Resolve an experiment without calling anybody.

    Args:
        experiment: A name on the shelf, the path of a file, or a declaration.
        data: A dataset `NAME` or `NAME:PATH` instead of the declared one.
        limit: Play only the first so many comparisons.
        seed: Instead of the declared one.
        settings: `key: value` settings; see `apply_settings`.
        shelf: Where names are looked up; by default the working directory, then the built-in shelf.

    Raises:
        PeerJudgeError: Something it names is not there or does not fit.
    """
    shelf = shelf or Shelf()
    declared = experiment if isinstance(experiment, Experiment) else shelf.experiment(experiment)
    declared = replace(
        declared,
        name=declared.name or "experiment",
        data=data or declared.data,
        seed=declared.seed if seed is None else seed,
    )
    declared = apply_settings(declared, settings or {}, shelf)
    cast = cards_of(declared, shelf)
    parts = cast_parts(declared, shelf, cast)
    dataset = load_dataset(declared.data, limit=limit, reviews=_needs_reviews(cast.values()))
    plan = Plan(experiment=declared, parts=parts, cast=cast, comparisons=dataset.comparisons)
    manifest = manifest_of(plan, shelf, dataset=dataset.name)
    return Prepared(plan=plan, dataset=dataset, manifest=manifest)


async def run(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    out: str | Path | None = None,
    store: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    max_connections: int = 10,
    observer: Observer | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunSummary:
    """Play an experiment, or go on with it where an earlier run of it stopped.

    What is stored is never asked for again: the same call resumes, a larger `limit` extends, and a
    finished run does nothing. Failed discussions are taken up at the turn that failed.

    Args:
        experiment: As for `prepare`.
        data: As for `prepare`.
        limit: As for `prepare`.
        seed: As for `prepare`.
        settings: As for `prepare`.
        shelf: As for `prepare`.
        out: The run folder; by default one under `runs/` that is the same for the same experiment.
        store: A database URL instead of a folder.
        max_connections: How many discussions, and so calls, are under way at a time.
        observer: Told how it goes.
        environ: Where keys are looked up; by default the environment.

    Raises:
        PeerJudgeError: A mistake, before any call or as soon as it shows; what is stored stays.
        asyncio.CancelledError: When cancelled; every kept turn stays, and the run can be resumed.
    """
    if out is not None and store is not None:
        msg = "a run goes into a folder (out) or into a store (store), not into both"
        raise ExperimentError(msg)
    shelf = shelf or Shelf()
    prepared = prepare(
        experiment, data=data, limit=limit, seed=seed, settings=settings, shelf=shelf
    )
    folder = None if store else Path(out) if out else default_folder(prepared.plan.experiment)
    place: str | Path = store or folder or ""
    async with (
        Store.open(place) as opened,
        seated(
            prepared.plan.cast,
            shelf=shelf,
            dataset=prepared.dataset,
            seed=prepared.plan.experiment.seed,
            environ=os.environ if environ is None else environ,
        ) as reviewers,
    ):
        manifest = {"run": prepared.run_id, **prepared.manifest}
        await opened.record_run(prepared.run_id, manifest)
        if folder is not None:
            write_manifest(folder, manifest)
        if observer is not None:
            observer.planned(prepared)
        tally = Tally(opened)
        with bound_contextvars(run=prepared.run_id[:8]):
            await play_all(
                _stagings(prepared, opened, reviewers, tally, observer),
                max_connections=max_connections,
                journal=tally,
                on_end=None if observer is None else observer.ended,
            )
    return _summary(prepared, tally, store=str(place), folder=folder)


async def _stagings(
    prepared: Prepared,
    store: Store,
    reviewers: Mapping[str, Reviewer],
    tally: Tally,
    observer: Observer | None,
) -> AsyncIterator[Staging]:
    """What is still to be played, looked up in the store a chunk at a time."""
    named = {part.condition.name: part for part in prepared.plan.parts}
    planned = iter(prepared.plan)
    while chunk := list(islice(planned, _CHUNK)):
        to_play = await store.enlist(prepared.run_id, chunk)
        if done := len(chunk) - len(to_play):
            tally.skipped(done)
            if observer is not None:
                observer.skipped(done)
        # A stored discussion may bear another condition's name, so it is found by its id.
        parts = {head.id: named[head.condition] for head in chunk}
        for transcript in to_play:
            yield _staging(transcript, parts[transcript.id], reviewers, prepared)


def _staging(
    transcript: Transcript,
    part: Part,
    reviewers: Mapping[str, Reviewer],
    prepared: Prepared,
) -> Staging:
    return Staging(
        transcript=transcript,
        protocol=part.protocol,
        reviewers={seat.id: reviewers[seat.reviewer] for seat in transcript.seats},
        pack=part.pack,
        roles={seat.id: prepared.plan.cast[seat.reviewer].role for seat in transcript.seats},
    )


def _needs_reviews(cards: Iterable[Card]) -> bool:
    return any(card.kind is ReviewerKind.RECORDED and not card.source for card in cards)


def _summary(prepared: Prepared, tally: Tally, *, store: str, folder: Path | None) -> RunSummary:
    free = tally.calls.paid == 0
    return RunSummary(
        run=prepared.run_id,
        store=store,
        folder=None if folder is None else str(folder),
        discussions=tally.discussions,
        calls=tally.calls,
        tokens=tally.tokens,
        cost_usd=0.0 if free else None,
        cost_known=free,
    )
