"""A run that is stopped while its calls hang stops cleanly, and what it paid for stays paid."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from peerjudge.data import StopReason
from peerjudge.experiment import load

STUDY = '''
"""Ann and Bob discuss."""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("ann", "bob")),),
)
'''
CONNECTIONS = 16
UNTIDY = ("Traceback", "Unclosed", "ResourceWarning", "never awaited", "was destroyed", "exception")


def command(folder):
    """The run, in Python's development mode, which tells of everything left open."""
    words = f"run study --out out --display plain --limit 8 --max-connections {CONNECTIONS}"
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-m", "peerjudge", *words.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
async def test_a_run_stopped_while_calls_hang_goes_on_without_paying_twice(
    kit, start, tmp_path, blow
):
    """Ctrl-C ends it without a warning; after either, only calls in flight are made again."""
    server = start(kit.ModelServer(rate=0.3, fates=("hang",)))
    kit.project(tmp_path, server, limits="timeout = 600")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "study.py").write_text(STUDY)
    running = command(tmp_path)
    assert server.hung.wait(60)
    running.send_signal(blow)
    _, err = running.communicate(timeout=60)
    if blow is signal.SIGINT:
        assert running.returncode == 130
        assert "the same command goes on" in err
        assert not [word for word in UNTIDY if word in err], err
    server.rate = 0.0
    again = command(tmp_path)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert not [word for word in UNTIDY if word in err], err
    played = await load(tmp_path / "out")
    assert all(one.stop is StopReason.COMPLETE for one in played)
    assert len(played) == 16
    twice = sum(server.answered.values()) - len(server.answered)
    assert twice <= CONNECTIONS
