"""Worker process that makes model calls for a run: `python -m peerjudge.clients.worker SOCKET`.

SOCKET is the number of an inherited socket. The process ends when the run's process closes it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Mapping
from importlib import import_module

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.build import build_client, find_secrets
from peerjudge.clients.pipe import (
    CallError,
    Message,
    PackedRequest,
    Pipe,
    pack_reply,
    unpack_request,
)
from peerjudge.clients.redaction import Redaction
from peerjudge.clients.retry import guard_attempt
from peerjudge.data import Card


class CallServer:
    """Server of the calls that arrive over the socket."""

    def __init__(self) -> None:
        self.disconnected = asyncio.Event()
        self.pipe = Pipe(self._receive, self.disconnected.set)
        self.secrets: list[str] = []
        self._environ: Mapping[str, str] = {}
        self._cards: dict[str, Card] = {}
        self._clients: dict[str, ChatCompletionClient] = {}
        self._calls: dict[int, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Stop every call and close every client."""
        calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        for client in self._clients.values():
            await client.close()

    def _receive(self, message: Message) -> None:
        match message:
            case "start", path, environ:
                sys.path[:] = path
                self._environ = environ
                # Imported before the first call, as the time limit of a call would run meanwhile.
                import_module("peerjudge.clients.openai_client")
                self.pipe.send("ready")
            case "card", setting, card:
                self._cards[setting] = card
                self.secrets += find_secrets(card, environ=self._environ)
            case "call", number, setting, request:
                self._calls[number] = call = asyncio.create_task(
                    self._call(number, setting, request)
                )
                # As a callback, so a call that is cancelled before it starts is removed as well.
                call.add_done_callback(lambda _: self._calls.pop(number))
            case "cancel", number if number in self._calls:
                self._calls[number].cancel()
            case _:
                pass  # the call to cancel has just been answered

    async def _call(self, number: int, setting: str, packed: PackedRequest) -> None:
        try:
            request = unpack_request(packed, lambda piece: self.pipe.send("piece", number, piece))
            # No time limit: the run's process keeps it and cancels the call.
            result = await guard_attempt(
                lambda: request.send(self._client(setting)),
                seconds=None,
                token=None,
                model=str(request.extra.get("model", "")),
            )
            self.pipe.send("reply", number, pack_reply(result))
        except Exception as error:  # noqa: BLE001  every error is sent to the caller
            self.pipe.send("error", number, CallError.describe(error))

    def _client(self, setting: str) -> ChatCompletionClient:
        client = self._clients.get(setting)
        if client is None:
            client = build_client(self._cards[setting], environ=self._environ)
            self._clients[setting] = client
        return client


class LogForwarder(logging.Handler):
    """Log handler that sends the warnings of libraries to the run's process, without secrets."""

    def __init__(self, server: CallServer) -> None:
        super().__init__(logging.WARNING)
        self._server = server
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, from any thread."""
        text = Redaction(self._server.secrets).redact_text(self.format(record))
        self._loop.call_soon_threadsafe(self._server.pipe.send, "log", record.levelno, text)


async def _serve(inherited: socket.socket) -> None:
    server = CallServer()
    await asyncio.get_running_loop().create_connection(lambda: server.pipe, sock=inherited)
    logging.captureWarnings(capture=True)
    logging.getLogger().addHandler(LogForwarder(server))
    # All imported modules stay until the end, so the garbage collector can skip them.
    gc.freeze()
    await server.disconnected.wait()
    await server.close()


def main() -> None:
    """Serve calls until the run's process closes the socket."""
    asyncio.run(_serve(socket.socket(fileno=int(sys.argv[1]))))
    # Everything is closed; skip the slow teardown of the interpreter.
    os._exit(0)


if __name__ == "__main__":
    main()
