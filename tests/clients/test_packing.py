"""What goes to another process comes out of it as it went in."""

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

from peerjudge.clients.packing import pack, pack_reply, unpack, unpack_reply

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
# Some servers send, and so some reviewers hear, halves of characters.
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
def test_a_reply_is_the_same_on_the_other_side(result: CreateResult):
    """Text, function calls, usage, log-probabilities and thought are all there."""
    assert unpack_reply(pickle.loads(pickle.dumps(pack_reply(result)))) == result


@given(messages, settings, st.booleans(), st.sampled_from([None, True, False]))
def test_a_request_is_the_same_on_the_other_side(messages, settings, streamed, form):
    """Messages of every kind, settings and form are all there, and whether it is streamed."""
    packed = pack(messages, json_output=form, extra=settings, streamed=streamed)
    asked = unpack(pickle.loads(pickle.dumps(packed)), print)
    assert list(asked.messages) == messages
    assert (asked.extra, asked.json_output) == (settings, form)
    assert (asked.pieces is not None) == streamed


@given(messages, st.integers(0))
def test_what_came_of_a_tool_is_not_sent(messages, place):
    """A conversation with tools stays with one client, wherever in it the tool was called."""
    said = AssistantMessage(content=[FunctionCall(id="1", arguments="{}", name="t")], source="r")
    messages.insert(place % (len(messages) + 1), said)
    assert pack(messages, json_output=None, extra={}, streamed=False) is None
