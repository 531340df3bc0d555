"""Delivery of a run's calls by other means than one by one, such as batches, which a feature offers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from peerjudge.data import Card
from peerjudge.errors import ExperimentError
from peerjudge.registry import find_offer
from peerjudge.runs.resolve import Prepared

if TYPE_CHECKING:
    from peerjudge.clients import Carrier

_USUAL_OPEN = 10


async def _close_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDelivery:
    """An open delivery.

    Attributes:
        carrier: Carries the requests of the run's clients; `None` for single calls.
        detached: Set once nothing is left to do but to wait for the provider.
        close: Ends what the delivery does in the background; it is called before the clients are closed.
    """

    carrier: Carrier | None = None
    detached: asyncio.Event = field(default_factory=asyncio.Event)
    close: Callable[[], Awaitable[None]] = _close_nothing


class Delivery(Protocol):
    """What a feature offers to the hook `delivery`. `most_open` discussions are open unless the user says."""

    most_open: int

    def takes(self, card: Card) -> bool:
        """Return whether the calls of a card are delivered so; others go out one by one."""
        ...

    def check(self, *, deadline: float | None, questions: str | None) -> None:
        """Raise `ExperimentError` for arguments of a run that it cannot keep."""
        ...

    def prepare(self, prepared: Prepared, *, limited: bool = False) -> Prepared:
        """Return a run at its prices; `limited` says that a limit bounds cost or tokens.

        Raises `ExperimentError` if the cards cannot be delivered so.
        """
        ...

    def open(
        self, cache: Path | None, *, detach: bool, say: Callable[[str], None]
    ) -> AbstractAsyncContextManager[OpenDelivery]:
        """Open it beside a file of cached replies; tasks of the run start inside. `say` tells the user."""
        ...


def choose_delivery(*, batch: bool, detach: bool = False, wait: bool = False) -> Delivery | None:
    """Return the delivery of a run, `None` for single calls.

    Raises:
        ExperimentError: A run is to leave its batches and has none, or is to wait for people as well, or no
            feature sends batches.
    """
    if detach and not batch:
        msg = "--detach leaves batches at the provider: add --batch, or leave out --detach"
        raise ExperimentError(msg)
    if detach and wait:
        msg = "--detach ends the run while others work and --wait does not: leave out one of them"
        raise ExperimentError(msg)
    if not batch:
        return None
    delivery = find_offer("delivery", "batch")
    if delivery is None:
        msg = "no feature sends batches here: leave out --batch"
        raise ExperimentError(msg)
    return delivery


def choose_connections(given: int | None, *, delivery: Delivery | None = None) -> int:
    """Return the most discussions open at a time."""
    if given is not None:
        return given
    return _USUAL_OPEN if delivery is None else delivery.most_open


@asynccontextmanager
async def open_delivery(
    delivery: Delivery | None,
    cache: Path | None,
    *,
    detach: bool,
    say: Callable[[str], None],
) -> AsyncGenerator[OpenDelivery]:
    """Open the delivery of a run; without one its calls are single."""
    if delivery is None:
        yield OpenDelivery()
        return
    async with delivery.open(cache, detach=detach, say=say) as opened:
        yield opened
