"""Keeps calls within a card's bounds: connections at once, requests and tokens a minute."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext

from aiolimiter import AsyncLimiter

from peerjudge.data import Limits

__all__ = ["Limiter"]


class Limiter:
    """Admits attempts one by one as the limits allow; without limits it admits all."""

    def __init__(self, limits: Limits) -> None:
        connections = limits.max_connections
        self._connections = asyncio.Semaphore(connections) if connections else None
        self._requests = _per_minute(limits.requests_per_minute)
        self._tokens = _per_minute(limits.tokens_per_minute)

    @asynccontextmanager
    async def admit(self, tokens: int) -> AsyncGenerator[None]:
        """Wait for a free connection and for the rates, then hold the connection.

        `tokens` is what the attempt is expected to use; more than a minute's worth counts as that.
        """
        # The rates come last, so that an attempt is counted when it is made, not when it queues.
        async with self._connections or nullcontext():
            if self._requests is not None:
                await self._requests.acquire()
            if self._tokens is not None:
                await self._tokens.acquire(min(tokens, self._tokens.max_rate))
            yield


def _per_minute(rate: int | None) -> AsyncLimiter | None:
    return AsyncLimiter(rate, 60) if rate else None
