"""Connections of the servers of the command line: bounded in number and time."""

import asyncio
import signal
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
import httpx
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from peerjudge.cli.servers import HOST, listen, serve_until_signal


async def greet(request):
    """Answer a request."""
    return PlainTextResponse("hello")


async def test_who_says_nothing_keeps_nobody_away(caplog, capfd):
    """Half-open connections are closed for newer ones, and after some time; the log stays empty."""
    app = Starlette(routes=[Route("/", greet)])
    with listen(HOST, 0) as listener:
        port = listener.getsockname()[1]
        serving = asyncio.create_task(serve_until_signal(app, listener, most=8, header_seconds=0.3))
        silent = [await asyncio.open_connection(HOST, port) for _ in range(12)]
        for _, writer in silent:
            writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\n")
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"http://{HOST}:{port}/")).text == "hello"
        for reader, writer in silent:
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
        signal.raise_signal(signal.SIGINT)
        assert await serving == signal.SIGINT
    assert (caplog.text, capfd.readouterr().err) == ("", "")
