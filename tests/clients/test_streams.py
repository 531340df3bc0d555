"""Streamed replies are cached, shared, booked, and retried until they start."""

from __future__ import annotations

import asyncio

import pytest
from autogen_core import CancellationToken
from autogen_core.models import CreateResult, UserMessage

from peerjudge.clients import Governed, RetryPolicy, SingleFlight, bill_to
from peerjudge.clients.cache import MemoryCache
from peerjudge.clients.fake import FakeChatClient, FakePrompt, FakeReply
from tests.clients.counting import Counts

AT_ONCE = RetryPolicy(attempts=3, wait=0.0)
PROMPT = [UserMessage(content="a", source="moderator")]


class Breaking(FakeChatClient):
    """Client whose first streams break after these numbers of pieces; later ones are complete."""

    def __init__(self, *breaks: int) -> None:
        super().__init__(lambda prompt: FakeReply(text="one two three", usage=(4, 3)))
        self.breaks = list(breaks)
        self.streams = 0

    async def create_stream(self, messages, **settings):
        """Return the pieces, then break."""
        self.streams += 1
        most = self.breaks.pop(0) if self.breaks else 1000
        given = 0
        async for piece in super().create_stream(messages, **settings):
            if given == most:
                raise ConnectionResetError
            given += 1
            yield piece


async def collect(client, received=None, **settings):
    """Return all pieces of one stream; they are added to `received` as they come."""
    received = [] if received is None else received
    async for piece in client.create_stream(PROMPT, **settings):
        received.append(piece)
    return received


async def test_a_stream_is_retried_before_its_first_piece():
    """Connections lost before the first piece cost attempts and nothing else."""
    with bill_to(reviewer="r") as bill:
        fake = Breaking(0, 0)
        client = Governed(fake, reviewer="r", policy=AT_ONCE)
        *pieces, result = await collect(client)
        assert "".join(pieces) == "one two three "
        assert isinstance(result, CreateResult)
        tally = Counts.of(bill)
        assert (fake.streams, tally.attempts, tally.paid, tally.prompt_tokens) == (3, 3, 1, 4)


async def test_a_stream_is_not_retried_after_its_first_piece():
    """A reply that breaks off fails, so its start is not repeated."""
    with bill_to(reviewer="r") as bill:
        fake = Breaking(2)
        client = Governed(fake, reviewer="r", policy=AT_ONCE)
        received = []
        with pytest.raises(ConnectionResetError):
            await collect(client, received)
        assert received == ["one ", "two "]
        assert (fake.streams, Counts.of(bill).failed) == (1, 1)


async def test_streams_share_the_cache_with_plain_calls():
    """The same request is paid once; a cached reply comes in one piece."""
    with bill_to(reviewer="r") as bill:
        fake = Breaking()
        client = Governed(fake, reviewer="r", flights=SingleFlight(MemoryCache()))
        await collect(client)
        whole = await client.create(PROMPT)
        piece, again = await collect(client)
        assert piece == again.content == whole.content
        assert (whole.cached, again.cached) == (True, True)
        assert (Counts.of(bill).paid, Counts.of(bill).cached) == (1, 2)


async def test_equal_streams_at_once_are_one_call():
    """Of two equal streams at once one is paid, and both have the same result."""
    fake = Breaking()
    client = Governed(fake)
    results = await asyncio.gather(collect(client), collect(client))
    assert {result[-1].content for result in results} == {"one two three"}
    assert fake.streams == 1


async def test_closing_a_stream_stops_its_call():
    """No task remains, and no part of the reply is cached."""
    before = asyncio.all_tasks()
    client = Governed(Breaking())
    stream = client.create_stream(PROMPT)
    assert await anext(stream) == "one "
    await stream.aclose()
    assert asyncio.all_tasks() == before


async def test_a_token_stops_a_stream():
    """AutoGen's token ends a stream that waits for pieces."""
    token = CancellationToken()
    reached = asyncio.Event()

    async def stop() -> None:
        reached.set()
        await asyncio.Event().wait()

    client = Governed(FakeChatClient(default="1", delay=stop))
    streaming = asyncio.create_task(collect(client, cancellation_token=token))
    await reached.wait()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await streaming


async def test_an_empty_stream_is_requested_again():
    """A stream without words is a failed attempt, as an empty reply is."""
    with bill_to(reviewer="r") as bill:

        def answer(prompt: FakePrompt) -> str:
            return "" if prompt.attempt == 1 else "1"

        client = Governed(FakeChatClient(answer), policy=RetryPolicy(attempts=2, wait=0.0))
        assert "".join((await collect(client))[:-1]).strip() == "1"
        assert (Counts.of(bill).paid, Counts.of(bill).attempts) == (2, 2)
