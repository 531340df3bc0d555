"""Requests and replies as plain data, for a client in another process.

Vendor types are slow to pickle, and a type that a user has written may not be found elsewhere. So
texts travel as texts, log-probabilities as numbers, and the type that a reply has to fit as its
name and its JSON schema: a stand-in is made of those, which notes what it is to read, and whoever
has the type reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple, Self, cast

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    FinishReasons,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    TopLogprob,
    UserMessage,
)
from pydantic import BaseModel

from peerjudge.clients.asked import Asked, Pieces
from peerjudge.clients.billing import Billing

__all__ = ["PackedReply", "PackedRequest", "pack", "pack_reply", "unpack", "unpack_reply"]

_Text = tuple[str, str, str, str | None]
_Rival = tuple[float, list[int] | None]
_Token = tuple[str, float, list[int] | None, list[_Rival] | None]

_ATOMS = frozenset({str, int, float, bool, type(None)})

_Texts = list[str | bytes | bytearray]

_to_read: ContextVar[_Texts] = ContextVar("what is to be read as the type asked for")


class PackedRequest(NamedTuple):
    """What is asked. A message is its kind, text, sender and thought, unless there are images in it."""

    messages: list[_Text | UserMessage]
    form: bool | tuple[str, str] | None
    extra: Mapping[str, Any]
    streamed: bool


class PackedReply(NamedTuple):
    """What was answered, and what of it is to be read as the type that was asked for."""

    finish_reason: FinishReasons
    content: str | list[FunctionCall]
    usage: tuple[int, int]
    cached: bool
    logprobs: list[_Token] | None
    thought: str | None
    to_read: _Texts


def pack(
    messages: Sequence[LLMMessage],
    *,
    json_output: bool | type[BaseModel] | None,
    extra: Mapping[str, Any],
    streamed: bool,
) -> PackedRequest | None:
    """The request, or `None` if it can only be made here.

    Tools were used in it, which some clients remember; or some of its settings are no plain data.
    """
    packed = [_packed(message) for message in messages]
    if None in packed or not _is_plain(extra):
        return None
    form = json_output
    if isinstance(form, type):
        form = (form.__name__, json.dumps(form.model_json_schema()))
    return PackedRequest(cast("list[_Text | UserMessage]", packed), form, extra, streamed)


def unpack(request: PackedRequest, hand_on: Callable[[str], None]) -> Asked:
    """The request again; if it is a streamed one, its pieces are handed on.

    What its client reads as the type that was asked for is noted for `pack_reply`.
    """
    form = request.form
    if isinstance(form, tuple):
        _to_read.set([])
        form = _stand_in(*form)
    return Asked(
        billing=Billing(reviewer=""),
        messages=[_unpacked(message) for message in request.messages],
        tools=(),
        tool_choice="auto",
        json_output=form,
        extra=request.extra,
        token=None,
        pieces=Pieces(hand_on) if request.streamed else None,
    )


def pack_reply(result: CreateResult) -> PackedReply:
    """The reply to the request that was unpacked in this task."""
    logprobs = result.logprobs
    return PackedReply(
        finish_reason=result.finish_reason,
        content=result.content,
        usage=(result.usage.prompt_tokens, result.usage.completion_tokens),
        cached=result.cached,
        logprobs=None if logprobs is None else [_token(each) for each in logprobs],
        thought=result.thought,
        to_read=_to_read.get([]),
    )


def unpack_reply(
    reply: PackedReply, *, json_output: bool | type[BaseModel] | None = None
) -> CreateResult:
    """The reply again.

    Raises:
        ValidationError: It does not fit the type that was asked for.
    """
    if isinstance(json_output, type):
        for text in reply.to_read:
            json_output.model_validate_json(text)
    logprobs = reply.logprobs
    return CreateResult(
        finish_reason=reply.finish_reason,
        content=reply.content,
        usage=RequestUsage(*reply.usage),
        cached=reply.cached,
        logprobs=None if logprobs is None else [_logprob(*token) for token in logprobs],
        thought=reply.thought,
    )


def _packed(message: LLMMessage) -> _Text | UserMessage | None:
    match message:
        case SystemMessage(content=text):
            return "system", text, "", None
        case UserMessage(content=str() as text, source=source):
            return "user", text, source, None
        case AssistantMessage(content=str() as text, source=source, thought=thought):
            return "assistant", text, source, thought
        case UserMessage():
            return message
        case _:
            return None


def _unpacked(message: _Text | UserMessage) -> LLMMessage:
    match message:
        case UserMessage():
            return message
        case "system", text, _, _:
            return SystemMessage(content=text)
        case "user", text, source, _:
            return UserMessage(content=text, source=source)
        case _, text, source, thought:
            return AssistantMessage(content=text, source=source, thought=thought)


def _is_plain(value: object) -> bool:
    if type(value) in _ATOMS:
        return True
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value)
        return all(map(_is_plain, entries)) and all(map(_is_plain, entries.values()))
    return isinstance(value, list | tuple) and all(map(_is_plain, cast("list[object]", value)))


def _token(logprob: ChatCompletionTokenLogprob) -> _Token:
    top = logprob.top_logprobs
    rivals = None if top is None else [(rival.logprob, rival.bytes) for rival in top]
    return logprob.token, logprob.logprob, logprob.bytes, rivals


def _logprob(
    token: str, logprob: float, spelt: list[int] | None, top: list[_Rival] | None
) -> ChatCompletionTokenLogprob:
    rivals = None if top is None else [TopLogprob(*rival) for rival in top]
    return ChatCompletionTokenLogprob(
        token=token, logprob=logprob, top_logprobs=rivals, bytes=spelt
    )


@lru_cache(maxsize=64)
def _stand_in(name: str, schema: str) -> type[BaseModel]:
    """A type of this name and schema, which puts off the reading of what it is to read."""

    class StandIn(BaseModel):
        @classmethod
        def model_json_schema(cls, *_: object, **_settings: object) -> dict[str, Any]:
            return json.loads(schema)

        @classmethod
        def model_validate_json(cls, json_data: str | bytes | bytearray, **_: object) -> Self:
            _to_read.get().append(json_data)
            return cls()

    StandIn.__name__ = name
    return StandIn
