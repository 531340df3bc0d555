"""A client that stands before another and lets through whatever it does not change."""

from __future__ import annotations

from collections.abc import Sequence

from autogen_core.models import ChatCompletionClient, LLMMessage, ModelInfo, RequestUsage
from autogen_core.tools import Tool, ToolSchema

__all__ = ["Passing"]


class Passing(ChatCompletionClient):
    """Whatever `inner` is and says; who derives from this says how calls are made.

    Args:
        inner: The client behind this one.
    """

    def __init__(self, inner: ChatCompletionClient) -> None:
        self.inner = inner

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
