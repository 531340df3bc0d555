"""The clients of a run: one per model and settings, shared by all cards and closed at the end."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.billing import CallBook
from peerjudge.clients.build import build_client, secrets_of
from peerjudge.clients.cache import MemoryCache, ResponseCache, SingleFlight
from peerjudge.clients.crew import Crew, RemoteClient
from peerjudge.clients.governed import Governed
from peerjudge.clients.prices import Price
from peerjudge.clients.window import Window
from peerjudge.data import Card, ModelSpec, content_hash, to_plain

__all__ = ["ClientPool"]


class ClientPool:
    """Hands every card its governed client; use it as `async with ClientPool(...) as pool`.

    Cards with the same model and settings share one inner client (building one takes longer than
    many calls) and its connections. Cards with the same provider, address and key share a window,
    which finds out how many calls at once the provider bears. All cards share the replies and the
    book. Each card has its own limits.

    Args:
        environ: Where keys are looked up, usually `os.environ`.
        cache: Where replies are kept; in memory by default.
        world: What sets apart the replies of this pool from others' in the same cache, such as the
            seed of an experiment.
        prices: What the tokens of a card's reviewer cost, by the name of the card; `None` or no
            entry where that is not known.
        crew: Other processes, to which plain calls are left.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        cache: ResponseCache | None = None,
        world: str = "",
        prices: Mapping[str, Price | None] | None = None,
        crew: Crew | None = None,
    ) -> None:
        self.book = CallBook()
        self._environ = environ
        self._world = world
        self._crew = crew
        self._prices = dict(prices or {})
        self._flights = SingleFlight(MemoryCache() if cache is None else cache)
        self._clients: dict[str, ChatCompletionClient] = {}
        self._governed: dict[str, Governed] = {}
        self._windows: dict[tuple[str, ...], Window] = {}

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
            inner = self._clients[setting] = self._built(card, setting)
        model = card.model
        return Governed(
            inner,
            reviewer=card.name,
            model=model.name or model.provider if model is not None else "",
            # The variable of the key changes no reply.
            identity=content_hash(
                [model.provider, model.name, model.base_url or "", dict(model.options), self._world]
                if model is not None
                else None
            ),
            limits=card.limits,
            window=None if model is None else self._window(model),
            price=self._prices.get(card.name),
            secrets=secrets_of(card, environ=self._environ),
            flights=self._flights,
            book=self.book,
        )

    def _built(self, card: Card, setting: str) -> ChatCompletionClient:
        client = build_client(card, environ=self._environ)
        if self._crew is None:
            return client
        self._crew.hire(setting, card)
        return RemoteClient(client, self._crew, setting)

    def _window(self, model: ModelSpec) -> Window:
        return self._windows.setdefault(
            (model.provider, model.base_url or "", model.key_env or ""),
            Window(name=model.base_url or model.provider),
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
