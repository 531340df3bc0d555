"""Replies of every form (types, JSON, streams) from workers equal those of this process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from contextlib import asynccontextmanager

import pytest
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import CreateResult, UserMessage
from pydantic import BaseModel
from pytest_httpserver import HTTPServer
from structlog.testing import capture_logs
from werkzeug import Request, Response

from peerjudge.clients import ClientPool, WorkerLostError, WorkerPool
from peerjudge.shelf.cards import read_card

KEY = "sk-planted-0123456789"
PROMPT = [UserMessage(content="Which?", source="moderator")]
TOOL = {"name": "look_up", "parameters": {"type": "object", "properties": {}}}


class Rating(BaseModel):
    """Type that workers cannot import, as test modules are not importable."""

    reasons: list[str]
    score: int


class Model:
    """Server that replies as a whole or word by word, and records its requests."""

    def __init__(self, server: HTTPServer) -> None:
        self.words = ["one ", "two ", "three"]
        self.end = "stop"
        self.requests: list[dict] = []
        self.refusals: list[Response] = []
        self.reached = threading.Event()
        self.going_on = threading.Event()
        self.going_on.set()
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        """Answer one attempt."""
        body = json.loads(request.data)
        self.requests.append(body)
        self.reached.set()
        if self.refusals:
            return self.refusals.pop(0)
        if body.get("stream"):
            return Response(self.pieces(), content_type="text/event-stream")
        self.going_on.wait(30)
        message: dict = {"role": "assistant", "content": "".join(self.words)}
        if "tools" in body or self.end != "stop":
            function = {"name": "look_up", "arguments": "{}"}
            message["tool_calls"] = [{"id": "1", "type": "function", "function": function}]
        end = "tool_calls" if "tools" in body else self.end
        text = self.encode("chat.completion", message=message, finish_reason=end)
        return Response(text, content_type="application/json")

    def pieces(self):
        """Yield one event per word; wait for `going_on` before the last."""
        for place, word in enumerate(self.words, start=1):
            if place == len(self.words):
                self.going_on.wait(30)
            yield f"data: {self.encode('chat.completion.chunk', delta={'content': word})}\n\n"
        end = self.encode("chat.completion.chunk", delta={}, finish_reason="stop")
        yield f"data: {end}\n\ndata: [DONE]\n\n"

    def encode(self, kind: str, **choice: object) -> str:
        """Return a reply, or a piece of it, in OpenAI's form."""
        choice = {"index": 0, "finish_reason": None, **choice}
        usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
        body = {"id": "r", "created": 0, "model": "m", "object": kind, "choices": [choice]}
        return json.dumps(body | {"usage": usage})


@pytest.fixture
def model(httpserver: HTTPServer):
    """Yield a model on the loopback; release waiting requests at the end."""
    model = Model(httpserver)
    yield model
    model.going_on.set()


@asynccontextmanager
async def clients(model: Model, *, count: int = 1):
    """Yield the client of a pool with workers, that of a pool without, and the workers."""
    card = read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{model.url}"\nkey_env = "KEY"\n'
        "[limits]\nattempts = 1\n",
    )
    environ = {"KEY": KEY}
    async with (
        WorkerPool.open(count, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
        ClientPool(environ=environ) as own,
    ):
        yield pool.client(card), own.client(card), workers


def paid_here(client) -> int:
    """Return the completion tokens of calls made by this process."""
    return client.inner.inner.total_usage().completion_tokens


async def outcome(calling) -> object:
    """Return the result of a call, or the type and message of its error."""
    try:
        return await calling
    except Exception as error:  # noqa: BLE001  compared by the test
        return type(error).__name__, str(error)


async def collect(client, pieces=None, **settings) -> list:
    """Return all pieces of a stream; they are added to `pieces` as they come."""
    pieces = [] if pieces is None else pieces
    async for piece in client.create_stream(PROMPT, **settings):
        pieces.append(piece)
    return pieces


async def start_stream(client, **settings):
    """Start a stream; return its task and its first two of three pieces."""
    pieces: list = []
    stream = client.create_stream(PROMPT, **settings)
    listening = asyncio.Event()

    async def receive() -> None:
        async for piece in stream:
            pieces.append(piece)
            if len(pieces) == 2:
                listening.set()

    streaming = asyncio.create_task(receive())
    await listening.wait()
    return streaming, pieces


async def test_structured_replies_are_requested_alike(model: Model):
    """The schema of a type known only here is sent as if this process made the call."""
    model.words = ['{"reasons": ["terse"], ', '"score": 4}']
    async with clients(model) as (there, here, _):
        for form in (Rating, True, False):
            model.requests.clear()
            results = [await client.create(PROMPT, json_output=form) for client in (there, here)]
            pieces = [await collect(client.inner, json_output=form) for client in (there, here)]
            assert results[0] == results[1]
            assert pieces[0] == pieces[1] == [*model.words, pieces[0][-1]]
            whole, again, *streamed = (body["response_format"] for body in model.requests)
            assert [whole, whole] == [again, streamed[0]]
            assert streamed[0] == streamed[1]
            if form is Rating:
                assert whole["json_schema"]["name"] == "Rating"
                assert whole["json_schema"]["schema"]["required"] == ["reasons", "score"]
        assert paid_here(there) == 0


async def test_a_reply_that_does_not_fit_its_type_fails_alike(model: Model):
    """A rating without a score fails, with and without workers."""
    model.words = ['{"reasons": []}']
    async with clients(model) as (there, here, _):
        outcomes = [
            await outcome(each.create(PROMPT, json_output=Rating)) for each in (there, here)
        ]
        assert paid_here(there) == 0
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == "MalformedReplyError"
    assert "score" in outcomes[0][1]


async def test_streams_have_the_same_pieces(model: Model):
    """Requests, pieces and result are equal."""
    async with clients(model) as (there, here, workers):
        streams = [await collect(client) for client in (there, here)]
        assert paid_here(there) == 0
        assert workers.least_busy().busy == 0
    assert streams[0] == streams[1]
    assert streams[0][:-1] == model.words
    assert isinstance(streams[0][-1], CreateResult)
    assert model.requests[0] == model.requests[1]


async def test_calls_with_tools_stay_in_this_process(model: Model):
    """Some clients remember the tools to read their results."""
    async with clients(model) as (there, _, workers):
        result = await there.create(PROMPT, tools=[TOOL])
        assert result.content == [FunctionCall(id="1", name="look_up", arguments="{}")]
        assert paid_here(there) == 3
        assert workers.least_busy().busy == 0


async def test_calls_with_settings_that_cannot_be_sent_stay_in_this_process(model: Model):
    """Such a call is made here and costs no worker."""

    class CustomText(str):
        """String of another type."""

    async with clients(model) as (there, _, workers):
        await there.create(PROMPT, extra_create_args={"user": CustomText("me")})
        assert paid_here(there) == 3
        assert (await there.create(PROMPT)).content == "one two three"
        assert paid_here(there) == 3
        assert len(workers.pids) == 1


async def test_stopping_a_stream_stops_its_call_in_the_worker(model: Model):
    """The worker goes on answering other calls."""
    async with clients(model) as (there, _, workers):
        token = CancellationToken()
        for stop in (asyncio.Task.cancel, lambda _: token.cancel()):
            model.going_on.clear()
            streaming, pieces = await start_stream(there, cancellation_token=token)
            assert pieces == ["one ", "two "]
            stop(streaming)
            with pytest.raises(asyncio.CancelledError):
                await streaming
            assert workers.least_busy().busy == 0
            model.going_on.set()
        model.going_on.clear()
        stream = there.create_stream(PROMPT)
        assert await anext(stream) == "one "
        await stream.aclose()
        assert workers.least_busy().busy == 0
        model.going_on.set()
        assert (await there.create(PROMPT)).content == "one two three"
        assert len(workers.pids) == 1


async def test_a_token_stops_a_call_of_a_worker(model: Model):
    """AutoGen's token reaches calls in another process."""
    token = CancellationToken()
    async with clients(model) as (there, _, workers):
        model.going_on.clear()
        calling = asyncio.ensure_future(there.create(PROMPT, cancellation_token=token))
        await asyncio.to_thread(model.reached.wait, 30)
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert workers.least_busy().busy == 0


async def test_a_stream_fails_when_its_worker_dies(model: Model):
    """Its pieces were passed on already, so it fails; the next call goes to another worker."""
    model.going_on.clear()
    async with clients(model, count=2) as (there, _, workers):
        streaming, pieces = await start_stream(there)
        # With equal load, the first worker gets the call.
        os.kill(workers.pids[0], signal.SIGKILL)
        with pytest.raises(WorkerLostError):
            await streaming
        assert pieces == ["one ", "two "]
        model.going_on.set()
        assert (await collect(there))[-1].content == "one two three"
        assert len(workers.pids) == 1
        assert paid_here(there) == 0
        assert there.book.tally("tester").failed == 1


async def test_keys_are_redacted_in_replies_of_workers(model: Model):
    """Failures and streamed results are without the key that the server repeated."""
    refusal = json.dumps({"error": {"message": f"Wrong key: {KEY}", "code": KEY}})
    model.words = ["The key is ", KEY]
    async with clients(model) as (there, _, _):
        for ask in (collect, lambda client: client.create(PROMPT, json_output=Rating)):
            model.refusals = [Response(refusal, status=401, content_type="application/json")]
            kind, text = await outcome(ask(there))
            assert kind == "AuthenticationError"
            assert KEY not in text
            assert "[key]" in text
        *_, result = await collect(there)
        assert result.content == "The key is [key]"


async def test_warnings_in_a_worker_are_logged_here(model: Model):
    """Warnings of libraries in a worker are logged by this process, without keys."""
    async with clients(model) as (there, _, _):
        with capture_logs() as logs:
            model.end = KEY
            await there.create(PROMPT, json_output=True)
            model.end = "stop"
            await there.create(PROMPT)
    (logged,) = (log for log in logs if log["event"] == "message of a worker")
    assert logged["log_level"] == "warning"
    assert "Finish reason mismatch: [key] != tool_calls" in logged["text"]
