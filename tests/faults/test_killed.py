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


SEATS = tuple(f"a{number}" for number in range(8))
WAVES = f'''
"""Eight review at once, explain and decide at once, and talk."""

from peerjudge.data import Condition, Experiment, Orders

SEATS = {SEATS}
EXPERIMENT = Experiment(
    data="sample",
    conditions=(
        Condition(name="vote", protocol="vote", seats=SEATS, orders=Orders.GIVEN),
        Condition(
            name="prepared",
            protocol="vote",
            seats=SEATS,
            orders=Orders.GIVEN,
            options={{"opening": "prepair", "self_metrics": True}},
        ),
        Condition(
            name="panel", protocol="panel", seats=SEATS, orders=Orders.GIVEN, options={{"rounds": 1}}
        ),
    ),
)
'''


def list_paid(folder):
    """Return the turns of the paid calls in the book of this folder, each as often as it was paid."""
    if not (folder / "store.db").exists():
        return []
    with closing(sqlite3.connect(f"file:{folder / 'store.db'}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'calls'").fetchone():
            return []
        query = "SELECT discussion, turn FROM calls WHERE outcome = 'paid'"
        return connection.execute(query).fetchall()


def list_turns(folder):
    """Return the discussions and numbers of the stored turns, and whether a gap is among them."""
    if not (folder / "store.db").exists():
        return {}
    with closing(sqlite3.connect(f"file:{folder / 'store.db'}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'turns'").fetchone():
            return {}
        query = 'SELECT discussion, "index", body FROM turns'
        return {(number, index): body for number, index, body in connection.execute(query)}


@pytest.mark.parametrize(
    "most",
    [
        2,
        pytest.param(20, marks=pytest.mark.slow),
        pytest.param(200, marks=[pytest.mark.storm, pytest.mark.timeout(3000)]),
    ],
)
async def test_waves_killed_at_random_moments_lose_no_stored_turn(
    kit, start, tmp_path, commands, most
):
    """Inside waves of eight, no stored turn is lost or asked again, and no booked reply is paid twice."""
    choose = random.Random(most)
    server = start(kit.ModelServer(pace=0.05))
    kit.project(tmp_path, server, limits="timeout = 600")
    card = (tmp_path / "agents" / "ann.toml").read_text()
    for seat in SEATS:
        text = card.replace("You are ann.", f"You are {seat}.")
        (tmp_path / "agents" / f"{seat}.toml").write_text(text)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "study.py").write_text(WAVES)
    words = f"run study --display none --limit 4 --max-connections {CONNECTIONS} --out".split()
    kills = gaps = lost = number = 0
    kept, turns = set(), {}
    while kills < most:
        folder = tmp_path / f"killed-{number}"
        server.settle()
        server.peak, before = 0, server.asked.copy()
        pid = commands.start(tmp_path, *words, folder.name)
        calls = choose.randrange(24)
        kill = Kill(pid, calls=calls, seconds=choose.random() * (0.06 if calls else 0.5))
        server.on_call = kill.on_call
        code = commands.code()
        kill.cancel()
        assert code in {0, -signal.SIGKILL}
        server.settle()
        asked = server.asked - before
        assert kept.isdisjoint(asked)
        assert server.peak <= CONNECTIONS
        stored = find_stored(folder, server, kit.mark)
        assert kept <= stored
        assert len(asked.keys() - stored) <= CONNECTIONS
        now = list_turns(folder)
        assert turns.items() <= now.items()
        paid = list_paid(folder)
        assert len(paid) == len(set(paid))
        if code == 0:
            await require_whole(folder, tmp_path, commands, words)
            number, kept, turns = number + 1, set(), {}
            # Another folder asks for everything again.
            server.answered.clear()
            continue
        kills, kept, turns = kills + 1, stored, now
        lost += len(asked.keys() - stored)
        heads = {discussion for discussion, _ in now}
        gaps += sum(
            sum(one == head for one, _ in now) <= max(index for one, index in now if one == head)
            for head in heads
        )
    server.on_call = lambda: None
    commands.start(tmp_path, *words, folder.name)
    assert commands.code() == 0
    await require_whole(folder, tmp_path, commands, words)
    print(f"{kills} kills, {gaps} gaps, {lost} replies in flight, {number} whole runs")  # noqa: T201


async def require_whole(folder, project, commands, words):
    """Check that a run is the undisturbed one, which is played when it is first needed."""
    if not (project / "whole").exists():
        commands.start(project, *words, "whole")
        assert commands.code() == 0
    killed, whole = await load(folder), await load(project / "whole")
    assert all(one.stop is StopReason.COMPLETE for one in whole)
    assert [plain(one) for one in killed] == [plain(one) for one in whole]
