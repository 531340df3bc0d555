"""Reviewers made of what is not one: agents, teams, clients, functions and records."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

import pytest
from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken

from peerjudge.clients import Governed
from peerjudge.clients.fake import FakeChatClient
from peerjudge.data import (
    TIE,
    Answer,
    Comparison,
    Cue,
    Expects,
    Message,
    Question,
    RecordedReview,
    Request,
    Review,
    Seat,
    Turn,
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

COMPARISON = Comparison(
    id="c",
    question=Question(id="q", text="?"),
    answers=(Answer(id="a", text="A"), Answer(id="b", text="B")),
)
CUE = Cue(seat="reviewer_1", task="review", sees=("a", "b"), private=True)


def request(text: str = "Which?", **changes: object) -> Request:
    """A request with this prompt."""
    asked = Request(
        discussion="disc",
        turn=0,
        seat=Seat(id="reviewer_1", reviewer="tester"),
        cue=CUE,
        comparison=COMPARISON,
        heard=(),
        messages=(
            Message(role="system", text="Be fair."),
            Message(role="assistant", text="The first."),
            Message(role="user", text=text),
        ),
        drawn=lambda: text,
    )
    return replace(asked, **changes)  # type: ignore[arg-type]


class Agent(BaseChatAgent):
    """A foreign agent that does in its turn what it is told to do."""

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
        assert self.at_once == 1, "asked twice at the same time"
        try:
            said = self.turn(messages[-1].to_text(), cancellation_token)
            if asyncio.iscoroutine(said):
                said = await said
            if said is not None:
                yield Response(chat_message=TextMessage(content=str(said), source=self.name))
            self.drained = True
        finally:
            self.at_once -= 1

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        self.resets += 1
        self.heard.clear()


async def test_an_agent_is_given_the_whole_prompt_after_a_reset():
    """A foreign agent remembers nothing between cues: each holds all that it may know."""
    foreign = Agent(lambda text, token: "2")
    reviewer = from_autogen(foreign, name="tester")
    await reviewer.speak(request("One?"))
    said = await reviewer.speak(request("Two?"))
    assert said.text == "2"
    assert foreign.heard == ["Be fair.\n\nWhat you said before:\nThe first.\n\nTwo?"]
    assert (foreign.resets, foreign.drained) == (2, True)


async def test_one_agent_is_asked_by_one_discussion_at_a_time():
    """Many discussions may share an agent object; it hears them one after the other."""

    async def slowly(text: str, token: CancellationToken) -> str:
        await asyncio.sleep(0)
        return text[-1]

    reviewer = from_autogen(Agent(slowly), name="tester")
    said = await asyncio.gather(*(reviewer.speak(request(str(n))) for n in range(5)))
    assert [each.text for each in said] == ["0", "1", "2", "3", "4"]


async def test_a_factory_makes_as_many_agents_as_speak_at_once():
    """With a factory, discussions do not wait for each other, and agents are used again."""
    made: list[Agent] = []
    everybody = asyncio.Event()
    waiting = 0

    async def meet(text: str, token: CancellationToken) -> str:
        nonlocal waiting
        waiting += 1
        if waiting == 3:
            everybody.set()
        await everybody.wait()
        return "1"

    def make() -> Agent:
        made.append(Agent(meet))
        return made[-1]

    reviewer = from_autogen(make, name="tester")
    await asyncio.gather(*(reviewer.speak(request(str(n))) for n in range(3)))
    await reviewer.speak(request())
    await reviewer.close()
    assert len(made) == 3


async def test_an_empty_message_is_a_reply_and_no_message_is_a_failure():
    """Saying nothing readable is data; ending a turn without a message breaks the contract."""
    said = await from_autogen(Agent(lambda text, token: ""), name="tester").speak(request())
    assert said.text == ""
    with pytest.raises(NoResponseError, match="without a response"):
        await from_autogen(Agent(lambda text, token: None), name="tester").speak(request())


async def test_an_agent_that_hangs_is_given_up():
    """A foreign agent has so much time for a turn, and is cancelled after that."""

    async def hang(text: str, token: CancellationToken) -> str:
        await asyncio.Event().wait()
        return ""

    foreign = Agent(hang)
    with pytest.raises(TimeoutError, match=r"'tester' did not end its turn within 0\.01 s"):
        await from_autogen(foreign, name="tester", timeout=0.01).speak(request())
    assert foreign.at_once == 0


async def test_an_agent_that_cancels_itself_has_failed():
    """A CancelledError out of an agent fails its turn; it does not cancel the run."""

    def cancel(text: str, token: CancellationToken) -> str:
        raise asyncio.CancelledError

    with pytest.raises(AgentCancelledError, match="cancelled its own turn"):
        await from_autogen(Agent(cancel), name="tester").speak(request())


class Plain(BaseChatAgent):
    """An agent as most are written: one method, which returns or raises what it is told to."""

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
    """Nothing, or a text in place of a response, is told apart from an agent's own mistakes."""
    with pytest.raises(
        NoResponseError, match=f"'plain' returned {nothing!r}, which is no response"
    ):
        await from_autogen(Plain(lambda: nothing), name="tester").speak(request())  # type: ignore[arg-type,return-value]
    with pytest.raises(AttributeError, match="no attribute 'verdict'"):
        await from_autogen(Plain(lambda: object().verdict), name="tester").speak(request())  # type: ignore[attr-defined]


async def test_an_agent_that_ends_the_program_has_failed():
    """Whatever an agent calls, the discussions of others go on."""

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
    """What an agent raises arrives as it is."""

    def fail(text: str, token: CancellationToken) -> str:
        raise LookupError(text[-5:])

    with pytest.raises(LookupError, match=r"hich\?"):
        await from_autogen(Agent(fail), name="tester").speak(request())


async def test_cancelling_an_agents_turn_stops_it():
    """Cancellation reaches the agent, through its task and through AutoGen's token."""
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
    """AutoGen's own agent over a governed client books its calls to the discussion."""
    client = Governed(FakeChatClient(default="1"), model="m")
    reviewer = from_autogen(AssistantAgent("helper", client), name="tester")
    said = await reviewer.speak(request())
    assert said.text == "1"
    assert client.book.tally("tester").paid == 1
    assert said.usage == replace(said.usage, estimated=False)
    assert said.usage.prompt_tokens > 0


async def test_the_light_agent_keeps_its_log_probabilities_as_a_reviewer():
    """What the light agent puts into metadata comes out as an utterance again."""
    fake = FakeChatClient(default="1")
    said = await from_autogen(ReviewerAgent("alice", fake), name="tester").speak(request())
    assert (said.text, said.finish_reason) == ("1", "stop")
    assert said.usage.completion_tokens == 1


def chat(fake: FakeChatClient, turns: int = 2) -> RoundRobinGroupChat:
    """A foreign group chat of two."""
    return RoundRobinGroupChat(
        [AssistantAgent("one", fake), AssistantAgent("two", fake)], max_turns=turns
    )


async def test_the_last_word_of_a_team_is_its_reply():
    """A whole group chat can sit in one seat; it is reset between cues."""
    fake = FakeChatClient(lambda prompt: f"{len(prompt.messages)}")
    reviewer = from_autogen(chat(fake), name="tester")
    first = await reviewer.speak(request("One?"))
    second = await reviewer.speak(request("Two?"))
    assert (first.text, second.text) == ("3", "3")
    assert len(fake.prompts) == 4


async def test_a_failed_group_chat_is_a_typed_failure_and_says_that_it_is_broken():
    """AutoGen turns a team's error into text and truncates the next run; neither goes unseen."""
    fake = FakeChatClient(lambda prompt: LookupError("gone") if len(fake.prompts) == 1 else "1")
    reviewer = from_autogen(chat(fake), name="tester")
    with pytest.raises(TeamFailedError, match="LookupError: gone"):
        await reviewer.speak(request("One?"))
    with pytest.raises(TeamFailedError, match="give a function that makes the team"):
        await reviewer.speak(request("Two?"))


async def test_a_factory_of_teams_survives_a_failure():
    """A team that failed is replaced by a new one."""
    fake = FakeChatClient(lambda prompt: LookupError("gone") if len(fake.prompts) == 1 else "1")
    reviewer = from_autogen(lambda: chat(fake), name="tester")
    with pytest.raises(TeamFailedError):
        await reviewer.speak(request("One?"))
    assert (await reviewer.speak(request("Two?"))).text == "1"


async def test_cancelling_a_group_chat_makes_no_further_call():
    """AutoGen would make all remaining calls of a cancelled team; here it stops."""
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
    """A plain function sees the request and says a text, or all there is to say."""

    async def first(asked: Request) -> str:
        return f"{asked.comparison.shown.index('a') + 1}"

    async def marked(asked: Request) -> Utterance:
        return Utterance(text="2", simulated=True)

    assert (await from_callable(first, name="tester").speak(request())).text == "1"
    assert (await make_reviewer(marked, name="tester").speak(request())).simulated


async def test_whatever_can_review_is_recognised():
    """Reviewers, clients, agents and functions that make them are all understood."""
    fake = FakeChatClient(default="1")
    ready = ModelReviewer(replace_name("ready"), fake)
    assert make_reviewer(ready, name="x") is ready
    assert isinstance(make_reviewer(fake, name="x"), ModelReviewer)
    assert isinstance(make_reviewer(lambda: fake, name="x"), ModelReviewer)
    for thing in (Agent(lambda text, token: "1"), lambda: Agent(lambda text, token: "1")):
        assert (await make_reviewer(thing, name="x").speak(request())).text == "1"


def replace_name(name: str):
    """A card of this name."""
    from peerjudge.data import Card

    return Card(name=name)


@pytest.mark.parametrize("thing", [3, "text", lambda: 3, None])
def test_what_cannot_review_is_refused(thing: object):
    """Anything else is refused when it is named, not when it is asked."""
    with pytest.raises(CardError, match="cannot review"):
        make_reviewer(thing, name="x")


def test_a_function_that_is_not_async_is_refused():
    """A blocking function would hold up every other discussion."""
    with pytest.raises(CardError, match="must be async"):
        from_callable(lambda asked: "1", name="x")  # type: ignore[arg-type,return-value]


def review(verdict: Verdict, text: str = "", shown: tuple[str, ...] = ("a", "b")) -> RecordedReview:
    """A review on record."""
    return RecordedReview(comparison="c", shown=shown, reviewer="gpt4", verdict=verdict, text=text)


async def test_a_record_repeats_its_review_of_the_order_that_is_shown():
    """The same comparison shown in the other order has a review of its own."""
    reviewer = RecordedReviewer(
        "gpt4",
        [
            review(Verdict.of("a"), "The first.\n1"),
            review(Verdict.of("b"), "The first again.\n1", shown=("b", "a")),
        ],
    )
    swapped = COMPARISON.swapped()
    said = await reviewer.speak(request())
    other = await reviewer.speak(request(comparison=swapped, cue=replace(CUE, sees=swapped.shown)))
    assert (said.text, other.text) == ("The first.\n1", "The first again.\n1")
    assert (said.model, said.cached, said.simulated) == ("gpt4", True, False)


async def test_a_review_without_words_is_repeated_as_its_number():
    """People leave verdicts without texts; the number is what a reply would end with."""
    for verdict, number in ((Verdict.of("b"), "2"), (TIE, "3")):
        reviewer = RecordedReviewer("human", [review(verdict)])
        assert (await reviewer.speak(request())).text == number


async def test_what_is_not_on_record_is_a_typed_failure():
    """A record cannot review what it has not seen, and cannot discuss."""
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
