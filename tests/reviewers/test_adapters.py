"""Reviewers made from agents, teams, clients, functions and recorded reviews."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

import pytest
from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from structlog.testing import capture_logs

from peerjudge.clients import Governed, RetryPolicy
from peerjudge.clients.fake import FakeChatClient
from peerjudge.data import (
    TIE,
    Card,
    Expects,
    Message,
    RecordedReview,
    Request,
    Review,
    Sampling,
    Seat,
    Turn,
    Usage,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.errors import CardError
from peerjudge.reviewers import (
    AgentCancelledError,
    MissingReviewError,
    ModelReviewer,
    NoResponseError,
    RecordedReviewer,
    ReviewerAgent,
    TeamFailedError,
    from_autogen,
    from_callable,
    make_reviewer,
)
from peerjudge.reviewers.asking import AgentReviewer
from tests.reviewers.requests import COMPARISON, request as foreign_request

CUE = foreign_request().cue


def request(text: str = "Which?", **changes: object) -> Request:
    """Return a request with this prompt, after words of the seat's own."""
    asked = foreign_request(text)
    system, user = asked.messages
    own = Message(role="assistant", text="The first.")
    return replace(asked, messages=(system, own, user), **changes)  # type: ignore[arg-type]


class Agent(BaseChatAgent):
    """Foreign agent whose turn is a function of the test."""

    def __init__(self, turn: Callable[[str, CancellationToken], object]) -> None:
        super().__init__("foreign", "")
        self.turn = turn
        self.heard: list[str] = []
        self.resets = 0
        self.at_once = 0
        self.drained = False

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        raise NotImplementedError

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | Response, None]:
        self.heard += [message.to_text() for message in messages]
        self.at_once += 1
        assert self.at_once == 1, "two turns at the same time"
        try:
            reply = self.turn(messages[-1].to_text(), cancellation_token)
            if asyncio.iscoroutine(reply):
                reply = await reply
            if reply is not None:
                yield Response(chat_message=TextMessage(content=str(reply), source=self.name))
            self.drained = True
        finally:
            self.at_once -= 1

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        self.resets += 1
        self.heard.clear()


async def test_an_agent_gets_the_whole_prompt_after_a_reset():
    """A foreign agent keeps no history between cues, so each cue has the whole prompt."""
    foreign = Agent(lambda text, token: "2")
    reviewer = from_autogen(foreign, name="tester")
    await reviewer.speak(request("One?"))
    reply = await reviewer.speak(request("Two?"))
    assert reply.text == "2"
    assert foreign.heard == ["Be fair.\n\nWhat you said before:\nThe first.\n\nTwo?"]
    assert (foreign.resets, foreign.drained) == (2, True)


async def test_one_agent_speaks_in_one_discussion_at_a_time():
    """Discussions that share an agent object wait for each other."""

    async def slowly(text: str, token: CancellationToken) -> str:
        await asyncio.sleep(0)
        return text[-1]

    reviewer = from_autogen(Agent(slowly), name="tester")
    reply = await asyncio.gather(*(reviewer.speak(request(str(n))) for n in range(5)))
    assert [each.text for each in reply] == ["0", "1", "2", "3", "4"]


async def test_a_factory_makes_as_many_agents_as_speak_at_once():
    """With a factory, discussions do not wait for each other, and agents are used again."""
    made: list[Agent] = []
    all_waiting = asyncio.Event()
    waiting = 0

    async def meet(text: str, token: CancellationToken) -> str:
        nonlocal waiting
        waiting += 1
        if waiting == 3:
            all_waiting.set()
        await all_waiting.wait()
        return "1"

    def make() -> Agent:
        made.append(Agent(meet))
        return made[-1]

    reviewer = from_autogen(make, name="tester")
    await asyncio.gather(*(reviewer.speak(request(str(n))) for n in range(3)))
    await reviewer.speak(request())
    await reviewer.close()
    assert len(made) == 3


async def close_nothing() -> None:
    """Close no agent."""


@pytest.mark.parametrize(
    ("texts", "said", "attempts"),
    [(["", " \u200b", "2"], "2", 3), (["", "", "", "", ""], "", 5), (["1"], "1", 1)],
)
async def test_an_empty_message_is_requested_again(texts: list[str], said: str, attempts: int):
    """An agent without words is asked up to five times, and every reply is paid."""
    left = iter(texts)

    async def ask(prompt: Sequence[Message]) -> Utterance:
        return Utterance(text=next(left), usage=Usage(prompt_tokens=10, completion_tokens=2))

    reviewer = AgentReviewer("tester", ask, close=close_nothing, policy=RetryPolicy(wait=0.0))
    reply = await reviewer.speak(request())
    assert (reply.text, reply.attempts) == (said, attempts)
    assert reply.usage == Usage(prompt_tokens=10 * attempts, completion_tokens=2 * attempts)


async def test_a_turn_without_a_message_is_a_failure():
    """A turn without any message breaks the contract of an agent."""
    with pytest.raises(NoResponseError, match="without a response"):
        await from_autogen(Agent(lambda text, token: None), name="tester").speak(request())


async def test_an_agent_that_hangs_times_out():
    """After its time limit, a turn is cancelled."""

    async def hang(text: str, token: CancellationToken) -> str:
        await asyncio.Event().wait()
        return ""

    foreign = Agent(hang)
    with pytest.raises(TimeoutError, match=r"'tester' did not end its turn within 0\.01 s"):
        await from_autogen(foreign, name="tester", timeout=0.01).speak(request())
    assert foreign.at_once == 0


async def test_an_agent_that_cancels_itself_has_failed():
    """A CancelledError from an agent fails its turn and does not cancel the run."""

    def cancel(text: str, token: CancellationToken) -> str:
        raise asyncio.CancelledError

    with pytest.raises(AgentCancelledError, match="cancelled its own turn"):
        await from_autogen(Agent(cancel), name="tester").speak(request())


class Plain(BaseChatAgent):
    """Agent with one method that returns or raises as the test wants."""

    def __init__(self, turn: Callable[[], Response]) -> None:
        super().__init__("plain", "")
        self.turn = turn

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        return self.turn()

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        pass


@pytest.mark.parametrize("nothing", [None, "2"])
async def test_an_agent_that_returns_no_response_has_failed(nothing: object):
    """A wrong return type and an AttributeError of the agent itself are different failures."""
    with pytest.raises(
        NoResponseError, match=f"'plain' returned {nothing!r}, which is no response"
    ):
        await from_autogen(Plain(lambda: nothing), name="tester").speak(request())  # type: ignore[arg-type,return-value]
    with pytest.raises(AttributeError, match="no attribute 'verdict'"):
        await from_autogen(Plain(lambda: object().verdict), name="tester").speak(request())  # type: ignore[attr-defined]


async def test_an_agent_that_ends_the_program_has_failed():
    """A SystemExit fails the turn; other discussions go on."""

    def leave() -> Response:
        raise SystemExit(3)

    async def leave_at_once(asked: Request) -> str:
        raise SystemExit(3)

    for reviewer in (
        from_autogen(Plain(leave), name="tester"),
        from_callable(leave_at_once, name="tester"),
    ):
        with pytest.raises(NoResponseError, match="tried to end the program"):
            await reviewer.speak(request())


async def test_an_agents_error_keeps_its_type():
    """An error of the agent is raised as it is."""

    def fail(text: str, token: CancellationToken) -> str:
        raise LookupError(text[-5:])

    with pytest.raises(LookupError, match=r"hich\?"):
        await from_autogen(Agent(fail), name="tester").speak(request())


async def test_cancelling_an_agents_turn_stops_it():
    """Cancellation reaches the agent through its task and through AutoGen's token."""
    started = asyncio.Event()
    tokens: list[CancellationToken] = []

    async def hang(text: str, token: CancellationToken) -> str:
        tokens.append(token)
        started.set()
        await asyncio.Event().wait()
        return ""

    foreign = Agent(hang)
    speaking = asyncio.create_task(from_autogen(foreign, name="tester").speak(request()))
    await started.wait()
    speaking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await speaking
    assert tokens[0].is_cancelled()
    assert foreign.at_once == 0


async def test_an_assistant_agent_reviews_and_its_calls_are_booked():
    """Calls of AutoGen's own agent over a governed client are booked to the discussion."""
    client = Governed(FakeChatClient(default="1"), model="m")
    reviewer = from_autogen(AssistantAgent("helper", client), name="tester")
    reply = await reviewer.speak(request())
    assert reply.text == "1"
    assert reply.attempts == 1
    assert reply.usage == replace(reply.usage, estimated=False)
    assert reply.usage.prompt_tokens > 0


async def test_a_reviewer_agent_returns_its_finish_reason_and_usage():
    """The metadata of its message becomes an utterance again."""
    fake = FakeChatClient(default="1")
    reply = await from_autogen(ReviewerAgent("alice", fake), name="tester").speak(request())
    assert (reply.text, reply.finish_reason) == ("1", "stop")
    assert reply.usage.completion_tokens == 1


def chat(fake: FakeChatClient, turns: int = 2) -> RoundRobinGroupChat:
    """Return a foreign group chat of two."""
    return RoundRobinGroupChat(
        [AssistantAgent("one", fake), AssistantAgent("two", fake)], max_turns=turns
    )


async def test_the_last_message_of_a_team_is_its_reply():
    """A whole group chat can take one seat; it is reset between cues."""
    fake = FakeChatClient(lambda prompt: f"{len(prompt.messages)}")
    reviewer = from_autogen(chat(fake), name="tester")
    first = await reviewer.speak(request("One?"))
    second = await reviewer.speak(request("Two?"))
    assert (first.text, second.text) == ("3", "3")
    assert len(fake.prompts) == 4


async def test_a_failed_group_chat_is_a_typed_failure():
    """The next turn of the failed team, which AutoGen would truncate, fails as well."""
    fake = FakeChatClient(lambda prompt: LookupError("gone") if len(fake.prompts) == 1 else "1")
    reviewer = from_autogen(chat(fake), name="tester")
    with pytest.raises(TeamFailedError, match="LookupError: gone"):
        await reviewer.speak(request("One?"))
    with pytest.raises(TeamFailedError, match="give a function that makes the team"):
        await reviewer.speak(request("Two?"))


async def test_a_factory_of_teams_survives_a_failure():
    """A failed team is replaced by a new one."""
    fake = FakeChatClient(lambda prompt: LookupError("gone") if len(fake.prompts) == 1 else "1")
    reviewer = from_autogen(lambda: chat(fake), name="tester")
    with pytest.raises(TeamFailedError):
        await reviewer.speak(request("One?"))
    assert (await reviewer.speak(request("Two?"))).text == "1"


async def test_cancelling_a_group_chat_makes_no_further_call():
    """AutoGen would make all remaining calls of a cancelled team."""
    started = asyncio.Event()

    async def hang() -> None:
        started.set()
        await asyncio.Event().wait()

    fake = FakeChatClient(default="1", delay=hang)
    speaking = asyncio.create_task(from_autogen(chat(fake, 4), name="tester").speak(request()))
    await started.wait()
    speaking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await speaking
    assert len(fake.prompts) == 1


async def test_an_async_function_of_the_request_is_a_reviewer():
    """A function returns a text or an utterance."""

    async def first(asked: Request) -> str:
        return f"{asked.comparison.shown.index('a') + 1}"

    async def marked(asked: Request) -> Utterance:
        return Utterance(text="2", simulated=True)

    assert (await from_callable(first, name="tester").speak(request())).text == "1"
    assert (await make_reviewer(marked, name="tester").speak(request())).simulated


async def test_reviewers_are_made_from_every_supported_object():
    """Reviewers, clients, agents and functions that make them are supported."""
    fake = FakeChatClient(default="1")
    ready = ModelReviewer(Card(name="ready"), fake)
    assert make_reviewer(ready, name="x") is ready
    assert isinstance(make_reviewer(fake, name="x"), ModelReviewer)
    assert isinstance(make_reviewer(lambda: fake, name="x"), ModelReviewer)
    for thing in (Agent(lambda text, token: "1"), lambda: Agent(lambda text, token: "1")):
        assert (await make_reviewer(thing, name="x").speak(request())).text == "1"


@pytest.mark.parametrize("thing", [3, "text", lambda: 3, None, dict])
def test_an_unsupported_object_is_an_error(thing: object):
    """It is refused when the reviewer is made, not at its first turn."""
    with pytest.raises(CardError, match="cannot review"):
        make_reviewer(thing, name="x")


def test_a_function_that_is_not_async_is_refused():
    """A blocking function would block every other discussion."""
    with pytest.raises(CardError, match="must be async"):
        from_callable(lambda asked: "1", name="x")  # type: ignore[arg-type,return-value]


def review(verdict: Verdict, text: str = "", shown: tuple[str, ...] = ("a", "b")) -> RecordedReview:
    """Return a recorded review."""
    return RecordedReview(comparison="c", shown=shown, reviewer="gpt4", verdict=verdict, text=text)


async def test_recorded_reviews_belong_to_the_shown_order():
    """The same comparison in the other order has a review of its own."""
    reviewer = RecordedReviewer(
        "gpt4",
        [
            review(Verdict.of("a"), "The first.\n1"),
            review(Verdict.of("b"), "The first again.\n1", shown=("b", "a")),
        ],
    )
    swapped = COMPARISON.swapped()
    reply = await reviewer.speak(request())
    other = await reviewer.speak(request(comparison=swapped, cue=replace(CUE, sees=swapped.shown)))
    assert (reply.text, other.text) == ("The first.\n1", "The first again.\n1")
    assert (reply.model, reply.cached, reply.simulated) == ("gpt4", True, False)


async def test_a_recorded_review_without_text_is_its_number():
    """The reply to such a review is the number of its verdict."""
    for verdict, number in ((Verdict.of("b"), "2"), (TIE, "3")):
        reviewer = RecordedReviewer("human", [review(verdict)])
        assert (await reviewer.speak(request())).text == number


async def test_a_missing_review_is_a_typed_failure():
    """Recorded reviewers cannot review new comparisons and cannot discuss."""
    reviewer = RecordedReviewer("gpt4", [review(Verdict.of("a"), "1")])
    turn = Turn(index=0, cue=CUE, utterance=Utterance(text="1"), review=Review())
    swapped = COMPARISON.swapped()
    for asked in (
        request(comparison=swapped, cue=replace(CUE, sees=swapped.shown)),
        request(heard=(turn,)),
        request(cue=replace(CUE, expects=Expects.TEXT)),
        request(cue=replace(CUE, sees=("a",))),
    ):
        with pytest.raises(MissingReviewError):
            await reviewer.speak(asked)


async def test_an_agent_that_ignores_the_settings_of_its_seat_says_so_once():
    """The settings of the seat do not reach an agent: its replies name them as unset, thinking included."""
    seated = Seat(
        id="reviewer_1",
        reviewer="tester",
        sampling=Sampling(temperature=0.2, seed=3, reasoning_effort="low", logprobs=True),
    )
    asked = replace(request(), seat=seated)
    agent = AssistantAgent("helper", FakeChatClient(default="Because.\n\n1"))
    reviewer = from_autogen(agent, name="tester")
    with capture_logs() as logs:
        said = [await reviewer.speak(asked) for _ in range(3)]
    assert {one.unset for one in said} == {("temperature", "seed", "reasoning_effort", "logprobs")}
    assert [entry["settings"] for entry in logs] == [
        "temperature, seed, reasoning_effort, logprobs"
    ]
