"""Interrupted runs: they stop at once and can be resumed without paying twice."""

from __future__ import annotations

import os
import signal

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load

STUDY = '''
"""Two discuss."""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("{leader}", "bob")),),
)
'''
CONNECTIONS = 16
RUN = f"run study --out out --display plain --limit 8 --max-connections {CONNECTIONS}".split()
ONE_AT_A_TIME = [
    *RUN[:-1],
    "1",
]  # One call at a time, as a write into the pipe blocks until the test reads it.
INTERRUPTED = "Interrupted. Progress is saved; run the same command to resume.\n"
UNTIDY = ("Traceback", "Unclosed", "Warning", "never awaited", "was destroyed", "exception")

# Reports its turn through the pipe `told`, then runs the code of the test.
AGENT = '''
"""Foreign agent."""

import asyncio
import time
from pathlib import Path

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.messages import TextMessage


class Agent(BaseChatAgent):
    def __init__(self):
        super().__init__("foreign", "")

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        Path("told").write_text("my turn")
        {turn}

    async def on_reset(self, cancellation_token):
        pass

    async def close(self):
        {close}


def reviewer():
    return Agent()
'''
IGNORING = """
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass
"""


def prepare(kit, folder, server, *, leader="ann", limits="timeout = 600", turn="", close="pass"):
    """Write a project whose study is led by a model of this server or by a foreign agent."""
    kit.project(folder, server, limits=limits)
    (folder / "experiments").mkdir()
    (folder / "experiments" / "study.py").write_text(STUDY.replace("{leader}", leader))
    if leader == "foreign":
        os.mkfifo(folder / "told")
        text = AGENT.replace("{turn}", turn).replace("{close}", close)
        (folder / "agents" / "foreign.py").write_text(text)


def require_tidy(folder):
    """Check that stderr ends with the closing sentence and has no warning or traceback."""
    err = (folder / "stderr").read_text()
    assert err.endswith(INTERRUPTED)
    assert not [word for word in UNTIDY if word in err], err


@pytest.mark.parametrize(
    ("fate", "limits", "number"),
    [
        ("hang", "timeout = 600", signal.SIGINT),
        ("hang", "timeout = 600", signal.SIGTERM),
        ("drip", "timeout = 600", signal.SIGINT),
        ("429", "timeout = 600\nattempts = 100", signal.SIGINT),
        ("answer", "timeout = 600\nrequests_per_minute = 1", signal.SIGINT),
        ("hang", "timeout = 600\nmax_connections = 1", signal.SIGINT),
    ],
    ids=["hang", "SIGTERM", "drip", "wait for a retry", "wait for a rate", "wait for a connection"],
)
def test_a_run_stops_during_any_kind_of_call(kit, start, tmp_path, commands, fate, limits, number):
    """No call delays the end, and no resource stays open."""
    server = start(kit.ModelServer(rate=float(fate != "answer"), fates=(fate,)))
    prepare(kit, tmp_path, server, limits=limits)
    pid = commands.start(tmp_path, *RUN)
    assert server.reached.wait(60)
    os.kill(pid, number)
    assert commands.code() == 128 + number
    require_tidy(tmp_path)


@pytest.mark.parametrize(
    "turn",
    ["await asyncio.Event().wait()", IGNORING, "await asyncio.to_thread(time.sleep, 600)"],
    ids=["waiting", "ignoring cancellation", "in a thread"],
)
def test_a_run_stops_during_any_turn_of_a_foreign_agent(kit, start, tmp_path, commands, turn):
    """The end of a run does not wait for foreign tasks and threads."""
    prepare(kit, tmp_path, start(kit.ModelServer()), leader="foreign", turn=turn)
    pid = commands.start(tmp_path, *ONE_AT_A_TIME)
    (tmp_path / "told").read_text()
    os.kill(pid, signal.SIGINT)
    assert commands.code() == 130
    require_tidy(tmp_path)


def test_a_run_stops_when_an_agent_blocks_the_event_loop(kit, start, tmp_path, commands):
    """The watchdog ends a process whose event loop is blocked."""
    prepare(kit, tmp_path, start(kit.ModelServer()), leader="foreign", turn="time.sleep(600)")
    pid = commands.start(tmp_path, *ONE_AT_A_TIME)
    (tmp_path / "told").read_text()
    os.kill(pid, signal.SIGINT)
    assert commands.code() == 130
    assert (tmp_path / "stderr").read_text().endswith(INTERRUPTED)


def test_a_second_ctrl_c_ends_a_stopping_run_at_once(kit, start, tmp_path, commands):
    """This ends a run whose agent cannot be closed."""
    prepare(
        kit,
        tmp_path,
        start(kit.ModelServer()),
        leader="foreign",
        turn="await asyncio.Event().wait()",
        close='Path("told").write_text("closing"); await asyncio.Event().wait()',
    )
    pid = commands.start(tmp_path, *ONE_AT_A_TIME)
    assert (tmp_path / "told").read_text() == "my turn"
    os.kill(pid, signal.SIGINT)
    assert (tmp_path / "told").read_text() == "closing"
    os.kill(pid, signal.SIGINT)
    assert commands.code() == 130
    require_tidy(tmp_path)


async def test_a_run_stopped_during_calls_is_resumed_without_paying_twice(
    kit, start, tmp_path, commands
):
    """The resumed run repeats only the calls that were in flight."""
    server = start(kit.ModelServer(rate=0.3, fates=("hang",)))
    prepare(kit, tmp_path, server)
    pid = commands.start(tmp_path, *RUN)
    assert server.hung.wait(60)
    os.kill(pid, signal.SIGINT)
    assert commands.code() == 130
    require_tidy(tmp_path)
    server.rate = 0.0
    commands.start(tmp_path, *RUN)
    assert commands.code() == 0
    played = await load(tmp_path / "out")
    assert all(one.stop is StopReason.COMPLETE for one in played)
    assert len(played) == 16
    twice = sum(server.answered.values()) - len(server.answered)
    assert twice <= CONNECTIONS
