"""Measures of a user's own: files that are found, measured with the one interval, and reported."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.errors import DataError
from peerjudge.statistics.interval import measure_mean

RIGHT = '''"""Right verdicts."""


def measure(ballots):
    told = ballots[(ballots["stage"] == "concluded") & (ballots["verdict"] != "unreadable")]
    right = told["verdict"].astype(str) == told["gold"].astype(str)
    return told.assign(value=right)[["condition", "question", "value"]]
'''
ONE = pd.DataFrame(
    {"question": ["q"], "reviewer": ["ann"], "shown": [("a", "b")], "verdict": ["a"]}
)
"""A table of one verdict."""


@pytest.fixture
def project(played, tmp_path, monkeypatch):
    """A folder with a run and a measure of the user's own."""
    shutil.copytree(played.folder / "study", tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    shell = played.in_folder(tmp_path)
    shell.write("measures/right.py", RIGHT)
    return shell


def test_a_measure_of_ones_own_has_the_interval_of_ours(project):
    """Right verdicts by condition, counted by a user's file, equal the first column of `score`."""
    found = pj.measure("study", measure="right")
    ours = {row["name"]: row["right"] for row in pj.score("study").document()["ways"]["rows"]}
    own = {group.names["condition"]: group.mean for group in found.groups}
    assert len(own.keys() & ours.keys()) > 3
    for name in own.keys() & ours.keys():
        assert own[name].value == pytest.approx(ours[name]["value"])
        assert (own[name].low, own[name].high) == pytest.approx(
            (ours[name]["low"], ours[name]["high"])
        )


def test_a_measure_is_listed_measured_and_reported(project):
    """A file measures/NAME.py is in the list, has a command, and stands in the page and its numbers."""
    assert "right  Right verdicts." in project("list", "measures").out
    assert "Right verdicts, in % [95% interval]" in project("measure", "right", "study").out
    document = project("measure", "right", "study", "--json").document
    assert {one["questions"] for one in document["groups"]} == {6}
    done = project("report", "study", "--measure", "right", "--out", "own.html")
    assert done.code == 0, done.err
    assert "Right verdicts" in (project.folder / "own.html").read_text()
    numbers = json.loads((project.folder / "own.json").read_text())
    assert numbers["added"]["measure-right"] == document


def test_a_measure_takes_the_place_of_no_section(project):
    """A file with the name of a section, such as talk, is beside that section and not in its place."""
    project.write("measures/talk.py", RIGHT)
    own = pj.report("study", measure="talk").document()["added"]
    assert own["talk"] == pj.report("study").document()["added"]["talk"]
    assert own["measure-talk"]["title"] == "Right verdicts"


def test_recorded_reviews_are_measured_as_well(project):
    """Reviews on record have a report with the measure, which groups by what its frame says."""
    first = RIGHT.replace('ballots["stage"] == "concluded"', '~ballots["human"]')
    project.write("measures/first.py", first.replace("condition", "reviewer"))
    rows = [
        {"question": f"q{n}", "answer_a": f"one {n}", "answer_b": f"two {n}", "gold": "a"}
        | {"reviewer": name, "verdict": "ab"[n % 2]}
        for n in range(8)
        for name in ("ann", "bob")
    ]
    project.write("own.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    done = project("report", "jsonl:own.jsonl", "--measure", "first", "--out", "own.html")
    assert done.code == 0, done.err
    groups = json.loads((project.folder / "own.json").read_text())["measure-first"]["groups"]
    assert {(one["reviewer"], one["value"], one["questions"]) for one in groups} == {
        ("ann", 0.5, 8),
        ("bob", 0.5, 8),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs a function measure"),
        ("VALUES = 'shares'\ndef measure(b): ...", "VALUES is 'share' or"),
        ("def measure(b): return b.nope", "fails: AttributeError"),
        ("def measure(b): return 3", "returns int, not a frame"),
        ("def measure(b): return b[['question']]", "without value"),
        ("def measure(b): return b.assign(value='x')", "no numbers"),
        ("def measure(b): return b.assign(value=1, low=2)[['question', 'value', 'low']]", "rename"),
        ("def measure(b): return b.assign(value=3.5)[['question', 'value']]", "VALUES = 'number'"),
    ],
)
def test_a_file_that_measures_nothing_says_what_it_lacks(tmp_path, monkeypatch, text, said):
    """Each mistake in a file is one sentence that names the file or the measure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measures").mkdir()
    (tmp_path / "measures" / "wrong.py").write_text(text)
    with pytest.raises(DataError, match="wrong") as caught:
        pj.measure(ONE, measure="wrong")
    assert said in str(caught.value)


def test_an_unknown_measure_is_named_with_those_there_are(project):
    """A name that no file has is refused with a near one, by both commands."""
    for words in (("measure", "rihgt", "study"), ("report", "study", "--measure", "rihgt")):
        found = project(*words)
        assert found.code == 2
        assert "did you mean 'right'" in found.err


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from("qrs"), st.sampled_from("xy"), st.sampled_from([0.0, 1.0, None])),
        min_size=1,
        max_size=12,
    ),
    st.randoms(),
)
def test_groups_are_means_over_rows_in_any_order(rows, draw):
    """A group is the mean over its rows with a value, with questions as the unit, whatever their order."""
    told = pd.DataFrame(draw.sample(rows, len(rows)), columns=["question", "kind", "value"])
    found = pj.measure(ONE, measure=lambda _: told)
    assert found.missing == sum(value is None for _, _, value in rows)
    for group in found.groups:
        own = [(q, v) for q, kind, v in rows if kind == group.names["kind"] and v is not None]
        known = measure_mean(np.array([v for _, v in own]), [q for q, _ in own])
        assert group.mean.value == pytest.approx(known.value)
        assert (group.mean.low, group.mean.high) == pytest.approx((known.low, known.high))


def test_a_frame_of_ones_own_is_a_source():
    """A measure of a table with question, reviewer, shown and verdict needs no run."""
    found = pj.measure(ONE, measure=lambda b: b.assign(value=1.0)[["question", "value"]])
    (group,) = found.groups
    assert (group.names, group.observations) == ({}, 1)
    assert list(found.df["value"]) == [1.0]
    with pytest.raises(DataError, match="VALUES is"):
        pj.measure(ONE, measure=lambda b: b, values="ratio")
