"""The commands and recipes of docs/features/shards.md work as they are written there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import peerjudge as pj

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "features" / "shards.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(PAGE)
_SHARDS = 8


def run(script: str, folder: Path, **variables: str) -> None:
    """Run a script with the commands of this Python, on a few questions."""
    script = script.replace("run quickstart", "run quickstart --limit 2")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, **variables}
    words = ["bash", "-euc", script]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def count_merged(folder: Path) -> int:
    """Merge the shards of a study as the page says, and return the number of discussions."""
    shards = list((folder / "study").glob("shard-*"))
    assert len(shards) == _SHARDS
    if not (folder / "study" / "whole").exists():
        line = next(line for line in re.findall(r"`(peerjudge merge study/[^`]+)`", PAGE))
        run(line, folder)
    return len(pj.load_sync(folder / "study" / "whole"))


def test_the_commands_of_the_page_work(commands, tmp_path):
    """A run in shards, and two shards that are merged, have the same discussions."""
    for language, body in BLOCKS:
        for line in body.splitlines():
            if language == "console":
                done = commands.run(tmp_path, *shlex.split(line)[2:], env={**os.environ})
                assert done.code == 0, f"{line}\n{done.err}"
    counts = {len(pj.load_sync(tmp_path / name)) for name in ("study", "parts/whole")}
    assert counts == {12 * 28}


@pytest.mark.slow
def test_the_tasks_of_a_slurm_array_play_the_run(tmp_path):
    """The script of the page, with the variables that Slurm sets, plays each question once."""
    script = next(body for language, body in BLOCKS if language == "bash" and "SLURM" in body)
    for number in range(1, _SHARDS + 1):
        run(
            script,
            tmp_path,
            SLURM_ARRAY_TASK_ID=str(number),
            SLURM_ARRAY_TASK_COUNT=str(_SHARDS),
        )
    assert count_merged(tmp_path) == 2 * 28


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not installed")
def test_gnu_parallel_plays_the_run(tmp_path):
    """The commands of the page play the shards and merge them."""
    run(next(body for _, body in BLOCKS if "parallel --jobs" in body), tmp_path)
    assert count_merged(tmp_path) == 2 * 28


@pytest.mark.slow
def test_the_pods_of_an_indexed_job_play_the_run(tmp_path):
    """The manifest has as many indices as shards, and its command plays the shard of its index from 0."""
    yaml = pytest.importorskip("yaml")
    (job,) = (yaml.safe_load(body) for language, body in BLOCKS if language == "yaml")
    spec = job["spec"]
    assert (job["kind"], spec["completionMode"], spec["completions"]) == ("Job", "Indexed", _SHARDS)
    (container,) = spec["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"]
    (script,) = container["args"]
    assert f"/{_SHARDS} " in script
    for index in range(_SHARDS):
        run(script, tmp_path, JOB_COMPLETION_INDEX=str(index))
    assert count_merged(tmp_path) == 2 * 28
