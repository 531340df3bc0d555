"""Runs with several worker processes equal runs without them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from peerjudge.data import Condition, replace, to_plain
from peerjudge.errors import ExperimentError
from peerjudge.runs import load, run

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")

STUDY = '''
"""Do Ann and Bob agree?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("ann", "bob")),),
)
'''

OWN = '''
"""Reports the id of its process."""

import os


async def judge(request):
    return f"I am {os.getpid()}.\\n1"


def reviewer():
    return judge
'''


def find_workers(pid: int) -> list[int]:
    """Return the worker processes of a process."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == str(pid) and b"peerjudge.clients.worker" in command:
            found.append(int(folder.name))
    return found


def ended(processes: list[int]) -> bool:
    """Return whether all these processes (as `os.pidfd_open` has them) end within a minute."""
    try:
        return all(select.select([process], [], [], 60)[0] for process in processes)
    finally:
        for process in processes:
            os.close(process)


def content(transcript) -> object:
    """Return a discussion without latency, attempts and cache marks."""
    plain = to_plain(transcript)
    for turn in plain["turns"]:
        for name in ("latency", "attempts", "cached"):
            turn["utterance"].pop(name, None)
    return plain


async def test_workers_do_not_change_a_run(kit, start, tmp_path):
    """Turns and calls are equal, and each request is made once."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    (tmp_path / "agents" / "own.py").write_text(OWN)
    own = Condition(name="own", protocol="pairwise", seats=("own",))
    study = kit.study()
    study = replace(study, conditions=(*study.conditions, own))
    runs = []
    for workers in (1, 2):
        summary = await run(
            study,
            out=tmp_path / str(workers),
            shelf=shelf,
            limit=2,
            workers=workers,
            max_connections=20,
            environ={},
        )
        assert set(server.answered.values()) == {len(runs) + 1}
        played = await load(tmp_path / str(workers))
        runs.append((sorted(map(str, map(content, played))), summary.calls, summary.tokens))
    assert runs[0] == runs[1]
    assert f"I am {os.getpid()}." in str(runs[1][0])
    again = await run(study, out=tmp_path / "2", shelf=shelf, limit=2, workers=2, environ={})
    assert (again.discussions.done, again.calls.paid) == (0, 0)


class Killer:
    """Observer that kills a worker after a number of discussions."""

    def __init__(self, *, after: int) -> None:
        self.left = after
        self.killed: list[int] = []

    def planned(self, prepared, counts):
        """Do nothing."""

    def began(self, transcript):
        """Do nothing."""

    def skipped(self, count):
        """Do nothing."""

    def ended(self, transcript):
        """Count a discussion; kill a worker after the last one to count."""
        self.left -= 1
        if self.left == 0:
            self.killed = find_workers(os.getpid())[:1]
            os.kill(self.killed[0], signal.SIGKILL)


async def test_a_killed_worker_costs_no_discussion(kit, start, tmp_path):
    """Its calls under way, and only those, are made again by another worker."""
    server = start(kit.ModelServer(pace=0.02))
    shelf = kit.project(tmp_path, server)
    killer = Killer(after=20)
    summary = await run(
        kit.study(),
        out=tmp_path / "out",
        shelf=shelf,
        workers=2,
        limit=12,
        max_connections=16,
        observer=killer,
        environ={},
    )
    assert len(killer.killed) == 1
    assert (summary.discussions.failed, summary.stopped) == (0, None)
    played = await load(tmp_path / "out")
    twice = sum(server.answered.values()) - kit.count_paid_turns(played)
    assert 0 <= twice <= 16
    assert find_workers(os.getpid()) == []


async def test_the_cost_limit_covers_all_workers(kit, start, tmp_path):
    """The cost of three workers together stays below the run's limit."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    summary = await run(
        kit.study(),
        out=tmp_path / "out",
        shelf=shelf,
        workers=3,
        max_connections=24,
        cost_limit=0.05,
        environ={},
    )
    assert summary.stopped == "cost limit"
    assert sum(server.answered.values()) == summary.calls.paid
    # Ann's replies cost $0.002 each, Bob's $0.001.
    assert 0.04 < summary.cost_usd <= 0.05


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)], ids=["Ctrl-C", "kill -9"]
)
def test_no_worker_outlives_its_run(kit, start, tmp_path, number, code):
    """After Ctrl-C and after a kill, all processes end."""
    server = start(kit.ModelServer(rate=0.9, fates=("hang",)))
    kit.project(tmp_path, server, limits="timeout = 600")
    (tmp_path / "study.py").write_text(STUDY)
    playing = subprocess.Popen(
        [PEERJUDGE, "run", "study.py", "--workers", "2", "--out", "out", "--display", "none"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.hung.wait(60)
        workers = [os.pidfd_open(pid) for pid in find_workers(playing.pid)]
        assert len(workers) == 2
        playing.send_signal(number)
        _, stderr = playing.communicate(timeout=60)
    finally:
        playing.kill()
        playing.communicate()
    assert playing.returncode == code
    assert "Traceback" not in stderr
    assert ended(workers)


async def test_fewer_than_one_worker_is_an_error(kit, start, tmp_path):
    """A run needs at least one worker."""
    server = start(kit.ModelServer())
    with pytest.raises(ExperimentError, match="1 worker or more, not 0"):
        await run(kit.study(), out=tmp_path, shelf=kit.project(tmp_path, server), workers=0)
