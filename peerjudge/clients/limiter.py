"""Keeps calls within a card's bounds and what its provider bears at the moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext

from aiolimiter import AsyncLimiter

from peerjudge.clients.window import Window
from peerjudge.data import Limits

__all__ = ["Limiter"]


class Limiter:
    """Admits attempts one by one as the limits allow; without limits and window it admits all.

    Args:
        limits: The card's own: connections at once, requests and tokens a minute.
        window: The window of the provider, shared by all cards that ask it.
    """

    def __init__(self, limits: Limits, window: Window | None = None) -> None:
        connections = limits.max_connections
        self._connections = asyncio.Semaphore(connections) if connections else None
        self._requests = _per_minute(limits.requests_per_minute)
        self._tokens = _per_minute(limits.tokens_per_minute)
        self._window = window

    @asynccontextmanager
    async def admit(self, tokens: int) -> AsyncGenerator[None]:
        """Wait for a free connection, the rates and the provider, then hold the connection.

        `tokens` is what the attempt is expected to use; more than a minute's worth counts as that.
        """
        async with self._connections or nullcontext():
            # Before the window: a card that waits for its rate must not keep others from theirs.
            if self._requests is not None:
                await self._requests.acquire()
            if self._tokens is not None:
                await self._tokens.acquire(min(tokens, self._tokens.max_rate))
            if self._window is None:
                yield
            else:
                async with self._window.slot():
                    yield


def _per_minute(rate: int | None) -> AsyncLimiter | None:
    return AsyncLimiter(rate, 60) if rate else None
