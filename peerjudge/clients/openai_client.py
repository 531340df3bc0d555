"""AutoGen's OpenAI client with less work per call: another transport, and a shorter way to it.

Of the five milliseconds of processor time that a call takes as AutoGen ships its client, two go to
httpx2's transport, which openai can replace by aiohttp's. Of what is left then, more than half goes
to comparing every message of the prompt, and every field of the reply, with every type there is.
Plain text needs no such comparison: openai's `post` sends and returns JSON as it is. Half of the rest
goes to putting together requests that differ in nothing but their body; see `posting`. What remains
is httpx2 and aiohttp. `benchmarks/http.py` measures it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, cast

from autogen_core import EVENT_LOGGER_NAME, CancellationToken
from autogen_core.logging import LLMCallEvent
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    FinishReasons,
    LLMMessage,
    ModelFamily,
    RequestUsage,
    SystemMessage,
    TopLogprob,
    UserMessage,
)
from autogen_core.tools import Tool, ToolSchema
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI, DefaultAioHttpClient
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from pydantic import BaseModel

from peerjudge.clients.failures import MalformedReplyError, ProviderFailedError
from peerjudge.clients.posting import Posting

if TYPE_CHECKING:
    from httpx2 import AsyncClient

__all__ = ["QuickOpenAIClient", "aiohttp_transport"]

_OF_THE_BODY = frozenset(CompletionCreateParamsBase.__annotations__)
_OF_THE_SDK = frozenset(signature(AsyncOpenAI.__init__).parameters)

# The names that AutoGen has for them; any other is unknown.
_FINISHES: Mapping[object, FinishReasons] = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "content_filter": "content_filter",
}

_events = logging.getLogger(EVENT_LOGGER_NAME)


def aiohttp_transport(timeout: float) -> AsyncClient:
    """An HTTP client for openai that speaks through aiohttp; `timeout` is in seconds."""
    return DefaultAioHttpClient(timeout=timeout)


class QuickOpenAIClient(OpenAIChatCompletionClient):
    """`OpenAIChatCompletionClient` that takes a shorter way with plain prompts.

    What goes over the wire and what comes of it are the same, but that a model's words of refusal,
    which come under a name of their own, are its reply. Prompts with images or tools, with
    several system messages, or with `json_output`, go AutoGen's own way. Its component form is
    that of AutoGen's client.

    Args:
        settings: What AutoGen's client takes, and the `http_client`.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(**settings)
        direct = AsyncOpenAI(**{k: v for k, v in settings.items() if k in _OF_THE_SDK})
        self._direct = Posting(direct, settings["http_client"], "/chat/completions")
        self._body = {k: v for k, v in settings.items() if k in _OF_THE_BODY} | {"stream": False}
        self._extra_body = dict(settings.get("extra_body") or {})
        self._merging = not settings["model_info"].get("multiple_system_messages", False)
        self._paid = RequestUsage(prompt_tokens=0, completion_tokens=0)
        # For these AutoGen changes messages or replies on their way.
        self._changing = (
            settings.get("add_name_prefixes", False)
            or settings.get("include_name_in_message", True)
            or settings["model_info"]["family"] == ModelFamily.R1
            or str(settings["model"]).startswith("claude-")
            or isinstance(settings.get("response_format"), type)
        )

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """The reply to these messages, as `ChatCompletionClient.create` has it.

        Raises:
            MalformedReplyError: The model called a function, though it was given none.
            ProviderFailedError: An error came back, though as a success.
            LookupError, TypeError, ValueError: What came back is no reply.
        """
        extra = dict(extra_create_args or {})
        body = None if tools or json_output is not None else self._plain(messages, extra)
        if body is None:
            return await super().create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra,
                cancellation_token=cancellation_token,
            )
        reply: Any
        if cancellation_token is None:
            reply = await self._direct.post(body)
        else:
            asking = asyncio.ensure_future(self._direct.post(body))
            cancellation_token.link_future(asking)
            reply = await asking
        # Some servers do not say that what they send is JSON.
        return self._read(body, json.loads(reply) if isinstance(reply, str) else reply)

    def actual_usage(self) -> RequestUsage:
        """The tokens of all replies."""
        return _added(super().actual_usage(), self._paid)

    def total_usage(self) -> RequestUsage:
        """The tokens of all replies."""
        return _added(super().total_usage(), self._paid)

    def _plain(
        self, messages: Sequence[LLMMessage], extra: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """The body of the request, if nothing in it needs AutoGen's attention."""
        own = extra.get("extra_body", self._extra_body)
        given = {name: value for name, value in extra.items() if name != "extra_body"}
        typed = isinstance(given.get("response_format"), type)
        if self._changing or typed or not given.keys() <= _OF_THE_BODY:
            return None
        plain: list[dict[str, str]] = []
        for place, message in enumerate(messages):
            content = message.content
            if not isinstance(content, str) or not content.strip():
                return None
            if isinstance(message, SystemMessage) and place == 0:
                # AutoGen merges system messages, which takes away what stands at their end.
                text = content.rstrip() if self._merging else content
                plain.append({"role": "system", "content": text})
            elif isinstance(message, UserMessage):
                plain.append({"role": "user", "content": content})
            elif isinstance(message, AssistantMessage) and not message.thought:
                plain.append({"role": "assistant", "content": content})
            else:
                return None
        return {**self._body, **given, "messages": plain, **own}

    def _read(self, body: Mapping[str, Any], reply: dict[str, Any]) -> CreateResult:
        usage = _usage(reply.get("usage"))
        self._paid = _added(self._paid, usage)
        if _events.isEnabledFor(logging.INFO):
            _events.info(
                LLMCallEvent(
                    messages=body["messages"],
                    response=reply,
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                )
            )
        if not reply.get("choices") and (error := reply.get("error")):
            raise _failed(error)
        choice: dict[str, Any] = reply["choices"][0]
        message: dict[str, Any] = choice["message"]
        logprobs: dict[str, Any] = choice.get("logprobs") or {}
        if message.get("tool_calls") or message.get("function_call"):
            msg = f"{body['model']} called a function, though it was given none"
            raise MalformedReplyError(msg)
        return CreateResult(
            finish_reason=_FINISHES.get(choice.get("finish_reason"), "unknown"),
            content=message.get("content") or message.get("refusal") or "",
            usage=usage,
            cached=False,
            logprobs=_logprobs(logprobs.get("content")),
            thought=message.get("reasoning_content"),
        )


def _usage(counted: object) -> RequestUsage:
    """The tokens as the server counted them; nothing where that is no count."""
    given = cast("dict[str, object]", counted if isinstance(counted, dict) else {})
    prompt, reply = (given.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return RequestUsage(prompt_tokens=_number(prompt), completion_tokens=_number(reply))


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _failed(error: object) -> ProviderFailedError:
    """The failure that a reply tells of: its message, and the status that it would have had."""
    said = cast("dict[str, object]", error if isinstance(error, dict) else {"message": error})
    status = said.get("code")
    return ProviderFailedError(
        f"the server answered with an error: {said.get('message') or said}",
        status=status if isinstance(status, int) else None,
    )


def _logprobs(tokens: list[dict[str, Any]] | None) -> list[ChatCompletionTokenLogprob] | None:
    if not tokens:
        return None
    return [
        ChatCompletionTokenLogprob(
            token=token["token"],
            logprob=token["logprob"],
            top_logprobs=[
                TopLogprob(logprob=top["logprob"], bytes=_spelt(top))
                for top in token.get("top_logprobs") or ()
            ],
            bytes=token.get("bytes"),
        )
        for token in tokens
    ]


def _spelt(token: Mapping[str, Any]) -> list[int] | None:
    """The bytes of an alternative, by which alone AutoGen knows it; llama.cpp sends its text only."""
    given, text = token.get("bytes"), token.get("token")
    if given is not None or not text:
        return given
    return list(text.encode(errors="surrogatepass"))


def _added(one: RequestUsage, other: RequestUsage) -> RequestUsage:
    return RequestUsage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
    )
