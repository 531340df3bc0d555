"""Parts that runs and writings share: the book of their calls, and their end at a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AbstractContextManager, nullcontext

from peerjudge.data import ReviewerKind
from peerjudge.runs.ledger import Ledger
from peerjudge.runs.schedule import Cast


def record_calls(cast: Cast, ledger: Ledger) -> AbstractContextManager[None]:
    """Record the calls made inside in the ledger, if a card may use a model client."""
    kinds = {card.kind for card in cast.values()}
    if not kinds & {ReviewerKind.MODEL, ReviewerKind.PYTHON}:
        return nullcontext()
    from peerjudge.clients import billing

    return billing.record_calls(ledger)


async def run_until(playing: Awaitable[None], stops: Sequence[asyncio.Event]) -> None:
    """Await the work until it ends or one of the events is set; then cancel what is in flight.

    Raises any error of the work, and `CancelledError` if this task is cancelled; the work then is
    cancelled as well.
    """
    task = asyncio.ensure_future(playing)
    waiting = [asyncio.ensure_future(stop.wait()) for stop in stops]
    try:
        await asyncio.wait({task, *waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped = not task.done()
        for each in (task, *waiting):
            each.cancel()
        await asyncio.wait({task, *waiting})
    if not (stopped and task.cancelled()):
        task.result()
