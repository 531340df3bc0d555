"""The shorter way to OpenAI's API sends what AutoGen's client sends, and reads what it reads."""

from __future__ import annotations

import json
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
from pydantic import BaseModel
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.cards import read_card
from peerjudge.clients import MalformedReplyError, build_client
from peerjudge.clients.openai_client import QuickOpenAIClient, aiohttp_transport

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
    quick = QuickOpenAIClient({**given, "http_client": aiohttp_transport(5.0)})
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
    assert isinstance(client, QuickOpenAIClient)
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
    client = QuickOpenAIClient({**settings(httpserver), "http_client": aiohttp_transport(5.0)})
    with pytest.raises(MalformedReplyError, match="given none"):
        await client.create([SYSTEM, USER])
    await client.close()


async def test_json_under_another_name_is_read(httpserver: HTTPServer):
    """Some servers send JSON as text; their replies and tokens count like others."""
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        completion("1"), content_type="text/plain"
    )
    client = QuickOpenAIClient({**settings(httpserver), "http_client": aiohttp_transport(5.0)})
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
    client = QuickOpenAIClient({**settings(httpserver), "http_client": aiohttp_transport(5.0)})
    with caplog.at_level("INFO", logger=EVENT_LOGGER_NAME):
        await client.create([SYSTEM, USER])
    await client.close()
    (event,) = [one.msg for one in caplog.records if isinstance(one.msg, LLMCallEvent)]
    assert event.prompt_tokens == 11
    assert "Be fair." in str(event)
