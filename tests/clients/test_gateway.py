"""The gateway of every call: cache, retries, limits, booking and cancellation."""

from __future__ import annotations

import asyncio

import pytest
from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient, UserMessage
from pydantic import BaseModel

from peerjudge.clients import (
    ClientCancelledError,
    Governed,
    MemoryCache,
    RetryPolicy,
    SingleFlight,
    bill_to,
)
from peerjudge.clients.fake import FakeChatClient, FakePrompt
from peerjudge.data import Limits
from tests.clients.counting import Counts

AT_ONCE = RetryPolicy(attempts=3, wait=0.0)


def prompt(text: str) -> list[UserMessage]:
    """Return a prompt of one message."""
    return [UserMessage(content=text, source="moderator")]


class Gate:
    """Barrier that holds callers until it is opened; `reached` is set by the first."""

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


async def test_equal_requests_in_flight_are_one_call():
    """Of ten equal requests at once, one is paid and nine are cached."""
    with bill_to(reviewer="r") as bill:
        gate = Gate()
        fake = FakeChatClient(default="1", delay=gate)
        client = Governed(fake, reviewer="r", policy=AT_ONCE)
        asking = [asyncio.create_task(client.create(prompt("a"))) for _ in range(10)]
        await gate.reached.wait()
        gate.open.set()
        results = await asyncio.gather(*asking)
        assert {result.content for result in results} == {"1"}
        assert sorted(result.cached for result in results) == [False] + [True] * 9
        assert len(fake.prompts) == 1
        tally = Counts.of(bill)
        assert (tally.paid, tally.cached, tally.attempts) == (1, 9, 1)


class Grade(BaseModel):
    """Structured reply."""

    score: int


class OtherGrade(BaseModel):
    """Another structured reply."""

    points: int


async def test_cache_keys_depend_on_everything_that_changes_a_reply():
    """Messages, sampling, schema, draw and model each change the key."""
    flights = SingleFlight(MemoryCache())
    fake = FakeChatClient(default="1")
    client = Governed(fake, identity="one", flights=flights)
    other = Governed(fake, identity="two", flights=flights)
    await client.create(prompt("a"))
    await client.create(prompt("b"))
    await client.create(prompt("a"), extra_create_args={"temperature": 0.1})
    await client.create(prompt("a"), extra_create_args={"temperature": 0.2})
    await client.create(prompt("a"), json_output=Grade)
    await client.create(prompt("a"), json_output=OtherGrade)
    await client.create(prompt("a"), tool_choice="none")
    await other.create(prompt("a"))
    with bill_to(reviewer="r", draw="second"):
        await client.create(prompt("a"))
    assert len(fake.prompts) == 9
    again = Governed(fake, identity="two", flights=flights)
    assert (await again.create(prompt("a"))).cached


async def test_results_are_copies_of_the_cached_reply():
    """Changing a returned result changes neither the cache nor other results."""
    client = Governed(FakeChatClient(default="1"))
    first = await client.create(prompt("a"))
    second = await client.create(prompt("a"))
    assert (first.cached, second.cached) == (False, True)
    second.content = "changed"
    assert (await client.create(prompt("a"))).content == "1"


async def test_failures_are_not_cached():
    """A failed request is made again the next time."""
    with bill_to(reviewer="r") as bill:
        fake = FakeChatClient(lambda prompt: ValueError("no") if prompt.attempt == 1 else "1")
        client = Governed(fake, policy=AT_ONCE)
        with pytest.raises(ValueError, match="no"):
            await client.create(prompt("a"))
        assert (await client.create(prompt("a"))).content == "1"
        assert (Counts.of(bill).failed, Counts.of(bill).paid) == (1, 1)


async def test_requests_that_share_a_call_share_its_failure():
    """Every waiting request raises the same typed error."""
    gate = Gate()
    fake = FakeChatClient(lambda prompt: LookupError("gone"), delay=gate)
    client = Governed(fake, policy=AT_ONCE)
    asking = [asyncio.create_task(client.create(prompt("a"))) for _ in range(3)]
    await gate.reached.wait()
    gate.open.set()
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(result) for result in results] == [LookupError] * 3
    assert len(fake.prompts) == 1


async def test_after_a_cancelled_call_the_next_waiting_request_calls():
    """A cancelled discussion does not take the reply from others."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, policy=AT_ONCE)
    first = asyncio.create_task(client.create(prompt("a")))
    await gate.reached.wait()
    second = asyncio.create_task(client.create(prompt("a")))
    await asyncio.sleep(0)
    first.cancel()
    gate.open.set()
    assert (await second).content == "1"
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(fake.prompts) == 2


async def test_cancelling_a_waiting_request_leaves_the_call_alone():
    """The call and the other waiting requests go on."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake)
    first = asyncio.create_task(client.create(prompt("a")))
    await gate.reached.wait()
    second = asyncio.create_task(client.create(prompt("a")))
    await asyncio.sleep(0)
    second.cancel()
    gate.open.set()
    assert (await first).content == "1"
    with pytest.raises(asyncio.CancelledError):
        await second
    assert len(fake.prompts) == 1


async def test_a_cancelled_call_stops_at_once():
    """A cancelled call is neither retried nor booked as a failure."""
    with bill_to(reviewer="r") as bill:
        gate = Gate()
        fake = FakeChatClient(default="1", delay=gate)
        client = Governed(fake, policy=AT_ONCE)
        asking = asyncio.create_task(client.create(prompt("a")))
        await gate.reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert len(fake.prompts) == 1
        assert Counts.of(bill).failed == 0


async def test_a_cancellation_by_the_client_itself_is_a_failure():
    """A client that raises CancelledError by itself fails its call and nothing else."""
    with bill_to(reviewer="r") as bill:
        fake = FakeChatClient(lambda prompt: asyncio.CancelledError())
        client = Governed(fake, policy=AT_ONCE, model="m")
        with pytest.raises(ClientCancelledError, match="m cancelled its own call"):
            await client.create(prompt("a"))
        assert Counts.of(bill).failed == 1


async def test_a_cancelled_token_is_a_cancellation():
    """AutoGen's token stops a call before it is made."""
    token = CancellationToken()
    token.cancel()
    fake = FakeChatClient(default="1")
    with pytest.raises(asyncio.CancelledError):
        await Governed(fake).create(prompt("a"), cancellation_token=token)
    assert fake.prompts == []


async def test_a_token_stops_a_client_that_ignores_tokens():
    """AutoGen's token ends a call although the model's client ignores it."""
    with bill_to(reviewer="r") as bill:
        gate = Gate()
        token = CancellationToken()

        class IgnoringTokens(FakeChatClient):
            """Client that ignores tokens."""

            async def create(self, messages, **settings):
                """Return the reply without passing on the token."""
                settings.pop("cancellation_token")
                return await super().create(messages, **settings)

        client = Governed(IgnoringTokens(default="1", delay=gate), policy=AT_ONCE)
        asking = asyncio.create_task(client.create(prompt("a"), cancellation_token=token))
        await gate.reached.wait()
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert gate.inside == 0
        assert Counts.of(bill).failed == 0


async def test_an_attempt_that_times_out_is_retried():
    """A hanging model costs an attempt, not the run."""

    async def hang() -> None:
        await asyncio.Event().wait()

    fake = FakeChatClient(default="1", delay=hang)
    client = Governed(fake, limits=Limits(timeout=0.01), policy=RetryPolicy(attempts=2, wait=0.0))
    with pytest.raises(TimeoutError, match=r"no reply from .* within"):
        await client.create(prompt("a"))
    assert len(fake.prompts) == 2


async def test_calls_in_flight_stay_within_max_connections():
    """With many callers, at most max_connections calls are in flight."""
    gate = Gate()
    fake = FakeChatClient(default="1", delay=gate)
    client = Governed(fake, limits=Limits(max_connections=3))
    asking = [asyncio.create_task(client.create(prompt(str(n)))) for n in range(20)]
    await gate.reached.wait()
    gate.open.set()
    await asyncio.gather(*asking)
    assert gate.most <= 3
    assert len(fake.prompts) == 20


async def test_calls_above_the_rate_wait():
    """Of three calls with two per minute allowed, the third waits."""
    fake = FakeChatClient(default="1")
    for limits in (Limits(requests_per_minute=2), Limits(tokens_per_minute=2)):
        fake.prompts.clear()
        client = Governed(fake, limits=limits)
        asking = [asyncio.create_task(client.create(prompt(str(n)))) for n in range(3)]
        _, waiting = await asyncio.wait(asking, timeout=0.1)
        assert len(waiting) == 1
        assert len(fake.prompts) == 2
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)


async def test_calls_are_booked_to_the_current_billing():
    """Calls inside a billing belong to its reviewer, also in tasks started there."""
    client = Governed(FakeChatClient(default="1"), reviewer="own", model="m")
    with bill_to(reviewer="alice", discussion="d", turn=3) as bill:
        await asyncio.gather(client.create(prompt("a")), client.create(prompt("b")))
        await client.create(prompt("b"))
    assert (Counts.of(bill).paid, Counts.of(bill).cached) == (2, 1)
    assert {call.reviewer for call in bill.calls} == {"alice"}
    assert {(call.discussion, call.turn, call.model) for call in bill.calls} == {("d", 3, "m")}
    assert not bill.cached
    assert bill.usage.prompt_tokens == 3


async def test_a_governed_client_is_an_autogen_component():
    """Dumped and loaded, it has the same model and limits."""
    client = Governed(
        FakeChatClient({"a": "1"}, default="2"), reviewer="r", model="m", limits=Limits(attempts=2)
    )
    config = client.dump_component().model_dump_json()
    loaded = ChatCompletionClient.load_component(client.dump_component())
    assert isinstance(loaded, Governed)
    assert loaded.dump_component().model_dump_json() == config
    assert (await loaded.create(prompt("a"))).content == "1"
    assert (await loaded.create(prompt("b"))).content == "2"


async def test_the_fake_client_replies_by_prompt_at_any_concurrency():
    """Equal prompts get equal replies in any order; attempts are counted per prompt."""

    def answer(prompt: FakePrompt) -> str:
        return f"{prompt.text}{prompt.attempt}{prompt.sampling.get('temperature', '')}"

    fake = FakeChatClient(answer)
    results = await asyncio.gather(*(fake.create(prompt(text)) for text in "abab"))
    assert [result.content for result in results] == ["a1", "b1", "a2", "b2"]
    hot = await fake.create(prompt("a"), extra_create_args={"temperature": 1.0})
    assert hot.content == "a11.0"


def test_a_fake_with_a_function_cannot_be_dumped():
    """Only replies by text have a component form."""
    with pytest.raises(TypeError, match="cannot be dumped"):
        FakeChatClient(lambda prompt: "1").dump_component()
