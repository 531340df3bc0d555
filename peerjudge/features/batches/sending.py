"""Batch mode of a run: its checks, its prices, and the cards whose calls go out as batches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.data import Card, ReviewerKind
from peerjudge.engine.barrier import Barrier
from peerjudge.errors import ExperimentError
from peerjudge.features.batches.record import Batches
from peerjudge.runs.deliveries import Delivery, OpenDelivery
from peerjudge.runs.estimate import Costs
from peerjudge.runs.resolve import Prepared
from peerjudge.shelf.cards import PROVIDERS

if TYPE_CHECKING:
    from peerjudge.features.batches.anthropic import AnthropicTransport
    from peerjudge.features.batches.openai import OpenAITransport
    from peerjudge.features.batches.queues import BatchMode

_MOST_OPEN = 2000
"""Discussions open at a time: each adds one request to a batch."""
_BATCH_PROVIDERS = frozenset({"openai", "anthropic"})
_BATCH_PRICE = 0.5
"""Price of a token in a batch as a share of its price in a single call."""


def check_batch(*, deadline: float | None, questions: str | None) -> None:
    """Raise `ExperimentError` for arguments that batches cannot keep."""
    if deadline is not None:
        msg = "a batch takes up to 24 hours: leave out --deadline, or --batch"
        raise ExperimentError(msg)
    if questions is not None:
        msg = (
            "--batch judges answers and does not write them: run --questions without --batch, "
            "or `peerjudge answers` first and judge its file with --batch"
        )
        raise ExperimentError(msg)


def apply_batch_prices(prepared: Prepared, *, limited: bool = False) -> Prepared:
    """Return the run with half prices for the cards whose calls go out as batches.

    Raises:
        ExperimentError: No card can use batches, a card does not say whether its address has them, answers
            are to be written first, or a limit must hold and a seat sets no `max_tokens`.
    """
    cast = prepared.plan.cast
    _require_own_address(cast)
    batched = _list_batched(cast)
    if not batched:
        msg = (
            "--batch needs a card with [model] provider = 'openai' or 'anthropic', or batch = true; "
            f"{', '.join(cast)} have none: leave out --batch"
        )
        raise ExperimentError(msg)
    if prepared.answers is not None:
        check_batch(deadline=None, questions="")
    if limited:
        _require_lengths(prepared, batched)
    prices = {
        name: price.discount(_BATCH_PRICE) if price is not None and name in batched else price
        for name, price in prepared.costs.prices.items()
    }
    costs = Costs(prices)
    return replace(
        prepared,
        costs=costs,
        manifest={**prepared.manifest, "prices": costs.document()},
        notes=(*prepared.notes, *_list_single(cast)),
    )


def _list_batched(cast: Mapping[str, Card]) -> list[str]:
    """Return the cards whose calls go out as batches in batch mode."""
    return [name for name, card in cast.items() if can_batch(card)]


def _require_own_address(cast: Mapping[str, Card]) -> None:
    for name, card in cast.items():
        if card.model is not None and _lacks_batch_setting(card):
            msg = (
                f"card {name!r} has base_url = {card.model.base_url!r}, which is not the address of "
                f"{card.model.provider}: under [model], set batch = true if that server has the same batch "
                "API, or batch = false to call it at once and at full price"
            )
            raise ExperimentError(msg)


def _list_single(cast: Mapping[str, Card]) -> tuple[str, ...]:
    """Return a sentence about the cards that may be paid and cannot use batches."""
    kinds = {ReviewerKind.MODEL, ReviewerKind.PYTHON}
    single = [name for name, card in cast.items() if card.kind in kinds and not can_batch(card)]
    if not single:
        return ()
    names = ", ".join(single)
    return (f"--batch leaves out cards without a batch API, which pay the full price: {names}",)


def _require_lengths(prepared: Prepared, batched: list[str]) -> None:
    for part in prepared.plan.parts:
        for seat in part.speakers:
            if seat.reviewer in batched and seat.sampling.max_tokens is None:
                msg = (
                    f"a limit with --batch needs the longest reply of {seat.reviewer}: set max_tokens "
                    "under [sampling] of its card"
                )
                raise ExperimentError(msg)


def can_batch(card: Card) -> bool:
    """Return whether the calls of a card can go out as batches.

    These are cards of OpenAI and Anthropic at the provider's own address, unless they set `batch` to false,
    and cards that set it to true.
    """
    spec = card.model
    if card.kind is not ReviewerKind.MODEL or spec is None:
        return False
    if spec.batch is not None:
        return spec.batch
    return spec.provider in _BATCH_PROVIDERS and not _lacks_batch_setting(card)


def _lacks_batch_setting(card: Card) -> bool:
    """Return whether a card of OpenAI or Anthropic has another address and does not say if that batches."""
    spec = card.model
    if spec is None or spec.provider not in _BATCH_PROVIDERS or spec.batch is not None:
        return False
    own = PROVIDERS[spec.provider].base_url
    return spec.base_url is not None and spec.base_url.rstrip("/") != own


class BatchCarrier:
    """What carries the requests of a run's clients as batches: a `peerjudge.clients.Carrier`."""

    def __init__(self, mode: BatchMode) -> None:
        self._mode = mode

    def takes(self, card: Card) -> bool:
        """Return whether the calls of a card go out as batches."""
        return can_batch(card)

    def open_transport(self, dialect: str) -> OpenAITransport | AnthropicTransport:
        """Return the HTTP transport of a client with this API."""
        from peerjudge.features.batches import anthropic, openai

        if dialect == "openai":
            return openai.OpenAITransport(self._mode.open_queue(openai.OpenAIBatches))
        return anthropic.AnthropicTransport(self._mode.open_queue(anthropic.AnthropicBatches))


@asynccontextmanager
async def open_batches(
    cache: Path | None, *, detach: bool, say: Callable[[str], None]
) -> AsyncGenerator[OpenDelivery]:
    """Open the batch mode of a run; tasks started inside count for its barrier.

    Raises `ExperimentError` if replies are kept in memory only: a crash would lose paid batches.
    """
    if cache is None:
        msg = "--batch keeps its batches in the reply cache: leave out --cache none"
        raise ExperimentError(msg)
    # Imports the clients, and with them AutoGen; a dry run does not need it.
    from peerjudge.features.batches.queues import BatchMode

    barrier = Barrier()
    with Batches.open(cache) as batches, barrier.use():
        mode = BatchMode(barrier, batches, say=say, detach=detach)
        yield OpenDelivery(carrier=BatchCarrier(mode), detached=mode.detached, close=mode.close)


class _Batches:
    """Batches of OpenAI and Anthropic, as a `peerjudge.runs.deliveries.Delivery`."""

    most_open = _MOST_OPEN
    takes = staticmethod(can_batch)
    check = staticmethod(check_batch)
    prepare = staticmethod(apply_batch_prices)
    open = staticmethod(open_batches)


BATCHES: Delivery = _Batches()
