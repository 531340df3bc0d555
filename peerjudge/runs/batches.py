"""Batch mode of a run: its checks, its prices, and the parts that wait for batches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.data import Card, ReviewerKind
from peerjudge.engine.barrier import Barrier
from peerjudge.errors import ExperimentError
from peerjudge.runs.estimate import Costs
from peerjudge.runs.resolve import Prepared
from peerjudge.shelf.cards import can_batch, lacks_batch_setting
from peerjudge.store.batches import Batches

if TYPE_CHECKING:
    from peerjudge.clients.batching import BatchMode

MOST_OPEN = 2000
"""Discussions open at a time in batch mode: each adds one request to a batch."""
_USUAL_OPEN = 10
_BATCH_PRICE = 0.5
"""Price of a token in a batch as a share of its price in a single call."""


def choose_connections(given: int | None, *, batch: bool) -> int:
    """Return the most discussions open at a time."""
    if given is not None:
        return given
    return MOST_OPEN if batch else _USUAL_OPEN


def check_detach(*, detach: bool, batch: bool, wait: bool) -> None:
    """Raise `ExperimentError` if a run is to leave its batches and has none, or is to wait for people."""
    if detach and not batch:
        msg = "--detach leaves batches at the provider: add --batch, or leave out --detach"
        raise ExperimentError(msg)
    if detach and wait:
        msg = "--detach ends the run while others work and --wait does not: leave out one of them"
        raise ExperimentError(msg)


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
    batched = list_batched(cast)
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


def list_batched(cast: Mapping[str, Card]) -> list[str]:
    """Return the cards whose calls go out as batches in batch mode."""
    return [name for name, card in cast.items() if can_batch(card)]


def _require_own_address(cast: Mapping[str, Card]) -> None:
    for name, card in cast.items():
        if card.model is not None and lacks_batch_setting(card):
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


@asynccontextmanager
async def open_batch_mode(
    cache: Path | None, *, batch: bool, detach: bool, say: Callable[[str], None]
) -> AsyncGenerator[BatchMode | None]:
    """Open the batch mode of a run, `None` without; tasks started inside count for its barrier.

    Raises `ExperimentError` if replies are kept in memory only: a crash would lose paid batches.
    """
    if not batch:
        yield None
        return
    if cache is None:
        msg = "--batch keeps its batches in the reply cache: leave out --cache none"
        raise ExperimentError(msg)
    from peerjudge.clients.batching import BatchMode

    barrier = Barrier()
    with Batches.open(cache) as batches, barrier.use():
        yield BatchMode(barrier, batches, say=say, detach=detach)
