"""Decision rules as functions of the stances of the seats."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from peerjudge.analysis.ballots import NONE, TIE
from peerjudge.features.decisions.rules import RULES, Stances
from peerjudge.protocol import settle
from peerjudge.testing import comparison_of, transcript_of

ROOMS = st.tuples(st.integers(1, 6), st.integers(2, 6)).flatmap(
    lambda shape: hnp.arrays(np.int8, shape, elements=st.sampled_from([NONE, TIE, 0, 1, 2]))
)
SYMMETRIC = ("majority", "plurality", "supermajority", "unanimity")


def decide(rule, held, **stored):
    """Return what a rule decides of these stances, `last` being that of the last seat."""
    held = np.asarray(held, dtype=np.int8)
    return RULES[rule](Stances(held=held, last=held[:, -1], **stored))


@given(ROOMS)
def test_unanimity_implies_supermajority_implies_majority_implies_plurality(held):
    """A rule that asks for more decides the same, or nothing."""
    order = ("unanimity", "supermajority", "majority", "plurality")
    for strict, loose in pairwise(order):
        asked, given_ = decide(strict, held), decide(loose, held)
        decided = asked != NONE if strict != "majority" else asked > TIE
        assert (asked == given_)[decided].all()


@given(ROOMS, st.randoms(use_true_random=False))
def test_rules_that_count_do_not_depend_on_the_order_of_the_seats(held, draws):
    """Seats in another order decide the same, unless the rule names a place."""
    seats = [*range(held.shape[1])]
    draws.shuffle(seats)
    for rule in SYMMETRIC:
        assert (decide(rule, held) == decide(rule, held[:, seats])).all()


@given(ROOMS, st.floats(0.1, 9.0))
def test_equal_weights_decide_as_the_plurality(held, weight):
    """Weights count against each other only: their size does not matter."""
    weights = np.full(held.shape, weight)
    for rule, stored in (("peers", {"weights": weights}), ("confidence", {"confidence": weights})):
        assert (decide(rule, held, **stored) == decide("plurality", held)).all()


@given(ROOMS)
def test_a_rule_decides_nothing_only_where_it_may(held):
    """Without any stance nothing is decided; with one, all but the strict rules decide something."""
    some = (held != NONE).any(axis=1)
    for rule in ("majority", "vote", "plurality"):
        found = decide(rule, held)
        assert ((found != NONE) == some).all()
    assert (decide("unanimity", held)[(held == NONE).any(axis=1)] == NONE).all()


@given(
    st.lists(st.sampled_from("123="), min_size=2, max_size=5),
    st.lists(st.sampled_from("123=?"), max_size=8),
)
def test_rules_are_those_of_the_protocols(private, public):
    """`last`, `leader` and `majority` decide what a protocol with that outcome concludes."""
    comparison = comparison_of(3)
    one = transcript_of(" ".join(["|".join(private), *public]), comparison=comparison)
    codes = {seat.id: place for place, seat in enumerate(one.seats)}
    held, last = np.full((1, len(private)), NONE, dtype=np.int8), NONE
    for turn in one.turns:
        verdict = turn.review.verdict
        if verdict.readable:
            last = TIE if verdict.choice is None else comparison.shown.index(verdict.choice)
            held[0, codes[turn.cue.seat]] = last
    stances = Stances(held=held, last=np.array([last], dtype=np.int8))
    for outcome in ("last", "leader", "majority"):
        verdict = settle(one.seats, one.turns, outcome)
        wanted = TIE if verdict.choice is None else comparison.shown.index(verdict.choice)
        assert RULES[outcome](stances) == [wanted], outcome


def test_three_answers_have_a_plurality_without_a_majority():
    """Two of five seats are the most, and less than half; a vote goes to its first seat."""
    held = [[1, 0, 0, 2, TIE]]
    assert decide("plurality", held) == [0]
    assert decide("majority", held) == [TIE]
    assert decide("vote", held) == [1]
    assert decide("plurality", [[0, 1, 2]]) == [TIE]


def test_two_thirds_are_a_supermajority():
    """Two of three are enough, three of five are not; seats without a stance do not count."""
    held = np.array([[0, 0, 1, NONE, NONE], [0, 0, 0, 1, 1]])
    assert decide("supermajority", held).tolist() == [0, NONE]


def test_weight_can_outvote_number():
    """One seat of more weight than two others decides; equal sums are a tie."""
    held = [[0, 1, 1], [0, 1, 1]]
    weights = np.array([[0.6, 0.2, 0.2], [0.4, 0.2, 0.2]])
    assert decide("peers", held, weights=weights).tolist() == [0, TIE]
    assert decide("peers", held) is None


def test_confidence_counts_where_every_stance_has_one():
    """A sure seat outvotes two unsure ones; where a stance came without, nothing is decided."""
    stated = np.array([[90.0, 30.0, 30.0], [90.0, np.nan, 30.0]])
    held = [[0, 1, 1], [0, 1, 1]]
    assert decide("confidence", held, confidence=stated).tolist() == [0, NONE]


def test_the_judge_decides_from_its_seat():
    """What debaters hold does not matter, and a judge that has not spoken has decided nothing."""
    judges = np.array([[False, False, True]] * 2)
    assert decide("judge", [[0, 0, 1], [0, 0, NONE]], judges=judges).tolist() == [1, NONE]
    assert decide("judge", [[0, 0, 1]]) is None
