"""A key that comes back, in a reply or in a failure, goes no further."""

from __future__ import annotations

import json
import traceback

import pytest
from openai import AuthenticationError
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import ClientPool
from peerjudge.shelf.cards import read_card

KEY = "sk-planted-0123456789"


def card_for(server: HTTPServer):
    """A card whose model is this server, with a key."""
    return read_card(
        "tester",
        '[model]\nprovider = "openai"\nname = "m"\nkey_env = "PLANTED"\n'
        f'base_url = "{server.url_for("/v1")}"\n',
    )


def echo(request: Request) -> Response:
    """Refuses, and says with which key it was asked."""
    error = {"message": f"bad {request.headers['Authorization']}", "code": None}
    return Response(json.dumps({"error": error}), status=401, content_type="application/json")


async def test_no_failure_shows_a_key_that_the_server_sent_back(httpserver: HTTPServer):
    """Neither the message, nor the body, nor any line of the traceback has it."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(echo)
    async with ClientPool(environ={"PLANTED": KEY}) as pool:
        with pytest.raises(AuthenticationError) as caught:
            await pool.client(card_for(httpserver)).create([])
    shown = "".join(traceback.format_exception(caught.value))
    assert "bad Bearer [key]" in str(caught.value)
    assert KEY not in shown + str(caught.value.body) + caught.value.message + repr(caught.value)


async def test_no_reply_shows_a_key_that_the_server_sent_back(httpserver: HTTPServer):
    """A reply that quotes the key is kept and handed on without it."""

    def quote(request: Request) -> Response:
        message = {"role": "assistant", "content": f"{request.headers['Authorization']} wins"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Response(json.dumps({"choices": [choice]}), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(quote)
    async with ClientPool(environ={"PLANTED": KEY}) as pool:
        result = await pool.client(card_for(httpserver)).create([])
    assert result.content == "Bearer [key] wins"
