"""Parts that runs and writings open in the same way: cache, budget, book of calls, end at a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from peerjudge.data import ReviewerKind
from peerjudge.places import find_cache
from peerjudge.runs.budget import Budget
from peerjudge.runs.ledger import Ledger
from peerjudge.runs.schedule import Cast

NO_CACHE = "none"
"""Value of `cache` that keeps replies in memory only."""


def choose_cache(cache: str | Path | None, folder: Path | None) -> Path | None:
    """Return the file or folder of the reply cache; `None` keeps replies in memory only."""
    if cache == NO_CACHE:
        return None
    if cache is not None:
        return Path(cache)
    if folder is not None:
        return folder
    return find_cache("replies")


def open_budget(ledger: Ledger, *, tokens: int | None, usd: float | None) -> Budget | None:
    """Return the budget of a place, including what earlier runs into it have spent."""
    if tokens is None and usd is None:
        return None
    if usd is not None:
        ledger.warn_unpriced()
    return Budget(tokens=tokens, usd=usd, spent=ledger.before.amount)


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
