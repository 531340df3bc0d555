"""One paid call per request: replies at hand are used again, requests under way are shared."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from autogen_core.models import CreateResult
from pydantic import BaseModel, ValidationError

from peerjudge.data import Usage

__all__ = ["KeptReplies", "MemoryCache", "Reply", "ResponseCache", "SingleFlight", "Texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply worth keeping. `result` is never changed: hand out copies."""

    result: CreateResult
    usage: Usage


class ResponseCache(Protocol):
    """Where replies are kept, by the digest of the request. Only replies with content come here."""

    async def get(self, key: str) -> Reply | None:
        """The reply to this request, if there is one."""
        ...

    async def put(self, key: str, reply: Reply) -> None:
        """Keep the reply to this request."""
        ...


class MemoryCache:
    """Keeps the replies last used, for as long as the process runs."""

    def __init__(self, *, most: int = 4096) -> None:
        self._most = most
        self._replies: OrderedDict[str, Reply] = OrderedDict()

    async def get(self, key: str) -> Reply | None:
        """The reply to this request, if it was used lately."""
        reply = self._replies.get(key)
        if reply is not None:
            self._replies.move_to_end(key)
        return reply

    async def put(self, key: str, reply: Reply) -> None:
        """Keep the reply, and forget the one unused for longest if there are too many."""
        self._replies[key] = reply
        self._replies.move_to_end(key)
        if len(self._replies) > self._most:
            self._replies.popitem(last=False)


class Texts(Protocol):
    """Where texts are kept by key, and outlive the process."""

    async def get(self, key: str) -> str | None:
        """The text under this key, if there is one."""
        ...

    async def put(self, key: str, text: str) -> None:
        """Keep this text; returns when it would survive the death of the process."""
        ...


class _Kept(BaseModel):
    """The JSON form of a reply."""

    result: CreateResult
    usage: Usage


class KeptReplies:
    """Replies as JSON, wherever texts can be kept."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    async def get(self, key: str) -> Reply | None:
        """The reply to this request; one that cannot be read any more counts as none."""
        text = await self._texts.get(key)
        if text is None:
            return None
        try:
            kept = _Kept.model_validate_json(text)
        except ValidationError:
            return None
        return Reply(result=kept.result, usage=kept.usage)

    async def put(self, key: str, reply: Reply) -> None:
        """Keep the reply."""
        kept = _Kept(result=reply.result, usage=reply.usage)
        await self._texts.put(key, kept.model_dump_json())


class SingleFlight:
    """Lets one of many equal requests ask, and gives its reply to all.

    Failures are shared with those who wait at that moment and kept for nobody; neither are empty
    replies. If the one who asks is cancelled, the next in line asks.
    """

    def __init__(self, cache: ResponseCache) -> None:
        self._cache = cache
        self._flights: dict[str, asyncio.Future[Reply | None]] = {}

    async def once(self, key: str, ask: Callable[[], Awaitable[Reply]]) -> tuple[Reply, bool]:
        """The reply to this request, and whether it was asked for by somebody else."""
        while (underway := self._flights.get(key)) is not None:
            # Shielded: the future belongs to the one who asks, not to those who wait.
            reply = await asyncio.shield(underway)
            if reply is not None:
                return reply, True
        flight: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        try:
            known = await self._cache.get(key)
            reply = known or await ask()
            if known is None and reply.result.content:
                await self._cache.put(key, reply)
        except Exception as error:
            flight.set_exception(error)
            flight.exception()  # Seen, even if nobody waits.
            raise
        except BaseException:
            flight.set_result(None)
            raise
        else:
            flight.set_result(reply)
            return reply, known is not None
        finally:
            del self._flights[key]
