"""Worker processes: the same replies and failures as without them, and no orphans."""

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
    """Return a prompt of two messages."""
    return [SystemMessage(content="Be fair."), UserMessage(content=text, source="moderator")]


def completion(text: str, **choice: object) -> Response:
    """Return a completion in OpenAI's form."""
    message = {"role": "assistant", "content": text}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }
    return Response(json.dumps(body), content_type="application/json")


class Model:
    """Server that answers with the prompt's text; requests can be held or refused."""

    def __init__(self, server: HTTPServer) -> None:
        self.attempts = 0
        self.reached = threading.Event()
        self.release = threading.Event()
        self.release.set()
        self.refusals: list[Response] = []
        self.logprobs: object = None
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions").respond_with_handler(self.answer)

    def hold(self) -> None:
        """Hold the next requests until they are released."""
        self.reached.clear()
        self.release.clear()

    def answer(self, request: Request) -> Response:
        """Answer one attempt."""
        self.attempts += 1
        self.reached.set()
        self.release.wait(30)
        if self.refusals:
            return self.refusals.pop(0)
        text = json.loads(request.data)["messages"][-1]["content"]
        key = request.headers["Authorization"]
        return completion(f"{text} {key}", logprobs=self.logprobs)


@pytest.fixture
def model(httpserver: HTTPServer):
    """Yield a model on the loopback; release held requests at the end."""
    model = Model(httpserver)
    yield model
    model.release.set()


def card_for(model: Model, extra: str = ""):
    """Return a card of this model."""
    return read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{model.url}"\nkey_env = "KEY"\n{extra}',
    )


def at_once(client: Governed) -> Governed:
    """Return the same client without waits between attempts."""
    return Governed(client.inner, reviewer="r", policy=RetryPolicy(attempts=3, wait=0.0))


def has_ended(process: int) -> bool:
    """Return whether a process (as `os.pidfd_open` has it) has ended."""
    try:
        return bool(select.select([process], [], [], 0)[0])
    finally:
        os.close(process)


async def test_replies_and_failures_equal_those_of_this_process(model: Model):
    """Text, usage, log-probabilities, status and `Retry-After` are the same."""
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
                except Exception as error:  # noqa: BLE001  compared below
                    both.append(error)
            described = [
                (type(e).__name__, str(e), is_transient(e), is_overload(e), read_retry_after(e))
                for e in both
            ]
            assert described[0] == described[1]
            assert described[0][0] == "RateLimitError"
            model.refusals = [Response("<html>", content_type="text/html") for _ in range(3)]
            with pytest.raises(Exception, match="no reply") as caught:
                await at_once(there).create(prompt("c"))
            assert type(caught.value).__name__ == MalformedReplyError.__name__
        processes = [os.pidfd_open(pid) for pid in workers.pids]
    assert [has_ended(process) for process in processes] == [True, True]


async def test_equal_requests_are_one_call_with_workers(model: Model):
    """Single flight and cache come before the workers: ten equal requests are one attempt."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(2, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = pool.client(card_for(model))
        results = await asyncio.gather(*(client.create(prompt("same")) for _ in range(10)))
        assert sorted(result.cached for result in results) == [False] + [True] * 9
        assert model.attempts == 1


async def test_calls_of_a_killed_worker_are_retried_elsewhere(model: Model):
    """With all workers dead, this process makes the calls."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(2, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = at_once(pool.client(card_for(model)))
        for left in (1, 0):
            model.hold()
            calling = asyncio.create_task(client.create(prompt(f"{left} left")))
            await asyncio.to_thread(model.reached.wait, 30)
            # With equal load, the first worker gets the call.
            os.kill(workers.pids[0], signal.SIGKILL)
            model.release.set()
            assert (await calling).content.startswith(f"{left} left")
            assert len(workers.pids) == left
        assert (await client.create(prompt("none left"))).content.startswith("none left")
        assert (client.book.tally("r").paid, client.book.tally("r").attempts) == (3, 5)


async def test_a_cancelled_call_leaves_its_worker_free(model: Model):
    """The call stops in the worker too, which goes on answering others."""
    environ = {"KEY": "quay"}
    async with (
        WorkerPool.open(1, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
    ):
        client = pool.client(card_for(model))
        model.hold()
        calling = asyncio.create_task(client.create(prompt("a")))
        await asyncio.to_thread(model.reached.wait, 30)
        calling.cancel()
        model.release.set()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert workers.least_busy().busy == 0
        assert (await client.create(prompt("b"))).content.startswith("b")


async def test_a_worker_that_dies_at_once_fails_its_calls(model: Model):
    """Later calls find no worker and are made by this process."""
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


async def test_calls_under_way_when_the_workers_end_are_retried(model: Model):
    """A call that outlives its workers is made again by this process."""
    environ = {"KEY": "quay"}
    async with ClientPool(environ=environ) as own:
        inner = own.client(card_for(model)).inner
        async with WorkerPool.open(1, environ=environ) as workers:
            workers.register_card("m", card_for(model))
            client = at_once(Governed(RemoteClient(inner, workers, "m")))
            model.hold()
            calling = asyncio.create_task(client.create(prompt("a")))
            await asyncio.to_thread(model.reached.wait, 30)
        model.release.set()
        assert (await calling).content == "a Bearer quay"
        assert client.book.tally("r").attempts == 2


def test_a_rebuilt_error_has_the_names_of_its_types():
    """Vendor types cannot be pickled, so they are rebuilt by name."""

    class OddError(TimeoutError):
        """Timeout of an unusual type."""

    error = CallError.describe(OddError("late")).rebuild()
    assert [kind.__name__ for kind in type(error).__mro__[:3]] == [
        "OddError",
        "TimeoutError",
        "OSError",
    ]
    assert str(error) == "late"
    assert is_transient(error)


def test_a_rebuilt_error_has_all_that_retries_depend_on():
    """Quota codes, status, `Retry-After` and the server's date survive."""

    class QuotaError(Exception):
        """Quota error as openai raises it."""

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
