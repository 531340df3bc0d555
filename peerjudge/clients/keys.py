"""The digest of a request: equal exactly when the same reply may serve both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Literal

from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    LLMMessage,
    UserMessage,
)
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

__all__ = ["request_key"]


def request_key(
    *,
    model: str,
    messages: Sequence[LLMMessage],
    tools: Sequence[Tool | ToolSchema],
    tool_choice: Tool | Literal["auto", "required", "none"],
    json_output: bool | type[BaseModel] | None,
    extra_create_args: Mapping[str, object],
    draw: str,
) -> str | None:
    """The digest of all that determines a reply, or `None` if some of it is not plain data.

    `model` stands for provider, address, model name and constructor settings. Unlike in AutoGen's
    own cache, they count, and so do the choice of tools and the random draw.
    """
    texts: list[str] = []
    try:
        head = json.dumps(
            [
                model,
                [_plain(message, texts) for message in messages],
                [tool.schema if isinstance(tool, Tool) else tool for tool in tools],
                tool_choice if isinstance(tool_choice, str) else tool_choice.schema,
                json_output.model_json_schema() if isinstance(json_output, type) else json_output,
                dict(extra_create_args),
                draw,
            ],
            sort_keys=True,
        )
    except (TypeError, ValueError):
        return None
    # The texts stand apart, for quoting them would cost more than the digest itself; the head has
    # their lengths, so that no two requests run together into the same bytes.
    digest = hashlib.sha256(head.encode())
    for text in texts:
        digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()[:32]


def _plain(message: LLMMessage, texts: list[str]) -> object:
    """What tells a message from others; its text, if it is one, goes to the texts."""
    content = message.content
    if not isinstance(content, str) or isinstance(message, FunctionExecutionResultMessage):
        return message.model_dump(mode="json")
    texts.append(content)
    said_by: tuple[str, ...] = ()
    if isinstance(message, UserMessage):
        said_by = (message.source,)
    elif isinstance(message, AssistantMessage):
        said_by = (message.source, message.thought or "")
    return (message.type, *said_by, len(content))
