"""Turns of pydantic-ai agents."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pydantic-ai is an extra, so type checkers need not find it.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pydantic_ai import capture_run_messages
from pydantic_ai.exceptions import ContentFilterError
from pydantic_ai.usage import RunUsage

from peerjudge.clients.sampling import SETTINGS
from peerjudge.data import InnerMessage, Usage, Utterance
from peerjudge.reviewers.asking import MadeAsk, write_output


def make_ask(thing: object, *, name: str) -> MadeAsk:
    """Return the function that runs a pydantic-ai agent on one prompt, without a history."""
    agent = cast("Any", thing)

    async def ask(prompt: str, settings: dict[str, float]) -> Utterance:
        usage = RunUsage()  # filled by the run, those of agents that its tools ask included
        with capture_run_messages() as messages:
            try:
                result = await agent.run(prompt, model_settings=settings or None, usage=usage)
                text = write_output(result.output, name=name)
            except ContentFilterError:
                # A refusal is an answer of the model: it is kept and read as one.
                text = str(
                    (getattr(messages[-1], "provider_details", None) or {}).get("refusal", "")
                )
                if not text:
                    raise
        return _build_reply(text, messages, usage, source=agent.name or name)

    return ask, SETTINGS


def _build_reply(text: str, messages: Sequence[Any], usage: RunUsage, *, source: str) -> Utterance:
    last = next(message for message in reversed(messages) if message.kind == "response")
    reason = last.finish_reason or "stop"
    return Utterance(
        text=text,
        usage=Usage(
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
        ),
        model=last.model_name or "",
        # A structured output is the call of an output tool: it ends the turn.
        finish_reason="stop" if reason == "tool_call" else reason,
        inner=_read_inner(messages, source=source),
    )


def _read_inner(messages: Sequence[Any], *, source: str) -> tuple[InnerMessage, ...]:
    """Return tool calls, their results, and thoughts."""
    inner: list[InnerMessage] = []
    for part in (part for message in messages for part in message.parts):
        if part.part_kind == "tool-call":
            text = f"{part.tool_name}({part.args_as_json_str()})"
            inner.append(InnerMessage(source=source, kind="tool call", text=text))
        elif part.part_kind == "tool-return":
            text = f"{part.tool_name}: {part.model_response_str()}"
            inner.append(InnerMessage(source=source, kind="tool result", text=text))
        elif part.part_kind == "retry-prompt":
            text = f"{part.tool_name or 'output'}: {part.model_response()}"
            inner.append(InnerMessage(source=source, kind="tool error", text=text))
        elif part.part_kind == "thinking" and part.content:
            inner.append(InnerMessage(source=source, kind="thought", text=part.content))
    return tuple(inner)
