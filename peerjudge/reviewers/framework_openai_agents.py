"""Turns of agents of the OpenAI Agents SDK, without its tracing, which sends prompts to OpenAI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from agents import (
    Agent,
    ItemHelpers,
    ModelRefusalError,
    ModelResponse,
    ModelSettings,
    RunConfig,
    RunContextWrapper,
    RunHooks,
    RunItem,
    Runner,
)
from peerjudge.data import InnerMessage, Usage, Utterance
from peerjudge.reviewers.asking import MadeAsk, write_output

_SETTINGS = ("temperature", "top_p", "max_tokens")
"""Settings of a seat that are sent with each turn; the SDK has no seed."""


def make_ask(agent: object, *, name: str) -> MadeAsk:
    """Return the function that runs an agent of the SDK on one prompt, without a session."""
    first = cast("Agent[Any]", agent)

    async def ask(prompt: str, settings: dict[str, float]) -> Utterance:
        config = RunConfig(
            tracing_disabled=True, model_settings=ModelSettings(**cast("dict[str, Any]", settings))
        )
        heard = _Responses()
        try:
            result = await Runner.run(first, prompt, run_config=config, hooks=heard)
        except ModelRefusalError as refusal:
            # A refusal is an answer of the model: it is kept and read as one.
            run = refusal.run_data
            items = run.new_items if run else ()
            return _build_reply(refusal.refusal, heard.responses, items, heard.last or first)
        responses, output = result.raw_responses, result.final_output
        if output == "" and responses and responses[-1].output:
            # The text of an agent without an output type lacks a refusal.
            output = ItemHelpers.extract_last_content(responses[-1].output[-1])
        text = write_output(output, name=name)
        return _build_reply(text, responses, result.new_items, result.last_agent)

    return ask, _SETTINGS


class _Responses(RunHooks[Any]):
    """Responses of a run, which its errors do not always carry."""

    def __init__(self) -> None:
        self.responses: list[ModelResponse] = []
        self.last: Agent[Any] | None = None

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        self.responses.append(response)
        self.last = agent


def _build_reply(
    text: str, responses: Sequence[ModelResponse], items: Sequence[RunItem], last: Agent[Any]
) -> Utterance:
    model = last.model
    return Utterance(
        text=text,
        usage=Usage(
            prompt_tokens=sum(response.usage.input_tokens for response in responses),
            completion_tokens=sum(each.usage.output_tokens for each in responses),
        ),
        model=model if isinstance(model, str) else str(getattr(model, "model", "")),
        inner=_read_inner(items),
    )


def _read_inner(items: Sequence[RunItem]) -> tuple[InnerMessage, ...]:
    """Return tool calls, their results, handoffs, thoughts and messages before the reply."""
    inner: list[InnerMessage] = []
    names: dict[str, str] = {}
    messages = [item for item in items if item.type == "message_output_item"]
    for item in items:
        source = item.agent.name
        if item.type in {"tool_call_item", "handoff_call_item"}:
            tool = str(_read(item, "name") or _read(item, "type"))
            names[str(_read(item, "call_id"))] = tool
            text = f"{tool}({_read(item, 'arguments') or ''})"
            inner.append(InnerMessage(source=source, kind="tool call", text=text))
        elif item.type == "tool_call_output_item":
            text = f"{names.get(str(_read(item, 'call_id')), 'tool')}: {item.output}"
            inner.append(InnerMessage(source=source, kind="tool result", text=text))
        elif item.type == "message_output_item" and item is not messages[-1]:
            text = ItemHelpers.text_message_output(item)
            inner.append(InnerMessage(source=source, kind="message", text=text))
        elif item.type == "reasoning_item" and item.raw_item.summary:
            text = "\n".join(part.text for part in item.raw_item.summary)
            inner.append(InnerMessage(source=source, kind="thought", text=text))
    return tuple(inner)


def _read(item: RunItem, field: str) -> object:
    """Return a field of the item as the model sent it, which is an object or a dictionary."""
    raw = cast("object", item.raw_item)
    if isinstance(raw, dict):
        return cast("dict[str, object]", raw).get(field)
    return getattr(raw, field, None)
