"""Redaction of keys in replies and failures."""

from __future__ import annotations

import traceback

import pytest
from openai import AuthenticationError
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import ClientPool
from peerjudge.clients.cleaning import Redaction
from peerjudge.shelf.cards import read_card
from tests.clients.wire import as_json, completion

KEY = "sk-planted-0123456789"


def card_for(server: HTTPServer):
    """Return a card with a key, whose model is this server."""
    return read_card(
        "tester",
        '[model]\nprovider = "openai"\nname = "m"\nkey_env = "PLANTED"\n'
        f'base_url = "{server.url_for("/v1")}"\n',
    )


def echo(request: Request) -> Response:
    """Refuse a request with its key in the message."""
    error = {"message": f"bad {request.headers['Authorization']}", "code": None}
    return as_json({"error": error}, status=401)


async def test_failures_do_not_contain_the_key(httpserver: HTTPServer):
    """Message, body and traceback are without the key that the server repeated."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(echo)
    async with ClientPool(environ={"PLANTED": KEY}) as pool:
        with pytest.raises(AuthenticationError) as caught:
            await pool.client(card_for(httpserver)).create([])
    shown = "".join(traceback.format_exception(caught.value))
    assert "bad Bearer [key]" in str(caught.value)
    assert KEY not in shown + str(caught.value.body) + caught.value.message + repr(caught.value)


async def test_replies_do_not_contain_the_key(httpserver: HTTPServer):
    """A reply that quotes the key is returned without it, and without the tokens that spell it."""

    def quote(request: Request) -> Response:
        text = f"{request.headers['Authorization']} wins"
        tokens = [
            {"token": part, "logprob": -0.1} for part in ("Bearer ", KEY[:9], KEY[9:], " wins")
        ]
        return as_json(completion(text, logprobs={"content": tokens}))

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(quote)
    async with ClientPool(environ={"PLANTED": KEY}) as pool:
        result = await pool.client(card_for(httpserver)).create([])
    assert result.content == "Bearer [key] wins"
    assert result.logprobs is None


def test_a_key_that_begins_like_another_one_leaves_no_rest():
    """The longer of two keys is replaced first, in any order of the two."""
    for secrets in ((KEY[:9], KEY), (KEY, KEY[:9])):
        assert Redaction(secrets).redact_text(f"{KEY}, {KEY[:9]}") == "[key], [key]"
