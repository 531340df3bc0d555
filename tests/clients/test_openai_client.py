"""The OpenAI client sends what AutoGen's client sends and returns what it returns."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from autogen_core import EVENT_LOGGER_NAME
from autogen_core.logging import LLMCallEvent
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
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
OPINION = AssistantMessage(content="The first.", source="reviewer")
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
    """Structured reply."""

    better: int


def settings(server: HTTPServer, **more: object) -> dict[str, Any]:
    """Return the settings of both clients."""
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
    """Return a completion with every field that AutoGen reads."""
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
    "a discussion": ([SYSTEM, USER, OPINION, USER], {}, {}),
    "no system message": ([USER], {}, {}),
    "sampling": ([SYSTEM, USER], {}, {"extra_create_args": {"temperature": 0.3, "seed": 5}}),
    "extra body of the card": ([SYSTEM, USER], {"extra_body": {"top_k": 4}}, {}),
    "extra body of the call": (
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
    "response format of the card": (
        [SYSTEM, USER],
        {"response_format": {"type": "json_object"}},
        {},
    ),
    "response format of the call": (
        [SYSTEM, USER],
        {"response_format": {"type": "text"}},
        {"extra_create_args": {"response_format": {"type": "json_object"}}},
    ),
    "an empty text": ([SYSTEM, UserMessage(content="", source="m")], {}, {}),
    "spaces at the end": ([SystemMessage(content="Fair. \n"), USER], {}, {}),
    "spaces at the end, kept": (
        [SystemMessage(content="Fair. \n"), USER],
        {"model_info": INFO | {"multiple_system_messages": True}},
        {},
    ),
    "nothing but spaces": ([SystemMessage(content=" "), USER], {}, {}),
    "an r1": ([SYSTEM, USER], {"model_info": INFO | {"family": "r1"}}, {}),
    "a claude": ([SYSTEM, USER], {"model": "claude-x"}, {}),
}


@pytest.mark.filterwarnings("ignore:Resolved model mismatch:UserWarning")
# AutoGen dumps a structured reply for its event log, which pydantic warns of.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@pytest.mark.parametrize("case", CASES)
async def test_both_clients_send_and_read_alike(httpserver: HTTPServer, case: str):
    """For every kind of prompt, bodies and results are equal."""
    messages, own_settings, arguments = CASES[case]
    sent: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        sent.append(json.loads(request.data))
        return Response(completion('{"better": 1}'), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handle)
    given = settings(httpserver, **own_settings)
    ours = OpenAIClient(given)
    results = []
    for client in (OpenAIChatCompletionClient(**given), ours):
        results.append(await client.create(messages, **arguments))
        await client.close()
    assert sent[1] == sent[0]
    assert results[1] == results[0]
    assert results[1].logprobs is not None
    assert results[1].thought == "Let me see."


async def test_cards_get_the_openai_client(httpserver: HTTPServer):
    """Providers with OpenAI's API get this client, with the component form of AutoGen's."""
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
async def test_a_function_call_without_tools_is_an_error(httpserver: HTTPServer, message):
    """A model that calls a function it was not given has not replied."""
    body = json.loads(completion(""))
    body["choices"][0]["message"] = message
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    client = OpenAIClient(settings(httpserver))
    with pytest.raises(MalformedReplyError, match="given none"):
        await client.create([SYSTEM, USER])
    await client.close()


async def test_the_text_of_a_refusal_is_the_reply(httpserver: HTTPServer):
    """A refusal in a field of its own is a refusal, not an empty reply."""
    body = json.loads(completion(""))
    words = "I'm sorry, I can't help with that."
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": words}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(body)
    client = OpenAIClient(settings(httpserver))
    result = await client.create([SYSTEM, USER])
    await client.close()
    assert result.content == words
    assert read_verdict(words).outcome is Outcome.REFUSED


async def test_alternatives_without_bytes_get_those_of_their_text(httpserver: HTTPServer):
    """AutoGen keeps only the bytes of an alternative, which some servers do not send."""
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


async def test_json_of_another_content_type_is_read(httpserver: HTTPServer):
    """Some servers send JSON as text/plain; reply and tokens count."""
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
    """AutoGen's event log has the call with its messages and tokens."""
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


async def test_every_call_has_the_headers_of_the_card(httpserver: HTTPServer):
    """Key, organization and the card's own headers go with every call."""
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
    "rate limit": (429, '{"error": {"message": "slow", "code": "insufficient_quota"}}'),
    "bad request": (400, '{"error": {"message": "what?", "param": "seed"}}'),
    "wrong key": (401, '{"message": "who?"}'),
    "HTML page": (502, "<html>Bad gateway</html>"),
    "other status": (418, '["tea"]'),
    "conflict": (409, ""),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_both_clients_fail_alike(httpserver: HTTPServer, refusal: str):
    """Type and attributes equal those of AutoGen's client; the message quotes any body besides."""
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
    for name in ("status_code", "body", "code", "param"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert str(ours).startswith(str(theirs))
    assert ours.response.headers["Retry-After"] == "3"


async def test_lost_connections_raise_the_errors_of_the_sdk(httpserver: HTTPServer):
    """A timeout and a closed server raise the SDK's types."""

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
