"""The digest of a request: equal exactly when the same reply may serve both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from autogen_core.models import LLMMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.data import content_hash

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
    try:
        return content_hash(
            model,
            [message.model_dump(mode="json") for message in messages],
            [tool.schema if isinstance(tool, Tool) else tool for tool in tools],
            tool_choice if isinstance(tool_choice, str) else tool_choice.schema,
            json_output.model_json_schema() if isinstance(json_output, type) else json_output,
            dict(extra_create_args),
            draw,
        )
    except (TypeError, ValueError):
        return None
