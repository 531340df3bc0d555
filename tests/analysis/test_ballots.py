"""The table of ballots, on discussions and reviews small enough to read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import EVENTS, NONE, TIE, UNREADABLE, Ballots, Stage
from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.grouping import count_earlier, group_rows, match_orders
from peerjudge.data import Dataset, EventKind, StopReason, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import NoEventReason, stance_of, track
from tests.analysis.analysis_kit import ANN, dataset_of, review_of, told


def rows(ballots: Ballots, *columns: str) -> list[tuple]:
    """These columns, row by row."""
    return list(zip(*(getattr(ballots, name).tolist() for name in columns), strict=True))


def test_a_discussion_is_a_row_per_verdict_and_one_for_its_conclusion():
    """Two private verdicts, two public ones, and what was concluded by both seats together."""
    ballots = collect_transcripts([told("2|1 1 ?")])
    assert rows(ballots, "stage", "reviewer", "turn", "round", "verdict") == [
        (Stage.PRIVATE, 0, 0, 0, 1),
        (Stage.PRIVATE, 1, 1, 0, 0),
        (Stage.PUBLIC, 0, 2, 1, 0),
        (Stage.PUBLIC, 1, 3, 2, UNREADABLE),
        (Stage.CONCLUDED, -1, -1, 2, 0),
    ]
    assert ballots.opening.tolist() == [True, True, False, False, False]
    assert ballots.closing.tolist() == [False, True, True, False, False]
    assert ballots.correct.tolist() == [False, True, True, False, True]


def test_verdicts_are_numbered_in_the_order_that_the_source_shows_first():
    """The second discussion shows the answers the other way round and chooses the same answer."""
    ballots = collect_transcripts([told("1|1"), told("2|2", swap=True)])
    concluded = ballots.where(ballots.stage == Stage.CONCLUDED)
    assert concluded.verdict.tolist() == [0, 0]
    assert concluded.swapped.tolist() == [False, True]
    assert concluded.first.tolist() == [0, 1]
    assert concluded.score.tolist() == [-1.0, 1.0]


def test_events_stand_in_the_row_of_the_verdict_they_come_of():
    """The leader altered to the follower's stance; then the follower agreed."""
    ballots = collect_transcripts([told("2|1 1 1")])
    public = ballots.where(ballots.stage == Stage.PUBLIC)
    assert [EVENTS[code] for code in public.event] == [EventKind.ALTERED, EventKind.AGREED]
    assert rows(public, "before", "others") == [(1, 0), (0, 0)]
    assert [ballots.panels[code] for code in public.opponents] == [("bob",), ("ann",)]
    silent = collect_transcripts([told("?|1 1")])
    assert EVENTS[silent.event[2]] is NoEventReason.NO_STANCE_BEFORE


def test_a_lone_judge_has_the_stance_that_was_concluded():
    """Its conclusion is both the stance it came with and the one it left with; without an end it has none."""
    lone = collect_transcripts([told("1", seats=(ANN,)), told("1", "c2", seats=(ANN,), stop=None)])
    assert rows(lone, "stage", "opening", "closing", "reviewer") == [
        (Stage.PRIVATE, False, False, 0),
        (Stage.CONCLUDED, True, True, 0),
        (Stage.PRIVATE, False, False, 0),
    ]


def test_failed_and_unfinished_discussions_have_no_closing_stance():
    """What was said in private counts all the same."""
    ballots = collect_transcripts([told("1|1", stop=None), told("1|2", stop=StopReason.FAILED)])
    assert ballots.opening.tolist() == [True] * 4
    assert not ballots.closing.any()
    assert ballots.discussions.failed.tolist() == [False, True]


@pytest.mark.parametrize(
    ("moves", "agreed"),
    [
        ("1|1 1", 0),
        ("2|1 1 1", 1),
        ("2|1 2 2", 2),
        ("2|1 2 1", -1),
        ("?|1 1", 1),
        ("?|? ?", -1),
    ],
)
def test_agreement_comes_after_so_many_public_turns(moves: str, agreed: int):
    """All seats have a stance, and the same one, for the first time."""
    assert collect_transcripts([told(moves)]).discussions.agreed.tolist() == [agreed]


def test_only_those_who_hold_the_stance_heard_are_opponents():
    """In a panel the reviewer that stands alone is not among them."""
    ballots = collect_transcripts([transcript_of("1|2|2|1 2")])
    (move,) = np.flatnonzero(ballots.event >= 0)
    assert EVENTS[ballots.event[move]] is EventKind.ALTERED
    assert ballots.panels[ballots.opponents[move]] == ("reviewer-2", "reviewer-3")


@pytest.mark.parametrize(("named", "control"), [("placebo", "placebo"), ("groups", "none")])
def test_an_unheard_discussion_has_the_control_it_was_to_have(named: str, control: str):
    """Without a turn its option says so, unless a protocol means something else by that name."""
    discussions = collect_transcripts([told("1|1", options={"control": named})]).discussions
    assert discussions.controls[discussions.control[0]] == control


marks = st.lists(
    st.builds(
        lambda opening, rest: " ".join(["|".join(opening), *rest]),
        st.lists(st.sampled_from("12=?!"), min_size=1, max_size=3),
        st.lists(st.sampled_from("12=?!"), max_size=5),
    ),
    max_size=5,
)


@given(marks)
@settings(max_examples=40)
def test_the_table_says_what_the_tracker_and_the_stances_say(lines: list[str]):
    """Stances, events and reasons are those of the rooms that define them."""
    transcripts = [
        told(line, f"c{k % 2}", swap=k % 3 == 0, seats=None) for k, line in enumerate(lines)
    ]
    ballots = collect_transcripts(transcripts)
    for which, stance in (("opening", "private"), ("closing", "final")):
        table = ballots.stances(which)
        for number, transcript in enumerate(transcripts):
            own = ballots.comparisons[ballots.discussions.comparison[number]].shown
            for place, seat in enumerate(transcript.seats):
                verdict = stance_of(transcript, seat, stance=stance)
                said = None if verdict is None else verdict.choice
                expected = NONE if verdict is None else TIE
                if said is not None:
                    assert table[number, place] == own.index(said)
                elif verdict is None or verdict.readable:
                    assert table[number, place] == expected
    found = [EVENTS[code] for code in ballots.event if code >= 0]
    tracked = [track(one) for one in transcripts]
    at = [
        (one.turn, one.kind if hasattr(one, "kind") else one.reason)
        for tracking in tracked
        for one in sorted((*tracking.events, *tracking.no_events), key=lambda one: one.turn)
    ]
    assert found == [kind for _, kind in at]


ONE = comparison_of(2, gold=1)


def recorded(*reviews: tuple[str, str]) -> Dataset:
    """Reviews of one comparison: a reviewer's mark in its order, and one in the other order if given."""
    return dataset_of(
        [ONE],
        [
            review_of(ONE, mark, by=name, swap=bool(order))
            for name, marks in reviews
            for order, mark in enumerate(marks)
            if mark != " "
        ],
    )


def test_a_recorded_review_is_one_row():
    """Its stance is the one it came and left with; its order is the one it saw."""
    ballots = collect_reviews(recorded(("a", "1"), ("b", " 1")))
    assert ballots.reviewers == ("a", "b")
    assert rows(ballots, "stage", "verdict", "swapped", "opening", "closing") == [
        (Stage.RECORDED, 0, False, True, True),
        (Stage.RECORDED, 0, True, True, True),
    ]
    assert ballots.score.tolist() == [-1.0, 1.0]
    assert ballots.gold.tolist() == [0, 0]


def test_a_choice_of_an_answer_that_is_not_there_is_an_error():
    """So is a review of an unknown comparison."""
    other = replace(review_of(ONE, "1"), verdict=Verdict.of("other"))
    with pytest.raises(DataError, match="chooses 'other'"):
        collect_reviews(dataset_of([ONE], [other]))
    unknown = recorded(("a", "1"))
    with pytest.raises(DataError, match="unknown comparison"):
        collect_reviews(replace(unknown, comparisons=()))


def test_judgements_in_both_orders_are_matched():
    """The one sticks to an answer, the other to a place, the third cannot be read once."""
    ballots = collect_reviews(
        recorded(("answer", "11"), ("place", "12"), ("mute", "1?"), ("once", "1"))
    )
    matched = match_orders(ballots, ballots.reviewer, ballots.comparison)
    judges = [ballots.reviewers[n] for n in ballots.reviewer[matched.row]]
    assert judges == ["answer", "place", "mute"]
    assert matched.same.tolist() == [True, False, False]
    assert matched.readable.tolist() == [True, True, False]
    assert matched.first.tolist() == [False, True, False]
    assert not matched.second.any()


def test_groups_are_numbered_as_they_appear():
    """Equal rows share a group, and earlier equal rows are counted."""
    one, other = np.array([7, 3, 7, 7]), np.array([True, True, True, False])
    group, first = group_rows(one, other)
    assert group.tolist() == [0, 1, 0, 2]
    assert first.tolist() == [0, 1, 3]
    assert count_earlier(one, other).tolist() == [0, 0, 1, 0]


def test_no_discussions_make_an_empty_table():
    """So do no reviews."""
    assert len(collect_transcripts([])) == 0
    assert len(collect_reviews(recorded())) == 0
