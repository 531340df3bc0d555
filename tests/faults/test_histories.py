"""Random histories of kills, faults and changed settings: the book of a place equals the bill."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load, run

STUDY = '''
"""Ann and Bob discuss, each leading; and Ann judges alone."""

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
SETTINGS = ("--seed 2", "-S temperature=0.4", "-S turns=4", "-S orders=given")
HISTORIES = 50
STEPS = 4
CONNECTIONS = 8


def read_book(folder):
    """Return the tokens of the replies that arrived, and the numbers of lost and of open calls."""
    if not (folder / "store.db").exists():
        return 0, 0, 0
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'calls'").fetchone():
            return 0, 0, 0
        rows = connection.execute(
            "SELECT outcome, prompt_tokens + completion_tokens FROM calls"
        ).fetchall()
    outcomes = [outcome for outcome, _ in rows]
    paid = sum(tokens for outcome, tokens in rows if outcome == "paid")
    return paid, outcomes.count("lost"), outcomes.count("open")


class Kill:
    """Kill of a process at one of its next calls."""

    def __init__(self, pid, *, calls):
        self._pid = pid
        self._left = calls
        self._lock = threading.Lock()

    def on_call(self):
        """Count a call, and kill the process at the last one."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os.kill(self._pid, signal.SIGKILL)


def play_history(number, kit, start, folder, commands):
    """Play runs with random faults, settings and kills into one folder, and check after each.

    Returns the number of kills, and the calls that were in flight at one.
    """
    choose = random.Random(number)
    fates = tuple(choose.sample([*kit.faults, *kit.content_faults], 6))
    fates = tuple(fate for fate in fates if fate not in {"hang", "drip", "slow"})
    server = start(kit.ModelServer(rate=0.3, seed=number, pace=0.01, fates=fates))
    kit.project(folder, server, limits="timeout = 600\nattempts = 4")
    (folder / "experiments").mkdir()
    (folder / "experiments" / "study.py").write_text(STUDY)
    kills = open_at_kills = 0
    for step in range(STEPS):
        words = f"run study --display none --limit 2 --max-connections {CONNECTIONS} --out out"
        words += f" {choose.choice(SETTINGS)}" if choose.random() < 0.6 else ""
        words += f" --token-limit {choose.randrange(5, 60) * 1000}" if choose.random() < 0.4 else ""
        before = server.billed
        pid = commands.start(folder, *words.split())
        if step < STEPS - 1:
            server.on_call = Kill(pid, calls=choose.randrange(1, 40)).on_call
        code = commands.code()
        server.on_call = lambda: None
        assert code in {0, 1, 3, -signal.SIGKILL}, (folder / "stderr").read_text()
        kills += code == -signal.SIGKILL
        server.settle()
        paid, lost, open_calls = read_book(folder / "out")
        # Every call whose reply is in no book is there as an estimate, and nothing else is.
        assert 0 <= server.billed - paid <= 600 * open_calls
        assert open_calls <= CONNECTIONS * kills
        assert server.unseen - open_calls <= lost <= server.unseen
        if code != -signal.SIGKILL:
            assert server.billed - before >= 0
            assert open_calls == open_at_kills
        open_at_kills = open_calls
    return kills, open_at_kills


@pytest.mark.storm
@pytest.mark.timeout(3000)
def test_the_bill_of_the_server_is_the_book_of_the_place(kit, start, tmp_path, commands):
    """In fifty histories, replies that arrived equal the bill to the token (opt-in: `-m storm`)."""
    kills = in_flight = 0
    for number in range(HISTORIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed, flying = play_history(number, kit, start, folder, commands)
        kills += killed
        in_flight += flying
    assert kills >= HISTORIES
    print(f"{HISTORIES} histories, {kills} kills, {in_flight} calls in flight at a kill")  # noqa: T201


@pytest.mark.slow
def test_a_history_of_kills_and_changed_settings(kit, start, tmp_path, commands):
    """One of these histories, in every run of the tests."""
    play_history(1, kit, start, tmp_path, commands)


@pytest.mark.storm
@pytest.mark.timeout(3000)
async def test_two_thousand_discussions_with_content_faults(kit, start, tmp_path):
    """At 30 % faults of content and transport, no reply is lost, uncounted or requested again.

    Opt-in: `-m storm`.
    """
    repetitions = 8
    fates = (*kit.faults, *kit.content_faults * 5)
    server = start(kit.ModelServer(rate=0.3, fates=fates))
    shelf = kit.project(tmp_path, server, limits="timeout = 5\nattempts = 4")
    out = tmp_path / "out"
    rounds = 0
    failed = [None]
    while failed:
        rounds += 1
        assert rounds < 20
        summary = await run(
            kit.study(repetitions=repetitions),
            out=out,
            shelf=shelf,
            max_connections=128,
            environ={},
        )
        played = await load(out)
        failed = [one for one in played if one.stop is not StopReason.COMPLETE]
        paid, lost, open_calls = read_book(out)
        before = summary.spent_before.tokens or 0
        now = summary.spent_now.tokens or 0
        assert paid == server.billed
        assert (lost, open_calls) == (server.unseen, 0)
        assert before + now == server.billed + summary.uncertain.tokens
        assert max(server.answered.values()) <= repetitions
    assert len(played) >= 2000
    assert sum(server.answered.values()) == kit.count_paid_turns(played)
    assert set(kit.content_faults) <= set(server.faults)
    print(  # noqa: T201
        f"{len(played)} discussions, {sum(server.asked.values())} attempts, "
        f"{sum(server.spoilt.values())} replies without words, {server.unseen} without an end, "
        f"{server.billed} tokens billed and booked, {rounds} rounds"
    )
