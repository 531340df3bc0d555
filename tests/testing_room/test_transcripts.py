"""Discussions written in one line."""

from __future__ import annotations

import pytest

from peerjudge.data import REFUSED, TIE, UNREADABLE, Expects, Role, StopReason, Verdict
from peerjudge.errors import DataError
from peerjudge.testing import comparison_of, transcript_of


def test_private_reviews_come_first_and_turns_alternate():
    """In `2|1 2 1 1 1` each seat reviews alone, then the leader speaks first and they alternate."""
    transcript = transcript_of("2|1 2 1 1 1")
    assert [seat.role for seat in transcript.seats] == [Role.LEADER, Role.FOLLOWER]
    assert [turn.cue.seat for turn in transcript.turns] == [
        "seat-1",
        "seat-2",
        "seat-1",
        "seat-2",
        "seat-1",
        "seat-2",
    ]
    assert [turn.cue.private for turn in transcript.turns] == [True, True] + [False] * 4
    assert [str(turn.review.verdict) for turn in transcript.turns] == [
        f"answer-{n}" for n in (2, 1, 2, 1, 1, 1)
    ]
    assert transcript.stop is StopReason.COMPLETE
    assert transcript.verdict == Verdict.of("answer-1")


@pytest.mark.parametrize(
    ("hears", "heard"),
    [
        ("all", [(), (), (0, 1), (0, 1, 2)]),
        ("own", [(), (), (0,), (1, 2)]),
        ("none", [(), (), (), ()]),
        (lambda turn, earlier: earlier == turn - 1, [(), (), (1,), (2,)]),
    ],
)
def test_the_turns_heard_can_be_chosen(hears, heard):
    """A seat hears everything, the turns with its own private review, or chosen turns."""
    transcript = transcript_of("1|2 1 2", hears=hears)
    assert [turn.cue.hears for turn in transcript.turns] == heard


def test_marks_stand_for_every_outcome():
    """Ties, unreadable replies, refusals and explanations have their own marks."""
    transcript = transcript_of("=|?|! 3 -")
    verdicts = [turn.review.verdict for turn in transcript.turns]
    assert verdicts == [TIE, UNREADABLE, REFUSED, Verdict.of("answer-3"), None]
    assert transcript.turns[-1].cue.expects is Expects.TEXT
    assert {seat.role for seat in transcript.seats} == {Role.PANELIST}


def test_a_discussion_can_do_without_private_reviews():
    """`-|-` opens a discussion of two without private reviews."""
    transcript = transcript_of("-|- 1 2")
    assert [(turn.index, turn.cue.seat) for turn in transcript.turns] == [
        (0, "seat-1"),
        (1, "seat-2"),
    ]


@pytest.mark.parametrize("moves", ["x", "1|9", "1|2 0"])
def test_an_unknown_mark_is_refused(moves):
    """A number beyond the answers and any other sign are refused."""
    with pytest.raises(DataError, match="no mark"):
        transcript_of(moves, comparison=comparison_of(2))
