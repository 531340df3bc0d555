"""Study of two models in batch mode, and what its tests share for every provider."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.error import HTTPError
from urllib.request import urlopen

from aiohttp import web

from peerjudge.data import StopReason
from peerjudge.runs import load

STUDY = '''
"""Two discuss."""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("{leader}", "{follower}")),),
)
'''
RUN = ["run", "study", "--batch", "--out", "out", "--limit", "4", "--display", "plain", "--json"]
DISCUSSIONS, TURNS = 8, 6
WAVES = TURNS - 1
"""Both seats review privately at the same time."""
COST = 24 * (500 * 2 + 100 * 10 + 500 * 1 + 100 * 5) / 1e6 / 2
"""Half the price of 24 calls of each model. [USD]"""


@dataclass
class BatchApi:
    """Batches of a provider and their results; a batch ends when it was looked at `looks` times.

    `billed` counts the replies by request. `on_step` is called with the name of each step, after it took
    effect and before its answer. `fate` gives the fate of a request by its number of tries; `single`
    counts calls outside batches.
    """

    below: ClassVar[str] = ""
    looks: int = 1
    fate: Callable[[str, int], str] = lambda _key, _tries: "done"
    on_step: Callable[[str], None] = lambda _: None
    url: str = ""
    billed: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    batches: dict[str, dict] = field(default_factory=dict)
    single: int = 0

    def draw_fate(self, key: str) -> str:
        """Return the fate of a request at this try, and bill it if it is done."""
        fate = self.fate(key, self.tried[key])
        self.tried[key] += 1
        if fate == "done":
            self.billed[key] += 1
        return fate

    async def send_lines(self, request: web.Request, lines: list[dict]) -> web.StreamResponse:
        """Send results in two parts, with a step between them."""
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        response = web.StreamResponse(headers={"Content-Length": str(len(text))})
        await response.prepare(request)
        await response.write(text[: len(text) // 2])
        self.on_step("results")
        await response.write(text[len(text) // 2 :])
        return response

    async def serve(self, ready: threading.Event, stop) -> None:
        """Answer requests until the stop event."""
        runner = web.AppRunner(self.app(), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}{self.below}"
        ready.set()
        await stop.wait()
        await runner.cleanup()


def write_reply(request: dict) -> str:
    """Return the text of a model, which depends on the whole request."""
    digest = hashlib.sha256(json.dumps(request).encode()).hexdigest()
    return f"I compared both with care.\n{'12'[int(digest[0], 16) % 2]}"


def end_at_each(server, steps, folder, commands, *, number=signal.SIGKILL, between=lambda: None):
    """Start the run again and again, and send it a signal at the next of these steps."""
    waiting = [*steps]

    def interrupt(step):
        """End the run after this step of the server took effect, and answer nothing."""
        # Several batches are under way: one of them ends the run, once.
        if len(waiting) == left and step == waiting[0]:
            del waiting[0]
            over = ended
            assert started.wait(60)
            os.kill(pid[0], number)
            over.wait(60)
            raise ConnectionResetError

    while waiting:
        server.on_step = interrupt
        left, started, ended = len(waiting), threading.Event(), threading.Event()
        pid = [commands.start(folder, *RUN)]
        started.set()
        code = commands.code()
        server.on_step = lambda _: None
        ended.set()
        flush(server)
        expected = 128 + number if number == signal.SIGINT else -number
        assert (code, len(waiting)) == (expected, left - 1)
        between()


def flush(server):
    """Let the server handle what a process that has ended asked for before, which is no step of the next."""
    for _ in range(3):
        with contextlib.suppress(HTTPError):
            urlopen(f"{server.url}/nothing", timeout=60).close()


def prepare(kit, folder, server, *, provider="openai", seats=("ann", "bob")):
    """Write a project whose cards use the batch API of this server, and a study."""
    kit.project(folder, server)
    for card in (folder / "agents").iterdir():
        card.write_text(card.read_text().replace('"vllm"', f'"{provider}"\nbatch = true'))
    (folder / "experiments").mkdir()
    leader, follower = seats
    text = STUDY.replace("{leader}", leader).replace("{follower}", follower)
    (folder / "experiments" / "study.py").write_text(text)


def finish(folder, commands):
    """Run the command until the end, and return its summary."""
    (folder / "stdout").write_text("")
    commands.start(folder, *RUN)
    assert commands.code() == 0, (folder / "stderr").read_text()
    return json.loads((folder / "stdout").read_text())


async def require_paid_once(folder, server, summary, *, kills=0):
    """Check that every request was billed once, and that the book is the bill of the server.

    A reply of a batch that is booked, but not yet kept, at a kill is read again and booked again.
    """
    transcripts = await load(folder / "out")
    assert [each.stop for each in transcripts if each.stop is StopReason.FAILED] == []
    assert sum(len(each.turns) for each in transcripts) == DISCUSSIONS * TURNS
    assert set(server.billed.values()) == {1}
    assert len(server.billed) == DISCUSSIONS * TURNS
    assert server.single == 0
    booked = summary["spent_before"]["usd"] + summary["spent_now"]["usd"]
    most = COST * (1 + kills / (DISCUSSIONS * TURNS))
    assert COST - 1e-9 <= booked <= most + 1e-9
