"""Whatever the form of a reply (a type, JSON, pieces), it comes from a worker as if made here."""

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
    """No worker can import this type: a test is no module that others find."""

    reasons: list[str]
    score: int


class Model:
    """Says its words as a whole or one by one, and notes how it was asked."""

    def __init__(self, server: HTTPServer) -> None:
        self.words = ["one ", "two ", "three"]
        self.end = "stop"
        self.asked: list[dict] = []
        self.refusals: list[Response] = []
        self.reached = threading.Event()
        self.going_on = threading.Event()
        self.going_on.set()
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        """One attempt."""
        body = json.loads(request.data)
        self.asked.append(body)
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
        text = self.told("chat.completion", message=message, finish_reason=end)
        return Response(text, content_type="application/json")

    def pieces(self):
        """One event for every word; before the last it waits until it may go on."""
        for place, word in enumerate(self.words, start=1):
            if place == len(self.words):
                self.going_on.wait(30)
            yield f"data: {self.told('chat.completion.chunk', delta={'content': word})}\n\n"
        end = self.told("chat.completion.chunk", delta={}, finish_reason="stop")
        yield f"data: {end}\n\ndata: [DONE]\n\n"

    def told(self, kind: str, **choice: object) -> str:
        """A reply, or a piece of it, in OpenAI's form."""
        choice = {"index": 0, "finish_reason": None, **choice}
        usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
        body = {"id": "r", "created": 0, "model": "m", "object": kind, "choices": [choice]}
        return json.dumps(body | {"usage": usage})


@pytest.fixture
def model(httpserver: HTTPServer):
    """A model on the loopback; whoever still waits for it is let go at the end."""
    model = Model(httpserver)
    yield model
    model.going_on.set()


@asynccontextmanager
async def clients(model: Model, *, workers: int = 1):
    """The client of a pool with workers, the client of one without, and the workers."""
    card = read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{model.url}"\nkey_env = "KEY"\n'
        "[limits]\nattempts = 1\n",
    )
    environ = {"KEY": KEY}
    async with (
        WorkerPool.open(workers, environ=environ) as workers,
        ClientPool(environ=environ, workers=workers) as pool,
        ClientPool(environ=environ) as own,
    ):
        yield pool.client(card), own.client(card), workers


def paid_here(client) -> int:
    """The tokens that the client of this process was sent, and none of a worker's."""
    return client.inner.inner.total_usage().completion_tokens


async def outcome(asking) -> object:
    """What comes of a call: its result, or its failure in words."""
    try:
        return await asking
    except Exception as error:  # noqa: BLE001  compared by whoever asked
        return type(error).__name__, str(error)


async def heard(client, pieces=None, **settings) -> list:
    """All pieces of a streamed reply; they are added to `pieces` as they come."""
    pieces = [] if pieces is None else pieces
    async for piece in client.create_stream(PROMPT, **settings):
        pieces.append(piece)
    return pieces


async def begun(client, **settings):
    """A streamed reply that is under way, and its pieces so far: two of three."""
    pieces: list = []
    stream = client.create_stream(PROMPT, **settings)
    listening = asyncio.Event()

    async def hear() -> None:
        async for piece in stream:
            pieces.append(piece)
            if len(pieces) == 2:
                listening.set()

    hearing = asyncio.create_task(hear())
    await listening.wait()
    return hearing, pieces


async def test_a_reply_in_a_form_is_asked_for_alike(model: Model):
    """The schema of a type that only this process knows goes out as if this process had asked."""
    model.words = ['{"reasons": ["terse"], ', '"score": 4}']
    async with clients(model) as (there, here, _):
        for form in (Rating, True, False):
            model.asked.clear()
            results = [await client.create(PROMPT, json_output=form) for client in (there, here)]
            pieces = [await heard(client.inner, json_output=form) for client in (there, here)]
            assert results[0] == results[1]
            assert pieces[0] == pieces[1] == [*model.words, pieces[0][-1]]
            whole, again, *streamed = (body["response_format"] for body in model.asked)
            assert [whole, whole] == [again, streamed[0]]
            assert streamed[0] == streamed[1]
            if form is Rating:
                assert whole["json_schema"]["name"] == "Rating"
                assert whole["json_schema"]["schema"]["required"] == ["reasons", "score"]
        assert paid_here(there) == 0


async def test_a_reply_that_does_not_fit_its_type_is_none(model: Model):
    """A rating without a score fails, whoever made the call."""
    model.words = ['{"reasons": []}']
    async with clients(model) as (there, here, _):
        told = [await outcome(each.create(PROMPT, json_output=Rating)) for each in (there, here)]
        assert paid_here(there) == 0
    assert told[0] == told[1]
    assert told[0][0] == "MalformedReplyError"
    assert "score" in told[0][1]


async def test_a_streamed_reply_comes_in_the_same_pieces(model: Model):
    """Word by word, then whole, and asked for in the same way."""
    async with clients(model) as (there, here, workers):
        streams = [await heard(client) for client in (there, here)]
        assert paid_here(there) == 0
        assert workers.least_busy().busy == 0
    assert streams[0] == streams[1]
    assert streams[0][:-1] == model.words
    assert isinstance(streams[0][-1], CreateResult)
    assert model.asked[0] == model.asked[1]


async def test_tools_stay_with_the_client_that_remembers_them(model: Model):
    """Some clients need the tools last given to read what came of them: such calls are made here."""
    async with clients(model) as (there, _, workers):
        result = await there.create(PROMPT, tools=[TOOL])
        assert result.content == [FunctionCall(id="1", name="look_up", arguments="{}")]
        assert paid_here(there) == 3
        assert workers.least_busy().busy == 0


async def test_settings_that_are_no_plain_data_stay_here(model: Model):
    """What cannot be sent to a worker is said by the process that has it, and costs no worker."""

    class Loud(str):
        """A string of another kind."""

    async with clients(model) as (there, _, workers):
        await there.create(PROMPT, extra_create_args={"user": Loud("me")})
        assert paid_here(there) == 3
        assert (await there.create(PROMPT)).content == "one two three"
        assert paid_here(there) == 3
        assert len(workers.pids) == 1


async def test_a_stream_that_is_stopped_leaves_its_worker_free(model: Model):
    """Whoever stops listening stops the call there too; the worker goes on answering others."""
    async with clients(model) as (there, _, workers):
        token = CancellationToken()
        for stop in (asyncio.Task.cancel, lambda _: token.cancel()):
            model.going_on.clear()
            hearing, pieces = await begun(there, cancellation_token=token)
            assert pieces == ["one ", "two "]
            stop(hearing)
            with pytest.raises(asyncio.CancelledError):
                await hearing
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
    """AutoGen's token reaches calls that another process makes."""
    token = CancellationToken()
    async with clients(model) as (there, _, workers):
        model.going_on.clear()
        asking = asyncio.ensure_future(there.create(PROMPT, cancellation_token=token))
        await asyncio.to_thread(model.reached.wait, 30)
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert workers.least_busy().busy == 0


async def test_a_worker_that_dies_in_the_middle_of_a_stream(model: Model):
    """What was heard of the reply stays heard, so it fails; the next one comes from who is left."""
    model.going_on.clear()
    async with clients(model, workers=2) as (there, _, workers):
        hearing, pieces = await begun(there)
        # The idlest of equals is the first.
        os.kill(workers.pids[0], signal.SIGKILL)
        with pytest.raises(WorkerLostError):
            await hearing
        assert pieces == ["one ", "two "]
        model.going_on.set()
        assert (await heard(there))[-1].content == "one two three"
        assert len(workers.pids) == 1
        assert paid_here(there) == 0
        assert there.book.tally("tester").failed == 1


async def test_a_key_that_comes_back_goes_no_further(model: Model):
    """Neither a refusal nor the result of a stream repeats the key that the server repeats."""
    refusal = json.dumps({"error": {"message": f"Wrong key: {KEY}", "code": KEY}})
    model.words = ["I was asked with ", KEY]
    async with clients(model) as (there, _, _):
        for ask in (heard, lambda client: client.create(PROMPT, json_output=Rating)):
            model.refusals = [Response(refusal, status=401, content_type="application/json")]
            kind, text = await outcome(ask(there))
            assert kind == "AuthenticationError"
            assert KEY not in text
            assert "[key]" in text
        *_, result = await heard(there)
        assert result.content == "I was asked with [key]"


async def test_what_libraries_say_in_a_worker_is_an_event_here(model: Model):
    """A worker has no terminal: the process that has one logs what is said there, without keys."""
    async with clients(model) as (there, _, _):
        with capture_logs() as logs:
            model.end = KEY
            await there.create(PROMPT, json_output=True)
            model.end = "stop"
            await there.create(PROMPT)
    (said,) = (log for log in logs if log["event"] == "message of a worker")
    assert said["log_level"] == "warning"
    assert "Finish reason mismatch: [key] != tool_calls" in said["text"]
