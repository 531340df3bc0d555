"""Agents of the Microsoft Agent Framework as reviewers, with a chat client that needs no network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from peerjudge.errors import CardError
from peerjudge.reviewers import NoResponseError, make_reviewer
from tests.reviewers.requests import request

framework = pytest.importorskip(
    "agent_framework",
    reason="needs the Microsoft Agent Framework: pip install 'peerjudge[agent-framework]'",
)
Content, Message, Response = framework.Content, framework.Message, framework.ChatResponse


class Scripted(framework.FunctionInvocationLayer, framework.BaseChatClient):
    """Chat client whose replies are a function of the messages; it keeps what it was sent."""

    def __init__(self, say: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
        super().__init__()
        self.say = say
        self.heard: list[list[str]] = []
        self.options: list[dict[str, Any]] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        assert not stream
        self.heard.append([message.text for message in messages])
        self.options.append(dict(options))
        return self._answer(messages)

    async def _answer(self, messages: Any) -> Any:
        await asyncio.sleep(0)
        return Response(
            messages=[Message(role="assistant", contents=list(self.say(messages)))],
            usage_details={"input_token_count": 7, "output_token_count": 2},
            finish_reason="stop",
            model="scripted",
        )


def count(text: str) -> int:
    """Count the letters of a text."""
    if not text:
        raise ValueError
    return len(text)


def call_first(messages: Sequence[Any]) -> list[Any]:
    """Call the tool with the last two letters of the prompt, then give its result."""
    if messages[-1].role != "tool":
        text = messages[-1].text[-2:].strip("?")
        return ["Let me count.", Content.from_function_call("1", "count", arguments={"text": text})]
    return [str(messages[-1].contents[0].result)]


async def test_an_agent_reviews_with_the_settings_of_its_seat():
    """Each turn is a new conversation that has the instructions, the prompt and the settings."""
    client = Scripted(lambda messages: ["Because.\n\n1"])
    agent = framework.Agent(client, "Be brief.", name="judge", default_options={"top_p": 0.5})
    reviewer = make_reviewer(lambda: agent, name="tester")
    for text in ("One?", "Two?"):
        said = await reviewer.speak(request(text, temperature=0.2, seed=3, logprobs=True))
    assert (said.text, said.model, said.unset) == ("Because.\n\n1", "scripted", ("logprobs",))
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (7, 2)
    assert client.heard == [["Be fair.\n\nOne?"], ["Be fair.\n\nTwo?"]]
    sent = client.options[0]
    assert (sent["temperature"], sent["seed"], sent["top_p"]) == (0.2, 3, 0.5)
    assert sent["instructions"] == "Be brief."


async def test_tool_calls_are_inner_talk_and_all_calls_count():
    """Messages, calls and results of tools are kept in order; tokens are those of both calls."""
    agent = framework.Agent(Scripted(call_first), name="judge", tools=[count])
    reviewer = make_reviewer(agent, name="tester")
    said = await reviewer.speak(request("12"))
    assert [(one.source, one.kind, one.text) for one in said.inner] == [
        ("judge", "message", "Let me count."),
        ("judge", "tool call", 'count({"text":"12"})'),
        ("judge", "tool result", "count: 2"),
    ]
    assert (said.text, said.usage.prompt_tokens) == ("2", 14)
    failed = await reviewer.speak(request("??"))
    assert failed.inner[-1].kind == "tool error"


async def test_many_turns_of_one_agent_at_once_stay_apart():
    """Turns that overlap get the tool results of their own prompts."""
    reviewer = make_reviewer(
        framework.Agent(Scripted(call_first), name="judge", tools=[count]), name="tester"
    )
    said = await asyncio.gather(*(reviewer.speak(request(f"{n:02}")) for n in range(10, 30)))
    calls = [one.inner[1].text for one in said]
    assert calls == [f'count({{"text":"{n}"}})' for n in range(10, 30)]


async def test_a_tool_that_needs_an_approval_is_a_failure():
    """No person can approve the call in a discussion, so the turn fails and says so."""
    tool = framework.FunctionTool(name="count", func=count, approval_mode="always_require")
    agent = framework.Agent(Scripted(call_first), name="judge", tools=[tool])
    with pytest.raises(NoResponseError, match="such as an approval of a tool"):
        await make_reviewer(agent, name="tester").speak(request("12"))


async def test_an_agent_of_another_class_takes_no_settings():
    """The base class promises no options, so settings of the seat are recorded as not set."""

    class Own(framework.BaseAgent):
        """Agent without a model."""

        async def run(self, messages: Any = None, *, session: Any = None) -> Any:
            return framework.AgentResponse(messages=[Message(role="assistant", contents=["2"])])

    said = await make_reviewer(Own(name="own"), name="tester").speak(request(temperature=0.2))
    assert (said.text, said.unset) == ("2", ("temperature",))
    assert said.usage.estimated


def test_a_workflow_is_refused():
    """A workflow keeps the state of its runs, so discussions would hear each other."""
    agent = framework.Agent(Scripted(lambda messages: ["1"]), name="judge")
    workflow = framework.WorkflowBuilder(start_executor=agent).build().as_agent("flow")
    with pytest.raises(CardError, match="'tester' is a workflow, which keeps the state"):
        make_reviewer(lambda: workflow, name="tester")
