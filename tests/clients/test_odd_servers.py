"""Replies of servers that end badly: without a word, in the middle, or in another form."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from autogen_core.models import CreateResult, RequestUsage, UserMessage
from openai import APIStatusError
from pytest_httpserver import HTTPServer
from structlog.testing import capture_logs
from werkzeug import Request, Response

from peerjudge.clients import (
    MemoryCache,
    PersistentCache,
    Reply,
    SingleFlight,
    bill_to,
    build_client,
)
from peerjudge.clients.responses import MOST_BYTES
from peerjudge.clients.retry import (
    BrokenOffError,
    ModelStoppedError,
    OversizedReplyError,
    RedirectedError,
)
from peerjudge.data import Sampling, Usage
from peerjudge.errors import EmptyReplyError
from peerjudge.reviewers.calling import SamplingCaller
from peerjudge.shelf.cards import read_card
from tests.clients.counting import Counts
from tests.clients.wire import PROMPT, answers, as_json, card_for, completion, governed, ok


def silent(most: int = 400, **message: object) -> dict[str, Any]:
    """Return a reply that used up its limit before its first word."""
    empty = completion(
        "",
        usage={
            "prompt_tokens": 11,
            "completion_tokens": most,
            "completion_tokens_details": {"reasoning_tokens": most},
        },
    )
    empty["choices"][0] |= {"finish_reason": "length"}
    empty["choices"][0]["message"] |= message
    return empty


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ({}, "it holds 4,096 tokens; 4,096 tokens of thinking"),
        ({"content": None, "reasoning_content": "Both are right."}, "15 characters of thinking"),
        ({"content": "<think>Answer 1 is"}, "11 characters of thinking"),
    ],
)
async def test_a_reply_that_used_up_its_limit_is_bought_once(
    httpserver: HTTPServer, message: dict[str, object], held: str
):
    """Thinking up to the limit is one attempt, also for the next run, until the limit is another one."""
    sent = answers(httpserver, ok(silent(4096, **message)))
    cache = MemoryCache()
    with bill_to(reviewer="r") as bill:
        for runs in (1, 2):
            flights = SingleFlight(cache)
            client = governed(httpserver, flights=flights, identity="m")
            with pytest.raises(EmptyReplyError, match="raise max_tokens") as caught:
                await client.create(PROMPT, extra_create_args={"max_tokens": 4096})
            assert held in str(caught.value)
            await client.close()
            tally = Counts.of(bill)
            assert (len(sent), tally.paid, tally.failed) == (1, 1, runs)
        client = governed(httpserver, flights=flights, identity="m")
        with pytest.raises(EmptyReplyError):
            await client.create(PROMPT, extra_create_args={"max_tokens": 8192})
        assert len(sent) == 2
        await client.close()


async def test_a_store_keeps_a_reply_that_used_up_its_limit():
    """The stored reply without words is served if its limit is the reason, else it is missing."""
    kept: dict[str, str] = {}

    class Texts:
        """Texts in memory."""

        async def claim(self, key: str, *, instead_of: str | None = None) -> str | None:
            text = kept.get(key)
            return None if text == instead_of else text

        async def put(self, key: str, text: str) -> None:
            kept[key] = text

        def release(self, key: str) -> None: ...

    cache = PersistentCache(Texts())
    for reason, served in (("length", True), ("stop", False)):
        result = CreateResult(
            finish_reason=reason, content="", usage=RequestUsage(11, 4), cached=False
        )
        await cache.put(reason, Reply(result=result, usage=Usage()))
        assert (await cache.claim(reason) is not None) == served


async def test_a_model_whose_replies_all_use_up_their_limit_is_stopped(httpserver: HTTPServer):
    """After ten such replies in a row no call is made below this limit; words end the row."""
    replies = [*[ok(silent())] * 9, ok(), ok(silent())]
    sent = answers(httpserver, *replies)
    client = governed(httpserver)
    small, large = ({"max_tokens": most} for most in (400, 800))
    for call in range(20):
        prompt = [UserMessage(content=f"Which? {call}", source="moderator")]
        with suppress(EmptyReplyError):
            await client.create(prompt, extra_create_args=small)
    assert len(sent) == 20
    with pytest.raises(ModelStoppedError, match=r"last 10 replies used all their tokens \(400\)"):
        await client.create(PROMPT, extra_create_args=small)
    assert len(sent) == 20
    with pytest.raises(EmptyReplyError):
        await client.create(PROMPT, extra_create_args=large)
    await client.close()
    assert len(sent) == 21


PARTIAL = "I think that Answer (b) is better. But on"


def broken(reason: str | None, text: str = PARTIAL, **more: object) -> dict[str, Any]:
    """Return a reply that its server broke off, with more fields of its choice."""
    body = completion(text)
    body["choices"][0] |= {"finish_reason": reason, **more}
    return body


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (broken("error"), "I think that Answer"),
        (broken("ERROR", native_finish_reason="x"), "I think that Answer"),
        (broken("insufficient_system_resource"), "insufficient_system_resource"),
        (broken("abort"), "abort"),
        (broken("error", "", error={"code": 502, "message": "upstream died"}), "upstream died"),
        (broken("stop", error={"code": "503", "message": "went away"}), "went away"),
        (broken("stop") | {"error": {"message": "lost it"}}, "lost it"),
        ({"choices": [{"finish_reason": "error", "error": "no text"}]}, "no text"),
    ],
)
async def test_a_reply_that_the_server_broke_off_is_repeated(
    httpserver: HTTPServer, body: dict[str, Any], says: str
):
    """Half a text is no reply: the next attempt is made, and the last error quotes it."""
    sent = answers(httpserver, ok(body), ok(), ok(body))
    client = governed(httpserver, attempts=2)
    assert (await client.create(PROMPT)).content == "1"
    assert len(sent) == 2
    with pytest.raises(BrokenOffError, match="broke off") as caught:
        await client.create([UserMessage(content="And now?", source="moderator")])
    assert says in str(caught.value)
    await client.close()
    assert len(sent) == 4


def refuse(message: str, *, code: int = 400, **more: object) -> Callable[[Request], Response]:
    """Return a handler that refuses a request with this message."""
    body = {"error": {"message": message, "type": "invalid_request_error", **more}}
    return lambda request: as_json(body, status=code)


def caller(server: HTTPServer, extra: str = "") -> SamplingCaller:
    """Return the caller of a card with these lines under `[model]`."""
    card = card_for(server, extra)
    client = governed(server, attempts=1, extra=extra)
    return SamplingCaller(client, reviewer="tester", spec=card.model)


MERGED = [{"role": "user", "content": "Be fair.\n\nWhich?"}]


@pytest.mark.parametrize(
    "refusal",
    [
        refuse("System role not supported"),
        refuse(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            param="messages[0].role",
        ),
        refuse("Only user and assistant roles are supported!"),
        refuse("Conversation roles must alternate user/assistant/user/assistant/..."),
        refuse("Developer instruction is not enabled for models/gemma-3-27b-it"),
        refuse("Jinja Exception: System role not supported", code=500),
        refuse("invalid role: system, must be one of user, assistant"),
        refuse("body.messages.0.role: Input should be 'user' or 'assistant'", code=422),
        refuse("This model does not support system prompts", code=422),
    ],
)
async def test_a_refused_system_role_leads_the_first_user_message(
    httpserver: HTTPServer, refusal: Callable[[Request], Response]
):
    """The text of the system is sent with the user's from then on, with one warning."""
    sent = answers(httpserver, refusal, ok())
    asking = caller(httpserver)
    with capture_logs() as logs:
        for call in (1, 2):
            result, unset = await asking.call(PROMPT, Sampling(seed=call))
            assert (result.content, unset) == ("1", ("system",))
    await asking.client.close()
    assert [len(body["messages"]) for body in sent] == [2, 1, 1]
    assert [body["messages"] for body in sent[1:]] == [MERGED, MERGED]
    (warning,) = (each for each in logs if each.get("setting") == "system")
    assert "system role not supported" in warning["event"]


async def test_calls_at_once_are_each_asked_again(httpserver: HTTPServer):
    """A refusal that another call has met already is no reason to fail."""
    no = refuse("System role not supported")
    sent = answers(httpserver, no, no, ok())
    asking = caller(httpserver)
    results = await asyncio.gather(*(asking.call(PROMPT, Sampling(seed=call)) for call in (1, 2)))
    await asking.client.close()
    assert [unset for _, unset in results] == [("system",), ("system",)]
    assert len(sent) == 4


@pytest.mark.parametrize(
    "refusal",
    [
        refuse("This model's maximum context length is 4096 tokens, your messages have 5131"),
        refuse("Your account does not support this model"),
        refuse("After the optional system message, conversation roles must alternate"),
    ],
)
async def test_another_refusal_says_nothing_about_the_system_role(
    httpserver: HTTPServer, refusal: Callable[[Request], Response]
):
    """A request that is wrong for another reason is made once."""
    sent = answers(httpserver, refusal)
    asking = caller(httpserver)
    with pytest.raises(APIStatusError):
        await asking.call(PROMPT, Sampling())
    await asking.client.close()
    assert len(sent) == 1


async def test_a_card_says_what_its_model_does_not_take(httpserver: HTTPServer):
    """What `unset` names is not sent, not even once."""
    sent = answers(httpserver, ok())
    asking = caller(httpserver, 'unset = ["system", "temperature"]\n')
    _, unset = await asking.call(PROMPT, Sampling(temperature=0.5, seed=3))
    await asking.client.close()
    (body,) = sent
    assert body["messages"] == MERGED
    assert ("temperature" in body, body["seed"]) == (False, 3)
    assert set(unset) == {"system", "temperature"}


def stream(*events: object, end: str = "data: [DONE]\n\n") -> Callable[[Request], Response]:
    """Return a handler that sends these events."""
    text = "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    return lambda request: Response(text + end, content_type="text/event-stream; charset=utf-8")


def delta(content: str, finish: str | None = None, **more: object) -> dict[str, Any]:
    """Return one event of a stream."""
    piece = {"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [piece]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}}
STREAM = stream(
    delta("", reasoning_content="Let "),
    delta("Choice:\u2028", reasoning_content="me see."),
    delta(" Answer (a)"),
    delta("", "stop"),
    USAGE,
)


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (STREAM, "Choice:\u2028 Answer (a)"),
        (stream(delta("Choice: Answer (a)", "stop"), end=""), "Choice: Answer (a)"),
        (stream(completion("whole")), "whole"),
    ],
)
async def test_a_stream_is_read_whatever_was_asked(
    httpserver: HTTPServer, handler: Callable[[Request], Response], text: str
):
    """The pieces of text, thinking and tokens are put together."""
    sent = answers(httpserver, handler)
    client = governed(httpserver)
    result = await client.create(PROMPT)
    await client.close()
    assert (result.content, result.finish_reason, len(sent)) == (text, "stop", 1)
    if handler is STREAM:
        assert (result.thought, result.usage.prompt_tokens) == ("Let me see.", 11)


@pytest.mark.parametrize(
    "handler",
    [
        stream(delta("Choice: Ans"), end=""),
        stream(delta("Choice: Ans"), {"error": {"message": "went away"}}),
        stream(delta("Choice: Ans", "error")),
        stream(end=""),
        stream(end='event: error\ndata: {"message": "went away", "code": 503}\n\n'),
    ],
)
async def test_a_stream_that_breaks_off_is_repeated(
    httpserver: HTTPServer, handler: Callable[[Request], Response]
):
    """Half a stream is no reply."""
    sent = answers(httpserver, handler, ok())
    client = governed(httpserver)
    assert (await client.create(PROMPT)).content == "1"
    await client.close()
    assert len(sent) == 2


@pytest.mark.parametrize(
    "message",
    [
        "This model only support stream mode, please enable the stream parameter.",
        "Streaming is required for this model",
        "stream must be set to true",
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "Non-streaming requests are not supported by this deployment",
    ],
)
async def test_a_model_that_only_streams_is_asked_for_streams(httpserver: HTTPServer, message: str):
    """After its refusal, and from the beginning where the card says so."""
    sent = answers(httpserver, refuse(message), STREAM)
    asking = caller(httpserver)
    result, unset = await asking.call(PROMPT, Sampling(max_tokens=9))
    assert (result.content, unset) == ("Choice:\u2028 Answer (a)", ())
    assert [body["stream"] for body in sent] == [False, True]
    assert sent[1]["stream_options"] == {"include_usage": True}
    await asking.client.close()
    card = caller(httpserver, "options = {stream = true}\n")
    await card.call(PROMPT, Sampling())
    await card.client.close()
    assert [body["stream"] for body in sent] == [False, True, True]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"detail": "Model is still loading"}, "Model is still loading"),
        (
            {"detail": [{"loc": ["body", "max_tokens"], "msg": "is less than 256"}]},
            "body.max_tokens: is less than 256",
        ),
        ({"message": "Account suspended", "param": None}, "Account suspended"),
        ({"error": "the model is not loaded"}, "the model is not loaded"),
        ([{"error": {"code": 400, "message": "API key not valid."}}], "API key not valid."),
        ({"errors": [{"message": "quota used up"}, "and more"]}, "quota used up; and more"),
        ("upstream says no", "upstream says no"),
        ("<html><style>a{}</style><h1>Bad gateway</h1></html>", "Bad gateway"),
        ({"fault": {"faultstring": "x"}}, '{"fault": {"faultstring": "x"}}'),
    ],
)
async def test_an_error_is_quoted_in_any_form(httpserver: HTTPServer, body: object, says: str):
    """What a server says is in the error, whatever the form of its body."""
    text = body if isinstance(body, str) else json.dumps(body)
    answers(httpserver, lambda request: Response(text, status=400))
    client = governed(httpserver)
    with pytest.raises(APIStatusError) as caught:
        await client.create(PROMPT)
    await client.close()
    assert str(caught.value) == f"Error code: 400 - {says}"


@pytest.mark.parametrize("code", [301, 302, 307, 308])
async def test_a_redirect_is_refused_with_both_addresses(httpserver: HTTPServer, code: int):
    """Prompt and headers go to no address that the card does not name."""
    elsewhere: list[Request] = []

    def take(request: Request) -> Response:
        elsewhere.append(request)
        return as_json(completion())

    httpserver.expect_request("/elsewhere").respond_with_handler(take)
    target = httpserver.url_for("/elsewhere")
    sent = answers(httpserver, lambda request: Response("", code, {"Location": f"{target}?key=1"}))
    client = governed(httpserver)
    for more in ({}, {"json_output": True}):
        with pytest.raises(RedirectedError) as caught:
            await client.create(PROMPT, **more)
        for address in (httpserver.url_for("/v1/chat/completions"), target):
            assert address in str(caught.value)
        assert "key=1" not in str(caught.value)
    await client.close()
    assert (len(sent), elsewhere) == (2, [])


def packed(request: Request) -> Response:
    """Return a small body that unpacks to more than a reply can have."""
    body = gzip.compress(b" " * (MOST_BYTES + 1), 1)
    return Response(body, content_type="application/json", headers={"Content-Encoding": "gzip"})


def endless(request: Request) -> Response:
    """Return a body without an end."""
    return Response(itertools.repeat(b" " * 2**20), content_type="application/json")


@pytest.mark.parametrize("handler", [packed, endless])
async def test_a_reply_has_a_largest_size(
    httpserver: HTTPServer, handler: Callable[[Request], Response]
):
    """A body without an end is not read into memory, and not asked for again."""
    sent = answers(httpserver, handler)
    client = governed(httpserver)
    with pytest.raises(OversizedReplyError, match="more than 64 MB"):
        await client.create(PROMPT)
    await client.close()
    assert len(sent) == 1


async def test_a_cut_prompt_is_said_once(httpserver: HTTPServer):
    """A server that counts far fewer tokens than were sent has cut the prompt, or counts wrongly."""
    answers(httpserver, ok(completion("1", usage=(2048, 3))))
    client = governed(httpserver)
    with capture_logs() as logs:
        for text in (
            "Short? ",
            "blank" + " " * 90_000,
            "Which is right? " * 6_000,
            "And? " * 20_000,
        ):
            await client.create([UserMessage(content=text, source="moderator")])
    await client.close()
    (warning,) = (each for each in logs if each["log_level"] == "warning")
    assert "sent about 24,000 tokens, the server counted 2,048" in warning["event"]


async def test_the_query_of_an_address_is_sent_with_every_call(httpserver: HTTPServer):
    """Parameters of the address, and those of the environment, stay behind the path of the API."""
    seen: list[dict[str, str]] = []

    def take(request: Request) -> Response:
        seen.append(request.args.to_dict() | {"auth": request.headers.get("X-Auth", "")})
        return as_json(completion())

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(take)
    card = read_card(
        "tester",
        '[model]\nprovider = "vllm"\nname = "m"\n'
        f'base_url = "{httpserver.url_for("/v1")}?api-version=2024-02-01&region=eu"\n'
        'query_env = {key = "QKEY"}\nheaders_env = {X-Auth = "HKEY"}\n',
    )
    client = build_client(card, environ={"QKEY": "a b/c&d", "HKEY": "session=1"})
    for more in ({}, {"json_output": True}):
        await client.create(PROMPT, **more)
    await client.close()
    wanted = {"api-version": "2024-02-01", "region": "eu", "key": "a b/c&d", "auth": "session=1"}
    assert seen == [wanted, wanted]
