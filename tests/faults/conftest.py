"""Model server with the faults of real ones, and an experiment that uses it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
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
    "drip": 1,
    "slow": 3,
    "half a line": 1,
    "malformed": 1,
    "wrong type": 1,
    "empty": 1,
}
"""Faults and their relative frequencies.

A slow reply comes in pieces; one that drips never ends.
"""


PRICES = {"ann-model": (2, 10), "bob-model": (1, 5)}
"""USD per million tokens of prompt and reply."""

SILENCES = {
    "silent": {"message": {"role": "assistant", "content": None}, "finish_reason": "stop"},
    "blank": {"message": {"role": "assistant", "content": " \n"}, "finish_reason": "stop"},
    "filtered": {
        "message": {"role": "assistant", "content": ""},
        "finish_reason": "content_filter",
    },
    "spent": {"message": {"role": "assistant", "content": ""}, "finish_reason": "length"},
}
"""Paid replies without words."""

CONTENT_FAULTS = {
    "half a pair": ({"content": "I compared both. \ud83d {mark}\n1"}, {}),
    "infinite": (
        {"content": "I compared both. {mark}\n2"},
        {
            "logprobs": {
                "content": [
                    {
                        "token": "2",
                        "logprob": float("-inf"),
                        "top_logprobs": [{"token": "1", "logprob": float("nan"), "bytes": [49]}],
                    }
                ]
            }
        },
    ),
    "no choices": (None, {}),
}
"""Replies with content that is none, by fault: changes of the message and of the choice.

They are billed with their usage, like any reply. `{mark}` is the mark of the request.
"""

BAD_BODIES = {
    "half a line": ("application/json", '{"choices": [{"mess'),
    "malformed": ("application/json", '{"choices": null}'),
    "wrong type": ("text/html", "<html>Sign in</html>"),
    "empty": ("application/json", ""),
}
KEPT = frozenset({"half a pair", "infinite"})
"""Content faults whose words are a reply."""

ENOUGH_HUNG = 8
"""Hanging calls until `hung` is set."""


def mark(digest: str) -> str:
    """Return a word that identifies the reply to a request, without digits that look like a verdict."""
    return "m" + "".join(chr(ord("a") + int(digit, 16)) for digit in digest[:16])


@dataclass
class ModelServer:
    """Server of chat completions in which a share `rate` of the attempts goes wrong.

    `asked` counts attempts and `answered` complete replies, by request; `earned` is the cost of
    the replies in USD and `billed` their tokens. A content fault is billed as well, and counted in
    `spoilt` unless its words are a reply. `unseen` counts attempts that ended without an error status, a
    page of a proxy or a whole reply, so that only an estimate of their tokens can be known. The fate of a
    request depends on its content and on the number of its attempts, so every run meets the same
    faults. Every reply has the mark of its request and takes at most `pace` seconds. `on_call` is
    called with every attempt. `peak` is the most that were answered at the same time.
    """

    rate: float = 0.0
    seed: int = 0
    pace: float = 0.0
    usage: tuple[int, int] = (500, 100)
    fates: tuple[str, ...] = tuple(FAULTS)
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    spoilt: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    earned: float = 0.0
    billed: int = 0
    unseen: int = 0
    peak: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    on_call: Callable[[], None] = lambda: None
    reached: threading.Event = field(default_factory=threading.Event)
    hung: threading.Event = field(default_factory=threading.Event)
    _in_a_row: Counter[str] = field(default_factory=Counter)
    _busy: int = 0
    _idle: threading.Condition = field(default_factory=threading.Condition)
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    def fate(self, key: str) -> str:
        """Return the fate of this attempt: an answer or a fault."""
        draw = random.Random(f"{self.seed} {key} {self.asked[key]}")
        # A request fails at most twice in a row, to keep waits short. So the other attempts fail
        # slightly more often, which keeps the share of all attempts at the rate.
        patient = self.rate < 1.0 and self._in_a_row[key] == 2
        if patient or draw.random() >= self.rate * (1.0 if self.rate == 1.0 else 1.1):
            self._in_a_row[key] = 0
            return "answer"
        self._in_a_row[key] += 1
        return draw.choices(self.fates, [FAULTS.get(fate, 1) for fate in self.fates])[0]

    def settle(self) -> None:
        """Wait until every attempt that has arrived is answered and billed."""
        with self._idle:
            self._idle.wait_for(lambda: not self._busy, timeout=30)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one attempt."""
        with self._idle:
            self._busy += 1
            self.peak = max(self.peak, self._busy)
        try:
            return await self.answer(request)
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer an attempt according to its fate."""
        text = await request.text()
        key = hashlib.sha256(text.encode()).hexdigest()
        self.asked[key] += 1
        self.reached.set()
        self.on_call()
        fate = self.fate(key)
        if fate != "answer":
            self.faults[fate] += 1
        if fate in {"answer", "slow"}:
            await asyncio.sleep(self.pace * int(key[:4], 16) / 0xFFFF)
            self.answered[key] += 1
            self.earned += self.price(text)
            self.billed += sum(self.usage)
            return await self.reply(request, text, slow=fate == "slow")
        if fate in CONTENT_FAULTS or fate in SILENCES:
            kept = self.answered if fate in KEPT else self.spoilt
            kept[key] += 1
            self.earned += self.price(text)
            self.billed += sum(self.usage)
            return self.spoil(text, fate)
        self.unseen += not fate[0].isdigit() and fate != "wrong type"
        return await self.fail(request, fate)

    def price(self, text: str) -> float:
        """Return the cost of a reply by the prices of the project (USD)."""
        rates = PRICES[json.loads(text)["model"]]
        return sum(tokens * rate for tokens, rate in zip(self.usage, rates, strict=True)) / 1e6

    async def reply(
        self, request: web.Request, text: str, *, slow: bool = False
    ) -> web.StreamResponse:
        """Send the completion that this request always gets, with one of the two verdicts."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        completion = f"I compared both with care. {mark(digest)}\n{'12'[int(digest[0], 16) % 2]}"
        choice = {"index": 0, "message": {"role": "assistant", "content": completion}}
        prompt, reply = self.usage
        usage = {"prompt_tokens": prompt, "completion_tokens": reply}
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
        body |= {"choices": [choice | {"finish_reason": "stop"}], "usage": usage}
        if not slow:
            return web.json_response(body)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for letter in range(0, len(whole := json.dumps(body).encode()), 50):
            await response.write(whole[letter : letter + 50])
            await asyncio.sleep(0.02)
        return response

    def spoil(self, text: str, fate: str) -> web.Response:
        """Send a billed reply with a content fault."""
        message, choice = CONTENT_FAULTS.get(fate, (None, {}))
        digest = hashlib.sha256(text.encode()).hexdigest()
        prompt, reply = self.usage
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": []}
        body["usage"] = {"prompt_tokens": prompt, "completion_tokens": reply}
        if fate in SILENCES:
            body["choices"] = [SILENCES[fate]]
        elif message is not None:
            content = message["content"].replace("{mark}", mark(digest))
            said = {"role": "assistant", "content": content}
            body["choices"] = [{"index": 0, "finish_reason": "stop", "message": said} | choice]
        return web.Response(text=json.dumps(body), content_type="application/json")

    async def fail(self, request: web.Request, fate: str) -> web.StreamResponse:
        """Send a fault instead of a reply."""
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
            while fate == "drip" and not self._closing.is_set() and request.transport is not None:
                await response.write(b" ")
                await asyncio.sleep(0.05)
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    async def serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        """Answer requests until the stop event."""
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
    """Run the server in a thread of its own while the block lasts."""
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
    """Capture the log lines of thousands of expected retries."""
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
def start():
    """Start servers and stop them at the end of the test."""
    with contextlib.ExitStack() as stack:
        yield lambda server: stack.enter_context(running(server))


def project(folder, server: ModelServer, *, limits: str = "timeout = 2\nattempts = 4") -> Shelf:
    """Write a project with two reviewers that are models of this server, with prices."""
    (folder / "agents").mkdir(parents=True, exist_ok=True)
    for name in ("ann", "bob"):
        (folder / "agents" / f"{name}.toml").write_text(
            f'role = "You are {name}."\n[model]\nprovider = "vllm"\nname = "{name}-model"\n'
            f'base_url = "{server.url}"\n[sampling]\nmax_tokens = 100\n[limits]\n{limits}\n'
        )
    (folder / "prices.toml").write_text(
        "".join(f'["{it}"]\ninput = {one}\noutput = {two}\n' for it, (one, two) in PRICES.items())
    )
    return Shelf(folder)


def study(*, repetitions: int = 1) -> Experiment:
    """Return an experiment: Ann and Bob discuss under both leaders; Ann judges alone in both orders."""
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


def count_paid_turns(transcripts) -> int:
    """Count the turns whose reply was paid for by the run that made them."""
    return sum(not turn.utterance.cached for one in transcripts for turn in one.turns)


@dataclass
class _Kit:
    ModelServer = ModelServer
    project = staticmethod(project)
    study = staticmethod(study)
    count_paid_turns = staticmethod(count_paid_turns)
    mark = staticmethod(mark)
    faults = FAULTS
    silences = SILENCES
    content_faults = (*CONTENT_FAULTS, *SILENCES)
    kept = KEPT


@pytest.fixture(scope="session")
def kit():
    """Return the shared parts, as tests cannot import each other."""
    return _Kit
