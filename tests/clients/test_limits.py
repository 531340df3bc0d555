"""Congestion window: the number of concurrent calls follows a provider's answers."""

from __future__ import annotations

import asyncio
import os
import resource

import pytest
import structlog.testing
from aiohttp import web
from autogen_core.models import UserMessage

from peerjudge.clients import ClientPool, Governed, Window, bill_to
from peerjudge.clients.fake import FakeChatClient
from peerjudge.shelf.cards import read_card
from tests.clients.virtual_time import Refusal, VirtualLoop
from tests.clients.wire import completion


async def use(window: Window, *errors: Exception | None, seconds: float = 0.0) -> None:
    """Make concurrent calls that end with these errors (`None`: success) after some seconds."""
    inside = asyncio.Event()

    async def call(error: Exception | None) -> None:
        async with window.slot():
            await inside.wait()
            if error is not None:
                raise error

    calls = [asyncio.ensure_future(call(error)) for error in errors]
    await asyncio.sleep(seconds)
    inside.set()
    await asyncio.gather(*calls, return_exceptions=True)


async def test_a_full_window_doubles_while_the_provider_answers():
    """Each successful call in a full window makes room for one more."""
    window = Window(start=4)
    await use(window, *[None] * 100)
    assert window.size >= 60


async def test_an_idle_window_does_not_grow():
    """Calls that never fill the window do not change it."""
    window = Window(start=4)
    for _ in range(20):
        await use(window, None)
    assert window.size == 4


def test_refusals_halve_a_window_once():
    """Sixteen calls that are refused at the same time halve the window once, and a single one does not."""

    async def play() -> tuple[int, int]:
        window = Window(start=16)
        await use(window, *[Refusal()] * 16)
        halved = window.size
        await use(window, Refusal())
        return halved, window.size

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(play()) == (8, 8)


async def test_the_window_stays_below_its_bound():
    """Successes widen the window up to the bound."""
    window = Window(start=2, most=3)
    for _ in range(50):
        await use(window, *[None] * window.size)
    assert window.size == 3


async def test_other_failures_leave_the_window_alone():
    """A wrong request or a lost connection changes nothing."""
    window = Window(start=4)
    await use(window, ValueError(), ConnectionError(), TimeoutError())
    assert window.size == 4


def test_a_machine_without_free_files_narrows_the_window():
    """Each call that cannot open a file makes the window smaller, so its repetition succeeds."""
    files, retries = 20, 3

    async def call(window: Window) -> None:
        async with window.slot():
            await asyncio.sleep(0.1)
            try:
                file = os.open(os.devnull, os.O_RDONLY)
            except OSError as cause:
                raise ConnectionError from cause
            await asyncio.sleep(1.0)
            os.close(file)

    async def insist(window: Window) -> int:
        for failures in range(retries):
            try:
                await call(window)
            except ConnectionError:
                await asyncio.sleep(2.0)
            else:
                return failures
        return retries

    async def play() -> tuple[int, int]:
        window = Window(start=40)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.open(os.devnull, os.O_RDONLY)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + files, hard))
        try:
            failures = await asyncio.gather(*(insist(window) for _ in range(200)))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(failures), window.size

    with (
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
        structlog.testing.capture_logs() as events,
    ):
        most, size = runner.run(play())
    assert most < retries
    assert 1 < size <= files
    assert sum("ulimit -n" in event["event"] for event in events) == 1


def test_a_long_retry_after_delays_all_calls():
    """No call starts before the requested time; a wait of a second is for the refused calls alone."""

    async def measure(wait: float, refusals: int) -> float:
        window, loop = Window(start=4), asyncio.get_running_loop()
        await use(window, *[Refusal(wait)] * refusals)
        refused = loop.time()
        await use(window, None)
        return loop.time() - refused

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(measure(30.0, 1)) == pytest.approx(30.0, abs=0.01)
        assert runner.run(measure(1.0, 4)) == pytest.approx(0.0, abs=0.01)


async def test_a_long_wait_is_logged_once():
    """A wait of an hour causes one warning with provider and end; a short one none."""
    window = Window(start=4, name="them")
    with structlog.testing.capture_logs() as events:
        await use(window, Refusal(0.01))
        await use(window, Refusal(3600), Refusal(3600.001))
    warned = [event for event in events if event["log_level"] == "warning"]
    assert [(event["provider"], event["seconds"]) for event in warned] == [("them", 3600)]
    assert "until" in warned[0]


async def test_a_cancelled_caller_leaves_its_slot_to_the_next():
    """Cancelled callers hold no slot, before and after they were admitted."""
    window = Window(start=1)
    held, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with window.slot():
            held.set()
            await release.wait()

    async def pass_through() -> None:
        async with window.slot():
            pass

    holder = asyncio.ensure_future(hold())
    await held.wait()
    waiting = [asyncio.ensure_future(pass_through()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    release.set()
    await holder
    waiting[1].cancel()  # admitted at this moment
    await asyncio.wait(waiting)
    assert not waiting[2].cancelled()
    await asyncio.wait_for(pass_through(), 5)


class BusyServer:
    """Model server that answers a number of calls at once and refuses the others."""

    def __init__(self, bears: int):
        self.bears, self.inside, self.most, self.refused, self.answered = bears, 0, 0, 0, 0

    async def answer(self, request: web.Request) -> web.Response:
        """Reply after a moment, or with a 429."""
        await request.read()
        if self.inside >= self.bears:
            self.refused += 1
            return web.json_response({"error": {"message": "slow down"}}, status=429)
        self.inside += 1
        self.most = max(self.most, self.inside)
        await asyncio.sleep(0.01)
        self.inside -= 1
        self.answered += 1
        return web.json_response(completion(usage=(3, 1)))


@pytest.fixture
async def busy_server():
    """Yield a server that answers twelve calls at once, and its address."""
    server = BusyServer(bears=12)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield server, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()


async def test_the_window_finds_the_capacity_of_a_server(busy_server):
    """Two hundred calls to a server with capacity twelve all get a reply."""
    server, url = busy_server
    card = read_card(
        "one",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{url}"\n[limits]\nattempts = 8\n',
    )
    other = read_card("two", f'[model]\nprovider = "vllm"\nname = "n"\nbase_url = "{url}"\n')

    async with ClientPool(environ={}) as pool:

        async def ask(number: int) -> list[str]:
            client = pool.client(card if number % 2 else other)
            with bill_to(reviewer="r", draw=str(number)) as bill:
                await client.create([UserMessage(content="?", source="m")])
            return [str(call.outcome) for call in bill.calls]

        outcomes = await asyncio.gather(*(ask(number) for number in range(200)))
    assert outcomes == [["paid"]] * 200
    assert server.answered == 200
    assert server.most <= 12
    # Without a window, 188 of 200 calls would be refused in the first moment.
    assert server.refused <= 100


async def test_a_client_outside_a_pool_has_no_window():
    """Only its limits bound such a client."""
    inside, all_waiting = asyncio.Event(), asyncio.Event()
    waiting = 0

    async def wait() -> None:
        nonlocal waiting
        waiting += 1
        if waiting == 100:
            all_waiting.set()
        await inside.wait()

    client = Governed(FakeChatClient(default="1", delay=wait))
    asking = [
        asyncio.create_task(client.create([UserMessage(content=str(n), source="m")]))
        for n in range(100)
    ]
    await asyncio.wait_for(all_waiting.wait(), 30)
    inside.set()
    await asyncio.gather(*asking)
