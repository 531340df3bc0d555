"""A client that stands before another and lets through whatever it does not change."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
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

__all__ = ["Passing"]


class Passing(ChatCompletionClient):
    """Whatever `inner` is and says; who derives from this says how calls are made.

    Args:
        inner: The client behind this one.
    """

    def __init__(self, inner: ChatCompletionClient) -> None:
        self.inner = inner

    def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The stream of the inner client."""
        return self.inner.create_stream(
            messages,
            tools=tools,
            tool_choice=tool_choice,
            json_output=json_output,
            extra_create_args=dict(extra_create_args or {}),
            cancellation_token=cancellation_token,
        )

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
        """What the inner client counts."""
        return self.inner.count_tokens(messages, tools=list(tools))

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
