"""The clients of a run: one per model and settings, shared by all cards and closed at the end."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.billing import CallBook
from peerjudge.clients.build import build_client
from peerjudge.clients.cache import MemoryCache, ResponseCache, SingleFlight
from peerjudge.clients.governed import Governed
from peerjudge.data import Card, content_hash, to_plain

__all__ = ["ClientPool"]


class ClientPool:
    """Hands every card its governed client; use it as `async with ClientPool(...) as pool`.

    Cards with the same model and settings share one inner client (building one takes longer than
    many calls) and its connections. All cards share the replies and the book. Each card has its
    own limits.

    Args:
        environ: Where keys are looked up, usually `os.environ`.
        cache: Where replies are kept; in memory by default.
    """

    def __init__(self, *, environ: Mapping[str, str], cache: ResponseCache | None = None) -> None:
        self.book = CallBook()
        self._environ = environ
        self._flights = SingleFlight(MemoryCache() if cache is None else cache)
        self._clients: dict[str, ChatCompletionClient] = {}
        self._governed: dict[str, Governed] = {}

    def client(self, card: Card) -> Governed:
        """The client of this card; raises `CardError` if it cannot be built."""
        name = content_hash(card.name, to_plain(card.model), to_plain(card.limits))
        governed = self._governed.get(name)
        if governed is None:
            governed = self._governed[name] = self._govern(card)
        return governed

    def _govern(self, card: Card) -> Governed:
        setting = content_hash(to_plain(card.model), card.limits.timeout)
        inner = self._clients.get(setting)
        if inner is None:
            inner = self._clients[setting] = build_client(card, environ=self._environ)
        model = card.model
        return Governed(
            inner,
            reviewer=card.name,
            model=model.name or model.provider if model is not None else "",
            # The variable of the key changes no reply.
            identity=content_hash(
                [model.provider, model.name, model.base_url or "", dict(model.options)]
                if model is not None
                else None
            ),
            limits=card.limits,
            flights=self._flights,
            book=self.book,
        )

    async def close(self) -> None:
        """Close every client, once."""
        clients = list(self._clients.values())
        self._clients.clear()
        self._governed.clear()
        for client in clients:
            await client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
