"""Whole runs against a real model server, stopped and resumed (opt-in)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load
from tools.realmodel.serve import ModelServer

pytestmark = [pytest.mark.realmodel, pytest.mark.timeout(3600)]

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
CONNECTIONS = 2
PATIENCE = 1200
FORM = (
    'response_format = {type = "json_object", schema = {properties = {score = '
    '{enum = [1, 2, 3, 4, 5]}}, required = ["score"]}}'
)
PAIR = {
    "question": "What is 1 + 1?",
    "answer_a": "It is 2.",
    "answer_b": "It is 11.",
    "gold": "a",
}
STUDY = '''
"""What does a small model say?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="jsonl:pairs.jsonl",
    conditions=(
        Condition(
            name="talk",
            protocol="leader_follower",
            seats=("ann", "bob"),
            options={"turns": 2},
        ),
        Condition(name="alone", protocol="pointwise", seats=("ann",)),
        Condition(
            name="json",
            protocol="score_reasons",
            seats=("cat",),
            options={"order": "score_only", "logprobs": True},
        ),
    ),
)
'''


@pytest.fixture
def command(card, tmp_path):
    """Return a function that starts `peerjudge run` in a project of three reviewers."""
    (tmp_path / "agents").mkdir()
    for name, options, most in (("ann", "", 16), ("bob", "", 16), ("cat", FORM, 60)):
        text = card(name, options, most).replace("logprobs = true", "")
        (tmp_path / "agents" / f"{name}.toml").write_text(text)
    (tmp_path / "study.py").write_text(STUDY)
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n")

    def begin() -> subprocess.Popen[str]:
        words = f"run study.py --out out --max-connections {CONNECTIONS} --json"
        return subprocess.Popen(
            [PEERJUDGE, *words.split()],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # As in a terminal: background processes inherit an ignored SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    return begin


def wait_for(server: ModelServer, completions: int, run: subprocess.Popen[str]) -> None:
    """Wait until the server has generated so many completions, or the run has ended."""
    end = time.monotonic() + PATIENCE
    while server.completions < completions and run.poll() is None:
        assert time.monotonic() < end, server.log.read_text("utf-8")[-2000:]
        time.sleep(0.05)  # The server's log is the only sign of its progress.


def finish(run: subprocess.Popen[str]) -> dict:
    """Return the summary of a run after its end."""
    out, told = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, told
    return json.loads(out)


def texts(transcripts) -> dict[tuple[str, int], str]:
    """Return the texts of discussions by discussion and turn."""
    return {
        (one.id, place): turn.utterance.text
        for one in transcripts
        for place, turn in enumerate(one.turns)
    }


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
async def test_a_stopped_run_is_resumed(server, command, tmp_path, sent, code):
    """Stored turns stay, and only the calls in flight at a kill or Ctrl-C are made again."""
    before, blows, kept = server.completions, 2, {}
    for blow in range(blows):
        run = command()
        wait_for(server, before + 4 * (blow + 1), run)
        run.send_signal(sent)
        _, told = run.communicate(timeout=PATIENCE)
        assert run.returncode == code, told
        now = texts(await load(tmp_path / "out"))
        assert now
        assert kept.items() <= now.items()
        kept = now
    summary = finish(command())
    assert summary["discussions"]["failed"] == 0
    played = await load(tmp_path / "out")
    said = texts(played)
    assert kept.items() <= said.items()
    assert {one.stop for one in played} == {StopReason.COMPLETE}
    paid = sum(not turn.utterance.cached for one in played for turn in one.turns)
    assert paid <= server.completions - before <= paid + blows * CONNECTIONS
    asked = server.completions
    again = finish(command())
    assert (again["calls"]["paid"], again["discussions"]["done"]) == (0, 0)
    assert server.completions == asked


async def test_ratings_are_weighted_by_log_probabilities(command, tmp_path):
    """Log-probabilities come where a rating needs them; all tokens are counted."""
    assert finish(command())["discussions"]["failed"] == 0
    played = await load(tmp_path / "out")
    for turn in (turn for one in played for turn in one.turns):
        assert turn.utterance.usage.completion_tokens > 0
        assert not turn.utterance.usage.estimated
        assert bool(turn.utterance.logprobs) == turn.cue.logprobs
    rated = [turn.review for one in played if one.condition == "json" for turn in one.turns]
    assert rated
    assert {review.rule.rpartition(", ")[2] for review in rated} == {"weighted"}
    assert all(1 <= review.score <= 5 for review in rated)
