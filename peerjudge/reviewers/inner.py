"""Inner talk of agents and teams: the messages and tool calls of a turn before its reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    ModelClientStreamingChunkEvent,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)

from peerjudge.data import InnerKind, InnerMessage, replace

__all__ = ["MOST_CHARACTERS", "MOST_MESSAGES", "bound_inner", "read_inner"]

MOST_MESSAGES = 100
"""Largest number of messages that are kept of one turn."""

MOST_CHARACTERS = 8_000
"""Largest number of characters that are kept of one message."""


def read_inner(messages: Iterable[BaseAgentEvent | BaseChatMessage]) -> tuple[InnerMessage, ...]:
    """Return AutoGen's messages before a reply as inner talk, within the bounds."""
    return bound_inner([one for message in messages for one in _read_message(message)])


def bound_inner(messages: Sequence[InnerMessage]) -> tuple[InnerMessage, ...]:
    """Return at most `MOST_MESSAGES` messages of at most `MOST_CHARACTERS`; notes say what is left out.

    Of too many messages, those in the middle are left out: the first say what was tried, the last
    led to the reply.
    """
    kept = list(messages)
    if len(kept) > MOST_MESSAGES:
        head = MOST_MESSAGES // 2
        tail = MOST_MESSAGES - head - 1
        note = InnerMessage(
            source="", kind="note", text=f"{len(kept) - head - tail:,} messages are not kept"
        )
        kept = [*kept[:head], note, *kept[-tail:]]
    return tuple(_shorten(message) for message in kept)


def _shorten(message: InnerMessage) -> InnerMessage:
    left = len(message.text) - MOST_CHARACTERS
    if left <= 0:
        return message
    note = f" [{left:,} more characters are not kept]"
    return replace(message, text=message.text[:MOST_CHARACTERS] + note)


def _read_message(message: BaseAgentEvent | BaseChatMessage) -> list[InnerMessage]:
    if isinstance(message, ModelClientStreamingChunkEvent):
        return []  # The whole message follows.
    source = message.source
    if isinstance(message, ToolCallRequestEvent):
        return [
            InnerMessage(source=source, kind="tool call", text=f"{call.name}({call.arguments})")
            for call in message.content
        ]
    if isinstance(message, ToolCallExecutionEvent):
        return [
            InnerMessage(
                source=source,
                kind="tool error" if result.is_error else "tool result",
                text=f"{result.name}: {result.content}",
            )
            for result in message.content
        ]
    kind: InnerKind = "thought" if isinstance(message, ThoughtEvent) else "message"
    return [InnerMessage(source=source, kind=kind, text=message.to_text())]
