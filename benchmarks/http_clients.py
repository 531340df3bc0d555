"""Processor time per call of model clients, against a stub server on the loopback.

    python benchmarks/http.py [--json] [--rounds N] [--requests N]

The stub answers every chat completion at once with the same 800 characters, from a process of its
own. All clients send the same prompt of 3,600 characters. The measure is the processor time of this
process divided by requests; a warm-up opens the connections first. Every round runs all clients one
after the other; the output are medians over the rounds.

* aiohttp: a bare POST with aiohttp, with the reply's JSON read. The base of the ratios.
* openai: `AsyncOpenAI` as it comes (httpx2).
* openai, aiohttp: `AsyncOpenAI` with `DefaultAioHttpClient`.
* autogen: `OpenAIChatCompletionClient` as it comes.
* autogen, aiohttp: the same with `DefaultAioHttpClient`.
* peerjudge client: the client that `build_client` returns for a card.
* peerjudge: the client as a run uses it, with cache, retry, limits, book and prices around it.

`cpu_vs_aiohttp` is peerjudge over aiohttp (less is better), `autogen_vs_cpu` autogen as it comes over
peerjudge (more is better), by the number of connections.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from statistics import median

import aiohttp
from autogen_core.models import SystemMessage, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI, DefaultAioHttpClient

from peerjudge.clients import ClientPool, bill_to, build_client
from peerjudge.data import Card, Limits, ModelSpec

CONNECTIONS = (64, 512)
SYSTEM, PROMPT = "Be fair.", "lorem ipsum " * 300
MESSAGES = [SystemMessage(content=SYSTEM), UserMessage(content=PROMPT, source="moderator")]
PLAIN = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": PROMPT}]
REPLY = {"role": "assistant", "content": "I compared both with care. " * 29 + "\n1"}
MODEL_INFO = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": True,
    "family": "unknown",
}

Call = Callable[[], Awaitable[object]]


@asynccontextmanager
async def bare_aiohttp(url: str, connections: int) -> AsyncGenerator[Call]:
    """Post and read the JSON of the reply."""
    connector = aiohttp.TCPConnector(limit=connections)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def call() -> object:
            body = {"model": "m", "messages": PLAIN}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return await response.json()

        yield call


@asynccontextmanager
async def openai_sdk(url: str, connections: int, *, fast: bool = False) -> AsyncGenerator[Call]:
    """Call the SDK, on either transport."""
    transport = DefaultAioHttpClient() if fast else None
    async with AsyncOpenAI(
        api_key="none", base_url=url, max_retries=0, http_client=transport
    ) as client:
        yield lambda: client.chat.completions.create(model="m", messages=PLAIN)


@asynccontextmanager
async def autogen(url: str, connections: int, *, fast: bool = False) -> AsyncGenerator[Call]:
    """Call AutoGen's client, on either transport."""
    transport = {"http_client": DefaultAioHttpClient()} if fast else {}
    client = OpenAIChatCompletionClient(
        model="m",
        api_key="none",
        base_url=url,
        max_retries=0,
        include_name_in_message=False,
        model_info=MODEL_INFO,
        **transport,
    )
    yield lambda: client.create(MESSAGES)
    await client.close()


def make_card(url: str) -> Card:
    """Return a card whose model is the stub."""
    model = ModelSpec(provider="vllm", name="m", base_url=url)
    return Card(name="stub", model=model, limits=Limits(timeout=120.0))


@asynccontextmanager
async def peerjudge_client(url: str, connections: int) -> AsyncGenerator[Call]:
    """Call the inner client alone."""
    client = build_client(make_card(url), environ={})
    yield lambda: client.create(MESSAGES)
    await client.close()


@asynccontextmanager
async def peerjudge(url: str, connections: int) -> AsyncGenerator[Call]:
    """Call the client as in a run; every call is a draw of its own."""
    draws = count()
    async with ClientPool(environ={}) as pool:
        client = pool.client(make_card(url))

        async def call() -> object:
            with bill_to(reviewer="stub", discussion="d", turn=0, draw=str(next(draws))):
                return await client.create(MESSAGES)

        yield call


RIVALS = {
    "aiohttp": bare_aiohttp,
    "openai": openai_sdk,
    "openai, aiohttp": lambda url, connections: openai_sdk(url, connections, fast=True),
    "autogen": autogen,
    "autogen, aiohttp": lambda url, connections: autogen(url, connections, fast=True),
    "peerjudge client": peerjudge_client,
    "peerjudge": peerjudge,
}


async def measure(name: str, url: str, *, connections: int, requests: int) -> float:
    """Return the processor time of one request in microseconds."""

    async def load(call: Call, number: int) -> None:
        numbers = iter(range(number))

        async def work() -> None:
            for _ in numbers:
                await call()

        await asyncio.gather(*(work() for _ in range(connections)))

    async with RIVALS[name](url, connections) as call:
        await load(call, connections)
        begun = time.process_time()
        await load(call, requests)
        return (time.process_time() - begun) / requests * 1e6


def compare(url: str, *, rounds: int, requests: int) -> dict[str, object]:
    """Return the medians of all clients by number of connections, and the two ratios."""
    microseconds: dict[str, dict[str, float]] = {}
    for connections in CONNECTIONS:
        took: dict[str, list[float]] = {name: [] for name in RIVALS}
        for _ in range(rounds):
            for name in RIVALS:
                run = measure(name, url, connections=connections, requests=requests)
                took[name].append(asyncio.run(run))
        microseconds[str(connections)] = {name: median(each) for name, each in took.items()}
    ratio = {
        place: (ours["peerjudge"] / ours["aiohttp"], ours["autogen"] / ours["peerjudge"])
        for place, ours in microseconds.items()
    }
    return {
        "cpu_vs_aiohttp": {place: round(both[0], 2) for place, both in ratio.items()},
        "autogen_vs_cpu": {place: round(both[1], 2) for place, both in ratio.items()},
        "cpu_us": {
            place: {name: round(each) for name, each in ours.items()}
            for place, ours in microseconds.items()
        },
        "rounds": rounds,
        "requests": requests,
    }


def main() -> None:
    """Print the table, or with --json one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    warnings.filterwarnings("ignore", category=UserWarning)
    with stub_server() as url:
        found = compare(url, rounds=options.rounds, requests=options.requests)
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'us of CPU a request':22}", *(f"{place:>8}" for place in found["cpu_us"]))
    for name in RIVALS:
        print(f"{name:22}", *(f"{ours[name]:8}" for ours in found["cpu_us"].values()))
    for name in ("cpu_vs_aiohttp", "autogen_vs_cpu"):
        print(f"{name:22}", *(f"{value:8}" for value in found[name].values()))


class Stub(asyncio.Protocol):
    """Minimal HTTP server protocol that answers every request with the same completion."""

    body = json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "message": REPLY, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 200, "total_tokens": 1100},
        }
    ).encode()
    reply = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        % len(body)
        + body
    )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        """Answer every complete request."""
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            length = self.received[:end].lower().partition(b"content-length:")[2].split(b"\r\n")[0]
            whole = end + 4 + int(length or 0)
            if len(self.received) < whole:
                return
            self.received = self.received[whole:]
            self.transport.write(self.reply)


async def serve() -> None:
    """Print the port, then answer until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def stub_server() -> Generator[str]:
    """Run the stub in a process of its own and yield its address."""
    process = subprocess.Popen(  # noqa: S603  this script itself
        [sys.executable, str(Path(__file__).with_name("http.py")), "--serve"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
