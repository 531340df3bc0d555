"""What data hold that says little is said before a run is paid: empty, equal, repeated and broken texts."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import Condition, Experiment
from peerjudge.datasets import load
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf
from peerjudge.testing import check_project

ALONE = Condition(name="alone", protocol="pairwise", seats=("sim_solid",))


def pair(number, **more):
    """Return a comparison with other texts than those of other numbers."""
    return {
        "id": f"T-{number}",
        "question": f"Q{number}?",
        "answer_a": "x",
        "answer_b": "y",
        **more,
    }


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([pair(1), pair(2)], ()),
        ([pair(1, answer_b=""), pair(2)], ("1 comparison with an empty answer (T-1)",)),
        ([pair(1, answer_a=" \n", answer_b="y"), pair(2)], ("1 comparison with an empty answer (T-1)",)),
        (
            [pair(1, answer_b=""), pair(2, answer_b="x"), pair(3, answer_b="x")],
            ("1 comparison with an empty answer (T-1), 2 pairs of equal answers (T-2, T-3)",),
        ),
        ([pair(1, question="a\0b"), pair(2)], ("1 comparison with a NUL in a text (T-1)",)),
        (
            [pair(1), pair(2), pair(3), pair(4, question="Q1?", answer_b="z")],
            ("1 question with several comparisons (T-1)",),
        ),
        ([pair(1), pair(2, question="Q1?", answer_b="z")], ()),
    ],
)  # fmt: skip
def test_a_run_says_what_its_data_hold(tmp_path, rows, said):
    """One line names the comparisons; several comparisons of each question are no exception."""
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(rows))
    prepared = prepare(Experiment(name="own", data=str(path), conditions=(ALONE,)))
    assert prepared.remarks == said
    assert prepared.manifest["remarks"] == list(said)


def test_only_comparisons_that_are_judged_are_spoken_of(tmp_path):
    """A limit that leaves the empty answer out leaves out the line about it."""
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([pair(1), pair(2, answer_b="")]))
    assert load(str(path), limit=1).notes == ()
    assert (
        prepare(Experiment(name="own", data=str(path), conditions=(ALONE,)), limit=1).remarks == ()
    )


@pytest.mark.parametrize(
    ("rows", "note", "problem"),
    [
        ([pair(1, answer_b="x")], "pairs.json: 1 pair of equal answers (T-1)", ""),
        ([pair(1, gold=0)], "", "do not say where they begin"),
    ],
)
def test_check_reads_the_data_of_an_experiment(tmp_path, monkeypatch, rows, note, problem):
    """A table that a run would refuse is a broken clause, and what it holds is a note."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "own.py").write_text(
        "from peerjudge.data import Condition, Experiment\n"
        "EXPERIMENT = Experiment(data='pairs.json', conditions=(\n"
        "    Condition(name='alone', protocol='pairwise', seats=('sim_solid',)),))\n"
    )
    (checked,) = check_project(Shelf(tmp_path))
    assert problem in checked.problem
    assert bool(problem) == bool(checked.problem)
    assert [*checked.notes] == [note] * bool(note)
