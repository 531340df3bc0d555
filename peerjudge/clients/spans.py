"""The span of one call to a model, where somebody has set up a tracer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from autogen_core.models import CreateResult

from peerjudge.clients.asked import Asked
from peerjudge.clients.billing import Call

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

__all__ = ["traced_call"]

# What of a request's sampling the conventions have a name for.
_SAMPLING = ("temperature", "top_p", "seed", "max_tokens")


async def traced_call(
    tracer: Tracer, asked: Asked, *, model: str, serve: Callable[[Asked], Awaitable[CreateResult]]
) -> CreateResult:
    """Serve a call inside a span that says what was asked for and what it took; never the texts."""
    from opentelemetry.trace import SpanKind

    bill = replace(asked.billing, calls=[])
    with tracer.start_as_current_span(f"chat {model}", kind=SpanKind.CLIENT) as span:
        span.set_attributes(_request(asked, model))
        try:
            result = await serve(replace(asked, billing=bill))
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            raise
        else:
            span.set_attribute("gen_ai.response.finish_reasons", [result.finish_reason])
            return result
        finally:
            asked.billing.calls.extend(bill.calls)
            for call in bill.calls:
                span.set_attributes(_taken(call))


def _request(asked: Asked, model: str) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.agent.name": asked.billing.reviewer,
        "gen_ai.conversation.id": asked.billing.discussion,
    }
    if asked.billing.turn is not None:
        attributes["peerjudge.turn"] = asked.billing.turn
    for name in _SAMPLING:
        value = asked.extra.get(name)
        if isinstance(value, int | float):
            attributes[f"gen_ai.request.{name}"] = value
    return attributes


def _taken(call: Call) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {
        "gen_ai.usage.input_tokens": call.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": call.usage.completion_tokens,
        "peerjudge.attempts": call.attempts,
        "peerjudge.outcome": call.outcome.value,
    }
    return attributes if call.cost is None else {**attributes, "peerjudge.cost_usd": call.cost}
