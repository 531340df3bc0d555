"""Interrupted and killed runs resume where they stopped."""

import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest

SLOW = (
    "run",
    "leader_follower",
    "--limit",
    "2",
    "-S",
    "latency=0.3",
    "-S",
    "turns=2",
    "--out",
    "slow",
)
"""Eight discussions of two and eight votes of six, a wave of calls every 0.3 s."""
TURNS = 8 * 4 + 8 * 6


def _turns(folder):
    place = f"file:{folder / 'slow' / 'store.db'}?mode=ro"
    with closing(sqlite3.connect(place, uri=True)) as store:
        return store.execute("select count(*) from turns").fetchone()[0]


def _wait_for_turns(folder, count):
    """Wait until this number of turns is stored."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if _turns(folder) >= count:
                return
        except sqlite3.OperationalError:
            continue  # The store is not there yet.
    pytest.fail(f"{count} turns were not stored within a minute")


def _exported(shell, folder):
    outcome = shell("export", folder, "--format", "jsonl")
    assert outcome.code == 0, outcome.err
    return outcome.out


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)],
    ids=["Ctrl-C", "kill -9"],
)
def test_a_resumed_run_equals_an_uninterrupted_one(shell, number):
    """A run stopped in the middle and resumed has the transcripts of an uninterrupted one."""
    running = shell.begin(*SLOW)
    _wait_for_turns(shell.folder, 5)
    os.kill(running, number)
    code, err = shell.end()
    if number is signal.SIGINT:
        assert code == 130
        assert "same command" in err
        assert "Traceback" not in err
    stored = _turns(shell.folder)
    resumed = shell(*SLOW, "--json").document
    assert resumed["calls"]["simulated"] == TURNS - stored > 0
    whole = shell("run", *SLOW[1:-1], "whole")
    assert whole.code == 0
    assert _exported(shell, "slow") == _exported(shell, "whole")


def test_a_store_has_one_writer(shell):
    """While one process writes a store, another is refused instead of paying twice."""
    slower = tuple(word.replace("0.3", "3") for word in SLOW)
    running = shell.start(*slower)
    try:
        _wait_for_turns(shell.folder, 0)
        second = shell(*slower)
        assert second.code == 2
        assert str(running.pid) in second.err
        assert shell("events", "slow").code == 0
    finally:
        running.kill()
        running.communicate()


def test_ctrl_c_ends_any_command_at_once(shell):
    """Ctrl-C does not wait until a command has read or computed something."""
    endless = shell.folder / "endless.jsonl"
    os.mkfifo(endless)
    running = shell.begin("score", f"jsonl:{endless}")
    with endless.open("w"):  # Opens when the command reads it, which then waits forever.
        os.kill(running, signal.SIGINT)
        code, err = shell.end()
    assert code == 130
    assert "Traceback" not in err


LASTING = """
import asyncio, atexit, threading
from pathlib import Path

def reviewer():
    atexit.register(threading.Event().wait)

    async def speak(request):
        Path("asked").touch()
        await asyncio.Event().wait()

    return speak
"""


def test_an_interrupted_command_skips_the_teardown_of_the_interpreter(shell):
    """After an interrupted run, no exit function of a library delays the end of the process."""
    shell.write("agents/lasting.py", LASTING)
    (shell.folder / "alone.py").write_text(
        "from peerjudge import Condition, Experiment\n"
        "alone = Condition(name='alone', protocol='pairwise_cot', seats=('lasting',))\n"
        "EXPERIMENT = Experiment(name='alone', data='sample', conditions=(alone,))\n"
    )
    running = shell.start("run", "alone.py", "--limit", "1", "--out", "out")
    while not (shell.folder / "asked").exists():
        assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    try:
        _, err = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert err.count("Interrupted.") == 1
