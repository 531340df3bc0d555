"""Runs with reasoning models behind a real server: refused settings, thinking and its tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from structlog.testing import capture_logs

from peerjudge.data import Condition, Experiment, StopReason
from peerjudge.runs import load, run
from peerjudge.runs.results import RunSummary
from peerjudge.shelf import Shelf

from .model_server import ChatServer, write_error

REFUSALS = {
    "temperature": "Unsupported value: 'temperature' does not support 0.3 with this model. "
    "Only the default (1) value is supported.",
    "top_p": "Unsupported parameter: 'top_p' is not supported with this model.",
    "logprobs": "logprobs are not supported with reasoning models",
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
}


class Reasoner(ChatServer):
    """Server of a model that refuses settings and thinks before it replies."""

    def __init__(self, server: HTTPServer, *, refuses: tuple[str, ...] = ()) -> None:
        super().__init__(server, completion=9)
        self.message: dict[str, Any] = {"content": "1"}
        self.attempts = 5
        self._refuses = refuses

    def reply(self, body: dict[str, Any]) -> object:
        """Refuse a setting, or return the message."""
        for name in self._refuses:
            if name in body:
                kind = "invalid_request_error"
                return write_error(REFUSALS[name], 400, type=kind, param=name)
        return self.message

    @property
    def answered(self) -> list[dict[str, Any]]:
        """The requests that were not refused."""
        return [body for body in self.bodies if not {*self._refuses} & {*body}]


async def play(
    folder: Path, reasoner: Reasoner, sampling: str, *, provider: str = "openai"
) -> RunSummary:
    """Play one discussion of two seats of the model with this sampling."""
    card = f'[model]\nprovider = "{provider}"\nname = "m"\nbase_url = "{reasoner.url}"\n'
    (folder / "agents").mkdir(exist_ok=True)
    for name in ("ann", "bob"):
        (folder / f"agents/{name}.toml").write_text(
            f"{card}\n[sampling]\n{sampling}\n[limits]\nattempts = {reasoner.attempts}\n"
        )
    talk = Condition(
        name="talk", protocol="leader_follower", seats=("ann", "bob"), options={"turns": 2}
    )
    return await run(
        Experiment(name="think", data="sample", conditions=(talk,)),
        out=folder / "out",
        limit=1,
        shelf=Shelf(folder),
        environ={},
        max_connections=1,
    )


async def test_a_setting_that_the_model_refuses_is_left_out_and_recorded(
    tmp_path, httpserver: HTTPServer
):
    """A refused setting costs one refused call per reviewer; every reply names what was left out."""
    reasoner = Reasoner(httpserver, refuses=("temperature", "top_p", "logprobs", "max_tokens"))
    with capture_logs() as logs:
        summary = await play(
            tmp_path, reasoner, "temperature = 0.3\ntop_p = 0.9\nlogprobs = true\nmax_tokens = 99"
        )
    assert summary.discussions.failed == 0
    assert len(reasoner.bodies) - len(reasoner.answered) == 2 * 4
    # The bound of a reply bounds its cost, so it is renamed and never left out.
    assert {body["max_completion_tokens"] for body in reasoner.answered} == {99}
    said = [turn.utterance for one in await load(tmp_path / "out") for turn in one.turns]
    assert len(said) == 8
    assert {each.unset for each in said} == {("temperature", "top_p", "logprobs")}
    left_out = [(log["reviewer"], log["setting"]) for log in logs if "setting" in log]
    assert sorted(left_out) == [
        (name, setting)
        for name in ("ann", "bob")
        for setting in ("logprobs", "temperature", "top_p")
    ]


async def test_a_value_out_of_range_is_a_mistake_and_not_left_out(tmp_path, httpserver: HTTPServer):
    """A server that names the allowed range takes the setting, so the discussion fails."""
    error = {"message": "temperature: 1.9 is not supported; it must be between 0 and 1"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"error": error}, status=400
    )
    reasoner = Reasoner(httpserver)
    summary = await play(tmp_path, reasoner, "temperature = 1.9")
    assert summary.discussions.failed == 2
    assert "between 0 and 1" in summary.failures[0].message


@pytest.mark.parametrize(
    "message",
    [
        {"content": "<think>Answer (b) looks better: Choice: Answer (b)\n2</think>\n\n1"},
        {"content": "Answer (b) looks better:\n2\n</think>\n\n1"},
        {"content": "1", "reasoning_content": "Answer (b) looks better:\n2"},
        {"content": "1", "reasoning": "Answer (b) looks better:\n2"},
        {"content": "[THINK]Answer (b) looks better:\n2[/THINK]1"},
    ],
    ids=["tags", "closing tag only", "field", "router's field", "brackets"],
)
async def test_thinking_is_kept_but_neither_read_nor_heard(tmp_path, httpserver, message):
    """The verdict is that of the reply, and no other seat is shown the thinking."""
    reasoner = Reasoner(httpserver)
    reasoner.message = message
    await play(tmp_path, reasoner, "")
    played = await load(tmp_path / "out")
    assert {one.stop for one in played} == {StopReason.COMPLETE}
    for one in played:
        for turn in one.turns:
            assert turn.utterance.text == "1"
            assert "looks better" in turn.utterance.thinking
            assert turn.review.verdict.choice == one.comparison.shown[0]
    prompts = json.dumps([body["messages"] for body in reasoner.bodies])
    assert "looks better" not in prompts


async def test_a_reply_cut_off_while_thinking_is_empty(tmp_path, httpserver: HTTPServer):
    """What a model considers while it thinks is no reply: a failure, and never its verdict."""
    reasoner = Reasoner(httpserver)
    reasoner.message = {"content": "<think>I choose Answer (b).\n2"}
    reasoner.attempts = 1
    summary = await play(tmp_path, reasoner, "")
    assert {each.kind for each in summary.failures} == {"EmptyReplyError"}
    assert summary.discussions.failed == 2
    assert [turn for one in await load(tmp_path / "out") for turn in one.turns] == []
    assert summary.calls.paid == len(reasoner.bodies)


async def test_thinking_tokens_are_booked_apart(tmp_path, httpserver: HTTPServer):
    """They are part of the reply's tokens, as reported, in the summary and in every turn."""
    reasoner = Reasoner(httpserver)
    reasoner.usage["completion_tokens_details"] = {"reasoning_tokens": 7}
    summary = await play(tmp_path, reasoner, "")
    calls = summary.calls.paid
    assert calls == len(reasoner.bodies)
    assert summary.tokens == calls * 59
    assert summary.thinking_tokens == calls * 7


async def test_unreported_thinking_is_counted_in_its_text(tmp_path, httpserver: HTTPServer):
    """A server that reports no thinking tokens leaves its thinking, whose text is counted."""
    reasoner = Reasoner(httpserver)
    reasoner.message = {"content": "<think>a b c d e f</think>1"}
    summary = await play(tmp_path, reasoner, "")
    assert 0 < summary.thinking_tokens < summary.calls.paid * 9


@pytest.mark.parametrize(
    ("provider", "sampling", "sent"),
    [
        ("openai", 'reasoning_effort = "low"', {"reasoning_effort": "low"}),
        ("vllm", "thinking_tokens = 256", {"thinking_token_budget": 256}),
        ("openrouter", "thinking_tokens = 256", {"reasoning": {"max_tokens": 256}}),
        (
            "gemini",
            "thinking_tokens = 0",
            {"extra_body": {"google": {"thinking_config": {"thinking_budget": 0}}}},
        ),
        ("openai", "thinking_tokens = 256", {}),
    ],
)
async def test_the_amount_of_thinking_is_sent_in_the_provider_s_words(
    tmp_path, httpserver: HTTPServer, provider, sampling, sent
):
    """Effort and budget arrive where the provider reads them; a lacking one is recorded as unset."""
    reasoner = Reasoner(httpserver)
    await play(tmp_path, reasoner, sampling, provider=provider)
    for body in reasoner.bodies:
        more = {name: body[name] for name in body if name not in ("model", "messages", "stream")}
        assert more == sent
    said = [turn.utterance for one in await load(tmp_path / "out") for turn in one.turns]
    assert {each.unset for each in said} == {() if sent else ("thinking_tokens",)}
