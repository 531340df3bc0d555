"""Messages between a run and its worker processes, over a socket that only they share.

A message is a tuple that starts with its kind.

    to a worker    ("start", module path, environment), ("card", setting, card),
                   ("call", number, setting, request), ("cancel", number)
    from a worker  ("ready",), ("piece", number, text), ("reply", number, reply),
                   ("error", number, CallError), ("log", level, text)

A reply type written by a user may not be importable in a worker. So a request carries its name and
JSON schema, the worker records the texts that its client parses as this type, and the sender parses
them.
"""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, Self, cast

from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from pydantic import BaseModel

from peerjudge.clients.calls import CallRequest, PieceSink
from peerjudge.clients.charges import find_charge, set_charge
from peerjudge.data import Usage

Message = tuple[Any, ...]

PackedRequest = tuple[Sequence[LLMMessage], bool | tuple[str, str] | None, Mapping[str, Any], bool]
"""Messages, reply form (a type as its name and schema), settings, and whether to stream."""

PackedReply = tuple[CreateResult, list[str | bytes | bytearray]]
"""Result, and the texts that are to be parsed as the requested type."""

_PREFIX = 4
"""Bytes of the length in front of each message."""

_ATOMS = frozenset({str, int, float, bool, type(None)})

_NO_HEADERS: Mapping[str, str] = {}
_HEADERS = ("retry-after", "retry-after-ms", "date")
_CODES = ("code", "type", "param")

_unparsed: ContextVar[list[str | bytes | bytearray]] = ContextVar("texts to parse as the type")


class Pipe(asyncio.Protocol):
    """Pickled messages over a socket, each after its length.

    All messages of one turn of the event loop go out together. Unpickling is safe here: both ends
    are this program, and no other process has the socket.

    Args:
        receive: Called with every message.
        lost: Called when the other end is gone.
    """

    def __init__(self, receive: Callable[[Message], None], lost: Callable[[], None]) -> None:
        self._receive = receive
        self._lost = lost
        self._transport: asyncio.WriteTransport | None = None
        self._in = bytearray()
        self._out: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the other process has closed the socket."""
        self._transport = None
        self._lost()

    def data_received(self, data: bytes) -> None:
        """Pass on every complete message."""
        received = self._in
        received += data
        at = 0
        while len(received) >= (start := at + _PREFIX):
            end = start + int.from_bytes(received[at:start], "big")
            if len(received) < end:
                break
            message = pickle.loads(bytes(received[start:end]))  # noqa: S301  see the class
            at = end
            self._receive(message)
        del received[:at]

    def send(self, *message: object) -> None:
        """Send a message; do nothing if the other process has closed the socket."""
        body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out += (len(body).to_bytes(_PREFIX, "big"), body)

    def close(self) -> None:
        """Send pending messages and close the socket."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        out, self._out = self._out, []
        if out and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))


class CallError(NamedTuple):
    """Description of a failed call: type names and the attributes that retry policies read.

    Errors of vendor libraries cannot be pickled, so they are described and rebuilt.
    """

    kinds: tuple[str, ...]
    message: str
    status: int | None
    codes: Mapping[str, int | str]
    headers: Mapping[str, str]
    charge: Usage | None

    @classmethod
    def describe(cls, error: Exception) -> Self:
        """Describe an error."""
        kinds = [kind for kind in type(error).__mro__ if issubclass(kind, Exception)]
        status: object = getattr(error, "status_code", None)
        codes: dict[str, object] = {name: getattr(error, name, None) for name in _CODES}
        given: Any = getattr(getattr(error, "response", None), "headers", None) or _NO_HEADERS
        return cls(
            kinds=tuple(kind.__name__ for kind in kinds if kind is not Exception),
            message=str(error),
            status=status if isinstance(status, int) else None,
            codes={name: code for name, code in codes.items() if isinstance(code, int | str)},
            headers={name: str(given[name]) for name in _HEADERS if name in given},
            charge=find_charge(error),
        )

    def rebuild(self) -> Exception:
        """Return an error with the same type names, message, status, codes and headers."""
        error: Any = _make_type(self.kinds)(self.message)
        error.status_code = self.status
        for name in _CODES:
            setattr(error, name, self.codes.get(name))
        error.response = SimpleNamespace(headers=self.headers)
        set_charge(error, self.charge)
        return error


@lru_cache(maxsize=256)
def _make_type(names: tuple[str, ...]) -> type[Exception]:
    kind: type[Exception] = Exception
    for name in reversed(names):
        kind = cast("type[Exception]", type(name, (kind,), {}))
    return kind


def pack_request(request: CallRequest, *, streamed: bool) -> PackedRequest | None:
    """Return a request as data for a worker, or `None` if it must be made in this process.

    That is a request with tools, which some clients remember; one after the use of tools; and one
    whose settings are not plain data.
    """
    if request.tools or not isinstance(request.tool_choice, str):
        return None
    if not (all(map(_is_text, request.messages)) and _is_plain(request.extra)):
        return None
    form = request.json_output
    if isinstance(form, type):
        form = (form.__name__, json.dumps(form.model_json_schema()))
    return request.messages, form, request.extra, streamed


def unpack_request(packed: PackedRequest, receive: Callable[[str], None]) -> CallRequest:
    """Return the request again; `receive` gets the pieces of a streamed reply."""
    messages, form, extra, streamed = packed
    if isinstance(form, tuple):
        _unparsed.set([])
        form = _make_stand_in(*form)
    pieces = PieceSink(receive) if streamed else None
    return CallRequest(messages=messages, json_output=form, extra=extra, pieces=pieces)


def pack_reply(result: CreateResult) -> PackedReply:
    """Return the reply to the request that was unpacked in this task, as data for the sender."""
    return result, _unparsed.get([])


def unpack_reply(reply: PackedReply, *, json_output: bool | type[BaseModel] | None) -> CreateResult:
    """Return the result of a reply.

    Raises:
        ValidationError: A text does not fit the requested type.
    """
    result, unparsed = reply
    if isinstance(json_output, type):
        for text in unparsed:
            json_output.model_validate_json(text)
    return result


def _is_text(message: LLMMessage) -> bool:
    """Return whether a message is plain text, without calls or results of tools."""
    return isinstance(message, SystemMessage | UserMessage) or (
        isinstance(message, AssistantMessage) and isinstance(message.content, str)
    )


def _is_plain(value: object) -> bool:
    if type(value) in _ATOMS:
        return True
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value)
        return all(map(_is_plain, entries)) and all(map(_is_plain, entries.values()))
    return isinstance(value, list | tuple) and all(map(_is_plain, cast("list[object]", value)))


@lru_cache(maxsize=64)
def _make_stand_in(name: str, schema: str) -> type[BaseModel]:
    """Return a type of this name and schema that records texts instead of parsing them."""

    class StandIn(BaseModel):
        @classmethod
        def model_json_schema(cls, *_: object, **_settings: object) -> dict[str, Any]:
            return json.loads(schema)

        @classmethod
        def model_validate_json(cls, json_data: str | bytes | bytearray, **_: object) -> Self:
            _unparsed.get().append(json_data)
            return cls()

    StandIn.__name__ = name
    return StandIn
