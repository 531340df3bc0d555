"""A process that speaks to models for another one: `python -m peerjudge.clients.worker SOCKET`.

It has the number of a socket that it was born with, and ends when the other end of it is gone.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Mapping

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.build import build_client, secrets_of
from peerjudge.clients.guard import guarded
from peerjudge.clients.packing import pack_reply, unpack
from peerjudge.clients.pipe import Ask, Begin, Cancel, Hire, Note, Piece, Pipe, Replied, Trouble
from peerjudge.clients.redaction import Redaction
from peerjudge.data import Card

__all__ = ["main"]


class Worker:
    """Does what it is told over a socket."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.pipe = Pipe(self._hear, self.gone.set)
        self.secrets: list[str] = []
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
                self.secrets += secrets_of(card, environ=self._environ)
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


class Notes(logging.Handler):
    """Has the other process say what libraries say here: it knows how, and where."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(logging.WARNING)
        self._worker = worker
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Send the line without keys; libraries may have threads."""
        text = Redaction(self._worker.secrets).text(self.format(record))
        self._loop.call_soon_threadsafe(self._worker.pipe.send, Note(record.levelno, text))


async def _serve(inherited: socket.socket) -> None:
    worker = Worker()
    await asyncio.get_running_loop().create_connection(lambda: worker.pipe, sock=inherited)
    logging.captureWarnings(capture=True)
    logging.getLogger().addHandler(Notes(worker))
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
