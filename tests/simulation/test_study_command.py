"""A study that computes instead of playing is run like any experiment, and says that it is simulated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
TINY = '''"""Is one and one two?"""

from peerjudge.data import (
    Curve, CurveFigure, Measurement, Study, StudyTable, Target, TargetFigure
)


def study(*, seed: int) -> Study:
    two = Measurement(value=2.0, low=1.5, high=2.5, n=1, level=0.95)
    line = Curve(name="sum", at=(0.0, 1.0), values=(two, two))
    return Study(
        title="Sums",
        summary=("It is.",),
        tables=(StudyTable(title="All sums", columns=("sum", "is"), rows=(("1 + 1", 2),)),),
        figures={
            "line": CurveFigure(title="Sums", across="time", up="sum", curves=(line,)),
            "marks": TargetFigure(
                title="Sums",
                across="what it is",
                series=("found",),
                rows=(Target(name="1 + 1", values=(two,), published=(2.0,)),),
            ),
        },
        document={"seed": seed, "sum": 2, "odd": float("nan")},
    )
'''

LONG = """    print("computing", flush=True)
    while True:
        pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one such study on its shelf."""
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "sums.py").write_text(TINY, encoding="utf-8")
    return tmp_path


def _typed(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PEERJUDGE, *words], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_study_prints_its_tables_and_keeps_its_figures(project: Path):
    """Tables and sentences go to stdout; the document and the drawings into the run folder."""
    done = _typed(project, "run", "sums", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert "Sums (simulated)" in done.stdout
    assert "1 + 1" in done.stdout
    assert "It is." in done.stdout
    kept = project / "runs" / "sums"
    assert json.loads((kept / "study.json").read_text("utf-8"))["seed"] == 7
    for name in ("line", "marks"):
        assert "simulated" in (kept / f"{name}.svg").read_text("utf-8").lower()


def test_a_study_prints_one_document(project: Path):
    """With --json there is nothing else on stdout, and what is no number is null."""
    done = _typed(project, "run", "sums", "--json", "--out", "elsewhere")
    assert json.loads(done.stdout) == {"seed": 0, "sum": 2, "odd": None}
    assert (project / "elsewhere" / "study.json").is_file()


def test_a_study_takes_nothing_that_it_does_not_heed(project: Path):
    """An option that would do nothing is refused, and the shelf still checks."""
    done = _typed(project, "run", "sums", "--limit", "3")
    assert done.returncode == 2
    assert "takes no --limit" in done.stderr
    checked = _typed(project, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_study_that_is_interrupted_stops_at_once_and_keeps_nothing(project: Path):
    """Ctrl-C does not wait for the computing to end: exit code 130, and no folder."""
    (project / "experiments" / "long.py").write_text(
        TINY.replace(
            "def study(*, seed: int) -> Study:", "def study(*, seed: int) -> Study:\n" + LONG
        ),
        encoding="utf-8",
    )
    begun = subprocess.Popen(
        [PEERJUDGE, "run", "long"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    assert begun.stdout.readline() == "computing\n"
    begun.send_signal(signal.SIGINT)
    out, err = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert "nothing is kept" in err
    assert out == ""
    assert not (project / "runs").exists()
