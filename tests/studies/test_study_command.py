"""A study prints its tables, saves its figures, and says that it is simulated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUMS = """
import sys

from peerjudge.data import Measurement
from studies.outcome import Study, Table, draw_curves, draw_targets, run_study


def compute(seed: int) -> Study:
    two = Measurement(value=2.0, low=1.5, high=2.5, n=1, level=0.95)
    curve = ("sum", "2", (0.0, 1.0), (two, two))
    return Study(
        title="Sums",
        summary=("It is.",),
        tables=(Table(title="All sums", columns=("sum", "is"), rows=(("1 + 1", 2),)),),
        figures={
            "line": draw_curves("line", [curve], title="Sums", across="time", up="sum"),
            "marks": draw_targets(
                "marks", [("1 + 1", two, 2.0)], title="Sums", across="sum", series="found"
            ),
        },
        document={"seed": seed, "sum": 2, "odd": float("nan")},
    )


def compute_forever(seed: int) -> Study:
    print("computing", flush=True)
    while True:
        pass


if __name__ == "__main__":
    sys.exit(run_study("sums", COMPUTE))
"""


@pytest.fixture
def play(tmp_path: Path, commands):
    """Run the study with these options in an empty folder."""
    source = SUMS.replace("COMPUTE", "compute")
    head = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    return lambda *options: commands.run(
        tmp_path, program=f"{head}sys.argv[1:] = {list(options)!r}\n{source}"
    )


def test_a_study_prints_its_tables_and_saves_its_figures(play, tmp_path: Path):
    """Tables and sentences go to stdout; the document and the drawings into the folder."""
    done = play("--seed", "7")
    assert done.code == 0, done.err
    assert "Sums (simulated)" in done.out
    assert "1 + 1" in done.out
    assert "It is." in done.out
    saved = tmp_path / "runs" / "sums"
    assert json.loads((saved / "study.json").read_text("utf-8"))["seed"] == 7
    for name in ("line", "marks"):
        assert "simulated" in (saved / f"{name}.svg").read_text("utf-8").lower()


def test_a_study_prints_one_document(play, tmp_path: Path):
    """With --json there is nothing else on stdout, and NaN is null."""
    done = play("--json", "--out", "elsewhere")
    assert done.document == {"seed": 0, "sum": 2, "odd": None}
    assert (tmp_path / "elsewhere" / "study.json").is_file()


def test_a_folder_that_cannot_be_written_is_named(play, tmp_path: Path):
    """The message names the file and the option, and the exit code is 2."""
    (tmp_path / "taken").write_text("", encoding="utf-8")
    done = play("--out", "taken")
    assert done.code == 2
    assert "study.json" in done.err
    assert "--out" in done.err


def test_an_interrupted_study_stops_at_once_and_saves_nothing(tmp_path: Path):
    """Ctrl-C does not wait for the computation to end: exit code 130, and no folder."""
    (tmp_path / "sums.py").write_text(SUMS.replace("COMPUTE", "compute_forever"), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "sums.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As in a terminal: background processes inherit an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as begun:
        assert begun.stdout.readline() == "computing\n"
        begun.send_signal(signal.SIGINT)
        try:
            out, err = begun.communicate(timeout=60)
        finally:
            begun.kill()
    assert begun.returncode == 130
    assert "Nothing is saved" in err
    assert out == ""
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["calibration", "recovery", "ecology", "region"])
def test_each_study_is_a_command(commands, name: str):
    """`python -m studies.NAME` takes --json, --seed and --out."""
    run = f"runpy.run_module('studies.{name}', run_name='__main__')"
    program = f"import runpy, sys\nsys.argv[1:] = ['--help']\n{run}"
    done = commands.run(ROOT, program=program)
    assert done.code == 0, done.err
    assert all(option in done.out for option in ("--json", "--seed", "--out"))
