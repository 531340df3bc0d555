"""A process that speaks to models for another one: `python -m peerjudge.clients.worker SOCKET`.

It has the number of a socket that it was born with, and ends when the other end of it is gone.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
from collections.abc import Mapping

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.build import build_client
from peerjudge.clients.guard import guarded
from peerjudge.clients.packing import pack_reply, unpack
from peerjudge.clients.pipe import Ask, Begin, Cancel, Hire, Piece, Pipe, Replied, Trouble
from peerjudge.data import Card

__all__ = ["main"]


class Worker:
    """Does what it is told over a socket."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.pipe = Pipe(self._hear, self.gone.set)
        self._environ: Mapping[str, str] = {}
        self._cards: dict[str, Card] = {}
        self._clients: dict[str, ChatCompletionClient] = {}
        self._calls: dict[int, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Stop every call, and close every client."""
        calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        for client in self._clients.values():
            await client.close()

    def _hear(self, message: object) -> None:
        match message:
            case Begin(path, environ):
                sys.path[:] = path
                self._environ = environ
            case Hire(setting, card):
                self._cards[setting] = card
            case Ask(number):
                self._calls[number] = call = asyncio.create_task(self._ask(message))
                # Also of a call that is cancelled before it has begun.
                call.add_done_callback(lambda _: self._calls.pop(number))
            case Cancel(number) if number in self._calls:
                self._calls[number].cancel()
            case _:
                pass  # What was to be cancelled has just been answered.

    async def _ask(self, ask: Ask) -> None:
        number, setting, request = ask
        try:
            asked = unpack(request, lambda piece: self.pipe.send(Piece(number, piece)))
            # The timeout is kept by whoever asks, and comes as a cancellation.
            async with guarded(None, token=None, model=str(asked.extra.get("model", ""))):
                result = await asked.of(self._client(setting))
            self.pipe.send(Replied(number, pack_reply(result)))
        except Exception as error:  # noqa: BLE001  whoever asks is told, whatever it is
            self.pipe.send(Trouble.of(number, error))

    def _client(self, setting: str) -> ChatCompletionClient:
        client = self._clients.get(setting)
        if client is None:
            client = build_client(self._cards[setting], environ=self._environ)
            self._clients[setting] = client
        return client


async def _serve(inherited: socket.socket) -> None:
    worker = Worker()
    await asyncio.get_running_loop().create_connection(lambda: worker.pipe, sock=inherited)
    # What is there by now stays until the end: the collector need not look through it.
    gc.freeze()
    await worker.gone.wait()
    await worker.close()


def main() -> None:
    """Serve until the other end is gone."""
    asyncio.run(_serve(socket.socket(fileno=int(sys.argv[1]))))
    # All is closed; whoever ends the run need not wait until this interpreter is taken apart.
    os._exit(0)


if __name__ == "__main__":
    main()
