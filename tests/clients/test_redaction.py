"""Redaction of keys in replies and failures."""

from __future__ import annotations

import traceback

import pytest
from autogen_core.models import UserMessage
from openai import AuthenticationError, BadRequestError
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


def echo_all(request: Request) -> Response:
    """Refuse a request, and repeat its address and all its headers."""
    return Response(f"{request.url} {dict(request.headers)}", status=400)


async def test_values_of_the_environment_are_redacted_like_keys(httpserver: HTTPServer):
    """A server that repeats a header or parameter gives nothing away, in any spelling of it."""
    card = read_card(
        "tester",
        f'[model]\nprovider = "openai"\nname = "m"\nbase_url = "{httpserver.url_for("/v1")}"\n'
        'key_env = "K"\nquery_env = {key = "Q"}\nheaders_env = {X-Auth = "H"}\n',
    )
    environ = {"K": "key-SECRET1", "Q": "a b/SECRET2", "H": "Bearer SECRET3-x"}
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(echo_all)
    async with ClientPool(environ=environ) as pool:
        with pytest.raises(BadRequestError) as caught:
            await pool.client(card).create([UserMessage(content="?", source="m")])
    assert "SECRET" not in repr(caught.value.args) + str(vars(caught.value).get("body"))
    assert "X-Auth" in str(caught.value)
