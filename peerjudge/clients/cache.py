"""Cache of replies: one paid call per request, also for equal requests at once, in several runs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Protocol

from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    UserMessage,
)
from autogen_core.tools import Tool
from pydantic import BaseModel, ValidationError

from peerjudge.clients.calls import CallRequest
from peerjudge.clients.retry import is_used_up, require_words
from peerjudge.data import Usage
from peerjudge.engine.barrier import parked
from peerjudge.errors import EmptyReplyError

_write_head = json.JSONEncoder(sort_keys=True).encode

request_key: ContextVar[str | None] = ContextVar("peerjudge_request_key", default=None)
"""Digest of the request that the running task makes, which names it in a batch."""

_MOST_REPLIES = 4096
"""Replies that a `MemoryCache` holds."""


class Reply(BaseModel):
    """Reply with its tokens, and its JSON form. Cached replies are shared: hand out copies."""

    result: CreateResult
    usage: Usage


class ResponseCache(Protocol):
    """Storage of replies by request digest, which runs may share. Failures are never stored."""

    async def claim(self, key: str) -> Reply | None:
        """Return the reply under this key, or `None`: then the caller calls, and stores or releases.

        Waits while another run has claimed the key.
        """
        ...

    async def put(self, key: str, reply: Reply) -> None:
        """Store the reply under this key, which ends the claim."""
        ...

    def release(self, key: str) -> None:
        """End the claim of a call that brought no reply."""
        ...


class MemoryCache:
    """Cache of the most recently used replies, for the life of the process."""

    def __init__(self) -> None:
        self._replies: OrderedDict[str, Reply] = OrderedDict()

    async def claim(self, key: str) -> Reply | None:
        """Return the reply under this key, or `None`. Other processes do not see this cache."""
        reply = self._replies.get(key)
        if reply is not None:
            self._replies.move_to_end(key)
        return reply

    async def put(self, key: str, reply: Reply) -> None:
        """Store the reply and drop the least recently used one when there are too many."""
        self._replies[key] = reply
        self._replies.move_to_end(key)
        if len(self._replies) > _MOST_REPLIES:
            self._replies.popitem(last=False)

    def release(self, key: str) -> None:
        """Do nothing: no other run waits for this key."""


class TextStore(Protocol):
    """Storage of texts by key that outlives the process."""

    async def claim(self, key: str, *, instead_of: str | None = None) -> str | None:
        """Return the text under this key, unless it is `instead_of`; or claim the key.

        Waits while another process has claimed the key.
        """
        ...

    async def put(self, key: str, text: str) -> None:
        """Store the text and end the claim; return when it would survive a crash of the process."""
        ...

    def release(self, key: str) -> None:
        """End the claim."""
        ...


class PersistentCache:
    """Cache that keeps replies as JSON in a `TextStore`."""

    def __init__(self, texts: TextStore) -> None:
        self._texts = texts

    async def claim(self, key: str) -> Reply | None:
        """Return the reply under this key or claim it; an unreadable reply is missing.

        So is an empty one, unless its limit is the reason.
        """
        unreadable: str | None = None
        while (text := await self._texts.claim(key, instead_of=unreadable)) is not None:
            try:
                reply = Reply.model_validate_json(text)
                if not is_used_up(reply.result):
                    require_words(reply.result, model="")
            except (ValidationError, EmptyReplyError):
                unreadable = text
            else:
                return reply
        return None

    async def put(self, key: str, reply: Reply) -> None:
        """Store the reply."""
        await self._texts.put(key, reply.model_dump_json())

    def release(self, key: str) -> None:
        """End the claim."""
        self._texts.release(key)


class SingleFlight:
    """Merges equal requests under way at the same time into one call, in front of a cache.

    Waiting requests share a failure; failures are not cached. When the request that makes the call
    is cancelled, the next waiting one makes it.
    """

    def __init__(self, cache: ResponseCache) -> None:
        self._cache = cache
        self._flights: dict[str, asyncio.Future[Reply | None]] = {}
        self._kept: set[str] = set()

    async def fetch(self, key: str, call: Callable[[], Awaitable[Reply]]) -> tuple[Reply, bool]:
        """Return the reply, and whether it came from the cache or another request's call."""
        while (underway := self._flights.get(key)) is not None:
            # Shielded: cancelling a waiting request must not cancel the shared future.
            with parked():
                reply = await asyncio.shield(underway)
            if reply is not None:
                return reply, True
        flight: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        try:
            cached = await self._cache.claim(key)
            reply = cached or await self._call(key, call)
        except Exception as error:
            flight.set_exception(error)
            flight.exception()  # marks it as retrieved when no request waits
            raise
        except BaseException:
            flight.set_result(None)
            raise
        else:
            flight.set_result(reply)
            return reply, cached is not None
        finally:
            del self._flights[key]

    async def keep(self, key: str, reply: Reply) -> None:
        """Store the reply of a call under way before the call returns, so before it is booked as paid."""
        if key in self._flights:
            await self._cache.put(key, reply)
            self._kept.add(key)

    async def _call(self, key: str, call: Callable[[], Awaitable[Reply]]) -> Reply:
        """Return the reply of a call under a claim, and store it if the call has not."""
        try:
            reply = await call()
            if key not in self._kept:
                await self._cache.put(key, reply)
        except BaseException:
            self._cache.release(key)
            raise
        finally:
            self._kept.discard(key)
        return reply


def digest_request(request: CallRequest, *, model: str) -> str | None:
    """Return the cache key of a request, or `None` if it contains more than plain data.

    Two requests get the same key exactly if one reply may serve both. `model` stands for provider,
    address, model name and constructor settings. Unlike in AutoGen's own cache, these count, and
    so do the choice of tools and the random draw.
    """
    texts: list[str] = []
    form, choice = request.json_output, request.tool_choice
    try:
        head = _write_head(
            [
                model,
                [_describe(message, texts) for message in request.messages],
                [tool.schema if isinstance(tool, Tool) else tool for tool in request.tools],
                choice if isinstance(choice, str) else choice.schema,
                form.model_json_schema() if isinstance(form, type) else form,
                dict(request.extra),
                request.billing.draw,
            ]
        )
    except (TypeError, ValueError):
        return None
    # Texts are digested raw, as escaping them as JSON costs more than the digest. The head has
    # their lengths, so different requests cannot run together into the same bytes.
    digest = hashlib.sha256(head.encode())
    for text in texts:
        digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()[:32]


def _describe(message: LLMMessage, texts: list[str]) -> object:
    """Return a message as JSON data; a plain text goes into `texts` instead, with its length here."""
    content = message.content
    if not isinstance(content, str) or isinstance(message, FunctionExecutionResultMessage):
        return message.model_dump(mode="json")
    texts.append(content)
    source: tuple[str, ...] = ()
    if isinstance(message, UserMessage):
        source = (message.source,)
    elif isinstance(message, AssistantMessage):
        source = (message.source, message.thought or "")
    return (message.type, *source, len(content))
