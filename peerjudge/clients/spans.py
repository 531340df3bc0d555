"""Spans of model calls, with the attributes of OpenTelemetry's conventions for generative models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.clients.billing import Call
from peerjudge.clients.calls import CallRequest

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer

# Sampling settings with a name in these conventions.
_SAMPLING = ("temperature", "top_p", "seed", "max_tokens")


def start_span(
    tracer: Tracer, request: CallRequest, *, model: str, reviewer: str
) -> AbstractContextManager[Span]:
    """Start the span of a call: its sampling, reviewer and discussion, never its texts."""
    from opentelemetry.trace import SpanKind

    billing = request.billing
    attributes: dict[str, str | int | float] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.agent.name": billing.reviewer or reviewer,
        "gen_ai.conversation.id": billing.discussion,
    }
    if billing.turn is not None:
        attributes["peerjudge.turn"] = billing.turn
    for name in _SAMPLING:
        value = request.extra.get(name)
        if isinstance(value, int | float):
            attributes[f"gen_ai.request.{name}"] = value
    return tracer.start_as_current_span(
        f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes
    )


def describe_call(call: Call) -> dict[str, str | int | float]:
    """Return the attributes of the span of a call: tokens, attempts, outcome and cost."""
    attributes: dict[str, str | int | float] = {
        "gen_ai.usage.input_tokens": call.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": call.usage.completion_tokens,
        "peerjudge.attempts": call.attempts,
        "peerjudge.outcome": call.outcome.value,
    }
    return attributes if call.cost is None else {**attributes, "peerjudge.cost_usd": call.cost}
