"""A command killed at random moments, again and again, ends as one that was left alone."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
from contextlib import closing

from peerjudge.data import StopReason, replace
from peerjudge.runs import load

KILLS = 20
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


class Blow:
    """Kills a process so many seconds after it has made so many calls."""

    def __init__(self, pid, *, calls, seconds):
        self._left = calls
        self._timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
        if not calls:
            self._timer.start()

    def on_call(self):
        """One more call has been made."""
        self._left -= 1
        if self._left == 0:
            self._timer.start()

    def cancel(self):
        """Do not kill it any more."""
        self._left = 0
        self._timer.cancel()


def kept_of(folder, server, mark):
    """The requests whose replies are stored in this folder, as turns or as replies."""
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
    """A discussion without what no two runs share: how long a call took, and whose call it was."""
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, latency=0.0, attempts=1, cached=False))
        for turn in transcript.turns
    )
    return replace(transcript, turns=turns)


async def test_a_run_killed_twenty_times_ends_as_if_undisturbed(kit, start, tmp_path, commands):
    """Whenever it is killed, only calls in flight are lost, and no stored reply is asked for again."""
    choose = random.Random(20260711)
    server = start(kit.ModelServer(pace=0.02))
    kit.project(tmp_path, server, limits="timeout = 600")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "study.py").write_text(STUDY)
    words = f"run study --display none --limit 16 --max-connections {CONNECTIONS} --out".split()
    kills, kept = 0, set()
    while kills < KILLS:
        before = server.asked.copy()
        pid = commands.start(tmp_path, *words, "killed")
        calls = choose.randrange(12)
        blow = Blow(pid, calls=calls, seconds=choose.random() * (0.03 if calls else 0.5))
        server.on_call = blow.on_call
        code = commands.code()
        blow.cancel()
        assert code in {0, -signal.SIGKILL}
        kills += code == -signal.SIGKILL
        asked = set(server.asked - before)
        assert kept.isdisjoint(asked)
        now = kept_of(tmp_path / "killed", server, kit.mark)
        assert kept <= now <= kept | asked
        assert len(asked - now) <= CONNECTIONS
        kept = now
    commands.start(tmp_path, *words, "killed")
    assert commands.code() == 0
    commands.start(tmp_path, *words, "whole")
    assert commands.code() == 0
    assert "Traceback" not in (tmp_path / "complaints").read_text()
    killed, whole = await load(tmp_path / "killed"), await load(tmp_path / "whole")
    assert all(one.stop is StopReason.COMPLETE for one in whole)
    assert [plain(one) for one in killed] == [plain(one) for one in whole]
