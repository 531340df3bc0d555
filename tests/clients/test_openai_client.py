"""The shorter way to OpenAI's API sends what AutoGen's client sends, and reads what it reads."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from autogen_core import EVENT_LOGGER_NAME
from autogen_core.logging import LLMCallEvent
from autogen_core.models import (
    AssistantMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import ToolSchema
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import APIConnectionError, APIStatusError, APITimeoutError
from pydantic import BaseModel
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import MalformedReplyError, build_client
from peerjudge.clients.openai_client import OpenAIClient
from peerjudge.data import Outcome
from peerjudge.shelf.cards import read_card
from peerjudge.verdicts import read_verdict

SYSTEM = SystemMessage(content="Be fair.")
USER = UserMessage(content="Which? é 你好 \u2028", source="moderator")
SAID = AssistantMessage(content="The first.", source="reviewer")
TOOL: ToolSchema = {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}
INFO = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": True,
    "family": "unknown",
    "multiple_system_messages": False,
}


class Choice(BaseModel):
    """A reply in a schema."""

    better: int


def settings(server: HTTPServer, **more: object) -> dict[str, Any]:
    """What both clients are made with."""
    return {
        "model": "m",
        "api_key": "none",
        "base_url": server.url_for("/v1"),
        "max_retries": 0,
        "timeout": 5.0,
        "include_name_in_message": False,
        "model_info": INFO,
        **more,
    }


def completion(content: str) -> str:
    """A reply with everything in it that AutoGen reads."""
    alternative = {"token": "2", "logprob": -2.0, "bytes": [50]}
    token = {"token": "1", "logprob": -0.1, "bytes": [49], "top_logprobs": [alternative]}
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": content,
                        "reasoning_content": "Let me see.",
                    },
                    "finish_reason": "stop",
                    "logprobs": {"content": [token]},
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        }
    )


CASES: dict[str, tuple[list[LLMMessage], dict[str, Any], dict[str, Any]]] = {
    "plain": ([SYSTEM, USER], {}, {}),
    "a discussion": ([SYSTEM, USER, SAID, USER], {}, {}),
    "no system message": ([USER], {}, {}),
    "sampling": ([SYSTEM, USER], {}, {"extra_create_args": {"temperature": 0.3, "seed": 5}}),
    "body of the card": ([SYSTEM, USER], {"extra_body": {"top_k": 4}}, {}),
    "body of the call": (
        [SYSTEM, USER],
        {"extra_body": {"top_k": 4}},
        {"extra_create_args": {"extra_body": {"min_p": 0.1}}},
    ),
    "two system messages": ([SYSTEM, SYSTEM, USER], {}, {}),
    "a system message within": ([USER, SYSTEM], {}, {}),
    "names": ([SYSTEM, USER], {"include_name_in_message": True}, {}),
    "name prefixes": ([SYSTEM, USER], {"add_name_prefixes": True}, {}),
    "tools": ([SYSTEM, USER], {}, {"tools": [TOOL]}),
    "json": ([SYSTEM, USER], {}, {"json_output": True}),
    "a schema": ([SYSTEM, USER], {}, {"json_output": Choice}),
    "a form of the card": ([SYSTEM, USER], {"response_format": {"type": "json_object"}}, {}),
    "a form of the call": (
        [SYSTEM, USER],
        {"response_format": {"type": "text"}},
        {"extra_create_args": {"response_format": {"type": "json_object"}}},
    ),
    "an empty text": ([SYSTEM, UserMessage(content="", source="m")], {}, {}),
    "spaces at the end": ([SystemMessage(content="Fair. \n"), USER], {}, {}),
    "spaces that stay": (
        [SystemMessage(content="Fair. \n"), USER],
        {"model_info": INFO | {"multiple_system_messages": True}},
        {},
    ),
    "nothing but spaces": ([SystemMessage(content=" "), USER], {}, {}),
    "an r1": ([SYSTEM, USER], {"model_info": INFO | {"family": "r1"}}, {}),
    "a claude": ([SYSTEM, USER], {"model": "claude-x"}, {}),
}


@pytest.mark.filterwarnings("ignore:Resolved model mismatch:UserWarning")
# AutoGen dumps a reply in a schema for its event log, which pydantic does not like.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@pytest.mark.parametrize("case", CASES)
async def test_both_ways_send_and_read_the_same(httpserver: HTTPServer, case: str):
    """Whatever the prompt, the bodies are equal, and so are the results."""
    messages, made_with, asked_with = CASES[case]
    sent: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        sent.append(json.loads(request.data))
        return Response(completion('{"better": 1}'), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handle)
    given = settings(httpserver, **made_with)
    quick = OpenAIClient(given)
    results = []
    for client in (OpenAIChatCompletionClient(**given), quick):
        results.append(await client.create(messages, **asked_with))
        await client.close()
    assert sent[1] == sent[0]
    assert results[1] == results[0]
    assert results[1].logprobs is not None
    assert results[1].thought == "Let me see."


async def test_cards_get_the_quick_client(httpserver: HTTPServer):
    """Every provider that speaks OpenAI's language is asked the shorter way, and dumps as usual."""
    card = read_card(
        "r", f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{httpserver.url_for("/v1")}"\n'
    )
    client = build_client(card, environ={})
    assert isinstance(client, OpenAIClient)
    component = client.dump_component()
    assert component.provider == "autogen_ext.models.openai.OpenAIChatCompletionClient"
    assert "http_client" not in component.model_dump_json()
    await client.close()


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
        {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
    ],
)
async def test_a_function_that_was_not_given_cannot_be_called(httpserver: HTTPServer, message):
    """A model that calls a function nobody gave it has not replied."""
    body = json.loads(completion(""))
    body["choices"][0]["message"] = message
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    client = OpenAIClient(settings(httpserver))
    with pytest.raises(MalformedReplyError, match="given none"):
        await client.create([SYSTEM, USER])
    await client.close()


async def test_words_of_refusal_are_the_reply(httpserver: HTTPServer):
    """A model that declines in a field of its own has declined, and not said nothing."""
    body = json.loads(completion(""))
    words = "I'm sorry, I can't help with that."
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": words}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    client = OpenAIClient(settings(httpserver))
    result = await client.create([SYSTEM, USER])
    await client.close()
    assert result.content == words
    assert read_verdict(words).outcome is Outcome.REFUSED


async def test_alternatives_without_bytes_are_known_by_their_text(httpserver: HTTPServer):
    """AutoGen keeps the bytes of an alternative alone: where a server has none, its text stands in."""
    body = json.loads(completion("1"))
    (token,) = body["choices"][0]["logprobs"]["content"]
    spelt = [
        {"token": "é", "logprob": -1.0, "bytes": None},
        {"token": "\ud83d", "logprob": -2.0},
        {"token": "2", "logprob": -3.0, "bytes": [50]},
        {"logprob": -4.0},
    ]
    token["top_logprobs"] = spelt
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    client = OpenAIClient(settings(httpserver))
    (read,) = (await client.create([SYSTEM, USER])).logprobs or ()
    await client.close()
    given = [None if top.bytes is None else bytes(top.bytes) for top in read.top_logprobs or ()]
    assert given == ["é".encode(), b"\xed\xa0\xbd", b"2", None]


async def test_json_under_another_name_is_read(httpserver: HTTPServer):
    """Some servers send JSON as text; their replies and tokens count like others."""
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        completion("1"), content_type="text/plain"
    )
    client = OpenAIClient(settings(httpserver))
    assert (await client.create([SYSTEM, USER])).content == "1"
    assert client.total_usage().prompt_tokens == client.actual_usage().prompt_tokens == 11
    await client.close()


async def test_calls_are_in_the_event_log_of_autogen(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture
):
    """Whoever listens to AutoGen's events hears of the call with its messages and its tokens."""
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        completion("1"), content_type="application/json"
    )
    client = OpenAIClient(settings(httpserver))
    with caplog.at_level("INFO", logger=EVENT_LOGGER_NAME):
        await client.create([SYSTEM, USER])
    await client.close()
    (event,) = [one.msg for one in caplog.records if isinstance(one.msg, LLMCallEvent)]
    assert event.prompt_tokens == 11
    assert "Be fair." in str(event)


async def test_every_call_is_sent_with_the_headers_of_the_first(httpserver: HTTPServer):
    """What the library puts around the first body, it and the short way put around all."""
    sent: list[dict[str, str]] = []

    def handle(request: Request) -> Response:
        sent.append(dict(request.headers))
        return Response(completion("1"), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    client = OpenAIClient(
        settings(
            httpserver,
            organization="ours",
            default_headers={"X-Of-The-Card": "yes"},
        )
    )
    for _ in range(3):
        await client.create([SYSTEM, USER])
    await client.close()
    assert sent[1] == sent[2] == sent[0]
    assert sent[2]["Authorization"] == "Bearer none"
    assert sent[2]["Openai-Organization"] == "ours"
    assert sent[2]["X-Of-The-Card"] == "yes"


REFUSALS = {
    "a limit": (429, '{"error": {"message": "slow", "code": "insufficient_quota"}}'),
    "a mistake": (400, '{"error": {"message": "what?", "param": "seed"}}'),
    "a lost key": (401, '{"message": "who?"}'),
    "a page": (502, "<html>Bad gateway</html>"),
    "an odd status": (418, '["tea"]'),
    "a conflict": (409, ""),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_both_clients_fail_alike(httpserver: HTTPServer, refusal: str):
    """Type, message and the attributes that a retry policy reads equal those of AutoGen's client."""
    status, body = REFUSALS[refusal]
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        body, status=status, content_type="application/json", headers={"Retry-After": "3"}
    )
    failures: list[APIStatusError] = []
    for kind in (lambda given: OpenAIChatCompletionClient(**given), OpenAIClient):
        client = kind(settings(httpserver))
        with pytest.raises(APIStatusError) as caught:
            await client.create([SYSTEM, USER])
        failures.append(caught.value)
        await client.close()
    theirs, ours = failures
    assert type(ours) is type(theirs)
    for name in ("message", "status_code", "body", "code", "param"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert str(ours) == str(theirs)
    assert ours.response.headers["Retry-After"] == "3"


async def test_both_ways_lose_connections_the_same(httpserver: HTTPServer):
    """A server that is gone, or takes too long, fails with the types of the library."""

    def hang(request: Request) -> Response:
        time.sleep(0.5)
        return Response(completion("1"))

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(hang)
    client = OpenAIClient(settings(httpserver, timeout=0.1))
    for _ in range(2):
        with pytest.raises(APITimeoutError):
            await client.create([SYSTEM, USER])
    httpserver.stop()
    with pytest.raises(APIConnectionError):
        await client.create([SYSTEM, USER])
    await client.close()
    httpserver.start()
