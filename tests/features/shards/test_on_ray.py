"""`run --shards N --ray ADDRESS`: real Ray plays the shards (`make cluster`), or is asked for."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.errors import ExperimentError
from peerjudge.features.shards.on_ray import connect
from peerjudge.features.shards.planning import plan_shards
from peerjudge.features.shards.playing import play_shards
from peerjudge.runs import RunSummary
from tests.faults.conftest import PRICES, kit, quiet, start
from tests.faults.test_killed import STUDY
from tests.features.shards.test_shards_command import command, export

__all__ = ["kit", "quiet", "start"]

SHARDS = 4
QUESTIONS = 36
CONNECTIONS = 4
USUAL = {"limit": QUESTIONS, "max_connections": CONNECTIONS}
PROCESS = "peerjudge.features.shards.worker"
WORKER = "ray::play_there"


def play(experiment: str, folder: Path, **given) -> RunSummary:
    """Play an experiment in four shards on a cluster that lasts as long as the run."""
    with connect("local") as (begin, most):
        plan = plan_shards(experiment, SHARDS, {"out": folder, **given}, together=most)
        return asyncio.run(play_shards(plan, None, start=begin))


def find_processes(name: str) -> list[int]:
    """Return the processes whose command line has this name."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes()
        except OSError:
            continue
        if name.encode() in words:
            found.append(int(file.parent.name))
    return found


class Killer:
    """Kills a random process of this name at every so many calls, so many times."""

    def __init__(self, names: list[str], *, every: int) -> None:
        self._names, self._every, self._calls = names, every, 0
        self._draw, self._lock = random.Random(7), threading.Lock()
        self.killed = 0

    def on_call(self) -> None:
        """Count a call, and kill where it is the turn of one."""
        with self._lock:
            self._calls += 1
            if self._calls % self._every or not self._names:
                return
            if found := find_processes(self._names[0]):
                os.kill(self._draw.choice(found), signal.SIGKILL)
                del self._names[0]
                self.killed += 1


@pytest.fixture(scope="module")
def ray():
    """Ray, an extra of a hundred megabytes."""
    return pytest.importorskip("ray", reason="pip install 'peerjudge[ray]', or make cluster")


@pytest.fixture
def study(kit, tmp_path, monkeypatch, start):
    """A study of two models of a loopback server, in a project of its own, and the server."""
    server = start(kit.ModelServer(pace=0.05))
    kit.project(tmp_path, server)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "study.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return server


@pytest.mark.cluster
def test_ray_gives_the_run_in_one_piece(ray, tmp_path):
    """Four shards on Ray, by the command line, export the same to the byte as one process."""
    words = ("run", "quickstart", "--limit", "12", "--out", "study", "--display", "plain")
    with command(*words, "--shards", "4", "--ray", "local", cwd=tmp_path) as process:
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert "4 shards, " in said
    pj.run_sync("quickstart", limit=12, out=tmp_path / "whole")
    assert export(tmp_path / "study") == export(tmp_path / "whole")


@pytest.mark.cluster
def test_killed_shards_and_workers_lose_nothing(ray, study, tmp_path):
    """After 20 kills of shards and 5 of workers all is there, and only calls in flight are made again."""
    killer = Killer([PROCESS, PROCESS, WORKER, PROCESS, PROCESS] * 5, every=20)
    study.on_call = killer.on_call
    summary = play("study", tmp_path / "out", **USUAL)
    assert killer.killed == 25
    assert (summary.discussions.failed, summary.stopped) == (0, None)
    whole = pj.run_sync("study", limit=QUESTIONS, out=tmp_path / "whole")
    assert whole.calls.failed == 0
    assert {one.id for one in pj.load_sync(tmp_path / "out")} == {
        one.id for one in pj.load_sync(tmp_path / "whole")
    }
    again = sum(study.asked.values()) - 2 * len(study.asked)
    assert 0 <= again <= killer.killed * CONNECTIONS


@pytest.mark.cluster
def test_a_limit_holds_where_ray_repeats(ray, study, tmp_path):
    """The cost limit is of all shards and all their repeats, by the bill of the server."""
    killer = Killer([PROCESS] * 4, every=40)
    study.on_call = killer.on_call
    limit = 8 * QUESTIONS * sum(500 * into + 100 * out for into, out in PRICES.values()) / 1e6 / 2
    summary = play("study", tmp_path / "out", cost_limit=limit, **USUAL)
    assert killer.killed == 4
    assert summary.stopped == "cost limit"
    assert 0 < study.earned <= limit


@pytest.mark.cluster
def test_ctrl_c_ends_the_tasks_and_the_same_command_resumes(ray, tmp_path):
    """An interrupted run on Ray ends with 130, no shard goes on, and the next run plays what is missing."""
    words = ("run", "quickstart", "--limit", "4", "--shards", "2", "--ray", "local")
    slow = (*words, "--out", "study", "-S", "latency=0.3", "--display", "plain")
    with command(*slow, cwd=tmp_path) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " open" in line:
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130, said
    assert find_processes(PROCESS) == []
    summary = play_two(tmp_path / "study")
    assert summary.discussions.skipped + summary.discussions.done == 4 * 28


def play_two(folder: Path) -> RunSummary:
    """Resume a run of two shards in local processes."""
    given = {"limit": 4, "out": folder, "settings": {"latency": "0"}}
    return asyncio.run(play_shards(plan_shards("quickstart", 2, given), None))


@pytest.mark.cluster
def test_a_cluster_that_does_not_answer_is_named(ray, tmp_path):
    """Where no cluster answers, the address is named and what to give instead."""
    with (
        pytest.raises(ExperimentError, match=r"127\.0\.0\.1:9.*--ray local"),
        connect("127.0.0.1:9"),
    ):
        pass


def test_ray_is_asked_for_where_it_is_missing(tmp_path, monkeypatch):
    """Without the extra the command says what to install."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExperimentError, match=r"pip install 'peerjudge\[ray\]'"), connect("local"):
        pass


def test_ray_without_shards_is_refused(tmp_path):
    """A cluster plays shards; a run in one piece has none."""
    with command("run", "quickstart", "--ray", "auto", cwd=tmp_path) as process:
        _, said = process.communicate()
    assert process.returncode == 2
    assert "add --shards N" in said
