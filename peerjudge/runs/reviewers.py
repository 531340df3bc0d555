"""Reviewers of a run: one for each card, with shared model clients."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.data import Card, Dataset, ReviewerKind
from peerjudge.datasets import load
from peerjudge.engine import Reviewer
from peerjudge.errors import CardError
from peerjudge.runs.awaited import OpenDesk
from peerjudge.runs.schedule import Cast
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedReviewer, SimulatedWriter
from peerjudge.store.replies import Replies

if TYPE_CHECKING:
    from peerjudge.clients import Carrier, ClientPool, Price


@asynccontextmanager
async def open_reviewers(
    cast: Cast,
    *,
    seed: int,
    prices: Mapping[str, Price | None],
    dataset: Dataset | None,
    shelf: Shelf,
    environ: Mapping[str, str],
    cache: Path | None = None,
    simulate: type[SimulatedReviewer | SimulatedWriter] = SimulatedReviewer,
    carrier: Carrier | None = None,
    people: OpenDesk | None = None,
) -> AsyncGenerator[Mapping[str, Reviewer]]:
    """Open a reviewer for each card, by name, and close all of them at the end.

    Cards with the same model and settings share a client. `seed` is that of the simulated world and of
    cached replies, `dataset` that of cards that replay its reviews. The environment has the API keys. `cache`
    is a file or folder; `None` caches replies in memory only. `simulate` is the class of simulated reviewers.

    Raises:
        CardError: A key is missing, an extra is not installed, the dataset has no reviews by a
            recorded reviewer, or a card is a person and there is no desk.
    """
    async with AsyncExitStack() as stack:
        pool = None
        if any(card.kind is ReviewerKind.MODEL for card in cast.values()):
            # Imports AutoGen, which takes most of a second; simulated reviewers do not need it.
            from peerjudge.clients import ClientPool, PersistentCache

            replies = None
            if cache is not None:
                replies = PersistentCache(await stack.enter_async_context(Replies.open(cache)))
            pool = await stack.enter_async_context(
                ClientPool(
                    environ=environ,
                    cache=replies,
                    world=str(seed),
                    prices=prices,
                    carrier=carrier,
                )
            )
        reviewers: dict[str, Reviewer] = {}
        for name, card in cast.items():
            match card.kind:
                case ReviewerKind.SIMULATED:
                    reviewer = simulate(card, seed=seed)
                case ReviewerKind.HUMAN:
                    reviewer = _seat_person(card, people)
                case ReviewerKind.RECORDED:
                    reviewer = _build_recorded(card, dataset)
                case ReviewerKind.PYTHON:
                    reviewer = _build_python(card, shelf, environ)
                case ReviewerKind.MODEL:
                    reviewer = _build_model(card, pool)
            stack.push_async_callback(reviewer.close)
            reviewers[name] = reviewer
        yield reviewers


def _seat_person(card: Card, people: OpenDesk | None) -> Reviewer:
    if people is None:
        msg = f"card {card.name!r} is a person, who can be seated by `peerjudge run` only"
        raise CardError(msg)
    return people.seat(card)


def _build_model(card: Card, pool: ClientPool | None) -> Reviewer:
    from peerjudge.reviewers import ModelReviewer

    assert pool is not None  # noqa: S101  opened for the card
    return ModelReviewer(card, pool.client(card))


def _build_python(card: Card, shelf: Shelf, environ: Mapping[str, str]) -> Reviewer:
    from peerjudge.reviewers import make_reviewer
    from peerjudge.reviewers.redacted import find_environment_secrets, make_redacted

    factory = shelf.factory(card.name)
    if factory is None:
        msg = f"card {card.name!r} is of kind python, but its file has no function reviewer()"
        raise CardError(msg)
    source = shelf.find("agents", card.name).path.read_text("utf-8", errors="replace")
    secrets = find_environment_secrets(source, environ=environ)
    return make_redacted(lambda: make_reviewer(factory, name=card.name), secrets=secrets)


def _build_recorded(card: Card, dataset: Dataset | None) -> Reviewer:
    from peerjudge.reviewers import RecordedReviewer

    source = load(card.source) if card.source else dataset
    if source is None:
        msg = f"card {card.name!r} replays reviews, but names no source and there is no dataset"
        raise CardError(msg)
    name = card.reviewer or card.name
    reviews = [review for review in source.reviews if review.reviewer == name]
    if not reviews:
        known = sorted({review.reviewer for review in source.reviews})
        msg = f"card {card.name!r}: {source.name} has no reviews by {name!r}; it has {known}"
        raise CardError(msg)
    return RecordedReviewer(card.name, reviews)
