"""Streamed replies go the way of any call: shared, kept, retried until they begin, and booked."""

from __future__ import annotations

import asyncio

import pytest
from autogen_core import CancellationToken
from autogen_core.models import CreateResult, UserMessage

from peerjudge.clients import Governed, RetryPolicy, SingleFlight
from peerjudge.clients.cache import MemoryCache
from peerjudge.clients.fake import FakeChatClient, FakePrompt, FakeReply

AT_ONCE = RetryPolicy(attempts=3, wait=0.0)
PROMPT = [UserMessage(content="a", source="moderator")]


class Breaking(FakeChatClient):
    """Streams that break after so many pieces, one after the other; then whole ones."""

    def __init__(self, *breaks: int) -> None:
        super().__init__(lambda prompt: FakeReply(text="one two three", usage=(4, 3)))
        self.breaks = list(breaks)
        self.streams = 0

    async def create_stream(self, messages, **settings):
        """The pieces until it breaks."""
        self.streams += 1
        most = self.breaks.pop(0) if self.breaks else 1000
        given = 0
        async for piece in super().create_stream(messages, **settings):
            if given == most:
                raise ConnectionResetError
            given += 1
            yield piece


async def pieces_of(client, heard=None, **settings):
    """All pieces of one streamed reply; they are added to `heard` as they come."""
    heard = [] if heard is None else heard
    async for piece in client.create_stream(PROMPT, **settings):
        heard.append(piece)
    return heard


async def test_a_stream_that_has_not_begun_is_tried_again():
    """Connections lost before the first piece cost attempts and nothing else."""
    fake = Breaking(0, 0)
    client = Governed(fake, reviewer="r", policy=AT_ONCE)
    *pieces, result = await pieces_of(client)
    assert "".join(pieces) == "one two three "
    assert isinstance(result, CreateResult)
    assert (fake.streams, client.book.tally("r").attempts, client.book.tally("r").paid) == (3, 3, 1)


async def test_a_stream_that_breaks_off_is_not_tried_again():
    """Nobody hears the beginning of a reply twice: what breaks off has failed."""
    fake = Breaking(2)
    client = Governed(fake, reviewer="r", policy=AT_ONCE)
    heard = []
    with pytest.raises(ConnectionResetError):
        await pieces_of(client, heard)
    assert heard == ["one ", "two "]
    assert (fake.streams, client.book.tally("r").failed) == (1, 1)


async def test_a_streamed_reply_is_kept_and_a_kept_reply_is_streamed():
    """Whole or in pieces, the same request is paid once; one at hand comes in one piece."""
    fake = Breaking()
    client = Governed(fake, reviewer="r", flights=SingleFlight(MemoryCache()))
    await pieces_of(client)
    whole = await client.create(PROMPT)
    piece, again = await pieces_of(client)
    assert piece == again.content == whole.content
    assert (whole.cached, again.cached) == (True, True)
    assert (client.book.tally("r").paid, client.book.tally("r").cached) == (1, 2)


async def test_equal_streams_at_once_are_one_call():
    """Of two equal streams at the same time one is paid, and both come to the same."""
    fake = Breaking()
    client = Governed(fake)
    results = await asyncio.gather(pieces_of(client), pieces_of(client))
    assert {result[-1].content for result in results} == {"one two three"}
    assert fake.streams == 1


async def test_an_abandoned_stream_leaves_nothing_behind():
    """Whoever stops listening stops the call; nothing is kept of it."""
    before = asyncio.all_tasks()
    client = Governed(Breaking())
    stream = client.create_stream(PROMPT)
    assert await anext(stream) == "one "
    await stream.aclose()
    assert asyncio.all_tasks() == before


async def test_a_token_stops_a_stream():
    """AutoGen's token ends a stream that nobody feeds."""
    token = CancellationToken()
    reached = asyncio.Event()

    async def stop() -> None:
        reached.set()
        await asyncio.Event().wait()

    client = Governed(FakeChatClient(default="1", delay=stop))
    hearing = asyncio.create_task(pieces_of(client, cancellation_token=token))
    await reached.wait()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hearing


async def test_a_stream_without_words_is_not_kept():
    """An empty reply is asked for again, streamed or not."""

    def answer(prompt: FakePrompt) -> str:
        return "" if prompt.attempt == 1 else "1"

    client = Governed(FakeChatClient(answer))
    await pieces_of(client)
    assert (await client.create(PROMPT)).content == "1"
