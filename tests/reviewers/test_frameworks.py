"""Agents of other frameworks as reviewers, with the offline models of each library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from enum import Enum
from typing import Any

import pytest
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary
from pydantic import BaseModel

from agents import (
    Agent,
    Model,
    ModelResponse,
    Runner,
    TracingProcessor,
    Usage,
    function_tool,
    set_trace_processors,
    set_tracing_disabled,
)
from peerjudge.reviewers import NoResponseError, make_reviewer
from peerjudge.reviewers.adapters import from_framework
from peerjudge.reviewers.asking import write_output
from peerjudge.reviewers.redacted import make_redacted
from tests.reviewers.requests import request

INSTALL = "needs pydantic-ai: pip install 'peerjudge[pydantic-ai]'"


class Scripted(Model):
    """Offline model of the Agents SDK whose outputs are a function of the number of calls."""

    model = "scripted"

    def __init__(self, say: Callable[[int], Any]) -> None:
        self.say = say
        self.inputs: list[Any] = []
        self.settings: list[Any] = []

    async def get_response(self, *args: Any, **named: Any) -> ModelResponse:
        values = dict(zip(("system", "input", "model_settings"), args, strict=False)) | named
        self.inputs.append(values["input"])
        self.settings.append(values["model_settings"])
        said = self.say(len(self.inputs))
        if asyncio.iscoroutine(said):
            said = await said
        return ModelResponse(
            output=said if isinstance(said, list) else [said],
            usage=Usage(requests=1, input_tokens=7, output_tokens=2, total_tokens=9),
            response_id=None,
        )

    def stream_response(self, *args: Any, **named: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def message(text: str, *, refusal: bool = False) -> ResponseOutputMessage:
    """Return a message of the model."""
    content: Any = (
        ResponseOutputRefusal(refusal=text, type="refusal")
        if refusal
        else ResponseOutputText(text=text, type="output_text", annotations=[])
    )
    return ResponseOutputMessage(
        id="m", content=[content], role="assistant", status="completed", type="message"
    )


@function_tool
def count(text: str) -> int:
    """Count the letters of a text."""
    return len(text)


async def test_an_openai_agent_reviews_with_the_settings_of_its_seat():
    """Each cue is a fresh conversation; the seed, which the SDK lacks, is recorded as unset."""
    model = Scripted(lambda call: message("Because.\n\n1"))
    reviewer = make_reviewer(lambda: Agent(name="judge", model=model), name="tester")
    for text in ("One?", "Two?"):
        said = await reviewer.speak(request(text, temperature=0.2, seed=3))
    assert (said.text, said.model, said.unset) == ("Because.\n\n1", "scripted", ("seed",))
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (7, 2)
    assert not said.usage.estimated
    assert [each.temperature for each in model.settings] == [0.2, 0.2]
    assert "Be fair.\n\nTwo?" in json.dumps(model.inputs[1]).replace("\\n", "\n")
    assert "One?" not in json.dumps(model.inputs[1])


async def test_tool_calls_of_an_openai_agent_are_inner_talk_and_all_calls_count():
    """The call and its result are kept; the tokens are those of both model calls."""
    call = ResponseFunctionToolCall(
        arguments='{"text": "abc"}', call_id="1", name="count", type="function_call"
    )
    thought = ResponseReasoningItem(
        id="r", type="reasoning", summary=[Summary(text="Count.", type="summary_text")]
    )
    first = [thought, message("Let me count."), call]
    model = Scripted(lambda number: first if number == 1 else message("1"))
    agent = Agent(name="judge", model=model, tools=[count])
    said = await make_reviewer(agent, name="tester").speak(request())
    assert said.text == "1"
    assert [(one.kind, one.text) for one in said.inner] == [
        ("thought", "Count."),
        ("message", "Let me count."),
        ("tool call", 'count({"text": "abc"})'),
        ("tool result", "count: 3"),
    ]
    assert said.usage.prompt_tokens == 14


class Choice(BaseModel):
    """Structured output of an agent."""

    verdict: int


@pytest.mark.parametrize("output", [None, Choice])
async def test_a_refusal_of_an_openai_agent_is_its_reply(output: Any):
    """A refusal is kept as text and its tokens are booked, with and without an output type."""
    model = Scripted(lambda call: message("I cannot help with that.", refusal=True))
    agent = Agent(name="judge", model=model, output_type=output)
    said = await make_reviewer(agent, name="tester").speak(request())
    assert said.text == "I cannot help with that."
    assert said.usage.prompt_tokens == 7


async def test_a_cancelled_or_late_openai_agent_stops():
    """A time limit is a TimeoutError, and Ctrl-C ends the call of the model."""
    ended: list[bool] = []
    started = asyncio.Event()

    async def hang() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    agent = Agent(name="judge", model=Scripted(lambda call: hang()))
    late = from_framework(agent, "openai_agents", name="tester", timeout=0.05)
    with pytest.raises(TimeoutError, match="'tester' did not end its turn"):
        await late.speak(request())
    started.clear()
    speaking = asyncio.create_task(make_reviewer(agent, name="tester").speak(request()))
    await started.wait()
    speaking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await speaking
    assert ended == [True, True]


async def test_an_error_of_the_framework_keeps_its_type_and_loses_its_key():
    """The failure of a model is raised as it is, without the secret of the agent."""

    def fail(call: int) -> None:
        msg = "no model for sk-secret"
        raise LookupError(msg)

    agent = Agent(name="judge", model=Scripted(fail))
    reviewer = make_redacted(lambda: make_reviewer(agent, name="x"), secrets=("sk-secret",))
    with pytest.raises(LookupError, match=r"no model for \[key\]"):
        await reviewer.speak(request())


class Traced(TracingProcessor):
    """Processor of the SDK that records what would be sent."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_trace_start(self, trace: Any) -> None:
        self.names.append(trace.name)

    def on_span_start(self, span: Any) -> None:
        self.names.append(span.span_data.type)

    def on_trace_end(self, trace: Any) -> None: ...

    def on_span_end(self, span: Any) -> None: ...

    def shutdown(self) -> None: ...

    def force_flush(self) -> None: ...


async def test_no_trace_of_an_openai_agent_is_sent():
    """The SDK traces neither the agent nor an agent that is its tool."""
    helper = Agent(name="helper", model=Scripted(lambda number: message("It is.")))
    call = ResponseFunctionToolCall(
        arguments='{"input": "?"}', call_id="1", name="help", type="function_call"
    )
    agent = Agent(
        name="judge",
        model=Scripted(lambda number: call if number == 1 else message("1")),
        tools=[helper.as_tool("help", "Helps.")],
    )
    traced = Traced()
    set_trace_processors([traced])
    set_tracing_disabled(disabled=False)
    try:
        said = await make_reviewer(agent, name="tester").speak(request())
        assert said.inner[-1].text == "help: It is."
        assert traced.names == []
        await Runner.run(helper, "?")
        assert traced.names
    finally:
        set_trace_processors([])


async def test_a_pydantic_ai_agent_reviews_with_tools_and_settings():
    """Tokens, tool calls and the settings of the seat reach the transcript and the model."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason=INSTALL)
    from pydantic_ai.messages import ModelResponse as Reply, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    heard: list[Any] = []

    def say(messages: list[Any], info: Any) -> Any:
        heard.append((len(messages), dict(info.model_settings or {})))
        if len(messages) == 1:
            return Reply(parts=[ToolCallPart("count", {"text": "abc"})])
        return Reply(parts=[TextPart("1")])

    agent = pydantic_ai.Agent(FunctionModel(say), name="judge")

    @agent.tool_plain
    def count(text: str) -> int:
        return len(text)

    reviewer = make_reviewer(lambda: agent, name="tester")
    for _ in range(2):
        said = await reviewer.speak(request(temperature=0.2, seed=3, logprobs=True))
    assert (said.text, said.unset) == ("1", ("logprobs",))
    assert said.usage.prompt_tokens > 0
    assert [(one.source, one.kind, one.text) for one in said.inner] == [
        ("judge", "tool call", 'count({"text":"abc"})'),
        ("judge", "tool result", "count: 3"),
    ]
    assert [length for length, _ in heard] == [1, 3, 1, 3]
    assert heard[0][1] == {"temperature": 0.2, "seed": 3}


async def test_a_structured_output_of_pydantic_ai_is_json():
    """The output of an agent with an output type is read as JSON."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason=INSTALL)
    from pydantic_ai.models.test import TestModel

    agent = pydantic_ai.Agent(TestModel(custom_output_args={"verdict": 2}), output_type=Choice)
    said = await make_reviewer(agent, name="tester").speak(request())
    assert (json.loads(said.text), said.finish_reason) == ({"verdict": 2}, "stop")


async def test_a_refusal_of_a_pydantic_ai_agent_is_its_reply():
    """The words of a refusal are the reply, with its tokens; a filtered reply without words is a failure."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason=INSTALL)
    from pydantic_ai.exceptions import ContentFilterError
    from pydantic_ai.messages import ModelResponse as Reply
    from pydantic_ai.models.function import FunctionModel

    details: list[dict[str, str]] = [{"refusal": "I cannot help with that."}, {}]

    def refuse(messages: list[Any], info: Any) -> Any:
        return Reply(parts=[], finish_reason="content_filter", provider_details=details.pop(0))

    reviewer = make_reviewer(pydantic_ai.Agent(FunctionModel(refuse)), name="tester")
    said = await reviewer.speak(request())
    assert (said.text, said.finish_reason) == ("I cannot help with that.", "content_filter")
    assert said.usage.prompt_tokens > 0
    with pytest.raises(ContentFilterError):
        await reviewer.speak(request())


async def test_many_turns_of_one_agent_at_once_stay_apart():
    """Turns that overlap get the replies and the tool calls of their own prompts."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason=INSTALL)
    from pydantic_ai.messages import ModelResponse as Reply, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    async def say(messages: list[Any], info: Any) -> Any:
        await asyncio.sleep(0)
        if len(messages) == 1:
            return Reply(parts=[ToolCallPart("echo", {"text": messages[0].parts[-1].content[-2:]})])
        return Reply(parts=[TextPart(messages[-1].parts[0].content)])

    agent = pydantic_ai.Agent(FunctionModel(say))

    @agent.tool_plain
    async def echo(text: str) -> str:
        await asyncio.sleep(0)
        return text

    reviewer = make_reviewer(agent, name="tester")
    said = await asyncio.gather(*(reviewer.speak(request(f"{n:02}")) for n in range(20)))
    assert [one.text for one in said] == [f"{n:02}" for n in range(20)]
    assert [one.inner[1].text for one in said] == [f"echo: {n:02}" for n in range(20)]


def test_a_member_of_an_enumeration_is_its_text():
    """An agent whose output type is an enumeration of texts says the text of the member."""

    class Better(str, Enum):  # noqa: UP042  the older form, which many programs have
        """Verdicts."""

        FIRST = "Answer 1"

    said = write_output(Better.FIRST, name="judge")
    assert (said, type(said)) == ("Answer 1", str)


async def test_an_output_without_a_json_form_is_a_failure():
    """An agent that returns nothing that can be stored has failed its turn."""
    for output in (None, object()):
        with pytest.raises(NoResponseError, match="'judge'"):
            write_output(output, name="judge")
