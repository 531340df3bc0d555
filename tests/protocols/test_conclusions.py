"""Stances, agreement and conclusions of discussions."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Cue,
    Review,
    Seat,
    Turn,
    Utterance,
    Verdict,
    strict_majority,
)
from peerjudge.errors import ProtocolError
from peerjudge.protocol import RoundOptions, TurnOptions, collect_stances, is_unanimous, settle

A, B = Verdict.of("a"), Verdict.of("b")
verdicts = st.sampled_from([A, B, TIE, UNREADABLE, REFUSED])


def seated(n: int) -> tuple[Seat, ...]:
    """Seats s0, s1, ..., leader first."""
    return tuple(Seat(id=f"s{i}", reviewer=f"r{i}") for i in range(n))


def said(*given_verdicts: Verdict | None, seats: int = 2) -> tuple[Turn, ...]:
    """One turn for each verdict, the seats speaking in turn."""
    return tuple(
        Turn(
            index=index,
            cue=Cue(seat=f"s{index % seats}", task="discuss", sees=("a", "b")),
            utterance=Utterance(text="..."),
            review=Review(verdict=verdict),
        )
        for index, verdict in enumerate(given_verdicts)
    )


def test_a_stance_is_the_last_readable_verdict():
    """A reply that cannot be read leaves the stance as it was."""
    assert collect_stances(seated(2), said(A, B, UNREADABLE, A)) == {"s0": A, "s1": A}
    assert collect_stances(seated(2), said(A, REFUSED)) == {"s0": A, "s1": None}


def test_seats_agree_only_when_all_have_the_same_stance():
    """A seat without a stance agrees with no other."""
    assert is_unanimous(seated(2), said(A, A))
    assert is_unanimous(seated(2), said(TIE, TIE))
    assert not is_unanimous(seated(2), said(A, B))
    assert not is_unanimous(seated(2), said(A, UNREADABLE))
    assert not is_unanimous(seated(2), said(UNREADABLE, UNREADABLE))
    assert not is_unanimous(seated(2), ())


@pytest.mark.parametrize(
    ("given_verdicts", "last", "leader", "most"),
    [
        ((A, B), B, A, TIE),
        ((A, B, B, B), B, B, B),
        ((A, B, A, UNREADABLE), A, A, TIE),
        ((B, A, UNREADABLE, A), A, B, TIE),
        ((UNREADABLE, B), B, UNREADABLE, B),
        ((REFUSED, B), B, REFUSED, B),
        ((UNREADABLE, REFUSED), REFUSED, UNREADABLE, REFUSED),
        ((), UNREADABLE, UNREADABLE, UNREADABLE),
    ],
)
def test_settling_a_discussion_of_two(
    given_verdicts: tuple[Verdict, ...], last: Verdict, leader: Verdict, most: Verdict
):
    """The last verdict, the leader and the majority each decide."""
    turns = said(*given_verdicts)
    assert settle(seated(2), turns, "last") == last
    assert settle(seated(2), turns, "leader") == leader
    assert settle(seated(2), turns, "majority") == most


def test_a_majority_is_more_than_half_of_the_seats_with_a_stance():
    """Seats without a stance neither support nor block a majority."""
    assert settle(seated(3), said(A, A, B, seats=3), "majority") == A
    assert settle(seated(3), said(A, B, UNREADABLE, seats=3), "majority") == TIE
    assert settle(seated(3), said(A, UNREADABLE, REFUSED, seats=3), "majority") == A
    assert settle(seated(4), said(A, A, B, TIE, seats=4), "majority") == TIE


@given(st.lists(st.sampled_from([A, B, TIE]), min_size=1, max_size=9), st.randoms())
def test_a_majority_does_not_depend_on_the_order(votes: list[Verdict], random):
    """The order of votes does not matter, and at most one verdict is more than half."""
    shuffled = random.sample(votes, len(votes))
    won = strict_majority(votes)
    assert strict_majority(shuffled) == won
    assert (won is not None) == any(2 * votes.count(vote) > len(votes) for vote in votes)


@given(st.lists(verdicts, max_size=8), st.sampled_from(["last", "leader", "majority"]))
def test_unanimous_seats_are_never_overruled(given_verdicts: list[Verdict], outcome):
    """A stance that all seats share is the conclusion by every rule."""
    turns = said(*given_verdicts)
    if is_unanimous(seated(2), turns):
        assert settle(seated(2), turns, outcome) == collect_stances(seated(2), turns)["s0"]


@pytest.mark.parametrize("make", [lambda: TurnOptions(turns=-1), lambda: RoundOptions(rounds=-1)])
def test_a_discussion_has_no_negative_length(make):
    """A negative number of turns is refused."""
    with pytest.raises(ProtocolError, match="must be 0 or more, not -1"):
        make()
