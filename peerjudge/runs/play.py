"""Plays an experiment: resolves what it names, opens the store, seats the reviewers, goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from structlog.contextvars import bound_contextvars

from peerjudge.data import Experiment
from peerjudge.datasets.catalogue import CACHE_VARIABLE
from peerjudge.errors import ExperimentError
from peerjudge.runs.bounds import Deadlines
from peerjudge.runs.budget import Amount, Budget
from peerjudge.runs.casting import seated
from peerjudge.runs.folder import default_folder, require_own, write_manifest
from peerjudge.runs.halt import FailureRate
from peerjudge.runs.playing import Observer, Playing
from peerjudge.runs.prepare import Prepared, prepare
from peerjudge.runs.source import shown
from peerjudge.runs.spans import Spans
from peerjudge.runs.summary import RunSummary, spent_on
from peerjudge.shelf import Shelf
from peerjudge.store import Store

__all__ = ["NO_CACHE", "run"]

NO_CACHE = "none"
"""Instead of the place of a cache: replies are kept only for as long as the run lasts."""

_DATABASES = frozenset({".db", ".sqlite"})


async def run(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    out: str | Path | None = None,
    store: str | None = None,
    cache: str | Path | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    max_connections: int = 10,
    workers: int = 1,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
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
        cache: The file or folder in which replies of models are kept, which several runs may share;
            by default the run folder, or the user's cache folder where the run has none. `"none"`
            keeps them only for as long as the run lasts.
        max_connections: How many discussions, and so calls, are under way at a time.
        workers: How many processes speak to the models; with 1, this one does. For when speaking is
            what takes the time: one process manages about a thousand calls a second. Everything
            else is done here, and comes out the same. Simulated and recorded reviewers and those
            of one's own speak here anyway.
        cost_limit: The most that may be spent in USD, by this and earlier runs into the same place.
            The run then stops before a discussion, with `stopped = "cost limit"`.
        token_limit: The same for tokens, prompt and completion, simulated ones included.
        fail_on_error: Stop once 5 discussions and this share of those that ended have failed.
        deadline: How long one discussion may take [s]; one that takes longer fails.
        observer: Told how it goes.
        environ: Where keys are looked up; by default the environment.

    Raises:
        PeerJudgeError: A mistake, before any call or as soon as it shows; what is stored stays.
        asyncio.CancelledError: When cancelled; every kept turn stays, and the run can be resumed.
    """
    bounds = {"cost limit": cost_limit, "token limit": token_limit, "deadline": deadline}
    _require_sense(out, store, bounds=bounds)
    _require_some(connections=max_connections, workers=workers)
    failures = None if fail_on_error is None else FailureRate(fail_on_error)
    shelf = shelf or Shelf()
    prepared = prepare(
        experiment, data=data, limit=limit, seed=seed, settings=settings, shelf=shelf
    )
    if cost_limit is not None:
        prepared.costs.require_known()
    folder = None if store else Path(out) if out else default_folder(prepared.plan.experiment)
    if folder is not None:
        require_own(folder, prepared.plan.experiment)
    place: str | Path = store or folder or ""
    async with (
        Spans.of(prepared.run_id) as spans,
        Store.open(place) as opened,
        seated(
            prepared.plan.cast,
            shelf=shelf,
            dataset=prepared.dataset,
            seed=prepared.plan.experiment.seed,
            environ=os.environ if environ is None else environ,
            costs=prepared.costs,
            replies=_replies(cache, folder),
            workers=workers,
        ) as reviewers,
    ):
        await _record(opened, prepared, folder)
        playing = Playing(
            prepared=prepared,
            store=opened,
            reviewers=reviewers,
            budget=await _budget(opened, prepared, tokens=token_limit, usd=cost_limit),
            deadlines=None if deadline is None else Deadlines(deadline),
            failures=failures,
            observer=observer,
            spans=spans,
        )
        if observer is not None:
            observer.planned(prepared)
        with bound_contextvars(run=prepared.run_id[:8]):
            await playing.play(max_connections=max_connections)
    return playing.summary(store=shown(place), folder=folder)


def _require_sense(
    out: str | Path | None,
    store: str | None,
    *,
    bounds: Mapping[str, float | None],
) -> None:
    if out is not None and store is not None:
        msg = "a run goes into a folder (out) or into a store (store), not into both"
        raise ExperimentError(msg)
    if store is not None and "://" not in store and Path(store).suffix not in _DATABASES:
        msg = (
            f"a store is a database, as in sqlite:///study.db, not {store!r}; "
            "where a folder is meant, give it with --out"
        )
        raise ExperimentError(msg)
    for name, bound in bounds.items():
        if bound is not None and not bound > 0:
            msg = f"a {name} is more than 0, not {bound:g}"
            raise ExperimentError(msg)


def _require_some(*, connections: int, workers: int) -> None:
    for noun, count in (("connection", connections), ("worker", workers)):
        if count < 1:
            msg = f"a run takes 1 {noun} or more, not {count}"
            raise ExperimentError(msg)


async def _record(store: Store, prepared: Prepared, folder: Path | None) -> None:
    manifest = {"run": prepared.run_id, **prepared.manifest}
    await store.record_run(prepared.run_id, manifest)
    if folder is not None:
        write_manifest(folder, manifest)


async def _budget(
    store: Store, prepared: Prepared, *, tokens: int | None, usd: float | None
) -> Budget | None:
    """The limits of a run, with what earlier invocations of it have spent already."""
    if tokens is None and usd is None:
        return None
    spent = Amount()
    async for transcript in store.transcripts(run=prepared.run_id):
        spent += spent_on(transcript, prepared.costs)
    return Budget(tokens=tokens, usd=usd, spent=spent)


def _replies(cache: str | Path | None, folder: Path | None) -> Path | None:
    """Where replies are kept, if anywhere."""
    if cache == NO_CACHE:
        return None
    if cache is not None:
        return Path(cache)
    if folder is not None:
        return folder
    from platformdirs import user_cache_path

    root = os.environ.get(CACHE_VARIABLE)
    return (Path(root) if root else user_cache_path("peerjudge")) / "replies"
