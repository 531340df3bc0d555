"""Several processes that speak to models for the one that plays.

Speaking to a model is what a run spends most of its processor time on: sockets, encryption, HTTP,
JSON. That alone is done elsewhere. Whatever has to be one thing for all stays where it was, in the
process that plays: discussions, store, replies at hand, retries, limits, budget and books. So
nothing about a run depends on how many processes speak for it.

A worker that dies takes with it the calls that it had under way: they fail as lost connections do,
and are tried again by those that are left, in the end by the process that plays. Workers are in a
session of their own, where no Ctrl-C reaches them, and end by themselves when that process is gone.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import Any, Literal, NamedTuple, Self

import structlog
from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.failures import WorkerLostError
from peerjudge.clients.packing import PackedReply, PackedRequest, pack, unpack_reply
from peerjudge.clients.passing import Passing
from peerjudge.clients.pipe import Ask, Begin, Cancel, Hire, Note, Piece, Pipe, Replied, Trouble
from peerjudge.data import Card
from peerjudge.errors import ExperimentError

__all__ = ["Crew", "RemoteClient"]

_PATIENCE = 0.5
"""How long a worker may take to end by itself. [s]"""

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Crew:
    """The workers of a run. Made by `Crew.open`, which ends them, too."""

    def __init__(self, links: Sequence[Link]) -> None:
        self._links = links

    @classmethod
    @asynccontextmanager
    async def open(cls, count: int, *, environ: Mapping[str, str]) -> AsyncGenerator[Self]:
        """Start so many workers, which look up keys in `environ`; none is left at the end.

        Raises `ExperimentError` where a process cannot be born with a socket.
        """
        if os.name != "posix":
            msg = "several workers need Linux or macOS; leave --workers at 1 here"
            raise ExperimentError(msg)
        links: list[Link] = []
        try:
            for _ in range(count):
                links.append(await _started())
                links[-1].pipe.send(Begin([*sys.path], dict(environ)))
            yield cls(links)
        finally:
            await asyncio.gather(*(link.close() for link in links))

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are alive."""
        return tuple(link.pid for link in self._links if link.alive)

    def hire(self, setting: str, card: Card) -> None:
        """Tell everybody which card is meant by a setting."""
        for link in self._links:
            link.pipe.send(Hire(setting, card))

    def idlest(self) -> Link | None:
        """Whoever has the fewest calls under way; `None` if nobody is left."""
        alive = [link for link in self._links if link.alive]
        return min(alive, key=lambda link: link.busy, default=None)


class RemoteClient(Passing):
    """A client whose calls are made by a crew.

    The inner client says what it is. It makes the calls with tools, for some clients remember those
    last given; those with settings that are no plain data; and every call once nobody of the crew
    is left.

    Args:
        inner: The client of the card in this process.
        crew: Who calls.
        setting: What the crew calls the card.
    """

    def __init__(self, inner: ChatCompletionClient, crew: Crew, setting: str) -> None:
        super().__init__(inner)
        self._crew = crew
        self._setting = setting

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
        """The reply, as `ChatCompletionClient.create` has it.

        Raises:
            WorkerLostError: Whoever made this call has died.
            ValidationError: The reply does not fit the type that was asked for.
            Exception: As the inner client would raise it, by the names of its types.
        """
        extra = dict(extra_create_args or {})
        link = self._crew.idlest() if not tools and isinstance(tool_choice, str) else None
        request = link and pack(messages, json_output=json_output, extra=extra, streamed=False)
        if link is None or request is None:
            return await self.inner.create(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra,
                cancellation_token=cancellation_token,
            )
        with link.asked(self._setting, request, token=cancellation_token) as reply:
            return unpack_reply(await reply, json_output=json_output)

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The reply piece by piece, then whole; raises what `create` raises."""
        extra = dict(extra_create_args or {})
        link = self._crew.idlest() if not tools and isinstance(tool_choice, str) else None
        request = link and pack(messages, json_output=json_output, extra=extra, streamed=True)
        if link is None or request is None:
            async for piece in self.inner.create_stream(
                messages,
                tools=tools,
                tool_choice=tool_choice,
                json_output=json_output,
                extra_create_args=extra,
                cancellation_token=cancellation_token,
            ):
                yield piece
            return
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        with link.asked(
            self._setting, request, token=cancellation_token, hand_on=pieces.put_nowait
        ) as reply:
            reply.add_done_callback(lambda _: pieces.put_nowait(None))
            while (piece := await pieces.get()) is not None:
                yield piece
            yield unpack_reply(await reply, json_output=json_output)


def _nowhere(piece: str) -> None:
    """Nobody hears the pieces of a reply that comes as a whole."""


class _Call(NamedTuple):
    reply: asyncio.Future[PackedReply]
    hand_on: Callable[[str], None]


class Link:
    """One process of a crew, and the calls it has under way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.pipe = Pipe(self._hear, self._lost)
        self.alive = True
        self._process = process
        self._closing = False
        self._numbers = count()
        self._calls: dict[int, _Call] = {}

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def busy(self) -> int:
        """How many calls are under way."""
        return len(self._calls)

    @contextmanager
    def asked(
        self,
        setting: str,
        request: PackedRequest,
        *,
        token: CancellationToken | None = None,
        hand_on: Callable[[str], None] = _nowhere,
    ) -> Generator[asyncio.Future[PackedReply]]:
        """The reply to one call, made there; the call is cancelled if nobody waits for it to end."""
        number = next(self._numbers)
        reply: asyncio.Future[PackedReply] = asyncio.get_running_loop().create_future()
        self._calls[number] = _Call(reply, hand_on)
        if token is not None:
            token.link_future(reply)
        try:
            self.pipe.send(Ask(number, setting, request))
            yield reply
        finally:
            del self._calls[number]
            if reply.cancelled() or not reply.done():
                self.pipe.send(Cancel(number))
            else:
                reply.exception()  # Known now, even if whoever asked has just gone.

    async def close(self) -> None:
        """Let the process end, or end it."""
        self._closing = True
        self.pipe.close()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _hear(self, message: object) -> None:
        match message:
            case Piece(number, text) if number in self._calls:
                self._calls[number].hand_on(text)
            case Replied(number, reply) if number in self._calls:
                if not (waiting := self._calls[number].reply).done():
                    waiting.set_result(reply)
            case Trouble(number) if number in self._calls:
                if not (waiting := self._calls[number].reply).done():
                    waiting.set_exception(message.error())
            case Note(level, text):
                _log.log(level, "a worker says", text=text, pid=self.pid)
            case _:
                pass  # Nobody waits for it any more.

    def _lost(self) -> None:
        self.alive = False
        if not self._closing:
            _log.warning("a worker has died", pid=self.pid, calls_lost=self.busy)
        for reply, _ in self._calls.values():
            if not reply.done():
                msg = f"worker process {self.pid} died with this call under way"
                reply.set_exception(WorkerLostError(msg))


async def _started() -> Link:
    here, there = socket.socketpair()
    with there:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # no module of the working directory in place of one of ours
            "-m",
            "peerjudge.clients.worker",
            str(there.fileno()),
            pass_fds=(there.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    link = Link(process)
    await asyncio.get_running_loop().create_connection(lambda: link.pipe, sock=here)
    return link
