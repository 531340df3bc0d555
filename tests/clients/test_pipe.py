"""Requests and replies on the pipe to a worker."""

from __future__ import annotations

import pickle

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    RequestUsage,
    SystemMessage,
    TopLogprob,
    UserMessage,
)
from hypothesis import given
from hypothesis import strategies as st

from peerjudge.clients.calls import CallRequest
from peerjudge.clients.pipe import pack_reply, pack_request, unpack_reply, unpack_request

bytes_of = st.none() | st.lists(st.integers(0, 255), max_size=3)
logprobs = st.floats(max_value=0.0, allow_nan=False)
rivals = st.none() | st.lists(st.builds(TopLogprob, logprob=logprobs, bytes=bytes_of), max_size=3)
tokens = st.builds(
    ChatCompletionTokenLogprob,
    token=st.text(),
    logprob=logprobs,
    top_logprobs=rivals,
    bytes=bytes_of,
)
calls = st.builds(FunctionCall, id=st.text(), arguments=st.text(), name=st.text())
results = st.builds(
    CreateResult,
    finish_reason=st.sampled_from(["stop", "length", "content_filter", "unknown"]),
    content=st.text() | st.lists(calls, max_size=2),
    usage=st.builds(RequestUsage, st.integers(0), st.integers(0)),
    cached=st.booleans(),
    logprobs=st.none() | st.lists(tokens, max_size=3),
    thought=st.none() | st.text(),
)
# Some servers send lone surrogates, which then occur in prompts.
texts = st.text(st.characters())
messages = st.lists(
    st.one_of(
        st.builds(SystemMessage, content=texts),
        st.builds(UserMessage, content=texts | st.lists(texts, max_size=2), source=texts),
        st.builds(AssistantMessage, content=texts, source=texts, thought=st.none() | texts),
    )
)
atoms = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
settings = st.dictionaries(
    st.text(), st.recursive(atoms, lambda inner: st.lists(inner) | st.dictionaries(texts, inner))
)


@given(results)
def test_a_reply_survives_the_pipe(result: CreateResult):
    """Text, function calls, usage, log-probabilities and thought arrive unchanged."""
    received = pickle.loads(pickle.dumps(pack_reply(result)))
    assert unpack_reply(received, json_output=None) == result


@given(messages, settings, st.booleans(), st.sampled_from([None, True, False]))
def test_a_request_survives_the_pipe(messages, settings, streamed, form):
    """Messages of every kind, settings, reply form and streaming arrive unchanged."""
    request = CallRequest(messages=messages, json_output=form, extra=settings)
    packed = pack_request(request, streamed=streamed)
    received = unpack_request(pickle.loads(pickle.dumps(packed)), print)
    assert list(received.messages) == messages
    assert (received.extra, received.json_output) == (settings, form)
    assert (received.pieces is not None) == streamed


@given(messages, st.integers(0))
def test_a_request_after_a_tool_call_is_not_packed(messages, place):
    """A conversation with tools stays with one client, wherever in it the tool was called."""
    call = AssistantMessage(content=[FunctionCall(id="1", arguments="{}", name="t")], source="r")
    messages.insert(place % (len(messages) + 1), call)
    assert pack_request(CallRequest(messages=messages), streamed=False) is None
