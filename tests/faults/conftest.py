"""A model server that misbehaves as real ones do, and an experiment that asks it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import structlog.testing
from aiohttp import web

from peerjudge.data import Condition, Experiment, Leader, Orders
from peerjudge.shelf import Shelf

FAULTS = {
    "429": 2,
    "429 with Retry-After": 4,
    "500": 9,
    "503": 1,
    "reset": 8,
    "truncated": 8,
    "hang": 1,
    "half a line": 1,
    "malformed": 1,
    "wrong type": 1,
    "empty": 1,
}
"""What can go wrong, and how often beside the others. The last four are not tried again."""


BAD_BODIES = {
    "half a line": ("application/json", '{"choices": [{"mess'),
    "malformed": ("application/json", '{"choices": null}'),
    "wrong type": ("text/html", "<html>Sign in</html>"),
    "empty": ("application/json", ""),
}
ENOUGH_HUNG = 8
"""So many calls have to hang before `hung` is set."""


@dataclass
class ModelServer:
    """Answers chat completions; a share of the attempts, drawn from their content, goes wrong.

    `asked` counts attempts and `answered` complete replies, by request. A request's fate depends on
    its content and on how often it came, so that every run meets the same faults.
    """

    rate: float = 0.0
    seed: int = 0
    usage: tuple[int, int] = (500, 100)
    fates: tuple[str, ...] = tuple(FAULTS)
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    reached: threading.Event = field(default_factory=threading.Event)
    hung: threading.Event = field(default_factory=threading.Event)
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    def fate(self, key: str) -> str:
        """What becomes of this attempt."""
        draw = random.Random(f"{self.seed} {key} {self.asked[key]}")
        # A request fails at most twice in a row, or the suite would spend its time in waiting.
        patient = self.rate < 1.0 and self.asked[key] % 3 == 0
        if patient or draw.random() >= self.rate * (1.0 if self.rate == 1.0 else 1.2):
            return "answer"
        return draw.choices(self.fates, [FAULTS.get(fate, 1) for fate in self.fates])[0]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One attempt."""
        text = await request.text()
        key = hashlib.sha256(text.encode()).hexdigest()
        self.asked[key] += 1
        self.reached.set()
        fate = self.fate(key)
        if fate == "answer":
            self.answered[key] += 1
            return self.reply(text)
        self.faults[fate] += 1
        return await self.fail(request, fate)

    def reply(self, text: str) -> web.Response:
        """The completion that this request always gets: one of the two answers is better."""
        verdict = "12"[hashlib.sha256(text.encode()).digest()[0] % 2]
        message = {"role": "assistant", "content": f"I compared both with care.\n{verdict}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        prompt, said = self.usage
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
        return web.json_response(body | {"choices": [choice], "usage": usage})

    async def fail(self, request: web.Request, fate: str) -> web.StreamResponse:
        """A reply that is none."""
        if fate in BAD_BODIES:
            kind, body = BAD_BODIES[fate]
            return web.Response(text=body, content_type=kind)
        if fate[0].isdigit():
            headers = {"Retry-After": "0.01"} if "Retry-After" in fate else {}
            error = {"error": {"message": "no"}}
            return web.json_response(error, status=int(fate[:3]), headers=headers)
        if fate == "hang":
            if self.faults["hang"] == ENOUGH_HUNG:
                self.hung.set()
            await self._closing.wait()
        elif fate in {"truncated", "drip"}:
            response = web.StreamResponse(headers={"Content-Length": "1000000"})
            response.content_type = "application/json"
            await response.prepare(request)
            await response.write(b'{"id": "x", "choices": [{"index": 0, ')
            while fate == "drip" and not self._closing.is_set():
                await response.write(b" ")
                await asyncio.sleep(0.05)
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    async def serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        """Answer until it is told to stop."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        await stop.wait()
        self._closing.set()
        await runner.cleanup()


@contextlib.contextmanager
def running(server: ModelServer) -> Iterator[ModelServer]:
    """The server in a thread of its own while the block lasts."""
    ready = threading.Event()
    handle: dict[str, object] = {}

    async def serve() -> None:
        handle["loop"], handle["stop"] = asyncio.get_running_loop(), asyncio.Event()
        await server.serve(ready, handle["stop"])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait(30)
    try:
        yield server
    finally:
        handle["loop"].call_soon_threadsafe(handle["stop"].set)
        thread.join(30)


@pytest.fixture(autouse=True)
def quiet():
    """Thousands of retries are expected here, and not shown one by one."""
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
def start():
    """Starts servers that are stopped at the end of the test."""
    with contextlib.ExitStack() as stack:
        yield lambda server: stack.enter_context(running(server))


def project(folder, server: ModelServer, *, limits: str = "timeout = 2\nattempts = 4") -> Shelf:
    """A project with two reviewers who are models of this server, with a price."""
    (folder / "agents").mkdir(parents=True, exist_ok=True)
    for name in ("ann", "bob"):
        (folder / "agents" / f"{name}.toml").write_text(
            f'role = "You are {name}."\n[model]\nprovider = "vllm"\nname = "{name}-model"\n'
            f'base_url = "{server.url}"\n[sampling]\nmax_tokens = 100\n[limits]\n{limits}\n'
        )
    (folder / "prices.toml").write_text(
        '["ann-model"]\ninput = 2\noutput = 10\n["bob-model"]\ninput = 1\noutput = 5\n'
    )
    return Shelf(folder)


def study(*, repetitions: int = 1) -> Experiment:
    """Ann and Bob discuss, each leading, in both orders; and Ann judges alone, after explaining."""
    return Experiment(
        name="study",
        data="sample",
        repetitions=repetitions,
        conditions=(
            Condition(
                name="talk",
                protocol="leader_follower",
                seats=("ann", "bob"),
                leader=Leader.BOTH,
                options={"turns": 2},
            ),
            Condition(name="vote", protocol="vote", seats=("ann", "bob")),
            Condition(name="alone", protocol="pairwise_cot", seats=("ann",), orders=Orders.BOTH),
        ),
    )


def kept_replies(transcripts) -> int:
    """Turns whose reply was paid for by the run that made them."""
    return sum(not turn.utterance.cached for one in transcripts for turn in one.turns)


@dataclass
class _Kit:
    ModelServer = ModelServer
    project = staticmethod(project)
    study = staticmethod(study)
    kept_replies = staticmethod(kept_replies)
    faults = FAULTS


@pytest.fixture(scope="session")
def kit():
    """What the tests here share, as tests cannot import each other."""
    return _Kit
