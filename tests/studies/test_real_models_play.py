"""The play of the study with real models, tried with simulated stand-ins."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import peerjudge as pj
from peerjudge.data import Leader, StopReason
from peerjudge.datasets import load
from studies.real_models import design
from studies.real_models.__main__ import main
from studies.real_models.pairs import sort_by_length, take_turns
from studies.real_models.resuming import read_published


def test_every_condition_is_played_in_both_orders(played):
    """Two comparisons give four discussions, and eight where each model leads once."""
    transcripts = asyncio.run(pj.load(played / "sample"))
    counts = Counter(one.condition for one in transcripts)
    twice = {one.name: 8 if one.leader is Leader.BOTH else 4 for one in design.list_conditions(4)}
    assert counts == twice
    assert all(one.stop is StopReason.COMPLETE for one in transcripts)


def test_playing_again_plays_nothing(played, capsys):
    """The same command finds all discussions complete and requests no reply."""
    assert main(["play", "--simulated", "--out", str(played), "--comparisons", "2"]) == 0
    assert "tokens" not in capsys.readouterr().err


def test_a_discussion_of_four_turns_costs_as_many_calls_as_the_vote_of_six(played):
    """The comparison with the vote is at equal calls."""
    turns = {one.condition: len(one.turns) for one in asyncio.run(pj.load(played / "sample"))}
    assert turns["leader_follower"] == turns["vote_of_six"] == 6


def test_other_settings_need_another_folder(played, capsys):
    """One folder holds one study: other turns are refused, with the way out."""
    command = ["play", "--simulated", "--out", str(played), "--turns", "2"]
    assert main(command) == 2
    assert "--out" in capsys.readouterr().err


def test_conditions_of_one_model_come_first():
    """No condition of both models precedes one of a single model."""
    sizes = [len(design.list_reviewers(one)) for one in design.list_conditions(4)]
    assert sizes == sorted(sizes)


def test_a_server_that_does_not_answer_is_named(tmp_path, capsys):
    """Without a server nothing is played, and the message has its URL."""
    command = ["play", "--large", "http://127.0.0.1:9/v1", "--out", str(tmp_path / "play")]
    assert main(command) == 2
    assert "http://127.0.0.1:9/v1" in capsys.readouterr().err
    assert not (tmp_path / "play" / "study.json").exists()


class Served(BaseHTTPRequestHandler):
    """A model server that describes itself as llama.cpp does, and always prefers the first answer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        found = {
            "/v1/models": {"data": [{"owned_by": "llamacpp", "meta": {"n_params": 630}}]},
            "/props": {"default_generation_settings": {"params": {"top_k": 40}}},
        }
        self._send(found[self.path])

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        words = ["First", " names", " a cause", ".", "\n\n", "1"]
        tokens = [
            {
                "token": word,
                "logprob": -0.1,
                "top_logprobs": [
                    {"token": word, "logprob": -0.1},
                    {"token": "2", "logprob": -2.5},
                    {"token": "The", "logprob": -9.0},
                ],
            }
            for word in words
        ]
        message = {"role": "assistant", "content": "".join(words)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 6}
        self._send({"choices": [choice | {"logprobs": {"content": tokens}}], "usage": usage})

    def log_message(self, *_):
        pass

    def _send(self, found):
        content = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def server():
    """Serve a model on the loopback interface; `asked` holds the requests for replies."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Served) as served:
        served.asked = []
        served.url = f"http://127.0.0.1:{served.server_port}/v1"
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()


def test_facts_of_the_server_are_recorded(server, tmp_path, capsys):
    """A model that is served is described by its server; conditions with the other one wait."""
    command = ["play", "--small", server.url, "--out", str(tmp_path), "--dry-run"]
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "leader_follower waits: qwen_1_5b is not served" in shown.err
    assert "single_small" in shown.out
    held = json.loads((tmp_path / "study.json").read_text("utf-8"))
    assert held["models"]["small"]["reported"]["n_params"] == 630
    assert held["models"]["small"]["reported"]["sampling"] == {"top_k": 40}
    assert server.asked == []


@pytest.mark.slow
def test_votes_cost_no_call_of_their_own(server, tmp_path):
    """Both votes count private reviews that lone judges and self-discussions have paid for."""
    command = ["play", "--large", server.url, "--small", server.url, "--out", str(tmp_path)]
    command += ["--comparisons", "1", "--only"]
    alone = [
        f"{name}_{size}" for name in ("explained", "self_discussion") for size in design.MODELS
    ]
    assert main([*command, ",".join(alone)]) == 0
    paid = len(server.asked)
    assert main([*command, "vote,vote_of_six"]) == 0
    assert len(server.asked) == paid
    assert main([*command, "leader_follower"]) == 0
    # Both orders under both leaders, four public turns each; the private reviews are shared.
    assert len(server.asked) == paid + 16
    assert {one["max_tokens"] for one in server.asked} == {design.MAX_TOKENS}
    assert {one["temperature"] for one in server.asked} == {0.0, design.COLD, design.WARM}


def test_published_log_probabilities_are_those_of_the_verdict_and_give_the_margin(server, tmp_path):
    """Of six tokens with alternatives the verdict's are left; a label in both orders cancels out."""
    folder = str(tmp_path / "play")
    command = ["play", "--small", server.url, "--out", folder, "--comparisons", "1"]
    assert main([*command, "--only", "single_small,explained_small"]) == 0
    assert main(["publish", folder, "--to", str(tmp_path / "docs")]) == 0
    manifest, transcripts = read_published(tmp_path / "docs")
    assert [model["card"] for model in manifest["models"]] == ["qwen_0_5b"]
    for one in transcripts["sample"]:
        before, verdict = one.turns[0].utterance.logprobs
        assert before.top == ()
        assert (verdict.token, dict(verdict.top)) == ("1", {"1": -0.1, "2": -2.5, "The": -9.0})
    assert "margin 50 %" in (tmp_path / "docs" / "report.md").read_text("utf-8")


def test_the_first_comparisons_go_round_the_categories():
    """Twelve comparisons of the sample are two of each of its six categories."""
    first = take_turns(load("sample").comparisons)[:12]
    assert set(Counter(one.question.category for one in first).values()) == {2}


def test_short_pairs_of_llmbar_come_first():
    """Pairs are sorted by their characters, and only those of the Natural subset are taken."""
    pairs = [
        pj.Comparison(
            id=f"{subset}-{length}",
            question=pj.Question(id="q", text=""),
            answers=(pj.Answer(id="1", text="x" * length), pj.Answer(id="2", text="")),
            subset=subset,
        )
        for subset, length in (("Natural", 9), ("Neighbor", 1), ("Natural", 5))
    ]
    assert [one.id for one in sort_by_length(pairs)] == ["Natural-5", "Natural-9"]
