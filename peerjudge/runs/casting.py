"""Finds somebody to speak for every card of an experiment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.data import Card, Dataset, ReviewerKind
from peerjudge.datasets import load
from peerjudge.engine import Reviewer
from peerjudge.errors import CardError
from peerjudge.runs.costs import Costs
from peerjudge.runs.plan import Cast
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedReviewer
from peerjudge.store.replies import Replies

if TYPE_CHECKING:
    from peerjudge.clients import ClientPool

__all__ = ["seated"]


@asynccontextmanager
async def seated(
    cast: Cast,
    *,
    shelf: Shelf,
    dataset: Dataset,
    seed: int,
    environ: Mapping[str, str],
    costs: Costs,
    replies: Path | None = None,
    workers: int = 1,
) -> AsyncGenerator[Mapping[str, Reviewer]]:
    """A reviewer for every card, by name; all are closed at the end.

    Model clients are shared between cards of the same model and settings, and their replies are
    kept in the file or folder `replies`, or for as long as this lasts. With more than one of
    `workers`, so many processes speak to them. Raises `CardError` for a card nobody can speak for:
    a key that is not set, an extra that is not installed, a recorded reviewer that the dataset does
    not have.
    """
    async with AsyncExitStack() as stack:
        pool = None
        if any(card.kind is ReviewerKind.MODEL for card in cast.values()):
            # AutoGen takes most of a second to import, which simulated reviewers do without.
            from peerjudge.clients import ClientPool, PersistentCache, WorkerPool

            cache = worker_pool = None
            if workers > 1:
                worker_pool = await stack.enter_async_context(
                    WorkerPool.open(workers, environ=environ)
                )
            if replies is not None:
                cache = PersistentCache(await stack.enter_async_context(Replies.open(replies)))
            pool = await stack.enter_async_context(
                ClientPool(
                    environ=environ,
                    cache=cache,
                    world=str(seed),
                    prices=costs.prices,
                    workers=worker_pool,
                )
            )
        reviewers: dict[str, Reviewer] = {}
        for name, card in cast.items():
            reviewer = _reviewer(card, pool, shelf=shelf, dataset=dataset, seed=seed)
            stack.push_async_callback(reviewer.close)
            reviewers[name] = reviewer
        yield reviewers


def _reviewer(
    card: Card, pool: ClientPool | None, *, shelf: Shelf, dataset: Dataset, seed: int
) -> Reviewer:
    if card.kind is ReviewerKind.SIMULATED:
        return SimulatedReviewer(card, seed=seed)
    if card.kind is ReviewerKind.RECORDED:
        return _recorded(card, dataset)
    if card.kind is ReviewerKind.PYTHON:
        return _of_the_user(card, shelf)
    if pool is None:
        msg = f"card {card.name!r} names a model, but there is no pool of clients to ask it with"
        raise CardError(msg)
    from peerjudge.reviewers import ModelReviewer

    return ModelReviewer(card, pool.client(card))


def _of_the_user(card: Card, shelf: Shelf) -> Reviewer:
    from peerjudge.reviewers import reviewer_from

    factory = shelf.factory(card.name)
    if factory is None:
        msg = f"card {card.name!r} is of kind python, but its file has no function reviewer()"
        raise CardError(msg)
    return reviewer_from(factory, name=card.name)


def _recorded(card: Card, dataset: Dataset) -> Reviewer:
    from peerjudge.reviewers import RecordedReviewer

    source = load(card.source) if card.source else dataset
    name = card.reviewer or card.name
    reviews = [review for review in source.reviews if review.reviewer == name]
    if not reviews:
        known = sorted({review.reviewer for review in source.reviews})
        msg = f"card {card.name!r}: {source.name} has no reviews by {name!r}; it has {known}"
        raise CardError(msg)
    return RecordedReviewer(card.name, reviews)
