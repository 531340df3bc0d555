"""The seam every call passes: shared, retried, limited, booked, and stopped at once."""

from __future__ import annotations

import asyncio

import pytest
from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, CreateResult, UserMessage
from pydantic import BaseModel

from peerjudge.clients import (
    ClientCancelledError,
    Governed,
    MemoryCache,
    RetryPolicy,
    SingleFlight,
    bill_to,
)
from peerjudge.clients.fake import FakeChatClient, FakePrompt, FakeReply
from peerjudge.data import Limits, Usage

AT_ONCE = RetryPolicy(attempts=3, wait=0.0)


def ask(text: str) -> list[UserMessage]:
    """A prompt of one message."""
    return [UserMessage(content=text, source="moderator")]


class Gate:
    """Holds every caller until it is opened, and tells when somebody waits."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.reached = asyncio.Event()
        self.inside = 0
        self.most = 0

    async def __call__(self) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.reached.set()
        try:
            await self.open.wait()
        finally:
            self.inside -= 1


async def test_equal_requests_in_flight_are_asked_once():
    """Ten equal requests at once are one paid call and nine that were at hand."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, reviewer="r", policy=AT_ONCE)
    asking = [asyncio.create_task(client.create(ask("a"))) for _ in range(10)]
    await gate.reached.wait()
    gate.open.set()
    results = await asyncio.gather(*asking)
    assert {result.content for result in results} == {"1"}
    assert sorted(result.cached for result in results) == [False] + [True] * 9
    assert len(fake.prompts) == 1
    tally = client.book.tally("r")
    assert (tally.paid, tally.cached, tally.attempts) == (1, 9, 1)
    assert tally.cached_tokens == 9 * (tally.prompt_tokens + tally.completion_tokens)


class Grade(BaseModel):
    """A structured reply."""

    score: int


class OtherGrade(BaseModel):
    """Another structured reply."""

    points: int


async def test_whatever_changes_the_reply_makes_another_request():
    """Messages, sampling, schema, draw and model each tell requests apart."""
    flights = SingleFlight(MemoryCache())
    fake = FakeChatClient(default="1")
    client = Governed(fake, identity="one", flights=flights)
    other = Governed(fake, identity="two", flights=flights)
    await client.create(ask("a"))
    await client.create(ask("b"))
    await client.create(ask("a"), extra_create_args={"temperature": 0.1})
    await client.create(ask("a"), extra_create_args={"temperature": 0.2})
    await client.create(ask("a"), json_output=Grade)
    await client.create(ask("a"), json_output=OtherGrade)
    await client.create(ask("a"), tool_choice="none")
    await other.create(ask("a"))
    with bill_to(reviewer="r", draw="second"):
        await client.create(ask("a"))
    assert client.book.total().cached == 0
    assert len(fake.prompts) == 9
    again = Governed(fake, identity="two", flights=flights)
    assert (await again.create(ask("a"))).cached


async def test_the_reply_of_the_first_caller_stays_its_own():
    """Serving a reply again changes nothing in the hands of those who have it."""
    client = Governed(FakeChatClient(default="1"))
    first = await client.create(ask("a"))
    second = await client.create(ask("a"))
    assert (first.cached, second.cached) == (False, True)
    second.content = "changed"
    assert (await client.create(ask("a"))).content == "1"


async def test_failures_are_never_kept():
    """A request that failed is asked anew the next time."""
    fake = FakeChatClient(lambda prompt: ValueError("no") if prompt.attempt == 1 else "1")
    client = Governed(fake, policy=AT_ONCE)
    with pytest.raises(ValueError, match="no"):
        await client.create(ask("a"))
    assert (await client.create(ask("a"))).content == "1"
    assert (client.book.total().failed, client.book.total().paid) == (1, 1)


async def test_a_failure_reaches_all_who_wait_for_the_same_reply():
    """Those who share a request share its failure, each as the same typed error."""
    gate = Gate()
    fake = FakeChatClient(lambda prompt: LookupError("gone"), delay=gate)
    client = Governed(fake, policy=AT_ONCE)
    asking = [asyncio.create_task(client.create(ask("a"))) for _ in range(3)]
    await gate.reached.wait()
    gate.open.set()
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(result) for result in results] == [LookupError] * 3
    assert len(fake.prompts) == 1


async def test_when_the_one_who_asks_is_cancelled_the_next_in_line_asks():
    """A cancelled discussion takes no reply away from the others."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, policy=AT_ONCE)
    first = asyncio.create_task(client.create(ask("a")))
    await gate.reached.wait()
    second = asyncio.create_task(client.create(ask("a")))
    await asyncio.sleep(0)
    first.cancel()
    gate.open.set()
    assert (await second).content == "1"
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(fake.prompts) == 2


async def test_one_waiter_less_does_not_disturb_the_call():
    """Cancelling somebody who merely waits leaves the call and the others alone."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake)
    first = asyncio.create_task(client.create(ask("a")))
    await gate.reached.wait()
    second = asyncio.create_task(client.create(ask("a")))
    await asyncio.sleep(0)
    second.cancel()
    gate.open.set()
    assert (await first).content == "1"
    with pytest.raises(asyncio.CancelledError):
        await second
    assert len(fake.prompts) == 1


async def test_cancelling_a_call_stops_at_once_and_asks_no_more():
    """A cancelled call is neither retried nor turned into a failure."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, policy=AT_ONCE)
    asking = asyncio.create_task(client.create(ask("a")))
    await gate.reached.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(fake.prompts) == 1
    assert client.book.total().failed == 0


async def test_a_cancellation_that_nobody_asked_for_is_a_failure():
    """A client that raises CancelledError by itself fails its call and kills nothing else."""
    fake = FakeChatClient(lambda prompt: asyncio.CancelledError())
    client = Governed(fake, policy=AT_ONCE, model="m")
    with pytest.raises(ClientCancelledError, match="m cancelled its own call"):
        await client.create(ask("a"))
    assert client.book.total().failed == 1


async def test_a_cancelled_token_is_a_cancellation():
    """AutoGen's token stops a call before it is made."""
    token = CancellationToken()
    token.cancel()
    fake = FakeChatClient(default="1")
    with pytest.raises(asyncio.CancelledError):
        await Governed(fake).create(ask("a"), cancellation_token=token)
    assert fake.prompts == []


async def test_a_token_stops_a_client_that_does_not_look_at_it():
    """AutoGen's token ends a call even if the model's client knows nothing of tokens."""
    gate = Gate()
    token = CancellationToken()

    class Deaf(FakeChatClient):
        """A client that ignores tokens."""

        async def create(self, messages, **settings):
            """The reply, whatever the token says."""
            settings.pop("cancellation_token")
            return await super().create(messages, **settings)

    client = Governed(Deaf(default="1", delay=gate), policy=AT_ONCE)
    asking = asyncio.create_task(client.create(ask("a"), cancellation_token=token))
    await gate.reached.wait()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert gate.inside == 0
    assert client.book.total().failed == 0


async def test_an_attempt_that_takes_too_long_is_tried_again():
    """A model that hangs costs an attempt, not the run."""

    async def hang() -> None:
        await asyncio.Event().wait()

    fake = FakeChatClient(default="1", delay=hang)
    client = Governed(fake, limits=Limits(timeout=0.01), policy=RetryPolicy(attempts=2, wait=0.0))
    with pytest.raises(TimeoutError, match=r"no reply from .* within"):
        await client.create(ask("a"))
    assert len(fake.prompts) == 2


async def test_no_more_calls_are_open_than_connections_allow():
    """Whatever the crowd, at most max_connections calls are with the model at a time."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, limits=Limits(max_connections=3))
    asking = [asyncio.create_task(client.create(ask(str(n)))) for n in range(20)]
    await gate.reached.wait()
    gate.open.set()
    await asyncio.gather(*asking)
    assert gate.most <= 3
    assert len(fake.prompts) == 20


async def test_rates_admit_no_more_than_they_say():
    """Of three calls with two a minute allowed, the third has to wait."""
    fake = FakeChatClient(default="1")
    for limits in (Limits(requests_per_minute=2), Limits(tokens_per_minute=2)):
        fake.prompts.clear()
        client = Governed(fake, limits=limits)
        asking = [asyncio.create_task(client.create(ask(str(n)))) for n in range(3)]
        _, waiting = await asyncio.wait(asking, timeout=0.1)
        assert len(waiting) == 1
        assert len(fake.prompts) == 2
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)


async def test_calls_are_booked_to_whoever_is_billed():
    """Calls made inside a billing are its reviewer's, in any task started there."""
    client = Governed(FakeChatClient(default="1"), reviewer="own", model="m")
    with bill_to(reviewer="alice", discussion="d", turn=3) as bill:
        await asyncio.gather(client.create(ask("a")), client.create(ask("b")))
        await client.create(ask("b"))
    await client.create(ask("c"))
    assert client.book.reviewers == ("alice", "own")
    assert (client.book.tally("alice").paid, client.book.tally("alice").cached) == (2, 1)
    assert {(call.discussion, call.turn, call.model) for call in bill.calls} == {("d", 3, "m")}
    assert not bill.cached
    assert bill.usage.prompt_tokens == 3


async def test_streams_pass_through_and_are_booked():
    """A streamed reply arrives piece by piece and is paid for once."""
    fake = FakeChatClient(lambda prompt: FakeReply(text="one two", usage=(4, 2)))
    client = Governed(fake, reviewer="r")
    pieces = [piece async for piece in client.create_stream(ask("a"))]
    assert pieces[:-1] == ["one ", "two "]
    assert isinstance(pieces[-1], CreateResult)
    assert (client.book.tally("r").paid, client.book.tally("r").prompt_tokens) == (1, 4)


async def test_a_governed_client_is_an_autogen_component():
    """Dumped and loaded, it governs the same model under the same limits."""
    client = Governed(
        FakeChatClient({"a": "1"}, default="2"), reviewer="r", model="m", limits=Limits(attempts=2)
    )
    config = client.dump_component().model_dump_json()
    loaded = ChatCompletionClient.load_component(client.dump_component())
    assert isinstance(loaded, Governed)
    assert loaded.dump_component().model_dump_json() == config
    assert (await loaded.create(ask("a"))).content == "1"
    assert (await loaded.create(ask("b"))).content == "2"


async def test_the_fake_answers_by_prompt_at_any_concurrency():
    """Equal prompts get equal replies, whoever asks first; attempts are counted per prompt."""

    def answer(prompt: FakePrompt) -> str:
        return f"{prompt.text}{prompt.attempt}{prompt.sampling.get('temperature', '')}"

    fake = FakeChatClient(answer)
    results = await asyncio.gather(*(fake.create(ask(text)) for text in "abab"))
    assert [result.content for result in results] == ["a1", "b1", "a2", "b2"]
    hot = await fake.create(ask("a"), extra_create_args={"temperature": 1.0})
    assert hot.content == "a11.0"


def test_a_fake_that_answers_by_function_says_that_it_cannot_be_dumped():
    """Only replies by text have a component form."""
    with pytest.raises(TypeError, match="cannot be dumped"):
        FakeChatClient(lambda prompt: "1").dump_component()


def test_an_empty_book_adds_up_to_nothing():
    """A reviewer that made no call has a tally of zeros."""
    client = Governed(FakeChatClient())
    assert client.book.tally("nobody").paid == 0
    assert client.book.total().attempts == 0
    assert Usage() == Usage(prompt_tokens=0, completion_tokens=0, estimated=False)
