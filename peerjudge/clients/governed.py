"""The seam every call passes: single flight, retry, limits, and the book, around any client.

A reply at hand costs no place in the queue, and every attempt waits its turn; so the order is
single-flight cache, then retry, then limiter (the card's bounds, then the provider's window), then
the client.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self
from uuid import uuid4

from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.billing import (
    Billing,
    Call,
    CallBook,
    CallOutcome,
    current_billing,
)
from peerjudge.clients.cache import MemoryCache, Reply, SingleFlight
from peerjudge.clients.guard import guarded
from peerjudge.clients.keys import request_key
from peerjudge.clients.limiter import Limiter
from peerjudge.clients.prices import Price
from peerjudge.clients.retry import RetryPolicy, is_transient
from peerjudge.clients.tokens import count_messages, estimate_tokens, usage_of
from peerjudge.clients.window import Window
from peerjudge.data import from_plain, to_plain
from peerjudge.data.cards import Limits
from peerjudge.data.discussion import Usage

__all__ = ["Governed", "GovernedConfig"]


class GovernedConfig(BaseModel):
    """The component form of a `Governed` client."""

    client: ComponentModel
    reviewer: str = ""
    model: str = ""
    limits: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One request, and whom it is booked to."""

    billing: Billing
    messages: Sequence[LLMMessage]
    tools: Sequence[Tool | ToolSchema]
    tool_choice: Tool | Literal["auto", "required", "none"]
    json_output: bool | type[BaseModel] | None
    extra: Mapping[str, Any]
    token: CancellationToken | None


class Governed(ChatCompletionClient, Component[GovernedConfig]):
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
    ) -> None:
        self.inner = inner
        self.reviewer = reviewer
        self.model = model
        self.book = CallBook() if book is None else book
        self._identity = identity or uuid4().hex
        self._limits = limits
        self._limiter = Limiter(limits, window)
        self._price = price
        self._policy = RetryPolicy.within(limits) if policy is None else policy
        self._flights = SingleFlight(MemoryCache()) if flights is None else flights

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
        asked = _Asked(
            billing=current_billing() or Billing(reviewer=self.reviewer),
            messages=messages,
            tools=list(tools),
            tool_choice=tool_choice,
            json_output=json_output,
            extra=dict(extra_create_args or {}),
            token=cancellation_token,
        )
        if cancellation_token is None:
            return await self._serve(asked)
        # As a task, so that the token stops the waits between attempts and clients that ignore it.
        serving = asyncio.ensure_future(self._serve(asked))
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
        """The reply piece by piece: limited and booked, but neither shared nor tried again."""
        billing = current_billing() or Billing(reviewer=self.reviewer)
        extra = dict(extra_create_args or {})
        begun = asyncio.get_running_loop().time()
        async with self._limiter.admit(_expected(messages, extra)):
            async for piece in self.inner.create_stream(
                messages,
                tools=list(tools),
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra,
                cancellation_token=cancellation_token,
            ):
                if isinstance(piece, CreateResult):
                    self._enter(
                        billing,
                        CallOutcome.PAID,
                        usage=usage_of(messages, piece, model=self.model),
                        latency=asyncio.get_running_loop().time() - begun,
                    )
                yield piece

    async def _serve(self, asked: _Asked) -> CreateResult:
        async def ask() -> Reply:
            return await self._ask(asked)

        key = request_key(
            model=self._identity,
            messages=asked.messages,
            tools=asked.tools,
            tool_choice=asked.tool_choice,
            json_output=asked.json_output,
            extra_create_args=asked.extra,
            draw=asked.billing.draw,
        )
        reply, at_hand = (await ask(), False) if key is None else await self._flights.once(key, ask)
        if at_hand:
            self._enter(asked.billing, CallOutcome.CACHED, usage=reply.usage, attempts=0)
        # A copy: whoever gets it may change it, and the cached one must stay as it is.
        return reply.result.model_copy(update={"cached": at_hand})

    async def _ask(self, asked: _Asked) -> Reply:
        now = asyncio.get_running_loop().time
        expected = _expected(asked.messages, asked.extra)
        begun = now()
        attempts = 1
        try:
            try:
                return await self._once(asked, expected, attempt=1)
            except Exception as error:
                if self._policy.attempts == 1 or not is_transient(error):
                    raise
                failed = error
            async for attempt in self._policy.tries(begun=begun):
                with attempt:
                    attempts = attempt.num
                    return await self._again(asked, expected, attempts, failed)
        except Exception as error:
            self._enter(
                asked.billing,
                CallOutcome.FAILED,
                attempts=attempts,
                latency=now() - begun,
                error=type(error).__name__,
            )
            raise
        raise AssertionError  # pragma: no cover - the last failure has been raised above

    async def _again(self, asked: _Asked, expected: int, attempt: int, failed: Exception) -> Reply:
        if attempt == 1:
            raise failed
        return await self._once(asked, expected, attempt=attempt)

    async def _once(self, asked: _Asked, expected: int, *, attempt: int) -> Reply:
        now = asyncio.get_running_loop().time
        async with self._limiter.admit(expected):
            begun = now()
            result = await self._attempt(asked)
        took = now() - begun
        usage = usage_of(asked.messages, result, model=self.model)
        self._enter(asked.billing, CallOutcome.PAID, usage=usage, attempts=attempt, latency=took)
        return Reply(result=result, usage=usage)

    async def _attempt(self, asked: _Asked) -> CreateResult:
        async with guarded(self._limits.timeout, token=asked.token, model=self.model):
            return await self.inner.create(
                asked.messages,
                tools=asked.tools,
                tool_choice=asked.tool_choice,
                json_output=asked.json_output,
                extra_create_args=asked.extra,
                cancellation_token=asked.token,
            )

    def _enter(
        self,
        billing: Billing,
        outcome: CallOutcome,
        *,
        usage: Usage = Usage(),
        attempts: int = 1,
        latency: float = 0.0,
        error: str = "",
    ) -> None:
        call = Call(
            reviewer=billing.reviewer or self.reviewer,
            discussion=billing.discussion,
            turn=billing.turn,
            model=self.model,
            outcome=outcome,
            usage=usage,
            attempts=attempts,
            latency=latency,
            cost=self._cost(outcome, usage),
            error=error,
        )
        billing.calls.append(call)
        self.book.book(call)

    def _cost(self, outcome: CallOutcome, usage: Usage) -> float | None:
        if outcome is not CallOutcome.PAID:
            return 0.0
        return None if self._price is None else self._price.cost(usage)

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    def actual_usage(self) -> RequestUsage:
        """The tokens of the inner client."""
        return self.inner.actual_usage()

    def total_usage(self) -> RequestUsage:
        """The tokens of the inner client."""
        return self.inner.total_usage()

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Tokens of a prompt, counted without the network."""
        schemas = [tool.schema if isinstance(tool, Tool) else tool for tool in tools]
        extra = estimate_tokens(json.dumps(schemas)) if schemas else 0
        return count_messages(messages, model=self.model) + extra

    def remaining_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """What the inner client says."""
        return self.inner.remaining_tokens(messages, tools=list(tools))

    @property
    def capabilities(self) -> ModelInfo:
        """What the model can do, under its former name."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """What the model can do."""
        return self.inner.model_info

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


def _expected(messages: Sequence[LLMMessage], extra: Mapping[str, Any]) -> int:
    prompt = sum(
        estimate_tokens(message.content) if isinstance(message.content, str) else 0
        for message in messages
    )
    most = extra.get("max_tokens") or extra.get("max_completion_tokens") or 0
    return prompt + int(most)
