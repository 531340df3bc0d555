"""Replies of servers as they are on the wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from autogen_core.models import SystemMessage, UserMessage
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import Governed, RetryPolicy, SingleFlight, build_client
from peerjudge.data import Card
from peerjudge.shelf.cards import read_card

PROMPT = [SystemMessage(content="Be fair."), UserMessage(content="Which?", source="moderator")]


def anthropic_message(text: str) -> Response:
    """Return a message of the Messages API of Anthropic with this text."""
    body = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 1},
    }
    return Response(json.dumps(body), content_type="application/json")


def completion(
    content: object = "1",
    *,
    usage: object = (11, 3),
    model: str = "some-model-2024",
    **choice: object,
) -> dict[str, Any]:
    """Return a completion in OpenAI's form; a pair of tokens of prompt and reply becomes its usage."""
    if isinstance(usage, tuple):
        prompt, reply = usage
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": reply,
            "total_tokens": prompt + reply,
        }
    message = {"role": "assistant", "content": content}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": usage,
    }


def as_json(body: object, *, status: int = 200) -> Response:
    """Return a response with this body."""
    return Response(json.dumps(body), status=status, content_type="application/json")


def card_for(server: HTTPServer, extra: str = "") -> Card:
    """Return a card whose model is this server."""
    return read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "some-model"\nbase_url = "{server.url_for("/v1")}"\n'
        + extra,
    )


def governed(
    server: HTTPServer,
    *,
    attempts: int = 3,
    extra: str = "",
    flights: SingleFlight | None = None,
    identity: str = "",
) -> Governed:
    """Return the server's governed client, without waits between attempts."""
    card = card_for(server, extra)
    return Governed(
        build_client(card, environ={}),
        model="some-model",
        reviewer="tester",
        limits=card.limits,
        policy=RetryPolicy(attempts=attempts, wait=0.0),
        flights=flights,
        identity=identity,
    )


def answers(server: HTTPServer, *handlers: Callable[[Request], Response]) -> list[dict[str, Any]]:
    """Make the server answer in this order, the last one repeated; return the bodies it gets."""
    sent: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        sent.append(json.loads(request.data))
        return handlers[min(len(sent), len(handlers)) - 1](request)

    server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handle)
    return sent


def ok(body: dict[str, Any] | None = None) -> Callable[[Request], Response]:
    """Return a handler that answers with this completion."""
    return lambda request: as_json(body or completion())


def status(code: int, **headers: str) -> Callable[[Request], Response]:
    """Return a handler that fails with this status."""
    return lambda request: Response(
        json.dumps({"error": {"message": "no", "code": None}}),
        status=code,
        content_type="application/json",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
