"""The play of the study with real models, tried with simulated stand-ins."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import peerjudge as pj
from peerjudge.data import Leader, StopReason
from peerjudge.datasets import load
from studies.real_models import design
from studies.real_models.__main__ import main
from studies.real_models.pairs import sort_by_length, take_turns


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the folder of a simulated play of two comparisons."""
    folder = tmp_path_factory.mktemp("play")
    assert main(["play", "--simulated", "--out", str(folder), "--comparisons", "2"]) == 0
    return folder


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


def test_facts_of_the_server_are_recorded(tmp_path, capsys):
    """A model that is served is described by its server; conditions with the other one wait."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = {
                "/v1/models": {"data": [{"owned_by": "llamacpp", "meta": {"n_params": 630}}]},
                "/props": {"default_generation_settings": {"params": {"top_k": 40}}},
            }
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(found[self.path]).encode())

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        assert main(["play", "--small", url, "--out", str(tmp_path), "--dry-run"]) == 0
        server.shutdown()
    shown = capsys.readouterr()
    assert "leader_follower waits: qwen_1_5b is not served" in shown.err
    assert "single_small" in shown.out
    held = json.loads((tmp_path / "study.json").read_text("utf-8"))
    assert held["models"]["small"]["reported"]["n_params"] == 630
    assert held["models"]["small"]["reported"]["sampling"] == {"top_k": 40}


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
