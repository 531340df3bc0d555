"""Processes that speak for the one that plays: the same replies and failures, and no orphans."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import threading
from types import SimpleNamespace

import pytest
from autogen_core.models import SystemMessage, UserMessage
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import (
    ClientPool,
    Governed,
    MalformedReplyError,
    RetryPolicy,
    WorkerLostError,
    WorkerPool,
    create_args,
    find_dialect,
    is_simulated,
)
from peerjudge.clients.calls import CallRequest
from peerjudge.clients.limits import is_overload
from peerjudge.clients.pipe import CallError, pack_request
from peerjudge.clients.retry import is_transient, read_retry_after
from peerjudge.clients.workers import RemoteClient
from peerjudge.data import Sampling
from peerjudge.shelf.cards import read_card


def prompt(text: str):
    """A prompt of two messages."""
    return [SystemMessage(content="Be fair."), UserMessage(content=text, source="moderator")]


def completion(text: str, **choice: object) -> Response:
    """A reply in OpenAI's form."""
    message = {"role": "assistant", "content": text}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }
    return Response(json.dumps(body), content_type="application/json")


class Model:
    """Answers with what it was asked, after doing to each request what it was told to."""

    def __init__(self, server: HTTPServer) -> None:
        self.asked = 0
        self.reached = threading.Event()
        self.release = threading.Event()
        self.release.set()
        self.refusals: list[Response] = []
        self.logprobs: object = None
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions").respond_with_handler(self.answer)

    def hold(self) -> None:
        """Let the next requests wait until they are released."""
        self.reached.clear()
        self.release.clear()

    def answer(self, request: Request) -> Response:
        """One attempt."""
        self.asked += 1
        self.reached.set()
        self.release.wait(30)
        if self.refusals:
            return self.refusals.pop(0)
        said = json.loads(request.data)["messages"][-1]["content"]
        key = request.headers["Authorization"]
        return completion(f"{said} {key}", logprobs=self.logprobs)


@pytest.fixture
def model(httpserver: HTTPServer):
    """A model on the loopback; whoever is still held is let go at the end."""
    model = Model(httpserver)
    yield model
    model.release.set()


def card_for(model: Model, extra: str = ""):
    """A card whose model it is."""
    return read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{model.url}"\nkey_env = "KEY"\n{extra}',
    )


def at_once(client: Governed) -> Governed:
    """The same client, not waiting between attempts."""
    return Governed(client.inner, reviewer="r", policy=RetryPolicy(attempts=3, wait=0.0))


def gone(process: int) -> bool:
    """Whether the process (as `os.pidfd_open` has it) has ended."""
    try:
        return bool(select.select([process], [], [], 0)[0])
    finally:
        os.close(process)


async def test_replies_and_failures_come_back_as_if_made_here(model: Model):
    """Text, usage, log-probabilities, status and `Retry-After` pass through the other process."""
    alternative = {"token": "2", "logprob": -2.0, "bytes": [50]}
    model.logprobs = {
        "content": [{"token": "1", "logprob": -0.1, "bytes": [49], "top_logprobs": [alternative]}]
    }
    environ = {"KEY": "quay"}
    async with WorkerPool.open(2, environ=environ) as workers:
        async with (
            ClientPool(environ=environ, workers=workers) as pool,
            ClientPool(environ=environ) as own,
        ):
            there, here = pool.client(card_for(model)), own.client(card_for(model))
            args, _ = create_args(Sampling(temperature=0.5, logprobs=True), "openai")
            results = [
                await client.create(prompt("a"), extra_create_args=args) for client in (there, here)
            ]
            assert results[0] == results[1]
            assert results[0].content == "a Bearer quay"
            assert isinstance(there.inner, RemoteClient)
            assert (find_dialect(there), is_simulated(there)) == ("openai", False)
            both = []
            for client in (there, here):
                model.refusals = [Response("{}", status=429, headers={"Retry-After": "3"})]
                try:
                    await client.inner.create(prompt("b"))
                except Exception as error:  # noqa: BLE001  looked at below
                    both.append(error)
            told = [
                (type(e).__name__, str(e), is_transient(e), is_overload(e), read_retry_after(e))
                for e in both
            ]
            assert told[0] == told[1]
            assert told[0][0] == "RateLimitError"
            model.refusals = [Response("<html>", content_type="text/html")]
            with pytest.raises(Exception, match="no reply") as caught:
                await at_once(there).create(prompt("c"))
            assert type(caught.value).__name__ == MalformedReplyError.__name__
        processes = [os.pidfd_open(pid) for pid in workers.pids]
    assert [gone(process) for process in processes] == [True, True]


async def test_equal_requests_are_one_call_whoever_makes_it(model: Model):
    """Single flight and cache are before the workers: ten equal requests are one attempt."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(2, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = pool.client(card_for(model))
        results = await asyncio.gather(*(client.create(prompt("same")) for _ in range(10)))
        assert sorted(result.cached for result in results) == [False] + [True] * 9
        assert model.asked == 1


async def test_the_calls_of_a_killed_worker_are_made_by_those_who_are_left(model: Model):
    """With every worker dead, one after the other, the playing process speaks for itself."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(2, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = at_once(pool.client(card_for(model)))
        for left in (1, 0):
            model.hold()
            asking = asyncio.create_task(client.create(prompt(f"{left} left")))
            await asyncio.to_thread(model.reached.wait, 30)
            # The idlest of equals is the first.
            os.kill(workers.pids[0], signal.SIGKILL)
            model.release.set()
            assert (await asking).content.startswith(f"{left} left")
            assert len(workers.pids) == left
        assert (await client.create(prompt("none left"))).content.startswith("none left")
        assert (client.book.tally("r").paid, client.book.tally("r").attempts) == (3, 5)


async def test_a_cancelled_call_leaves_its_worker_free(model: Model):
    """Whoever stops waiting stops the call there too; the worker goes on answering others."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(1, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = pool.client(card_for(model))
        model.hold()
        asking = asyncio.create_task(client.create(prompt("a")))
        await asyncio.to_thread(model.reached.wait, 30)
        asking.cancel()
        model.release.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert workers.least_busy().busy == 0
        assert (await client.create(prompt("b"))).content.startswith("b")


async def test_a_crew_that_cannot_start_leaves_its_calls_to_the_player(model: Model):
    """A worker that dies at once is no reason to end the run."""
    async with WorkerPool.open(1, environ={}) as workers:
        (pid,) = workers.pids
        os.kill(pid, signal.SIGKILL)
        request = pack_request(CallRequest(messages=prompt("a")), streamed=False)
        with (
            pytest.raises(WorkerLostError, match=str(pid)),
            workers.least_busy().call("m", request) as reply,
        ):
            await reply
        assert workers.least_busy() is None


async def test_whoever_still_waits_when_a_crew_goes_is_told(model: Model):
    """A call that outlives its crew is made again, by the process that plays."""
    environ = {"KEY": "quay"}
    async with ClientPool(environ=environ) as own:
        inner = own.client(card_for(model)).inner
        async with WorkerPool.open(1, environ=environ) as workers:
            workers.register_card("m", card_for(model))
            client = at_once(Governed(RemoteClient(inner, workers, "m")))
            model.hold()
            asking = asyncio.create_task(client.create(prompt("a")))
            await asyncio.to_thread(model.reached.wait, 30)
        model.release.set()
        assert (await asking).content == "a Bearer quay"
        assert client.book.tally("r").attempts == 2


def test_a_described_failure_keeps_the_names_of_its_types():
    """The types of vendor libraries are made anew by name, for they cannot be sent."""

    class OddError(TimeoutError):
        """A timeout."""

    error = CallError.describe(OddError("late")).rebuild()
    assert [kind.__name__ for kind in type(error).__mro__[:3]] == [
        "OddError",
        "TimeoutError",
        "OSError",
    ]
    assert str(error) == "late"
    assert is_transient(error)


def test_a_described_failure_says_what_retries_go_by():
    """A used-up quota is hopeless by whichever name, and a date is seen by the server's clock."""

    class QuotaError(Exception):
        """As openai has it."""

        status_code = 429
        type = "insufficient_quota"
        code = None
        response = SimpleNamespace(
            headers={
                "date": "Sat, 21 Nov 2026 08:00:00 GMT",
                "retry-after": "Sat, 21 Nov 2026 08:00:07 GMT",
            }
        )

    here, there = (
        QuotaError("no money left"),
        CallError.describe(QuotaError("no money left")).rebuild(),
    )
    assert not is_transient(here)
    assert not is_transient(there)
    assert read_retry_after(here) == read_retry_after(there) == pytest.approx(7)
    there.type = None
    assert is_transient(there)
