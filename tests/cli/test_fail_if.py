"""`peerjudge compare --fail-if`: the exit code of a comparison in continuous integration."""

from __future__ import annotations

import json

import pytest

import peerjudge as pj
from peerjudge.cli.analyses import COMMANDS
from peerjudge.data import Answer, Comparison, Question, Role, Seat, Verdict, replace, to_json
from peerjudge.errors import DataError
from peerjudge.results.checking import parse_condition
from peerjudge.testing import transcript_of

SEATS = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)
MOVES = {"kept": "1|2 1 1", "spoilt": "1|2 2 2"}
"""Ann is right alone, and Bob wrong; one discussion keeps the right answer, the other spoils it."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Twelve comparisons discussed under two conditions, as a transcript file."""
    found = []
    for number in range(12):
        comparison = Comparison(
            id=f"c{number}",
            question=Question(id=f"q{number}", text=f"Question {number}?"),
            answers=(Answer(id="good", text="yes"), Answer(id="poor", text="no")),
            gold=Verdict.of("good"),
        )
        for name, moves in MOVES.items():
            one = transcript_of(moves, comparison=comparison, seats=SEATS, condition=name)
            found.append(replace(one, id=f"{name}{number}", protocol="leader_follower"))
    file = tmp_path_factory.mktemp("run") / "talks.jsonl"
    file.write_text("".join(to_json(one) + "\n" for one in found), encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def compared(run):
    """The comparison of both conditions."""
    return pj.compare(run)


def test_a_discussion_that_spoils_its_better_seat_fails_and_another_does_not(compared):
    """`gain` is over the better seat: 0 where its answer is kept, -1 where it is given up."""
    found = {one.name: one for one in compared.check("gain<0")}
    assert {name: one.passed for name, one in found.items()} == {"kept": True, "spoilt": False}
    assert found["spoilt"].text.startswith("gain of spoilt is -1.000")
    same = compared.check("over_better_seat<0")
    assert [one.passed for one in same] == [one.passed for one in found.values()]


def test_the_bound_of_an_interval_can_be_tested_instead_of_the_estimate(compared):
    """Twelve of twelve right is an accuracy of 1 whose interval still begins below 0.9."""
    low = compared.accuracy["kept"].low
    assert 0.5 < low < 0.9
    (point,) = compared.check("accuracy[kept]<0.9")
    (bound,) = compared.check("accuracy[kept].low<90%")
    assert point.passed
    assert not bound.passed
    assert "contains" in point.text
    assert "contains" not in bound.text


def test_joined_terms_must_all_hold_on_the_same_pair(compared):
    """A difference that is negative but not significant at the level asked for does not fail."""
    (pair,) = compared.pairs
    name = f"difference[{pair.one} over {pair.other}]"
    p = pair.difference.p_value
    sign = "<" if pair.difference.difference.value < 0 else ">"
    assert not compared.check(f"{name}{sign}0 and p<={p}")[0].passed
    assert compared.check(f"{name}{sign}0 and p<{p}")[0].passed
    assert compared.check(f"difference{sign}0 and difference.p_holm<{p / 2}")[0].passed


def test_what_was_not_measured_fails(compared):
    """No vote was played, so nothing says that discussing is no worse than voting."""
    found = compared.check("over_vote<-0.5")
    assert {one.outcome for one in found} == {"not measured"}
    assert not any(one.passed for one in found)
    assert all("cannot be tested: " in one.text for one in found)


def test_the_command_exits_with_1_where_a_check_fails(run, capsys):
    """Every failed check is a line on stderr, and the JSON document lists all of them."""
    compare = COMMANDS["compare"].build()
    assert compare(run, fail_if=("accuracy[kept]<0.9", "gain.low>2%")) == 0
    assert "3 of 3 checks passed" in capsys.readouterr().err
    assert compare(run, fail_if=("gain<0", "accuracy[kept]<0.9"), json=True) == 1
    said = capsys.readouterr()
    checks = json.loads(said.out)["checks"]
    assert [(one["name"], one["passed"]) for one in checks] == [
        ("kept", True),
        ("spoilt", False),
        ("kept", True),
    ]
    assert "failed: gain<0: gain of spoilt is -1.000" in said.err
    assert compare(run, json=True) == 0
    assert "checks" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("acuracy<0.7", "unknown measure 'acuracy'; did you mean 'accuracy'?"),
        ("gain.hihg<0", "gain has no 'hihg'; did you mean 'high'?"),
        ("accuracy.p<0.05", "accuracy has no 'p'"),
        ("p<0.05", "p of what? Write over_vote.p or difference.p"),
        ("accuracy<70", "write 70 percent as 0.7 or 70%"),
        ("accuracy=0.7", "'accuracy=0.7' is no condition"),
        ("gain<0 and accuracy<0.7", "joins different measures"),
        ("gain<nan", "is no condition"),
    ],
)
def test_a_condition_that_cannot_be_read_is_refused(condition, said):
    """Before any source is opened, with the word that was probably meant."""
    with pytest.raises(DataError) as caught:
        parse_condition(condition)
    assert said in str(caught.value)


def test_a_name_that_is_not_compared_is_refused(compared):
    """A misspelt condition would otherwise never fail."""
    with pytest.raises(DataError, match="unknown name 'keptt'; did you mean 'kept'"):
        compared.check("accuracy[keptt]<0.7")
    with pytest.raises(DataError, match="have no margin; they have accuracy"):
        compared.check("margin<0")
