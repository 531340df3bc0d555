"""Requests to model servers, and results of their responses."""

from __future__ import annotations

import asyncio
import json
import socket
from types import SimpleNamespace
from typing import Any

import pytest
from autogen_core.models import UserMessage
from openai import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    InternalServerError,
    RateLimitError,
)
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import (
    ClientPool,
    FormBound,
    Governed,
    MalformedReplyError,
    ProviderFailedError,
    RetryPolicy,
    bill_to,
    build_client,
    create_args,
    find_refused,
)
from peerjudge.clients.charges import find_charge
from peerjudge.data import Card, ModelSpec, Sampling, Usage
from peerjudge.errors import EmptyReplyError
from peerjudge.shelf.cards import read_card
from peerjudge.verdicts import read_verdict
from tests.clients.counting import Counts
from tests.clients.wire import (
    PROMPT,
    answers,
    anthropic_message,
    as_json,
    completion,
    governed,
    ok,
    status,
)


async def test_temperature_seed_and_logprobs_are_on_the_wire(httpserver: HTTPServer):
    """A seat's sampling is sent with each call, and log-probabilities are returned."""
    alternative = {"token": "2", "logprob": -2.0, "bytes": [50]}
    logprobs = {
        "content": [{"token": "1", "logprob": -0.1, "bytes": [49], "top_logprobs": [alternative]}]
    }
    sent = answers(httpserver, ok(completion("1", logprobs=logprobs)))
    client = governed(httpserver)
    args, dropped = create_args(
        Sampling(temperature=0.7, top_p=0.9, seed=5, max_tokens=64, logprobs=True), "openai"
    )
    result = await client.create(PROMPT, extra_create_args=args)
    await client.close()
    (body,) = sent
    assert dropped == ()
    assert body["temperature"] == 0.7
    assert body["top_p"] == 0.9
    assert body["seed"] == 5
    assert body["max_tokens"] == 64
    assert body["logprobs"] is True
    assert body["top_logprobs"] == 20
    assert body["messages"] == [
        {"role": "system", "content": "Be fair."},
        {"role": "user", "content": "Which?"},
    ]
    assert result.logprobs is not None
    assert result.logprobs[0].token == "1"
    assert result.usage.prompt_tokens == 11


async def test_a_429_with_retry_after_is_retried(httpserver: HTTPServer):
    """The call succeeds after the requested wait and is paid once."""
    with bill_to(reviewer="r") as bill:
        sent = answers(httpserver, status(429, Retry_After="0.01"), ok())
        client = governed(httpserver)
        result = await client.create(PROMPT)
        await client.close()
        assert result.content == "1"
        assert len(sent) == 2
        tally = Counts.of(bill)
        assert (tally.paid, tally.failed, tally.attempts) == (1, 0, 2)
        assert (tally.prompt_tokens, tally.completion_tokens, tally.estimated) == (11, 3, False)


async def test_the_error_of_the_last_attempt_is_raised(httpserver: HTTPServer):
    """When all attempts fail, the caller gets the vendor's typed error."""
    with bill_to(reviewer="r") as bill:
        sent = answers(httpserver, status(500))
        client = governed(httpserver, attempts=3)
        with pytest.raises(InternalServerError):
            await client.create(PROMPT)
        await client.close()
        assert len(sent) == 3, "the SDK's own retries must be off"
        tally = Counts.of(bill)
        assert (tally.paid, tally.failed, tally.attempts) == (0, 1, 3)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_not_retried(httpserver: HTTPServer, code: int):
    """Permanent client errors cost one attempt."""
    sent = answers(httpserver, status(code))
    client = governed(httpserver)
    with pytest.raises(Exception, match="no") as caught:
        await client.create(PROMPT)
    await client.close()
    assert len(sent) == 1
    assert code != 401 or isinstance(caught.value, AuthenticationError)


@pytest.mark.parametrize("name", ["code", "type"])
async def test_a_used_up_quota_is_not_retried(httpserver: HTTPServer, name: str):
    """A 429 for a used-up quota is permanent."""
    body = {"error": {"message": "pay", name: "insufficient_quota"}}
    sent = answers(
        httpserver,
        lambda request: as_json(body, status=429),
    )
    client = governed(httpserver)
    with pytest.raises(RateLimitError):
        await client.create(PROMPT)
    await client.close()
    assert len(sent) == 1


async def test_a_wait_beyond_the_deadline_ends_the_retries(httpserver: HTTPServer):
    """A server that asks for a day's wait gets no second call; its error is raised at once."""
    sent = answers(httpserver, status(429, Retry_After="86400"))
    client = governed(httpserver)
    with pytest.raises(RateLimitError):
        await client.create(PROMPT)
    await client.close()
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", "<html>Sign in</html>"),
        ("application/json", "<html>Sign in</html>"),
        ("application/json", '{"choices": []}'),
        ("application/json", '{"choices": null}'),
        ("application/json", '{"choices": [{"mess'),
        ("application/json", '{"choices": [{"message": null}]}'),
        ("application/json", "[" * 100_000),
        ("application/json", b'{"choices": "\xff"}'),
    ],
)
async def test_a_200_without_a_reply_is_retried(
    httpserver: HTTPServer, content_type: str, body: str | bytes
):
    """A page of a proxy, an empty list or half a body passes; the next attempt gets the reply."""
    with bill_to(reviewer="r") as bill:

        def strange(request: Request) -> Response:
            return Response(body, content_type=content_type)

        sent = answers(httpserver, strange, ok(), strange)
        client = governed(httpserver, attempts=2)
        assert (await client.create(PROMPT)).content == "1"
        assert len(sent) == 2
        with pytest.raises(MalformedReplyError, match="some-model") as caught:
            await client.create([UserMessage(content="And now?", source="moderator")])
        await client.close()
        assert len(sent) == 4
        assert Counts.of(bill).failed == 1
        # The address was right for the first call.
        assert "base_url" not in str(caught.value)


async def test_an_address_that_has_never_replied_is_doubted(httpserver: HTTPServer):
    """When all first calls of a reviewer get a page, the message asks for its base_url."""
    answers(httpserver, lambda request: Response("<html>Sign in</html>"), ok(completion("")))
    client = governed(httpserver, attempts=1)
    with pytest.raises(MalformedReplyError, match="is its base_url right"):
        await client.create(PROMPT)
    with pytest.raises(EmptyReplyError, match="some-model sent an empty reply"):
        await client.create(PROMPT)
    await client.close()


async def test_an_error_in_a_200_is_retried_by_its_code(
    httpserver: HTTPServer,
):
    """A router's 200 with a provider's 502 counts as a 502; its message is raised."""
    busy, wrong = ({"error": {"message": "not today", "code": code}} for code in (502, 400))
    sent = answers(httpserver, ok(busy), ok(), ok(wrong))
    client = governed(httpserver)
    assert (await client.create(PROMPT)).content == "1"
    with pytest.raises(ProviderFailedError, match="not today"):
        await client.create([UserMessage(content="And now?", source="moderator")])
    await client.close()
    assert len(sent) == 3


async def test_missing_token_counts_are_estimated(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
):
    """Without a count of the server and a vocabulary, the reply counts and its tokens are estimated."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nonexistent")
    with bill_to(reviewer="r") as bill:
        answers(httpserver, ok(completion("twelve bytes") | {"usage": None}))
        client = governed(httpserver)
        assert (await client.create(PROMPT)).content == "twelve bytes"
        await client.close()
        tally = Counts.of(bill)
        assert tally.estimated
        assert tally.completion_tokens == 3
        assert tally.prompt_tokens > 0


async def test_a_closed_connection_is_not_a_timeout():
    """A server that closes the connection at once causes a connection error with its cause."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    there = SimpleNamespace(url_for=lambda path: f"http://127.0.0.1:{port}{path}")
    for attempts in (1, 2):
        client = governed(there, attempts=attempts)
        with pytest.raises(APIConnectionError, match=r"reset|disconnect") as caught:
            await client.create(PROMPT)
        assert not isinstance(caught.value, APITimeoutError)
        await client.close()
    server.close()


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        (None, "stop", "sent an empty reply"),
        ("", "stop", "sent an empty reply"),
        (" \n\t", "stop", "sent an empty reply"),
        ("\u200b\ufeff \u3164", "stop", "sent an empty reply"),
        ("", "content_filter", "content filter"),
    ],
)
async def test_an_empty_reply_is_paid_and_retried(
    httpserver: HTTPServer, content: str | None, reason: str, message: str
):
    """A reply that shows nothing is booked, is requested again, and fails the call in the end."""
    with bill_to(reviewer="r") as bill:
        empty = completion("")
        empty["choices"][0] |= {"finish_reason": reason}
        empty["choices"][0]["message"]["content"] = content
        busy = status(503)
        sent = answers(httpserver, busy, ok(empty), busy, ok(completion("2")), ok(empty))
        client = governed(httpserver, attempts=4)
        assert (await client.create(PROMPT)).content == "2"
        tally = Counts.of(bill)
        assert (tally.paid, tally.attempts, tally.failed) == (2, 4, 0)
        other = [UserMessage(content="And now?", source="moderator")]
        for times in (1, 2):
            with pytest.raises(EmptyReplyError, match=message):
                await client.create(other)
            tally = Counts.of(bill)
            assert len(sent) == tally.attempts == 4 + 4 * times
            assert (tally.paid, tally.failed) == (2 + 4 * times, times)
        assert (await client.create(PROMPT)).cached
        await client.close()


async def test_an_unreachable_server_is_a_connection_error():
    """A refused connection is retried as the policy says, then raised."""
    with bill_to(reviewer="r") as bill:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # bound, but not listening
            address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
            card = read_card(
                "tester", f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{address}"\n'
            )
            client = Governed(
                build_client(card, environ={}),
                policy=RetryPolicy(attempts=2, wait=0.0),
                reviewer="r",
            )
            with pytest.raises(APIConnectionError):
                await client.create(PROMPT)
            await client.close()
        assert Counts.of(bill).attempts == 2


async def test_the_default_key_is_not_sent_to_another_address(httpserver: HTTPServer):
    """A provider's default key goes only to the provider's default address."""
    seen: list[str] = []

    def handle(request: Request) -> Response:
        seen.append(request.headers.get("Authorization", ""))
        return as_json(completion())

    answers(httpserver, handle)
    card = read_card(
        "elsewhere",
        f'[model]\nprovider = "openai"\nname = "m"\nbase_url = "{httpserver.url_for("/v1")}"\n',
    )
    named = read_card(
        "named",
        f'[model]\nprovider = "openai"\nname = "m"\nbase_url = "{httpserver.url_for("/v1")}"\n'
        'key_env = "THEIRS"\n',
    )
    environ = {"OPENAI_API_KEY": "mine", "THEIRS": "theirs"}
    async with ClientPool(environ=environ) as pool:
        await pool.client(card).create(PROMPT)
        await pool.client(named).create(PROMPT, extra_create_args={"seed": 1})
    assert seen == ["Bearer no-key-needed", "Bearer theirs"]


async def test_ollama_options_are_on_the_wire(httpserver: HTTPServer):
    """Ollama gets the seat's sampling under its own names, next to the card's options."""
    sent: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        sent.append(json.loads(request.data))
        body = {
            "model": "llama3.1:8b",
            "created_at": "2024-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": "2"},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 7,
            "eval_count": 1,
        }
        return Response(json.dumps(body), content_type="application/json")

    httpserver.expect_request("/api/chat", method="POST").respond_with_handler(handle)
    card = read_card(
        "local",
        f'[model]\nprovider = "ollama"\nname = "llama3.1:8b"\nbase_url = "{httpserver.url_for("")}"\n'
        "[model.options]\nnum_ctx = 4096\n",
    )
    args, dropped = create_args(
        Sampling(temperature=0.5, seed=2, max_tokens=9, logprobs=True), "ollama"
    )
    async with ClientPool(environ={}) as pool:
        result = await pool.client(card).create(PROMPT, extra_create_args=args)
    assert result.content == "2"
    assert dropped == ("logprobs",)
    assert sent[0]["options"] == {
        "num_ctx": 4096,
        "temperature": 0.5,
        "seed": 2,
        "num_predict": 9,
    }


def claude(server: HTTPServer, reply: str) -> tuple[Card, list[dict[str, Any]]]:
    """Return a card whose model is this server of Anthropic's API, and the bodies and keys it gets."""
    sent: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        sent.append(json.loads(request.data) | {"key": request.headers["x-api-key"]})
        return anthropic_message(reply)

    server.expect_request("/v1/messages", method="POST").respond_with_handler(handle)
    card = read_card(
        "claude",
        f'[model]\nprovider = "anthropic"\nname = "claude-x"\nbase_url = "{server.url_for("")}"\n'
        'key_env = "KEY"\n',
    )
    return card, sent


async def test_anthropic_gets_its_own_settings(httpserver: HTTPServer):
    """Anthropic gets temperature and length; seed and log-probabilities are dropped."""
    card, sent = claude(httpserver, "1")
    args, dropped = create_args(
        Sampling(temperature=0.5, seed=2, max_tokens=9, logprobs=True), "anthropic"
    )
    async with ClientPool(environ={"KEY": "secret"}) as pool:
        result = await pool.client(card).create(PROMPT, extra_create_args=args)
    assert (result.content, result.finish_reason) == ("1", "stop")
    assert dropped == ("seed", "logprobs")
    assert sent[0]["temperature"] == 0.5
    assert sent[0]["max_tokens"] == 9
    assert sent[0]["system"] == "Be fair."
    assert sent[0]["key"] == "secret"


BOUND = FormBound(choices=("Answer (a)", "Answer (b)"), keys=("argument", "choice"))


async def test_the_schema_of_a_verdict_replaces_the_format_of_an_ollama_card():
    """The card's own format binds verdicts and ratings; a schema replaces it, and prose is free of it."""
    spec = ModelSpec(provider="ollama", name="llama", options={"format": "json"})
    assert create_args(Sampling(), "ollama", spec=spec) == ({}, ())
    assert create_args(Sampling(), "ollama", spec=spec, prose=True) == ({"format": ""}, ())
    args, _ = create_args(Sampling(), "ollama", spec=spec, bound=BOUND)
    assert args == {"format": BOUND.schema()}


def test_the_schema_of_a_rating_lists_the_numbers_of_its_scale():
    """Anthropic's schemas have no bounds of numbers, and Gemini lists texts only."""
    bound = FormBound(choices=("1", "2", "3"), keys=("argument", "rating"), rated=True)
    numbers = {"type": "integer", "enum": [1, 2, 3]}
    texts = {"type": "string", "enum": ["1", "2", "3"]}
    for dialect, provider, expected in (
        ("openai", "openai", numbers),
        ("openai", "gemini", texts),
        ("ollama", "ollama", numbers),
        ("anthropic", "anthropic", numbers),
    ):
        spec = ModelSpec(provider=provider, name="x")
        args, _ = create_args(Sampling(), dialect, spec=spec, bound=bound)
        found = json.dumps(args)
        assert json.dumps({"argument": {"type": "string"}, "rating": expected}) in found


def test_gemini_is_told_the_order_of_the_keys():
    """Its schemas have no order of their own."""
    spec = ModelSpec(provider="gemini", name="gemini-x")
    args, _ = create_args(Sampling(), "openai", spec=spec, bound=BOUND)
    schema = args["response_format"]["json_schema"]["schema"]
    assert schema["propertyOrdering"] == ["argument", "choice"]


def test_a_refused_schema_is_told_from_other_refusals():
    """Only an error that speaks of the form is a refusal of it."""

    def error(message: str) -> Exception:
        failure = Exception(message)
        failure.status_code = 400  # type: ignore[attr-defined]
        return failure

    args, _ = create_args(Sampling(temperature=0.5), "openai", bound=BOUND)
    assert find_refused(error("json_schema is not available"), args) == "form"
    assert find_refused(error("temperature is not supported"), args) == "temperature"
    assert find_refused(error("the prompt is too long"), args) is None
    without, dropped = create_args(Sampling(), "openai", bound=BOUND, refused={"form"})
    assert (without, dropped) == ({}, ("form",))


async def test_anthropic_gets_the_schema_of_a_verdict(httpserver: HTTPServer):
    """The form of a call is in the body of its request, and in no other."""
    card, sent = claude(httpserver, '{"argument": "x", "choice": "Answer (a)"}')
    args, _ = create_args(Sampling(), "anthropic", bound=BOUND)
    async with ClientPool(environ={"KEY": "secret"}) as pool:
        client = pool.client(card)
        result = await client.create(PROMPT, extra_create_args=args)
        await client.create(PROMPT)
    assert read_verdict(str(result.content)).position == 0
    assert sent[0]["output_config"]["format"]["schema"] == BOUND.schema()
    assert "output_config" not in sent[1]


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("page", [b"<!doctype html><p>Sign in", b"\xef\xbb\xbf <html>\xe9"])
async def test_a_page_in_place_of_a_reply_is_not_billed(httpserver, page: bytes, *, direct: bool):
    """A model's server replies in JSON, so a page comes from a proxy that did not ask it."""
    answers(httpserver, lambda _: Response(page, content_type="text/html"))
    client = governed(httpserver, attempts=1)
    with pytest.raises(MalformedReplyError) as caught:
        await client.create(PROMPT, json_output=None if direct else False)
    await client.close()
    assert find_charge(caught.value) == Usage()


async def test_a_reply_that_is_cut_may_be_billed(httpserver):
    """Its tokens are unknown, although the status is a success."""
    answers(httpserver, lambda _: Response('{"choices": [{"mess', content_type="text/html"))
    client = governed(httpserver, attempts=1)
    with pytest.raises(MalformedReplyError) as caught:
        await client.create(PROMPT)
    await client.close()
    assert find_charge(caught.value) is None


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
"""Part of a reply as Mistral's reasoning models send it."""


@pytest.mark.parametrize(
    ("parts", "text", "thought"),
    [
        ([{"type": "text", "text": "It is "}, {"type": "text", "text": "1"}], "It is 1", None),
        ([THOUGHT, {"type": "text", "text": "2"}], "2", "Hm."),
        (["It is ", {"text": "2"}, {"type": "image_url"}], "It is 2", None),
    ],
)
async def test_a_reply_in_parts_is_joined_and_paid_once(httpserver, parts, text, thought):
    """Some servers send the content as a list; its texts are the reply, its thinking is kept apart."""
    sent = answers(httpserver, ok(completion(parts)))
    client = governed(httpserver)
    result = await client.create(PROMPT)
    await client.close()
    assert (result.content, result.thought, len(sent)) == (text, thought, 1)


async def test_a_reply_in_parts_without_text_is_empty(httpserver):
    """A list that has no text is paid, and is no reply."""
    with bill_to(reviewer="r") as bill:
        answers(httpserver, ok(completion([{"type": "image_url"}])))
        client = governed(httpserver, attempts=1)
        with pytest.raises(EmptyReplyError):
            await client.create(PROMPT)
        await client.close()
        assert Counts.of(bill).paid == 1
