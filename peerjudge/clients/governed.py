"""The seam every call passes: single flight, retry, limits, and the book, around any client.

A reply at hand costs no place in the queue, and every attempt waits its turn; so the order is
single-flight cache (`_serve`), then retry (`_tried`), then limiter (`_once`: the card's bounds, then
the provider's window), then the client.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal, Self
from uuid import uuid4

from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.asked import Asked, Pieces
from peerjudge.clients.billing import Billing, CallBook, CallOutcome, current_billing
from peerjudge.clients.cache import MemoryCache, Reply, SingleFlight
from peerjudge.clients.guard import guarded
from peerjudge.clients.ledger import Ledger
from peerjudge.clients.limiter import Limiter
from peerjudge.clients.passing import Passing
from peerjudge.clients.prices import Price
from peerjudge.clients.redaction import Redaction
from peerjudge.clients.retry import RetryPolicy, is_transient
from peerjudge.clients.spans import traced_call
from peerjudge.clients.tokens import count_messages, estimate_tokens, usage_of
from peerjudge.clients.window import Window
from peerjudge.data import from_plain, to_plain
from peerjudge.data.cards import Limits
from peerjudge.telemetry import tracer

__all__ = ["Governed", "GovernedConfig"]


class GovernedConfig(BaseModel):
    """The component form of a `Governed` client."""

    client: ComponentModel
    reviewer: str = ""
    model: str = ""
    limits: dict[str, Any] = {}


class Governed(Passing, Component[GovernedConfig]):
    """Any AutoGen model client, with its calls shared, retried, limited and booked.

    Args:
        inner: The client that speaks to the model; its own retries should be off.
        reviewer: Whom calls are booked to when they are not made inside `billed_to`.
        model: The name of the model, for the book and for counting tokens.
        identity: What tells this model with its settings from any other, for the cache; by
            default, clients share nothing with each other.
        limits: Connections, rates, timeout of an attempt and number of attempts.
        window: The window of the provider, shared by all clients that ask it; without one, only
            the limits bound the calls in flight.
        price: What the model's tokens cost, for the book; `None` if that is not known.
        policy: The retry policy; by default it follows from the limits.
        flights: The shared single flight (and its cache) of a pool.
        book: The shared book of a pool.
        secrets: Keys that must not be found in replies and failures.
    """

    component_type = "model"
    component_config_schema = GovernedConfig
    component_provider_override = "peerjudge.clients.Governed"

    def __init__(
        self,
        inner: ChatCompletionClient,
        *,
        reviewer: str = "",
        model: str = "",
        identity: str = "",
        limits: Limits = Limits(),
        window: Window | None = None,
        price: Price | None = None,
        policy: RetryPolicy | None = None,
        flights: SingleFlight | None = None,
        book: CallBook | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        super().__init__(inner)
        self.reviewer = reviewer
        self.model = model
        self.book = CallBook() if book is None else book
        self._identity = identity or uuid4().hex
        self._limits = limits
        self._limiter = Limiter(limits, window)
        self._policy = RetryPolicy.within(limits) if policy is None else policy
        self._flights = SingleFlight(MemoryCache()) if flights is None else flights
        self._ledger = Ledger(self.book, reviewer=reviewer, model=model, price=price)
        self._redaction = Redaction(secrets)
        self._tracer = tracer()

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """The reply to these messages, as `ChatCompletionClient.create` has it.

        Raises:
            MalformedReplyError: The server answered with something that is no reply.
            ClientCancelledError: The client cancelled itself.
            Exception: The last failure, as the inner client raised it, when no attempt succeeded.
        """
        asked = Asked(
            billing=current_billing() or Billing(reviewer=self.reviewer),
            messages=messages,
            tools=list(tools),
            tool_choice=tool_choice,
            json_output=json_output,
            extra=dict(extra_create_args or {}),
            token=cancellation_token,
        )
        if cancellation_token is None:
            return await self._told(asked)
        # As a task, so that the token stops the waits between attempts and clients that ignore it.
        serving = asyncio.ensure_future(self._told(asked))
        cancellation_token.link_future(serving)
        return await serving

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The reply piece by piece, then whole; raises what `create` raises.

        It goes the way of any call, and is tried again until its first piece has come. A reply at
        hand comes in one piece.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        asked = Asked(
            billing=current_billing() or Billing(reviewer=self.reviewer),
            messages=messages,
            tools=list(tools),
            tool_choice=tool_choice,
            json_output=json_output,
            extra=dict(extra_create_args or {}),
            token=cancellation_token,
            pieces=Pieces(pieces.put_nowait),
        )
        serving = asyncio.ensure_future(self._told(asked))
        serving.add_done_callback(lambda _: pieces.put_nowait(None))
        if cancellation_token is not None:
            cancellation_token.link_future(serving)
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            result = await serving
            if asked.repeatable and isinstance(result.content, str) and result.content:
                yield result.content
            yield result
        finally:
            serving.cancel()
            await asyncio.wait([serving])

    async def _told(self, asked: Asked) -> CreateResult:
        """The reply, and a span for it where spans are wanted."""
        if self._tracer is None:
            return await self._serve(asked)
        return await traced_call(self._tracer, asked, model=self.model, serve=self._serve)

    async def _serve(self, asked: Asked) -> CreateResult:
        """The reply, at hand or asked for: the single flight."""

        async def ask() -> Reply:
            return await self._tried(asked)

        key = asked.key(self._identity)
        reply, at_hand = (await ask(), False) if key is None else await self._flights.once(key, ask)
        if at_hand:
            self._ledger.enter(asked.billing, CallOutcome.CACHED, usage=reply.usage, attempts=0)
        # A copy: whoever gets it may change it, and the cached one must stay as it is.
        return reply.result.model_copy(update={"cached": at_hand})

    async def _tried(self, asked: Asked) -> Reply:
        """The reply of the first attempt that brings one: the retries."""
        now = asyncio.get_running_loop().time
        begun = now()
        attempts = 1
        try:
            try:
                return await self._once(asked, attempt=1)
            except Exception as error:
                if self._policy.attempts == 1 or not (asked.repeatable and is_transient(error)):
                    raise
                failed = error
            async for attempt in self._policy.tries(begun=begun, may=lambda: asked.repeatable):
                with attempt:
                    attempts = attempt.num
                    return await self._again(asked, failed, attempt=attempts)
        except Exception as error:
            self._redaction.clean(error)
            self._ledger.enter(
                asked.billing,
                CallOutcome.FAILED,
                attempts=attempts,
                latency=now() - begun,
                error=type(error).__name__,
            )
            raise
        raise AssertionError  # pragma: no cover - the last failure has been raised above

    async def _again(self, asked: Asked, failed: Exception, *, attempt: int) -> Reply:
        if attempt == 1:
            raise failed
        return await self._once(asked, attempt=attempt)

    async def _once(self, asked: Asked, *, attempt: int) -> Reply:
        """The reply of one attempt, when there is room for it: the limits, and the client."""
        now = asyncio.get_running_loop().time
        async with self._limiter.admit(asked.expected):
            begun = now()
            async with guarded(self._limits.timeout, token=asked.token, model=self.model):
                result = await asked.of(self.inner)
        took = now() - begun
        usage = usage_of(asked.messages, result, model=self.model)
        self._ledger.enter(
            asked.billing, CallOutcome.PAID, usage=usage, attempts=attempt, latency=took
        )
        return Reply(result=self._redaction.of(result), usage=usage)

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Tokens of a prompt, counted without the network."""
        schemas = [tool.schema if isinstance(tool, Tool) else tool for tool in tools]
        extra = estimate_tokens(json.dumps(schemas)) if schemas else 0
        return count_messages(messages, model=self.model) + extra

    def _to_config(self) -> GovernedConfig:
        return GovernedConfig(
            client=self.inner.dump_component(),
            reviewer=self.reviewer,
            model=self.model,
            limits=to_plain(self._limits),  # pyright: ignore[reportArgumentType]
        )

    @classmethod
    def _from_config(cls, config: GovernedConfig) -> Self:
        return cls(
            ChatCompletionClient.load_component(config.client),
            reviewer=config.reviewer,
            model=config.model,
            limits=from_plain(Limits, config.limits),
        )
