"""What the process that plays and its workers tell each other, over a socket that only they have."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, Self, cast

from peerjudge.clients.packing import PackedReply, PackedRequest
from peerjudge.data import Card

__all__ = ["Ask", "Begin", "Cancel", "Hire", "Note", "Piece", "Pipe", "Replied", "Trouble"]

_PREFIX = 4
"""Bytes before a message that say how long it is."""

_NO_HEADERS: Mapping[str, str] = {}
_TOLD_HEADERS = ("retry-after", "retry-after-ms", "date")
_TOLD_NAMES = ("code", "type")


class Begin(NamedTuple):
    """The first word to a worker: where modules are found, and where keys are."""

    path: Sequence[str]
    environ: Mapping[str, str]


class Hire(NamedTuple):
    """The card that is meant by a setting from now on."""

    setting: str
    card: Card


class Ask(NamedTuple):
    """Ask the model of this setting."""

    number: int
    setting: str
    request: PackedRequest


class Cancel(NamedTuple):
    """Nobody waits for this reply any more."""

    number: int


class Note(NamedTuple):
    """What a library has to say: a warning, or a line of its log at this level."""

    level: int
    text: str


class Piece(NamedTuple):
    """The next piece of a streamed reply."""

    number: int
    text: str


class Replied(NamedTuple):
    """The reply to a call."""

    number: int
    reply: PackedReply


class Trouble(NamedTuple):
    """The failure of a call: the names of its types, and what a retry policy looks at.

    The errors of vendor libraries cannot be pickled, so they are described and made anew.
    """

    number: int
    kinds: tuple[str, ...]
    message: str
    status: int | None
    names: Mapping[str, int | str]
    headers: Mapping[str, str]

    @classmethod
    def of(cls, number: int, error: Exception) -> Self:
        """Describe a failure."""
        kinds = [kind for kind in type(error).__mro__ if issubclass(kind, Exception)]
        status: object = getattr(error, "status_code", None)
        names: dict[str, object] = {name: getattr(error, name, None) for name in _TOLD_NAMES}
        given: Any = getattr(getattr(error, "response", None), "headers", None) or _NO_HEADERS
        return cls(
            number=number,
            kinds=tuple(kind.__name__ for kind in kinds if kind is not Exception),
            message=str(error),
            status=status if isinstance(status, int) else None,
            names={name: said for name, said in names.items() if isinstance(said, int | str)},
            headers={name: str(given[name]) for name in _TOLD_HEADERS if name in given},
        )

    def error(self) -> Exception:
        """The failure as it looks to whoever reads types by name, status and headers."""
        error: Any = _kind(self.kinds)(self.message)
        error.status_code = self.status
        for name in _TOLD_NAMES:
            setattr(error, name, self.names.get(name))
        error.response = SimpleNamespace(headers=self.headers)
        return error


@lru_cache(maxsize=256)
def _kind(names: tuple[str, ...]) -> type[Exception]:
    kind: type[Exception] = Exception
    for name in reversed(names):
        kind = cast("type[Exception]", type(name, (kind,), {}))
    return kind


class Pipe(asyncio.Protocol):
    """Messages over a socket, each with its length before it.

    What is sent in one turn of the event loop goes out in one piece. Both ends are this program, and
    nobody else can have the socket; so messages are pickled.

    Args:
        hear: Told every message that has come.
        lost: Told when the other end is gone.
    """

    def __init__(self, hear: Callable[[object], None], lost: Callable[[], None]) -> None:
        self._hear = hear
        self._lost = lost
        self._transport: asyncio.WriteTransport | None = None
        self._in = bytearray()
        self._out: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to the other end."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say that the other end is gone."""
        self._transport = None
        self._lost()

    def data_received(self, data: bytes) -> None:
        """Tell every message that is whole."""
        received = self._in
        received += data
        at = 0
        while len(received) >= (begins := at + _PREFIX):
            ends = begins + int.from_bytes(received[at:begins], "big")
            if len(received) < ends:
                break
            message = pickle.loads(bytes(received[begins:ends]))  # noqa: S301  see the class
            at = ends
            self._hear(message)
        del received[:at]

    def send(self, message: object) -> None:
        """Send a message; nothing happens when the other end is gone."""
        body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out += (len(body).to_bytes(_PREFIX, "big"), body)

    def close(self) -> None:
        """Let go of the socket; what was to be sent is sent."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        out, self._out = self._out, []
        if out and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))
