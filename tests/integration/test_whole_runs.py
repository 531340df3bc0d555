"""Whole runs against a real model server, stopped and resumed (opt-in)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load

pytestmark = pytest.mark.integration

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
CONNECTIONS = 4
FORM = (
    'response_format = {type = "json_object", schema = {properties = {score = '
    '{enum = [1, 2, 3, 4, 5]}}, required = ["score"]}}'
)
STUDY = '''
"""What does noise say?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(
        Condition(name="talk", protocol="leader_follower", seats=("ann", "bob")),
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
    for name, options, most in (("ann", "", 24), ("bob", "", 24), ("cat", FORM, 400)):
        text = card(name, options, most).replace("logprobs = true", "")
        (tmp_path / "agents" / f"{name}.toml").write_text(text)
    (tmp_path / "study.py").write_text(STUDY)

    def begin(workers: int) -> subprocess.Popen[str]:
        words = f"run study.py --out out --limit 3 --max-connections {CONNECTIONS} --json"
        return subprocess.Popen(
            [PEERJUDGE, *words.split(), "--workers", str(workers)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


def finish(run: subprocess.Popen[str]) -> dict:
    """Return the summary of a run after its end."""
    out, told = run.communicate(timeout=240)
    assert run.returncode == 0, told
    return json.loads(out)


def texts(transcripts) -> dict[tuple[str, int], str]:
    """Return the texts of discussions by discussion and turn."""
    return {
        (one.id, place): turn.utterance.text
        for one in transcripts
        for place, turn in enumerate(one.turns)
    }


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_killed_run_is_resumed(server, command, tmp_path, workers):
    """Stored turns stay, and only the calls in flight at a kill are made again."""
    before, blows, kept = server.answered, 3, {}
    for blow in range(blows):
        run = command(workers)
        server.wait_for(before + 12 * (blow + 1))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        assert run.returncode == -signal.SIGKILL
        now = texts(await load(tmp_path / "out"))
        assert kept.items() <= now.items()
        kept = now
    summary = finish(command(workers))
    assert summary["discussions"]["failed"] == 0
    played = await load(tmp_path / "out")
    said = texts(played)
    assert kept.items() <= said.items()
    assert {one.stop for one in played} == {StopReason.COMPLETE}
    paid = sum(not turn.utterance.cached for one in played for turn in one.turns)
    assert paid <= server.answered - before <= paid + blows * CONNECTIONS
    asked = server.answered
    again = finish(command(workers))
    assert (again["calls"]["paid"], again["discussions"]["done"]) == (0, 0)
    assert server.answered == asked


async def test_ratings_are_weighted_by_log_probabilities(command, tmp_path):
    """Log-probabilities come where a rating needs them; all tokens are counted."""
    assert finish(command(2))["discussions"]["failed"] == 0
    played = await load(tmp_path / "out")
    for turn in (turn for one in played for turn in one.turns):
        assert turn.utterance.usage.completion_tokens > 0
        assert not turn.utterance.usage.estimated
        assert bool(turn.utterance.logprobs) == turn.cue.logprobs
    rated = [turn.review for one in played if one.condition == "json" for turn in one.turns]
    assert rated
    assert {review.rule.rpartition(", ")[2] for review in rated} == {"weighted"}
    assert all(1 <= review.score <= 5 for review in rated)
