"""What agents and teams say and call before their reply stays beside it, for readers only."""

from __future__ import annotations

import base64
import os
import re
import zlib

from hypothesis import given, strategies as st

import peerjudge as pj
from peerjudge.data import InnerMessage, Utterance
from peerjudge.data.cleaning import clean_utterance
from peerjudge.reviewers.asking import MOST_CHARACTERS, MOST_MESSAGES, bound_inner

AGENT = '''
"""AutoGen's agent with a tool and a scripted model that calls it, fails with it, and replies."""

import json

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

INFO = {
    "vision": False,
    "function_calling": True,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


async def count_words(text: str) -> str:
    """Count the words of a text."""
    if not text:
        raise ValueError("no words")
    return f"{len(text.split())} words <script>alert(1)</script>"


def call(text):
    """Return a model's request for the tool."""
    return CreateResult(
        finish_reason="function_calls",
        content=[FunctionCall(id="1", name="count_words", arguments=json.dumps({"text": text}))],
        usage=RequestUsage(10, 5),
        cached=False,
        thought="I count with sk-0123456789abcdef-secret.",
    )


def reviewer():
    replies = [call("one two"), call(""), "It has more words.\\n\\nChoice: Answer (a)"] * 8
    return AssistantAgent(
        "counter",
        ReplayChatCompletionClient(replies, model_info=INFO),
        tools=[count_words],
        max_tool_iterations=3,
    )
'''
EXPERIMENT = '''
"""Does the tool help?"""
from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(
        Condition(name="talk", protocol="leader_follower", seats=("counting", "sim_strong")),
    ),
)
'''
KEY = "sk-0123456789abcdef-secret"


def test_tool_calls_of_an_agent_are_kept_beside_its_reply(tmp_path, commands):
    """Calls, results, errors and thoughts are read by people, never by another seat; keys are not kept."""
    for name, text in (("agents/counting", AGENT), ("experiments/tools", EXPERIMENT)):
        (tmp_path / f"{name}.py").parent.mkdir()
        (tmp_path / f"{name}.py").write_text(text)
    env = dict(os.environ) | {"OPENAI_API_KEY": KEY}
    played = commands.run(tmp_path, "run", "tools", "--limit", "1", "--out", "study", env=env)
    assert played.code == 0, played.err
    first, *_ = pj.load_sync(tmp_path / "study")
    inner = first.turns[0].utterance.inner
    assert [(one.source, one.kind) for one in inner] == [
        ("counter", "thought"),
        ("counter", "tool call"),
        ("counter", "tool result"),
        ("counter", "thought"),
        ("counter", "tool call"),
        ("counter", "tool error"),
    ]
    assert inner[0].text == "I count with [key]."
    assert inner[1].text == 'count_words({"text": "one two"})'
    assert inner[2].text == "count_words: 2 words <script>alert(1)</script>"
    assert first.turns[0].utterance.text.startswith("It has more words.")
    heard = [turn for turn in first.turns if turn.cue.seat == first.seats[1].id]
    assert heard
    assert all("2 words" not in turn.utterance.text for turn in heard)

    shown = first._repr_html_()
    assert "inner talk (6)" in shown
    assert "<script>" not in shown
    assert "counter, tool call: count_words" in str(first)
    assert commands.run(tmp_path, "report", "study").code == 0
    chunks = re.findall(r">(eJ[\w+/=]+|eN[\w+/=]+)<", (tmp_path / "study/report.html").read_text())
    assert any(b"tool error" in zlib.decompress(base64.b64decode(chunk)) for chunk in chunks)
    exported = commands.run(tmp_path, "export", "study", "--format", "jsonl")
    assert '"kind":"tool error"' in exported.out
    assert KEY not in exported.out


INNER = st.builds(
    InnerMessage,
    source=st.text(max_size=3),
    kind=st.sampled_from(["message", "tool call"]),
    text=st.text(max_size=5) | st.integers(0, 3).map(lambda n: "x" * (MOST_CHARACTERS + n)),
)


@given(st.lists(INNER, max_size=8), st.integers(1, 40))
def test_inner_talk_is_bounded_and_says_what_is_left_out(messages, repeats):
    """Short talk is kept whole; of long talk the beginning and the end, with the number left out."""
    given_talk = messages * repeats
    kept = bound_inner(given_talk)
    assert len(kept) == min(len(given_talk), MOST_MESSAGES)
    assert all(len(one.text) <= MOST_CHARACTERS + 60 for one in kept)
    if len(given_talk) > MOST_MESSAGES:
        note = kept[MOST_MESSAGES // 2]
        assert note.kind == "note"
        assert note.text.startswith(f"{len(given_talk) - MOST_MESSAGES + 1:,} ")
        assert kept[-1].text[:MOST_CHARACTERS] == given_talk[-1].text[:MOST_CHARACTERS]


def test_inner_talk_of_users_code_is_cleaned():
    """An utterance made by a user's function is stored only with values that can be read again."""
    odd = Utterance(text="1", inner=(InnerMessage(source=3, kind="song", text="a\ud83d"), "loose"))  # type: ignore[arg-type]
    cleaned, names = clean_utterance(odd)
    assert cleaned.inner == (InnerMessage(source="", kind="message", text="a\ufffd"),)
    assert names == ("inner",)
    assert clean_utterance(Utterance(text="1", inner="talk"))[0].inner == ()  # type: ignore[arg-type]
