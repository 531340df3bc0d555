"""Decisions after each round, on rooms worked out by hand."""

from __future__ import annotations

import pytest

import peerjudge as pj
from peerjudge.data import UNREADABLE, Role, Seat, replace
from peerjudge.errors import DataError
from peerjudge.testing import comparison_of, transcript_of
from tests.analysis.analysis_kit import told


def talks(*moves: str, **changed):
    """One discussion a question; gold is the first answer unless it is changed."""
    return [told(one, f"c{number}", **changed) for number, one in enumerate(moves)]


def measured(source, by: str, after: int = 0):
    """Return the row of a rule after a round."""
    found = pj.decide(source)
    return next(row for row in found.decisions.rows if (row.by, row.round) == (by, after))


def test_each_round_decides_by_the_stances_that_it_leaves():
    """Of two rooms the first agrees on gold after a round and the second leaves it in the second."""
    rooms = talks("1|2 1 1 1 1", "1|2 1 2 2 2")
    assert [measured(rooms, "majority", after).right.value for after in range(3)] == [0.0, 0.5, 0.5]
    assert [measured(rooms, "unanimity", after).decided.value for after in range(3)] == [0, 0.5, 1]
    assert [measured(rooms, "leader", after).right.value for after in range(3)] == [1.0, 1.0, 0.5]
    assert [measured(rooms, "last", after).right.value for after in range(3)] == [0.0, 0.5, 0.5]
    assert [measured(rooms, "last", after).calls for after in range(3)] == [2.0, 4.0, 6.0]
    assert measured(rooms, "leader", 0).over_last.difference.value == 0.5
    assert measured(rooms, "leader", 2).over_last is None


def test_the_own_rule_is_the_declared_one_or_the_one_that_fits():
    """An option `outcome` names the rule; without one it is the first that gives all stored outcomes."""
    rooms = talks("1|2 1 2", "2|1 2 2")
    assert measured(rooms, "last", 1).own
    assert measured(rooms, "last", 1).as_stored.value == 1.0
    named = [replace(room, options={"outcome": "leader"}) for room in rooms]
    assert measured(named, "leader", 1).own
    assert not measured(named, "last", 1).own
    wrong = [
        replace(room, verdict=comparison_verdict(room)) for room in talks("1|1 1 1", "2|2 2 2")
    ]
    found = pj.decide(wrong)
    assert not any(row.own for row in found.decisions.rows)
    assert "No rule gives the stored outcomes of talk" in str(found)
    assert "last (own)" in str(pj.decide(rooms))
    records = pj.decide(rooms).tables[-1].records()
    assert [one["by"] for one in records if one["by_own"]] == ["last"]


def comparison_verdict(room):
    """Return the verdict for the answer that no seat chose."""
    chosen = room.verdict.choice
    (other,) = (answer for answer in room.comparison.shown if answer != chosen)
    return type(room.verdict).of(other)


def test_an_unreadable_turn_leaves_the_stance_and_an_unread_room_is_undecided():
    """Nothing readable is no decision; it is counted in `decided` and in no accuracy."""
    rooms = talks("1|1 ? ?", "?|? ? ?")
    row = measured(rooms, "majority", 1)
    assert (row.decided.value, row.right.value, row.right.n) == (0.5, 1.0, 1)
    assert row.as_stored.value == 1.0


def test_a_room_without_its_quorum_is_undecided_and_counted():
    """Of two rooms one has a single readable seat: with a quorum of more than half no rule decides it."""
    rooms = talks("1|1 1 1", "1|? 1 ?")
    assert (
        measured(rooms, "majority", 1).decided.value,
        measured(rooms, "majority", 1).no_quorum,
    ) == (
        1.0,
        0,
    )
    held = [replace(room, options={"outcome": "majority", "quorum": "half"}) for room in rooms]
    held[1] = replace(held[1], verdict=UNREADABLE)
    row = measured(held, "majority", 1)
    assert (row.own, row.decided.value, row.no_quorum, row.as_stored.value) == (True, 0.5, 1, 1.0)
    assert "No quorum" in str(pj.decide(held))
    assert "No quorum" not in str(pj.decide(rooms))


def court(moves: str, number: int = 0):
    """Two debaters and a judge; gold is the first answer."""
    roles = ("debater", "debater", Role.JUDGE)
    seats = tuple(
        Seat(id=f"seat-{place}", reviewer=name, role=role)
        for place, (name, role) in enumerate(zip(("ann", "bob", "eve"), roles, strict=True), 1)
    )
    comparison = comparison_of(2, gold=1, name=f"c{number}")
    return replace(transcript_of(moves, comparison=comparison, seats=seats), condition="court")


def test_a_judge_has_decided_nothing_before_it_speaks():
    """The debaters' private reviews have no judge among them; after its turn it decides, against both."""
    rooms = [court("2|2|- 2 2 1"), court("1|2|- 1 2 1", 1)]
    assert measured(rooms, "judge", 0).decided.value == 0.0
    assert measured(rooms, "judge", 1).right.value == 1.0
    assert measured(rooms, "judge", 1).own
    late = court("2|2|- 2 2 1")
    late = replace(late, turns=late.turns + court("2|2|- 2 2 1 2 2 1").turns[5:7])
    order = [0, 1, 2, 3, 5, 6, 4]  # the judge's only turn comes after two rounds
    turns = tuple(replace(late.turns[at], index=new) for new, at in enumerate(order))
    late = replace(late, turns=turns)
    assert [measured([late], "judge", k).decided.value for k in range(3)] == [0.0, 0.0, 1.0]
    assert [measured([late], "judge", k).calls for k in range(3)] == [2.0, 4.0, 7.0]
    with pytest.raises(DataError, match="nothing stored supports 'judge'; choose of last"):
        pj.decide(talks("1|2 1 2"), by="judge")


def test_confidence_is_read_where_it_is_named():
    """Two people who state how sure they are: the surer one decides before they talk."""
    rooms = [
        replace(
            room,
            turns=tuple(
                replace(turn, utterance=replace(turn.utterance, confidence=sure))
                for turn, sure in zip(room.turns, (90, 40, 90, 95), strict=True)
            ),
        )
        for room in talks("1|2 1 2", "1|2 1 2")
    ]
    found = pj.decide(rooms, by="confidence").decisions.rows
    values = [row.right.value for row in found if row.by == "confidence"]
    assert values == [1.0, 0.0]
    assert "confidence" not in {row.by for row in pj.decide(rooms).decisions.rows}
    with pytest.raises(DataError, match="nothing stored supports 'confidence'"):
        pj.decide(talks("1|2 1 2"), by="confidence")


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (["1|1 1 1"] * 5, "5 questions are too few"),
        (["1|1 1 1 1 1"] * 80, "no round would have done for 2 rounds: 0 [-3, +3] points, 2 calls"),
        (["2|2 1 1 1 1"] * 80, "1 round would have done for 2 rounds"),
        (["2|2 1 1"] * 80, "fewer than 1 round would have done worse: one fewer is -100 ["),
        (
            ["1|1 1 1"] * 10,
            "it is not shown that fewer than 1 round would have done: one fewer is 0 [",
        ),
    ],
)
def test_the_sentence_says_whether_fewer_rounds_would_have_done(moves, said):
    """At most 5 points less is as well; a round is dropped only if the one behind it was."""
    assert said in str(pj.decide(talks(*moves)))


def test_without_gold_the_outcomes_that_stood_before_are_counted():
    """What needs gold is missing; how many outcomes were there before the first round is not."""
    found = pj.decide(talks("1|2 2 2", "1|2 1 1", gold=None))
    assert measured(talks("1|2 2 2", gold=None), "last", 0).right is None
    assert "before the first round stood 50" in str(found)


def test_controls_and_lone_judges_are_left_out():
    """A placebo is no discussion to shorten, and one seat has nobody to vote with."""
    rooms = talks("1|2 1 2", options={"control": "placebo"})
    assert pj.decide(rooms).decisions.rows == ()
    assert "nothing to decide" in str(pj.decide(rooms))
