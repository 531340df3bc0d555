"""AutoGen's OpenAI client with less work per call: another transport, and no walk over messages.

Of the five milliseconds of processor time that a call takes as AutoGen ships its client, a third is
httpx2's transport, which openai can replace by aiohttp's, and a fifth to a third is openai comparing
every message with every kind of message there is. Text messages need no such comparison, and what
is passed as `extra_body` goes without. `benchmarks/http.py` measures it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from autogen_core import CancellationToken
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import Tool, ToolSchema
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import DefaultAioHttpClient
from pydantic import BaseModel

if TYPE_CHECKING:
    from httpx2 import AsyncClient

__all__ = ["QuickOpenAIClient", "aiohttp_transport"]


def aiohttp_transport(timeout: float) -> AsyncClient:
    """An HTTP client for openai that speaks through aiohttp; `timeout` is in seconds."""
    return DefaultAioHttpClient(timeout=timeout)


class QuickOpenAIClient(OpenAIChatCompletionClient):
    """`OpenAIChatCompletionClient` that sends plain prompts by a shorter way.

    What goes over the wire is the same. Prompts with images or tools, with several system messages,
    or to be answered in a schema, go AutoGen's own way. AutoGen's event log shows no messages for
    those that go the shorter way. Its component form is that of AutoGen's client.

    Args:
        settings: What AutoGen's client takes.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(**settings)
        self._fixed_body = dict(settings.get("extra_body") or {})
        # AutoGen changes the messages on their way for these.
        self._changing = (
            settings.get("add_name_prefixes", False)
            or settings.get("include_name_in_message", True)
            or str(settings["model"]).startswith("claude-")
        )

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
        """The reply to these messages, as `ChatCompletionClient.create` has it."""
        extra = dict(extra_create_args or {})
        plain = None if tools or isinstance(json_output, type) else self._plain(messages)
        if plain is not None:
            body = extra.get("extra_body", self._fixed_body)
            extra["extra_body"] = {**body, "messages": plain}
            messages = []
        return await super().create(
            messages,
            tools=tools,
            tool_choice=tool_choice,
            json_output=json_output,
            extra_create_args=extra,
            cancellation_token=cancellation_token,
        )

    def _plain(self, messages: Sequence[LLMMessage]) -> list[dict[str, str]] | None:
        """The messages as they are sent, if they are all text and of the usual form."""
        if self._changing:
            return None
        plain: list[dict[str, str]] = []
        for place, message in enumerate(messages):
            content = message.content
            if not isinstance(content, str) or not content:
                return None
            if isinstance(message, SystemMessage) and place == 0:
                plain.append({"role": "system", "content": content})
            elif isinstance(message, UserMessage):
                plain.append({"role": "user", "content": content})
            elif isinstance(message, AssistantMessage) and not message.thought:
                plain.append({"role": "assistant", "content": content})
            else:
                return None
        return plain
