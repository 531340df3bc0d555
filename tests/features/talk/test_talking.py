"""What talking does, on rooms worked out by hand and on planted ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.data import UNREADABLE, Role, Seat, replace
from peerjudge.features.talk.results import TalkResult
from peerjudge.testing import comparison_of, transcript_of
from tests.analysis.analysis_kit import told


def talks(*moves: str, **changed):
    """One discussion a question; gold is the first answer unless it is changed."""
    return [told(one, f"c{number}", **changed) for number, one in enumerate(moves)]


def only(found: TalkResult):
    """The only condition."""
    (row,) = found.talk.rows
    return row


def test_drift_is_the_change_of_the_seats_share_right():
    """Of three rooms two come together on gold and one leaves it: (1/2 - 1/2 + 1/2) / 3."""
    row = only(pj.talk(talks("1|2 1 1", "1|2 2 2", "2|1 1 1")))
    assert row.right_alone.value == 0.5
    assert [one.difference.value for one in row.drift] == [pytest.approx(1 / 6)]
    assert (row.lost.value, row.lost_by_vote.value) == (pytest.approx(1 / 3), 0.5)
    assert (row.won.value, row.won_by_vote.value) == (pytest.approx(2 / 3), 0.5)
    # Ann held once and came over twice, bob came over once and then agreed twice.
    assert (row.came_over.value, row.came_over.n) == (0.75, 4)
    assert (row.left_right.value, row.left_right.n) == (0.5, 2)
    assert (row.left_wrong.value, row.left_wrong.n) == (1.0, 2)
    assert (row.moved.value, row.agreed_before.value, row.agreed_after.value) == (0.5, 0.0, 1.0)


def test_a_drift_by_round_follows_each_seats_own_turns():
    """Bob gives in at his second turn: half right after the first round, all after the second."""
    row = only(pj.talk(talks("1|2 1 2 1 1", "1|2 1 2 1 1")))
    assert [one.difference.value for one in row.drift] == [0.0, 0.5]
    (yields,) = [
        one for one in pj.talk(talks("1|2 1 2 1 1")).talk.yielding if one.reviewer == "bob"
    ]
    assert (yields.contradicted, yields.came_over.value) == (1, 0.0)


def test_an_unreadable_turn_leaves_the_stance_and_an_unreadable_start_leaves_the_seat_out():
    """The room of a seat without a private verdict counts the others; its outcome is counted apart."""
    row = only(pj.talk(talks("1|2 ? ?", "?|1 1 1")))
    assert row.left_out == 1
    assert row.drift[0].difference.value == 0.0
    lost = [replace(one, verdict=UNREADABLE) for one in talks("1|2 1 1", "1|2 1 1")]
    row = only(pj.talk(lost))
    assert (row.unreadable, row.lost) == (2, None)


def panel(moves: str, number: int = 0):
    """Three panelists; gold is the first answer."""
    seats = tuple(
        Seat(id=f"seat-{place}", reviewer=name, role=Role.PANELIST)
        for place, name in enumerate(("ann", "bob", "eve"), 1)
    )
    comparison = comparison_of(2, gold=1, name=f"c{number}")
    return replace(transcript_of(moves, comparison=comparison, seats=seats), condition="panel")


def test_conformity_is_of_a_seat_that_stands_alone():
    """Ann is alone against two and comes over; bob, who has a supporter, is no occasion of conformity."""
    row = only(pj.talk([panel("1|2|2 2 2")]))
    assert (row.came_over.value, row.came_over.n) == (1.0, 1)
    assert (row.lost.value, row.lost_by_vote.value) == (1.0, 1.0)
    followed = {
        one.reviewer: one.contradictions for one in pj.talk([panel("1|2|2 2 2")]).talk.persuasion
    }
    assert followed == {"ann": 0, "bob": 1, "eve": 1}


def test_a_private_plurality_with_an_even_split_is_drawn_by_lot():
    """Two seats that disagree are right half of the time, three with two right ones always."""
    assert only(pj.talk(talks("1|2 1 1"))).won_by_vote.value == 0.5
    assert only(pj.talk([panel("1|1|2 1 1")])).lost_by_vote.value == 0.0


def test_the_placebo_shows_what_hearing_nothing_does():
    """Both rooms end right on all; the seats that hear nothing change to half: .5 over nobody."""
    rooms = [
        *talks("1|2 1 1", "1|2 1 1"),
        *talks("1|2 1 2", "1|2 1 2", condition="not told", options={"control": "placebo"}),
    ]
    row = only(pj.talk(rooms))
    assert (row.nobody, row.over_nobody.difference.value) == ("not told", 0.5)


def test_without_gold_there_is_no_drift_but_moves():
    """What needs gold is missing and not 0, and the sentence says that it is unknown."""
    found = pj.talk(talks(*["1|2 1 1"] * 8, gold=None))
    row = only(found)
    assert (row.right_alone, row.drift, row.lost, row.left_right) == (None, (), None, None)
    assert (row.moved.value, row.agreed_after.value) == (0.5, 1.0)
    assert row.so.endswith(
        "came over at the first contradiction; whether to the better is unknown."
    )
    assert "Moved" in found.tables[0].headings


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (["1|2 1 1"] * 7, "7 questions: too few to say whether talking helps."),
        (["1|1 1 1"] * 9, "No seat was contradicted."),
        (["1|2 1 1"] * 40, "Talking helps the seats: +50 ["),
        (["1|2 2 2"] * 40, "Talking harms the seats: -50 ["),
        (["1|2 1 1", "1|2 2 2"] * 4, "Talking is not shown to help or harm the seats"),
    ],
)
def test_the_sentence_says_what_is_shown(moves, said):
    """Help and harm are said as loudly, and too little is said to be too little."""
    assert said in only(pj.talk(talks(*moves))).so


def test_talk_that_only_moves_opinions_drifts_by_nothing():
    """Two equal seats of which the second follows at random: drift 0 in its interval, came over .35."""
    random = np.random.default_rng(4)
    rooms = []
    for number in range(400):
        ann, bob = random.integers(1, 3, size=2)
        leads = [ann, bob] if number % 2 else [bob, ann]
        said = leads[0] if leads[0] == leads[1] or random.random() >= 0.35 else leads[1]
        then = leads[1] if said == leads[1] or random.random() >= 0.35 else said
        rooms.append(f"{leads[0]}|{leads[1]} {said} {then}")
    row = only(pj.talk(talks(*rooms)))
    assert row.drift[-1].difference.low < 0.0 < row.drift[-1].difference.high
    assert row.came_over.low < 0.35 < row.came_over.high
    assert row.left_right.low < 0.35 < row.left_right.high


def test_nothing_is_said_where_nobody_talks():
    """A vote has no talk."""
    vote = [replace(one, protocol="vote") for one in talks("1|2")]
    assert "No condition has several seats that heard each other" in str(pj.talk(vote))
    assert pj.talk(vote).document()["rows"] == []


def leaning(found: TalkResult, towards: str):
    """The leaning of the only condition towards a kind of answer."""
    return next((one for one in found.talk.leanings if one.towards == towards), None)


def test_position_bias_by_round_needs_all_orders():
    """Both seats choose the first shown in both orders; one turn each later they hold one answer in both."""
    swapped = [told("1|1 2 2", f"c{number}", swap=True) for number in range(3)]
    given = [told("1|1 1 1", f"c{number}") for number in range(3)]
    row = leaning(pj.talk([*given, *swapped]), "first shown")
    assert row is not None
    assert (row.seats, row.before.value) == (12, 1.0)
    assert [one.difference.value for one in row.change] == [-0.5]
    assert leaning(pj.talk(given), "first shown") is None


def test_verbosity_by_round_stands_beside_gold():
    """Of eight seats six hold the longer answer before and two after; it is gold everywhere."""
    rooms = [
        one
        for number in range(2)
        for one in [lengthy("1|1 1 2", number), lengthy("1|2 2 2", number)]
    ]
    golden = [replace(one, comparison=replace(one.comparison, gold=None)) for one in rooms]
    row = leaning(pj.talk(rooms), "longest")
    assert row is not None
    assert (row.seats, row.before.value) == (8, 0.75)
    assert [one.difference.value for one in row.change] == [-0.5]
    assert row.gold is not None
    assert row.gold.value == 1.0
    unknown = leaning(pj.talk(golden), "longest")
    assert unknown is not None
    assert (unknown.before.value, unknown.gold) == (0.75, None)


def lengthy(moves: str, number: int):
    """A room whose first answer, which is gold, is the longer one."""
    room = told(moves, f"c{number}")
    long, short = room.comparison.answers
    answers = (replace(long, text="long " * 9), replace(short, text="short"))
    return replace(room, comparison=replace(room.comparison, answers=answers))


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["1|2 1 2", "2|2 1 1", "1|1 2 1"]), min_size=2, max_size=6))
def test_a_bias_by_round_does_not_depend_on_the_names_of_the_orders(moves):
    """Rooms in both orders, and the same rooms with the orders exchanged, have one leaning."""
    rooms = [
        [told(one, f"c{n}", swap=swap) for n, one in enumerate(moves) for swap in orders]
        for orders in ((False, True), (True, False))
    ]
    found = [leaning(pj.talk(one), "first shown") for one in rooms]
    assert found[0] == found[1]
