"""OpenTelemetry spans of a run, with a tracer provider of the application."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import ProxyTracerProvider, StatusCode

from peerjudge.data import Condition, Seating, replace
from peerjudge.runs import run
from peerjudge.shelf import Shelf
from peerjudge.telemetry import tracer

OWN = '''
"""A user-written model client."""

from peerjudge.clients.fake import FakeChatClient


def reviewer():
    return FakeChatClient(ANSWER)
'''


def own(folder, name: str, answer: str) -> Condition:
    """Write a reviewer with its own model client, and return its condition."""
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / f"{name}.py").write_text(OWN.replace("ANSWER", answer))
    return Condition(
        name=name, protocol="pairwise_cot", seats=(Seating(reviewer=name, temperature=0.3),)
    )


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Spans of a tracer provider of this test."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # OpenTelemetry lets a provider be set once in the life of a process.
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return exporter


async def test_discussion_turn_and_call_are_nested_spans(small, exported, tmp_path):
    """Calls are inside turns and turns inside discussions, with GenAI attribute names."""
    condition = own(tmp_path, "mine", "lambda prompt: 'So.\\n1'")
    alone = replace(small, conditions=(condition,))
    summary = await run(alone, out=tmp_path / "out", shelf=Shelf(tmp_path), limit=1)
    spans = exported.get_finished_spans()
    names = [span.name for span in spans]
    assert summary.discussions.done == names.count("discussion") > 0
    chats = [span for span in spans if span.name.startswith("chat ")]
    turns = {span.context.span_id: span for span in spans if span.name == "invoke_agent mine"}
    discussions = {span.context.span_id: span for span in spans if span.name == "discussion"}
    assert len(chats) == len(turns) == len(discussions)
    for chat in chats:
        turn = turns[chat.parent.span_id]
        discussion = discussions[turn.parent.span_id]
        ids = {each.attributes["gen_ai.conversation.id"] for each in (chat, turn, discussion)}
        assert len(ids) == 1
        assert chat.attributes["gen_ai.operation.name"] == "chat"
        assert chat.attributes["gen_ai.request.temperature"] == 0.3
        assert chat.attributes["gen_ai.usage.input_tokens"] > 0
        assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
        assert discussion.attributes["peerjudge.run"] == summary.run
        assert discussion.attributes["peerjudge.condition"] == "mine"


async def test_a_failure_is_recorded_in_every_span_it_ends(small, exported, tmp_path):
    """Call, turn and discussion have the error status and its type."""
    condition = own(tmp_path, "broken", "lambda prompt: ValueError('no')")
    alone = replace(small, conditions=(condition,))
    await run(alone, out=tmp_path / "out", shelf=Shelf(tmp_path), limit=1)
    spans = exported.get_finished_spans()
    assert {span.name for span in spans if span.status.status_code is StatusCode.ERROR} == {
        span.name for span in spans
    }
    kinds = {span.attributes.get("error.type") for span in spans} - {None}
    assert kinds == {"ValueError"}


async def test_without_a_provider_nothing_is_traced(small, tmp_path):
    """Without a provider there is no tracer."""
    assert isinstance(trace.get_tracer_provider(), ProxyTracerProvider)
    assert tracer() is None
    assert (await run(small, out=tmp_path, limit=1)).discussions.done > 0


TEAM = '''
"""A team of one AutoGen agent."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat

from peerjudge.clients.fake import FakeChatClient


def reviewer():
    agent = AssistantAgent("one", FakeChatClient(default="So.\\n1"))
    return RoundRobinGroupChat([agent], termination_condition=MaxMessageTermination(2))
'''


async def test_autogen_internals_are_not_traced(small, exported, tmp_path, monkeypatch):
    """A team has the span of its turn, and none for messages between its agents."""
    # Set by the run, and taken back at the end of the test.
    monkeypatch.setenv("AUTOGEN_DISABLE_RUNTIME_TRACING", "")
    monkeypatch.delenv("AUTOGEN_DISABLE_RUNTIME_TRACING")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "team.py").write_text(TEAM)
    alone = replace(small, conditions=(Condition(name="t", protocol="pairwise", seats=("team",)),))
    summary = await run(alone, out=tmp_path / "out", shelf=Shelf(tmp_path), limit=1)
    spans = exported.get_finished_spans()
    assert summary.discussions.done == [span.name for span in spans].count("invoke_agent team") > 0
    makers = {span.instrumentation_scope.name for span in spans}
    assert "peerjudge" in makers
    assert not [name for name in makers if name.startswith("autogen Single")], makers
