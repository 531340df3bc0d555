"""AutoGen's own agents in a discussion: what they are given, shared, cancelled, and in roles."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import CreateResult, LLMMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from structlog.testing import capture_logs

from peerjudge.data import Comparison, Question, replace
from peerjudge.reviewers import DiscussionTeam, ReviewerAgent, from_autogen
from tests.reviewers.requests import COMPARISON, request


class Client(ReplayChatCompletionClient):
    """A replayed model that keeps the prompts that it was sent."""

    def __init__(self, *texts: str, hang: bool = False) -> None:
        super().__init__([*texts])
        self.prompts: list[Sequence[LLMMessage]] = []
        self.hanging = asyncio.Event()
        self.hang = hang

    async def create(self, messages: Sequence[LLMMessage], **settings: Any) -> CreateResult:
        """Return the next text, or never."""
        self.prompts.append([*messages])
        if self.hang:
            self.hanging.set()
            await asyncio.Event().wait()
        return await super().create(messages, **settings)


def agent(name: str, client: Client, role: str | None = None) -> AssistantAgent:
    """Return an AutoGen agent with this role."""
    return AssistantAgent(name, client, system_message=role)


def says(choice: str, times: int = 3) -> Client:
    """Return a model that chooses this answer at every turn."""
    return Client(*[f"My words.\nChoice: Answer ({choice})"] * times)


def shape(prompt: Sequence[LLMMessage]) -> list[tuple[str, str]]:
    """Return the kind and the first line of each message."""
    return [(each.type, str(each.content).partition("\n")[0]) for each in prompt]


async def test_the_role_is_the_system_message_and_own_turns_are_own_words():
    """The agent's role and the instructions come as system messages, its own turns as the assistant's."""
    one, two = says("a"), says("b")
    team = DiscussionTeam([agent("one", one, "You are strict."), agent("two", two)])
    await team.run(task=COMPARISON)
    assert shape(one.prompts[0]) == [
        ("SystemMessage", "You are strict."),
        ("SystemMessage", "You are a reviewer. You judge how good long answers to questions are."),
        ("UserMessage", "# Question"),
    ]
    assert shape(one.prompts[2])[2:] == [
        ("UserMessage", "# Question"),
        ("AssistantMessage", "My words."),
        ("UserMessage", "# Reviewer 2 replied"),
    ]
    assert shape(two.prompts[0])[0][1].startswith("You are a reviewer.")


async def test_a_reviewer_agent_is_given_the_same_prompt():
    """An agent of PeerJudge and one of AutoGen with the same role see the same messages."""
    one, two = says("a"), says("a")
    for reviewer in (
        agent("one", one, "Be strict."),
        ReviewerAgent("one", two, system_message="Be strict."),
    ):
        await DiscussionTeam([reviewer, agent("other", says("b"))]).run(task=COMPARISON)
    assert [shape(prompt) for prompt in one.prompts] == [shape(prompt) for prompt in two.prompts]


async def test_a_bounded_context_keeps_the_whole_prompt():
    """An agent that remembers one message gets question, instructions and own words in one."""
    client = says("a")
    bounded = AssistantAgent(
        "one",
        client,
        system_message=None,
        model_context=BufferedChatCompletionContext(buffer_size=1),
    )
    await from_autogen(bounded, name="one").speak(request("Two?"))
    assert [message.content for message in client.prompts[0]] == ["Be fair.\n\nTwo?"]


class Refusing(Client):
    """A model whose server refuses a system role."""

    async def create(self, messages: Sequence[LLMMessage], **settings: Any) -> CreateResult:
        """Raise the error of a server, or reply."""
        if any(message.type == "SystemMessage" for message in messages):
            raise RefusedError
        return await super().create(messages, **settings)


class RefusedError(Exception):
    """What a chat template says."""

    status_code = 400

    def __init__(self) -> None:
        super().__init__("System role not supported")


async def test_a_model_without_a_system_role_gets_one_message():
    """The refused call is repeated with the whole prompt as one message; later turns begin with that."""
    client = Refusing("1", "2")
    reviewer = from_autogen(agent("one", client), name="one")
    for text in ("1", "2"):
        assert (await reviewer.speak(request())).text == text
    assert [shape(prompt) for prompt in client.prompts] == [[("UserMessage", "Be fair.")]] * 2
    with pytest.raises(RefusedError):
        await from_autogen(agent("one", Refusing("1"), "Be strict."), name="one").speak(request())


async def test_the_default_system_message_of_autogen_is_warned_of():
    """An agent without a role of its own is asked by AutoGen for another last line."""
    for given, warned in (
        ({}, 1),
        ({"system_message": None}, 0),
        ({"system_message": "Be fair."}, 0),
    ):
        with capture_logs() as logs:
            from_autogen(AssistantAgent("one", says("a"), **given), name="one")
        assert len(["TERMINATE" in log["event"] for log in logs]) == warned


async def test_a_question_leaves_nothing_behind_for_the_next():
    """Agents that judged one comparison judge the next without a word of it."""
    one, two = says("a", 6), says("a", 6)
    team = DiscussionTeam([agent("one", one), agent("two", two)])
    await team.run(task=COMPARISON)
    other = replace(COMPARISON, id="d", question=Question(id="r", text="Which is smaller?"))
    result = await team.run(task=other)
    assert len(result.messages) == 8
    assert all("> ?" not in str(prompt) for prompt in one.prompts[3:])
    assert all("Which is smaller?" in str(prompt) for prompt in two.prompts[3:])


async def test_teams_that_share_agents_do_not_hear_each_other():
    """Two teams of the same agents discuss at the same time; each prompt is of one question."""
    one, two = says("a", 30), says("a", 30)
    seated = [agent("one", one), agent("two", two)]
    asked: list[Comparison] = [
        replace(COMPARISON, id=f"c{n}", question=Question(id=f"q{n}", text=f"Question {n}?"))
        for n in range(5)
    ]
    results = await asyncio.gather(*(DiscussionTeam(seated).run(task=each) for each in asked))
    assert [len(result.messages) for result in results] == [8] * 5
    for prompt in (*one.prompts, *two.prompts):
        assert len(set(re.findall(r"Question \d\?", str(prompt)))) == 1


async def test_a_team_that_was_used_before_begins_anew():
    """A group chat that takes a seat forgets what it was asked before."""
    client = says("a", 4)
    chat = RoundRobinGroupChat([agent("inner", client)], name="chat", max_turns=1)
    await chat.run(task="Tell me about ducks.")
    await DiscussionTeam([chat, agent("two", says("a"))], options={"turns": 1}).run(task=COMPARISON)
    assert "ducks" not in str(client.prompts[1:])


async def test_a_token_stops_an_agent_in_its_call():
    """A cancelled token ends the call, and the next run without a task asks again."""
    one, two = Client(hang=True), says("a", 4)
    team = DiscussionTeam([agent("one", one), agent("two", two)])
    token = CancellationToken()
    running = asyncio.create_task(team.run(task=COMPARISON, cancellation_token=token))
    await one.hanging.wait()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (len(one.prompts), team.transcript is not None) == (1, True)
    one.hang = False
    one.chat_completions = [f"Now.\nChoice: Answer ({each})" for each in "aaa"]
    assert (await team.run()).messages[-1].metadata["peerjudge.verdict"] == "a"


async def test_a_cancelled_token_makes_no_call():
    """A token that was cancelled before the run stops it before its first call."""
    one, token = says("a"), CancellationToken()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await DiscussionTeam([agent("one", one), agent("two", one)]).run(
            task=COMPARISON, cancellation_token=token
        )
    assert one.prompts == []


async def test_a_discussion_with_roles_is_a_team():
    """Participants take the declared roles in their order; the judge hears both debaters and decides."""
    judge = says("b")
    team = DiscussionTeam(
        [
            agent("one", says("a")),
            agent("two", says("a")),
            agent("chair", judge, "You are the judge."),
        ],
        protocol="court",
        options={"rounds": 1, "judge_alone": False},
    )
    result = await team.run(task=COMPARISON)
    said = [(each.source, each.metadata.get("peerjudge.role")) for each in result.messages[1:]]
    debate = [("one", "debater"), ("two", "debater")] * 2
    assert said == [*debate, ("chair", "judge"), ("discussion", None)]
    assert result.messages[-1].metadata["peerjudge.verdict"] == "b"
    assert str(judge.prompts[0]).count("My words.") == 4
    assert shape(judge.prompts[0])[0] == ("SystemMessage", "You are the judge.")
