"""Replies of servers that end badly: without a word, in the middle, or in another form."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from autogen_core.models import CreateResult, RequestUsage, UserMessage
from pytest_httpserver import HTTPServer

from peerjudge.clients import MemoryCache, PersistentCache, Reply, SingleFlight, bill_to
from peerjudge.clients.retry import BrokenOffError, ModelStoppedError
from peerjudge.data import Usage
from peerjudge.errors import EmptyReplyError
from tests.clients.counting import Counts
from tests.clients.wire import PROMPT, answers, completion, governed, ok


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
