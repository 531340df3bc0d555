"""Compiled LangGraph graphs as reviewers, with LangChain's chat models for tests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from peerjudge.data import Utterance, from_json, to_json
from peerjudge.errors import CardError
from peerjudge.reviewers import NoResponseError, make_reviewer
from tests.reviewers.requests import request

graphs = pytest.importorskip(
    "langgraph.graph", reason="needs LangGraph: pip install 'peerjudge[langgraph]'"
)
from langchain_core.language_models.fake_chat_models import (  # noqa: E402
    FakeMessagesListChatModel,
    GenericFakeChatModel,
)
from langchain_core.messages import AIMessage  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.prebuilt import ToolNode, tools_condition  # noqa: E402
from langgraph.types import interrupt  # noqa: E402
from langsmith import tracing_context  # noqa: E402
from langsmith.utils import tracing_is_enabled  # noqa: E402

USAGE = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}


def build(*nodes: Any, state: Any = graphs.MessagesState, **compiled: Any) -> Any:
    """Return a graph of nodes in a row."""
    return (
        graphs.StateGraph(state)
        .add_sequence(nodes)
        .set_entry_point(nodes[0].__name__)
        .compile(**compiled)
    )


def reply(text: str, **fields: Any) -> Any:
    """Return a reply with its tokens and its model."""
    named = {"model_name": "scripted", "finish_reason": "end_turn"}
    return AIMessage(text, usage_metadata=USAGE, response_metadata=named, **fields)


async def test_a_graph_starts_a_new_thread_each_turn():
    """A checkpointer keeps no message of an earlier turn; settings of the seat are recorded as unset."""
    model = FakeMessagesListChatModel(responses=[reply("Because.\n\n1")])
    heard: list[list[str]] = []

    async def judge(state: Any) -> Any:
        heard.append([message.text for message in state["messages"]])
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = build(judge, checkpointer=InMemorySaver())
    reviewer = make_reviewer(lambda: graph, name="tester")
    for text in ("One?", "Two?"):
        said = await reviewer.speak(request(text, temperature=0.2, seed=3))
    assert (said.text, said.model, said.finish_reason) == ("Because.\n\n1", "scripted", "stop")
    assert said.unset == ("temperature", "seed")
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (7, 2)
    assert heard == [["Be fair.\n\nOne?"], ["Be fair.\n\nTwo?"]]


@tool
def count(text: str) -> int:
    """Count the letters of a text."""
    if not text:
        raise ValueError
    return len(text)


def build_caller() -> Any:
    """Return a graph that counts the last two letters of the prompt by a tool, then says them."""

    async def judge(state: Any) -> Any:
        asked = state["messages"][0].text[-2:].strip("?")
        call = {"name": "count", "args": {"text": asked}, "id": "1"}
        said = [
            reply([{"type": "reasoning", "reasoning": "Hm."}, "Let me count."], tool_calls=[call])
        ]
        if len(state["messages"]) > 1:
            said = [reply(asked or "none")]
        return {"messages": [await GenericFakeChatModel(messages=iter(said)).ainvoke("?")]}

    builder = graphs.StateGraph(graphs.MessagesState)
    builder.add_node(judge).add_node("tools", ToolNode([count], handle_tool_errors=True))
    builder.set_entry_point("judge").add_conditional_edges("judge", tools_condition)
    return builder.add_edge("tools", "judge").compile()


async def test_tool_calls_are_inner_talk_and_all_calls_count():
    """Thoughts, messages, calls and results of tools are kept in order, with the tokens of all calls."""
    reviewer = make_reviewer(build_caller(), name="tester")
    said = await reviewer.speak(request("12"))
    assert [(one.kind, one.text) for one in said.inner] == [
        ("thought", "Hm."),
        ("message", "Let me count."),
        ("tool call", 'count({"text":"12"})'),
        ("tool result", "count: 2"),
    ]
    assert (said.text, said.usage.prompt_tokens) == ("12", 14)
    assert (
        from_json(Utterance, to_json(said)) == said
    )  # LangChain's texts are of a class of their own
    failed = await reviewer.speak(request("??"))
    assert failed.inner[-1].kind == "tool error"


async def test_many_turns_of_one_graph_at_once_stay_apart():
    """Turns that overlap get the replies and tokens of their own prompts."""
    reviewer = make_reviewer(build_caller(), name="tester")
    said = await asyncio.gather(*(reviewer.speak(request(f"{n}")) for n in range(10, 30)))
    assert [one.text for one in said] == [f"{n}" for n in range(10, 30)]
    assert {one.usage.prompt_tokens for one in said} == {14}


async def test_calls_outside_of_the_messages_are_counted():
    """A model whose reply a node only reads has cost tokens too, from a thread as well."""
    model = FakeMessagesListChatModel(responses=[reply("a draft"), reply("2")])

    def judge(state: Any) -> Any:
        model.invoke("Draft.")
        return {"messages": [model.invoke("Judge.")]}

    said = await make_reviewer(build(judge), name="tester").speak(request())
    assert (said.text, said.usage.prompt_tokens, said.inner) == ("2", 14, ())


async def test_a_refusal_is_the_reply():
    """The refusal of a model of OpenAI stands beside an empty text."""
    refused = reply("", additional_kwargs={"refusal": "I cannot help with that."})

    def judge(state: Any) -> Any:
        return {"messages": [refused]}

    said = await make_reviewer(build(judge), name="tester").speak(request())
    assert (said.text, said.usage.prompt_tokens) == ("I cannot help with that.", 7)


async def test_a_structured_response_is_json():
    """The structured response of an agent is the reply."""

    class State(graphs.MessagesState):
        """State as that of LangChain's agents with a response format."""

        structured_response: dict[str, int]

    def judge(state: Any) -> Any:
        return {"messages": [reply("done")], "structured_response": {"verdict": 2}}

    said = await make_reviewer(build(judge, state=State), name="tester").speak(request())
    assert said.text == '{"verdict":2}'


async def test_no_trace_of_a_graph_is_sent():
    """Tracing by LangSmith is off in a turn, also where it is on for the rest of the program."""
    traced: list[bool] = []

    def judge(state: Any) -> Any:
        traced.append(bool(tracing_is_enabled()))
        return {"messages": [reply("1")]}

    graph = build(judge)
    with tracing_context(enabled="local"):
        await graph.ainvoke({"messages": []})
        await make_reviewer(graph, name="tester").speak(request())
        assert tracing_is_enabled()
    assert traced == [True, False]


async def test_a_graph_that_waits_or_says_nothing_fails():
    """No person answers an interrupt in a discussion, and a graph must end with a message."""

    def ask(state: Any) -> Any:
        interrupt("Approve?")

    waiting = make_reviewer(build(ask, checkpointer=InMemorySaver()), name="tester")
    with pytest.raises(NoResponseError, match="waits for an input: 'Approve\\?'"):
        await waiting.speak(request())

    def say_nothing(state: Any) -> Any:
        return {}

    with pytest.raises(NoResponseError, match="ended without a message"):
        await make_reviewer(build(say_nothing), name="tester").speak(request())


def test_a_graph_without_messages_is_refused():
    """A state without messages has no place for the prompt."""

    def judge(state: Any) -> Any:
        return state

    with pytest.raises(CardError, match="without 'messages'"):
        make_reviewer(build(judge, state=dict), name="tester")
