"""Study of two models in batch mode, and what its tests share for every provider."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load

STUDY = '''
"""Two discuss."""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("{leader}", "{follower}")),),
)
'''
RUN = ["run", "study", "--batch", "--out", "out", "--limit", "4", "--display", "plain", "--json"]
DISCUSSIONS, TURNS = 8, 6
COST = 24 * (500 * 2 + 100 * 10 + 500 * 1 + 100 * 5) / 1e6 / 2
"""Half the price of 24 calls of each model. [USD]"""


def prepare(kit, folder, server, *, provider="openai", seats=("ann", "bob")):
    """Write a project whose cards use the batch API of this server, and a study."""
    kit.project(folder, server)
    for card in (folder / "agents").iterdir():
        card.write_text(card.read_text().replace('"vllm"', f'"{provider}"\nbatch = true'))
    (folder / "experiments").mkdir()
    leader, follower = seats
    text = STUDY.replace("{leader}", leader).replace("{follower}", follower)
    (folder / "experiments" / "study.py").write_text(text)


def finish(folder, commands):
    """Run the command until the end, and return its summary."""
    (folder / "stdout").write_text("")
    commands.start(folder, *RUN)
    assert commands.code() == 0, (folder / "stderr").read_text()
    return json.loads((folder / "stdout").read_text())


async def require_paid_once(folder, server, summary):
    """Check that every request was billed once, and that the book is the bill of the server."""
    transcripts = await load(folder / "out")
    assert [each.stop for each in transcripts if each.stop is StopReason.FAILED] == []
    assert sum(len(each.turns) for each in transcripts) == DISCUSSIONS * TURNS
    assert set(server.billed.values()) == {1}
    assert len(server.billed) == DISCUSSIONS * TURNS
    assert server.single == 0
    assert summary["spent_before"]["usd"] + summary["spent_now"]["usd"] == pytest.approx(COST)
