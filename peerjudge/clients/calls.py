"""Model calls as values, and the base classes of clients that serve them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from autogen_core import CancellationToken
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.billing import Billing, current_billing
from peerjudge.clients.retry import MalformedReplyError
from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data.cleaning import is_blank

ToolChoice = Tool | Literal["auto", "required", "none"]


class PieceSink:
    """Receiver of the pieces of a streamed reply; `started` after the first piece with words."""

    def __init__(self, receive: Callable[[str], None]) -> None:
        self.started = False
        self._receive = receive

    def send(self, piece: str) -> None:
        """Pass on one piece; blanks do not start a reply."""
        self.started = self.started or not is_blank(piece)
        self._receive(piece)


@dataclass(frozen=True, kw_only=True)
class CallRequest:
    """The arguments of one model call and its billing. With `pieces`, the reply is streamed there."""

    messages: Sequence[LLMMessage]
    tools: Sequence[Tool | ToolSchema] = ()
    tool_choice: ToolChoice = "auto"
    json_output: bool | type[BaseModel] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    token: CancellationToken | None = None
    billing: Billing = field(default_factory=lambda: current_billing() or Billing())
    pieces: PieceSink | None = None

    @cached_property
    def prompt_tokens(self) -> int:
        """An estimate of the tokens of the prompt."""
        return sum(
            estimate_tokens(message.content) if isinstance(message.content, str) else 0
            for message in self.messages
        )

    @property
    def most_tokens(self) -> int:
        """The limit on the tokens of the reply, 0 without one."""
        return int(self.extra.get("max_tokens") or self.extra.get("max_completion_tokens") or 0)

    @property
    def expected_tokens(self) -> int:
        """Return an estimate of the tokens of the call, for rate limits."""
        return self.prompt_tokens + self.most_tokens

    @property
    def is_repeatable(self) -> bool:
        """Return whether a retry is allowed: no piece of the reply has been passed on."""
        return self.pieces is None or not self.pieces.started

    async def send(self, client: ChatCompletionClient) -> CreateResult:
        """Return the reply of a client; with `pieces`, stream it.

        Raises:
            MalformedReplyError: A stream ended without a result.
        """
        if self.pieces is None:
            return await client.create(self.messages, **self._arguments())
        result: CreateResult | None = None
        async for piece in self.stream(client):
            if isinstance(piece, CreateResult):
                result = piece
            else:
                self.pieces.send(piece)
        if result is None:
            msg = "The stream ended without a result."
            raise MalformedReplyError(msg)
        return result

    def stream(self, client: ChatCompletionClient) -> AsyncGenerator[str | CreateResult, None]:
        """Return the stream of a client: the pieces of the reply, then the result."""
        return client.create_stream(self.messages, **self._arguments())

    def _arguments(self) -> dict[str, Any]:
        return {
            "tools": self.tools,
            "tool_choice": self.tool_choice,
            "json_output": self.json_output,
            "extra_create_args": self.extra,
            "cancellation_token": self.token,
        }


class RequestClient(ChatCompletionClient):
    """Base of clients that take a call as one `CallRequest`: define `reply` and `stream`."""

    @abstractmethod
    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply to a request."""

    @abstractmethod
    def stream(self, request: CallRequest) -> AsyncGenerator[str | CreateResult, None]:
        """Return the pieces of the reply to a request, then the result."""

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: ToolChoice = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """Return the reply, as specified by `ChatCompletionClient.create`; see `reply`."""
        return await self.reply(
            CallRequest(
                messages=messages,
                tools=list(tools),
                tool_choice=tool_choice,
                json_output=json_output,
                extra=dict(extra_create_args or {}),
                token=cancellation_token,
            )
        )

    def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: ToolChoice = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """Return the pieces of the reply, then the result; see `stream`."""
        return self.stream(
            CallRequest(
                messages=messages,
                tools=list(tools),
                tool_choice=tool_choice,
                json_output=json_output,
                extra=dict(extra_create_args or {}),
                token=cancellation_token,
            )
        )

    def actual_usage(self) -> RequestUsage:
        """Return the tokens of all replies, as `total_usage` does."""
        return self.total_usage()

    @property
    def capabilities(self) -> ModelInfo:
        """Return the model's capabilities (AutoGen's former name of `model_info`)."""
        return self.model_info


class ClientProxy(RequestClient):
    """Client that forwards everything to an inner client; subclasses change how calls are made."""

    def __init__(self, inner: ChatCompletionClient) -> None:
        self.inner = inner

    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply of the inner client."""
        return await request.send(self.inner)

    def stream(self, request: CallRequest) -> AsyncGenerator[str | CreateResult, None]:
        """Return the stream of the inner client."""
        return request.stream(self.inner)

    async def close(self) -> None:
        """Close the inner client."""
        await self.inner.close()

    def actual_usage(self) -> RequestUsage:
        """Return the tokens of the inner client."""
        return self.inner.actual_usage()

    def total_usage(self) -> RequestUsage:
        """Return the tokens of the inner client."""
        return self.inner.total_usage()

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Return the inner client's count of a prompt's tokens."""
        return self.inner.count_tokens(messages, tools=list(tools))

    def remaining_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Return the tokens left in the model's context after a prompt."""
        return self.inner.remaining_tokens(messages, tools=list(tools))

    @property
    def model_info(self) -> ModelInfo:
        """Return the model's capabilities."""
        return self.inner.model_info
