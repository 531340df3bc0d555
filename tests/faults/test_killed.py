"""A command killed at random moments, again and again, ends like an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from peerjudge.data import StopReason, replace
from peerjudge.runs import load

CONNECTIONS = 8
STUDY = '''
"""Ann and Bob discuss, each leading; and Ann judges alone, after explaining."""

from peerjudge.data import Condition, Experiment, Leader, Orders

EXPERIMENT = Experiment(
    data="sample",
    conditions=(
        Condition(
            name="talk", protocol="leader_follower", seats=("ann", "bob"), leader=Leader.BOTH
        ),
        Condition(name="alone", protocol="pairwise_cot", seats=("ann",), orders=Orders.BOTH),
    ),
)
'''


class Kill:
    """Kill of a process some seconds after a number of calls."""

    def __init__(self, pid, *, calls, seconds):
        self._left = calls
        self._timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
        if not calls:
            self._timer.start()

    def on_call(self):
        """Count a call."""
        self._left -= 1
        if self._left == 0:
            self._timer.start()

    def cancel(self):
        """Cancel the kill."""
        self._left = 0
        self._timer.cancel()


def find_stored(folder, server, mark):
    """Return the requests whose replies are stored in this folder, as turns or in the cache."""
    found = ""
    for table, file in (("turns", "store.db"), ("replies", "replies.db")):
        if not (folder / file).exists():
            continue
        with closing(sqlite3.connect(f"file:{folder / file}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if table in tables:
                found += "\n".join(
                    body for (body,) in connection.execute(f"SELECT body FROM {table}")
                )
    return {key for key in list(server.answered) if mark(key) in found}


def plain(transcript):
    """Return a discussion without latency, attempts and cache marks, which differ between runs."""
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, latency=0.0, attempts=1, cached=False))
        for turn in transcript.turns
    )
    return replace(transcript, turns=turns)


@pytest.mark.parametrize(("most", "limit"), [(4, 8), pytest.param(20, 16, marks=pytest.mark.slow)])
async def test_a_run_killed_often_ends_as_if_undisturbed(
    kit, start, tmp_path, commands, most, limit
):
    """Only calls in flight are lost, and no stored reply is requested again."""
    choose = random.Random(20260711)
    server = start(kit.ModelServer(pace=0.02))
    kit.project(tmp_path, server, limits="timeout = 600")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "study.py").write_text(STUDY)
    words = f"run study --display none --limit {limit} --max-connections {CONNECTIONS} --out"
    words = words.split()
    kills, kept = 0, set()
    while kills < most:
        before = server.asked.copy()
        pid = commands.start(tmp_path, *words, "killed")
        calls = choose.randrange(12)
        kill = Kill(pid, calls=calls, seconds=choose.random() * (0.03 if calls else 0.5))
        server.on_call = kill.on_call
        code = commands.code()
        kill.cancel()
        assert code in {0, -signal.SIGKILL}
        kills += code == -signal.SIGKILL
        asked = set(server.asked - before)
        assert kept.isdisjoint(asked)
        now = find_stored(tmp_path / "killed", server, kit.mark)
        assert kept <= now <= kept | asked
        assert len(asked - now) <= CONNECTIONS
        kept = now
    commands.start(tmp_path, *words, "killed")
    assert commands.code() == 0
    commands.start(tmp_path, *words, "whole")
    assert commands.code() == 0
    assert "Traceback" not in (tmp_path / "stderr").read_text()
    killed, whole = await load(tmp_path / "killed"), await load(tmp_path / "whole")
    assert all(one.stop is StopReason.COMPLETE for one in whole)
    assert [plain(one) for one in killed] == [plain(one) for one in whole]
