"""Replies of servers as they are on the wire."""

from __future__ import annotations

import json

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
