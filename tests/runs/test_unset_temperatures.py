"""A temperature that a reviewer does not take is shown nowhere as if it did."""

from __future__ import annotations

import asyncio
import csv
import io

import pytest

import peerjudge as pj
from peerjudge.cli import main
from peerjudge.data import Condition, Experiment, Sampling, Seat, Seating
from peerjudge.reporting.lanes import render_text
from peerjudge.runs import prepare, run

AGENT = '''"""An AutoGen agent, which samples with its own client."""
from autogen_agentchat.agents import AssistantAgent
from peerjudge.clients.fake import FakeChatClient


def reviewer():
    return AssistantAgent("auto", FakeChatClient(default="So.\\nChoice: Answer (a)"), system_message=None)
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with a card of an AutoGen agent."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "auto.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def declare(reviewer):
    """Declare a self-discussion at two temperatures, and a judge alone."""
    seats = tuple(Seating(reviewer=reviewer, temperature=each) for each in (0.25, 1.0))
    talk = Condition(name="talk", protocol="self_discussion", seats=seats)
    alone = Condition(name="alone", protocol="pairwise", seats=reviewer)
    return Experiment(name="one", data="sample", conditions=(talk, alone))


def call(capsys, *command):
    """Return what a command prints."""
    with pytest.raises(SystemExit, match="0"):
        main(command)
    return capsys.readouterr().out


@pytest.mark.parametrize(("reviewer", "taken"), [("auto", False), ("sim_plain", True)])
def test_only_a_temperature_that_is_taken_is_shown(project, capsys, reviewer, taken):
    """Frames, score, export, report and transcripts agree on what the reviewer sampled at."""
    asyncio.run(run(declare(reviewer), out="out", limit=4))
    turns = pj.turns_df("out")
    discussed = turns[turns["condition"] == "talk"]["temperature"]
    assert sorted(set(discussed.dropna())) == ([0.25, 1.0] if taken else [])
    seats = {seat for seated in pj.ballots_df("out")["seats"] for seat in seated if len(seated) > 1}
    assert {temperature for _, _, temperature in seats} == ({0.25, 1.0} if taken else {None})
    transcripts = [one for one in pj.load_sync("out") if one.condition == "talk"]
    assert ("at 0.25" in render_text(transcripts[0])) is taken
    assert ("at temperature 0.25" in call(capsys, "score", "out", "--json")) is taken
    rows = [*csv.DictReader(io.StringIO(call(capsys, "export", "out", "--format", "csv")))]
    said = {(row["temperature"], row["unset"]) for row in rows if row["condition"] == "talk"}
    assert said == ({("0.25", ""), ("1.0", "")} if taken else {("", "temperature")})
    call(capsys, "report", "out", "-o", "page.html")
    page = (project / "page.html").read_text("utf-8")
    assert (f"{reviewer} at 0.25" in page) is taken
    assert (f"{reviewer} at its own" in page) is not taken


def test_a_declared_temperature_of_a_python_card_is_noted(project):
    """Before the first call a user reads that an AutoGen agent will not take it."""
    (note,) = prepare(declare("auto"), limit=1).notes
    assert note.startswith("a temperature is declared for auto, a Python file")
    assert prepare(declare("sim_plain"), limit=1).notes == ()


def test_a_seat_without_a_refused_reply_keeps_its_temperature(project):
    """Whether a temperature was taken is said of each seat by its own replies."""
    asyncio.run(run(declare("sim_plain"), out="out", limit=1))
    transcript = next(iter(pj.load_sync("out")))
    other = Seat(id="reviewer_9", reviewer="x", sampling=Sampling(temperature=0.5))
    assert transcript.temperature(other) == 0.5
    assert transcript.temperature(Seat(id="reviewer_1", reviewer="x")) is None
