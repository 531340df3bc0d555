"""Turns of compiled LangGraph graphs whose state has messages, such as agents of LangChain."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUntypedBaseClass=false
# LangGraph is an extra, so type checkers need not find it.

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langsmith import tracing_context
from pydantic_core import to_json

from peerjudge.data import InnerMessage, Usage, Utterance
from peerjudge.errors import CardError
from peerjudge.reviewers.asking import MadeAsk, NoResponseError, write_output

_FINISHED = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
"""Names that providers have for the usual reasons of the end of a reply."""


def make_ask(thing: object, *, name: str) -> MadeAsk:
    """Return the function that runs a graph on one prompt, in a thread of its own.

    Raises:
        CardError: The state of the graph has no messages.
    """
    graph = cast("Any", thing)
    if "messages" not in graph.channels:
        msg = (
            f"the graph of {name!r} has the state {sorted(graph.channels)}, without 'messages': give "
            "it a state such as langgraph.graph.MessagesState"
        )
        raise CardError(msg)

    async def ask(prompt: str, _settings: dict[str, float]) -> Utterance:
        heard = _Responses()
        task = HumanMessage(prompt, id=str(uuid.uuid4()))
        # A checkpointer keeps the messages of a thread, so each turn has a thread of its own.
        config = {"configurable": {"thread_id": str(uuid.uuid4())}, "callbacks": [heard]}
        with tracing_context(enabled=False):
            state = await graph.ainvoke({"messages": [task]}, config)
        return _build_reply(state, heard.messages, task=task, name=name)

    # No setting of a seat is sent: the models are inside the nodes of the graph.
    return ask, ()


class _Responses(BaseCallbackHandler):
    """Replies of all models of a run, those too that a node leaves out of the state."""

    run_inline = True

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def on_llm_end(self, response: object, **_: object) -> None:
        generations = cast("Any", response).generations
        self.messages += [
            message
            for generation in generations
            for each in generation[:1]
            if isinstance(message := getattr(each, "message", None), AIMessage)
        ]


def _build_reply(
    state: dict[str, Any], responses: Sequence[Any], *, task: HumanMessage, name: str
) -> Utterance:
    """Return the last message as the reply; what comes before it is inner talk.

    Raises:
        NoResponseError: The graph waits for a person, or its last message is not of a model.
    """
    if waits := state.get("__interrupt__"):
        msg = f"the graph of {name!r} waits for an input: {waits[0].value!r:.80}"
        raise NoResponseError(msg)
    messages = [one for one in state.get("messages", ()) if one.id != task.id]
    if not messages or not isinstance(messages[-1], AIMessage):
        msg = f"the graph of {name!r} ended without a message of its agent"
        raise NoResponseError(msg)
    last = messages[-1]
    text = str(last.text) or str(last.additional_kwargs.get("refusal") or "")
    if (structured := state.get("structured_response")) is not None:
        text = write_output(structured, name=name)
    replies = responses or [message for message in messages if isinstance(message, AIMessage)]
    usages = [reply.usage_metadata for reply in replies if reply.usage_metadata]
    said = last.response_metadata
    reason = str(said.get("finish_reason") or said.get("stop_reason") or "stop").lower()
    return Utterance(
        text=text,
        usage=Usage(
            prompt_tokens=sum(usage["input_tokens"] for usage in usages),
            completion_tokens=sum(one["output_tokens"] for one in usages),
        ),
        model=str(said.get("model_name") or said.get("model") or ""),
        finish_reason=_FINISHED.get(reason, reason),
        inner=_read_inner(messages, source=name),
    )


def _read_inner(messages: Sequence[Any], *, source: str) -> tuple[InnerMessage, ...]:
    """Return tool calls, their results, thoughts, and messages before the reply."""
    inner: list[InnerMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            kind = "tool error" if message.status == "error" else "tool result"
            text = f"{message.name or 'tool'}: {message.text}"
            inner.append(InnerMessage(source=source, kind=kind, text=text))
            continue
        speaker = message.name or source
        blocks = message.content_blocks if isinstance(message, AIMessage) else ()
        for block in blocks:
            if block["type"] == "reasoning" and block.get("reasoning"):
                text = str(block["reasoning"])
                inner.append(InnerMessage(source=speaker, kind="thought", text=text))
        if message is not messages[-1] and message.text:
            inner.append(InnerMessage(source=speaker, kind="message", text=str(message.text)))
        for call in getattr(message, "tool_calls", ()):
            text = f"{call['name']}({to_json(call['args']).decode()})"
            inner.append(InnerMessage(source=speaker, kind="tool call", text=text))
    return tuple(inner)
