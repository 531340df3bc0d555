"""One request as it goes through the seam: what is asked, for whom, and in which way to answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.billing import Billing
from peerjudge.clients.failures import MalformedReplyError
from peerjudge.clients.keys import request_key
from peerjudge.clients.tokens import estimate_tokens

__all__ = ["Asked", "Pieces"]


@dataclass(slots=True)
class Pieces:
    """Where a streamed reply goes, piece by piece; `begun` once the first has gone there."""

    hand_on: Callable[[str], None]
    begun: bool = False

    def __call__(self, piece: str) -> None:
        """Hand on one piece."""
        self.begun = True
        self.hand_on(piece)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request and whom it is booked to. With `pieces` the reply is streamed there as it comes."""

    billing: Billing
    messages: Sequence[LLMMessage]
    tools: Sequence[Tool | ToolSchema]
    tool_choice: Tool | Literal["auto", "required", "none"]
    json_output: bool | type[BaseModel] | None
    extra: Mapping[str, Any]
    token: CancellationToken | None
    pieces: Pieces | None = None

    def key(self, model: str) -> str | None:
        """The digest under which the reply is shared; `None` if it cannot be."""
        return request_key(
            model=model,
            messages=self.messages,
            tools=self.tools,
            tool_choice=self.tool_choice,
            json_output=self.json_output,
            extra_create_args=self.extra,
            draw=self.billing.draw,
        )

    @property
    def expected(self) -> int:
        """About how many tokens the call will take, for the rates."""
        prompt = sum(
            estimate_tokens(message.content) if isinstance(message.content, str) else 0
            for message in self.messages
        )
        most = self.extra.get("max_tokens") or self.extra.get("max_completion_tokens") or 0
        return prompt + int(most)

    @property
    def repeatable(self) -> bool:
        """Whether it may be tried again: nobody has got a piece of the reply yet."""
        return self.pieces is None or not self.pieces.begun

    async def of(self, client: ChatCompletionClient) -> CreateResult:
        """The reply of this client.

        Raises:
            MalformedReplyError: A stream ended without its result.
        """
        if self.pieces is not None:
            return await self._streamed(client, self.pieces)
        return await client.create(
            self.messages,
            tools=self.tools,
            tool_choice=self.tool_choice,
            json_output=self.json_output,
            extra_create_args=self.extra,
            cancellation_token=self.token,
        )

    async def _streamed(self, client: ChatCompletionClient, pieces: Pieces) -> CreateResult:
        result: CreateResult | None = None
        async for piece in client.create_stream(
            self.messages,
            tools=self.tools,
            tool_choice=self.tool_choice,
            json_output=self.json_output,
            extra_create_args=self.extra,
            cancellation_token=self.token,
        ):
            if isinstance(piece, CreateResult):
                result = piece
            else:
                pieces(piece)
        if result is None:
            msg = "the stream ended without its result"
            raise MalformedReplyError(msg)
        return result
