"""Responses of servers: bounded in size, never redirected, read as streams, and their errors in words."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar, cast

from httpx2 import USE_CLIENT_DEFAULT, AsyncClient, Request, Response
from openai import DefaultAioHttpClient, DefaultAsyncHttpxClient

from peerjudge.clients.retry import MalformedReplyError, OversizedReplyError, RedirectedError

MOST_BYTES = 64 * 2**20
"""Largest size of a response after decompression; a long reply with all its log-probabilities has half."""

_ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""Encodings of which a piece as it arrives unpacks to at most some MB."""

_LONGEST_MESSAGE = 500
_MESSAGE_KEYS = ("message", "error", "detail", "errors", "msg", "description", "title", "reason")
_TAG = re.compile(r"(?is)<(style|script)\b.*?</\1>|<[^>]*>")
_LINE_END = re.compile(r"\r\n|\n|\r")


class _Headers(Protocol):
    def get(self, key: str, default: str = "") -> str: ...
    def multi_items(self) -> list[tuple[str, str]]: ...


class _Received(Protocol):
    """Response of httpx or httpx2 whose body has not been read."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Any: ...  # noqa: ANN401  of either library
    @property
    def request(self) -> Any: ...  # noqa: ANN401  of either library
    @property
    def has_redirect_location(self) -> bool: ...
    def aiter_bytes(self) -> AsyncIterator[bytes]: ...
    async def aclose(self) -> None: ...


R = TypeVar("R", bound=_Received)


async def receive(send: Callable[[], Awaitable[R]], *, stream: bool) -> R:
    """Return the response that `send` gets without its body, read whole unless it is a stream.

    Raises:
        RedirectedError: The server redirects to another address.
        OversizedReplyError: The body is larger than `MOST_BYTES`, or of an encoding without a bound.
    """
    response = await send()
    content: bytes | None = None
    try:
        _refuse_redirect(response)
        if not stream:
            content = await _read_bounded(response)
    except BaseException:
        await response.aclose()
        raise
    if content is None:
        return response
    await response.aclose()
    headers = cast("_Headers", response.headers)
    return cast("Callable[..., R]", type(response))(
        response.status_code,
        headers=[
            (name, value)
            for name, value in headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
        ],
        content=content,
        request=response.request,
    )


def _refuse_redirect(response: _Received) -> None:
    if not response.has_redirect_location:
        return
    source = _show_address(str(response.request.url))
    target = _show_address(str(response.request.url.join(response.headers["location"])))
    msg = (
        f"{source} redirects to {target} (status {response.status_code}), which is not followed, as "
        "prompts and keys would go there: if that is the server you mean, give it as base_url"
    )
    raise RedirectedError(msg)


def _show_address(url: str) -> str:
    """Return an address without its query, which may hold a key."""
    return url.partition("?")[0]


async def _read_bounded(response: _Received) -> bytes:
    headers = cast("_Headers", response.headers)
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        msg = f"the server sent a reply encoded as {encoding!r:.40}, which was not asked for"
        raise OversizedReplyError(msg)
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            msg = (
                f"the server sent more than {MOST_BYTES // 2**20} MB for one reply, which is not read "
                "further: is its base_url right?"
            )
            raise OversizedReplyError(msg)
        pieces.append(piece)
    return b"".join(pieces)


class _Guarded(AsyncClient):
    """HTTP client that takes responses of bounded size and follows no redirect."""

    async def send(
        self,
        request: Request,
        *,
        stream: bool = False,
        auth: Any = USE_CLIENT_DEFAULT,  # noqa: ANN401  as in httpx2
        follow_redirects: Any = USE_CLIENT_DEFAULT,  # noqa: ANN401  as in httpx2
    ) -> Response:
        """Send the request; errors as for `receive`."""

        async def send() -> Response:
            return await super(_Guarded, self).send(
                request, stream=True, auth=auth, follow_redirects=False
            )

        return await receive(send, stream=stream)


class GuardedAioClient(_Guarded, DefaultAioHttpClient):
    """Guarded client on aiohttp."""


class GuardedHttpClient(_Guarded, DefaultAsyncHttpxClient):
    """Guarded client on a given transport."""


def find_message(body: object) -> str:
    """Return what the body of an error says, in any form that servers give it; empty for no words.

    A text says itself, a list what its items say, and a table what its first field of the usual names says,
    else its JSON.
    """
    return " ".join(_find_message(body).split())[:_LONGEST_MESSAGE]


def _find_message(body: object) -> str:
    if isinstance(body, str):
        return _TAG.sub(" ", body) if body.lstrip().startswith("<") else body
    if isinstance(body, list):
        return "; ".join(filter(None, map(_find_message, cast("list[object]", body))))
    if not isinstance(body, dict):
        return "" if body is None else json.dumps(body)
    table = cast("dict[str, object]", body)
    for key in _MESSAGE_KEYS:
        if said := _find_message(table.get(key)):
            place = table.get("loc")
            where = (
                ".".join(map(str, cast("list[object]", place))) if isinstance(place, list) else ""
            )
            return f"{where}: {said}" if where else said
    return json.dumps(table, ensure_ascii=False) if table else ""


def read_reply(content: bytes, *, content_type: str) -> dict[str, Any]:
    """Return the JSON of a reply; the pieces of a stream are put together, asked for or not.

    Raises:
        MalformedReplyError: The stream has no piece of a reply, or ends before its end.
        ValueError: The body is not JSON.
    """
    if content_type.partition(";")[0].strip().lower() != "text/event-stream":
        return json.loads(content)
    events = [*_read_events(content.decode())]
    reply: dict[str, Any] = {"choices": []}
    merged: dict[str, Any] = {"message": {"role": "assistant"}, "finish_reason": None}
    for event in events:
        reply |= {key: event[key] for key in ("usage", "error", "model", "id") if event.get(key)}
        for choice in cast("list[dict[str, Any]]", event.get("choices") or []):
            if choice.get("index") in (None, 0):
                _merge(merged, choice)
                reply["choices"] = [merged]
    if reply["choices"] or reply.get("error"):
        whole = merged["finish_reason"] or merged.get("error") or reply.get("error")
        if whole or b"[DONE]" in content:
            return reply
        msg = "the stream ended before its end"
        raise MalformedReplyError(msg)
    msg = f"the stream has no piece of a reply: {content[:200].decode(errors='replace')!r}"
    raise MalformedReplyError(msg)


def _read_events(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the data of the events of a stream; an event named `error` becomes one with an error."""
    name = ""
    data: list[str] = []
    for line in (*_LINE_END.split(text.removeprefix("\ufeff")), ""):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line and data:
            joined = "\n".join(data)
            if joined.strip() and joined.strip() != "[DONE]":
                found: object = json.loads(joined)
                event: dict[str, Any] = (
                    cast("dict[str, Any]", found) if isinstance(found, dict) else {}
                )
                yield {"error": found} if name == "error" and "error" not in event else event
            name = ""
            data = []


def _merge(merged: dict[str, Any], choice: Mapping[str, Any]) -> None:
    """Add one piece to the choice that the pieces of a stream make up."""
    message: dict[str, Any] = merged["message"]
    piece: object = choice.get("delta") or choice.get("message") or {}
    for key, value in cast("dict[str, Any]", piece).items():
        if key == "role" or value is None:
            continue
        held = message.get(key)
        joins = type(held) is type(value) and type(value) in {str, list}
        message[key] = held + value if joins else value
    for key in ("finish_reason", "error"):
        if choice.get(key):
            merged[key] = choice[key]
    logprobs: object = choice.get("logprobs")
    if isinstance(logprobs, dict) and (tokens := cast("dict[str, Any]", logprobs).get("content")):
        merged.setdefault("logprobs", {"content": []})["content"] += tokens
