"""Replies of servers as they are on the wire."""

from __future__ import annotations

import json
from typing import Any

from werkzeug import Response


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
