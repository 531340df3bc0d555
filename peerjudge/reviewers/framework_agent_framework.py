"""Turns of agents of the Microsoft Agent Framework.

The agent itself has all that is needed, so this module does not import the framework.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pydantic_core import to_json

from peerjudge.clients.sampling import SETTINGS
from peerjudge.data import InnerMessage, Usage, Utterance
from peerjudge.errors import CardError
from peerjudge.reviewers.asking import MadeAsk, NoResponseError


def make_ask(thing: object, *, name: str) -> MadeAsk:
    """Return the function that runs an agent on one prompt, without a session.

    Raises:
        CardError: The agent is a workflow, which keeps the state of its runs.
    """
    if _has_base(thing, "WorkflowAgent"):
        msg = (
            f"{name!r} is a workflow, which keeps the state of its runs and runs once at a time: "
            "return an async function of the request that builds the workflow for each turn"
        )
        raise CardError(msg)
    agent = cast("Any", thing)

    async def ask(prompt: str, settings: dict[str, float]) -> Utterance:
        options = {"options": settings} if settings else {}
        response = await agent.run(prompt, **options)
        return _build_reply(response, name=name, source=agent.name or name)

    # Other classes than `Agent` take no settings.
    return ask, SETTINGS if _has_base(agent, "RawAgent") else ()


def _has_base(thing: object, name: str) -> bool:
    return any(
        each.__name__ == name and each.__module__.startswith("agent_framework.")
        for each in type(thing).__mro__
    )


def _build_reply(said: object, *, name: str, source: str) -> Utterance:
    """Return the last message as the reply; what comes before it is inner talk.

    Raises:
        NoResponseError: The agent said nothing, or waits for an approval.
    """
    response = cast("Any", said)
    if response.user_input_requests:
        msg = f"agent {name!r} asks for an input of its user, such as an approval of a tool"
        raise NoResponseError(msg)
    messages = list(response.messages)
    if not messages or messages[-1].role != "assistant":
        msg = f"agent {name!r} ended its turn without a message"
        raise NoResponseError(msg)
    usage = cast("dict[str, int | None]", response.usage_details or {})
    return Utterance(
        text=messages[-1].text,
        usage=Usage(
            prompt_tokens=usage.get("input_token_count") or 0,
            completion_tokens=usage.get("output_token_count") or 0,
        ),
        model=getattr(response.raw_representation, "model", None) or "",
        finish_reason=response.finish_reason or "stop",
        inner=_read_inner(messages, source=source),
    )


def _read_inner(messages: Sequence[Any], *, source: str) -> tuple[InnerMessage, ...]:
    """Return tool calls, their results, thoughts, and messages before the reply."""
    inner: list[InnerMessage] = []
    names: dict[str, str] = {}
    for message in messages:
        speaker = message.author_name or source
        for content in message.contents:
            if content.type == "function_call":
                names[content.call_id] = content.name
                text = f"{content.name}({_write_arguments(content.arguments)})"
                inner.append(InnerMessage(source=speaker, kind="tool call", text=text))
            elif content.type == "function_result":
                text = f"{names.get(content.call_id, 'tool')}: {content.result}"
                kind = "tool result" if content.exception is None else "tool error"
                inner.append(InnerMessage(source=source, kind=kind, text=text))
            elif content.type == "text_reasoning" and content.text:
                inner.append(InnerMessage(source=speaker, kind="thought", text=content.text))
            elif content.type == "text" and content.text and message is not messages[-1]:
                inner.append(InnerMessage(source=speaker, kind="message", text=content.text))
    return tuple(inner)


def _write_arguments(arguments: object) -> str:
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return to_json(arguments).decode()
