"""Bounds of ranks and weights, and how sure it is that one contestant outranks another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from peerjudge.data import Battle, Scheme, Scoring, Tournament, replace
from peerjudge.ranking import bootstrap, collect, peer_rank, rank, ranking_document, win_rates
from peerjudge.ranking.bounds import outranking_shares, rank_bounds, rank_scores
from peerjudge.ranking.resampling import select_rows, win_rates_by_sample
from peerjudge.results.rankings import describe_ranking
from peerjudge.statistics.resampling import bound_resampled
from tests.ranking.battles import battle, list_battles

scores = arrays(np.float64, (7, 4), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]))


@given(scores)
@settings(max_examples=30)
def test_one_outranks_the_other_or_the_other_does(drawn: np.ndarray):
    """The two shares sum to one, ties split, and the winner of every sample has share 1."""
    found = outranking_shares(drawn)
    assert found + found.T == pytest.approx(np.ones((4, 4)))
    assert np.diag(found) == pytest.approx(np.full(4, 0.5))
    always = rank_scores(drawn) == 1
    for one in np.flatnonzero(always.all(axis=0)):
        for other in np.flatnonzero(~always.any(axis=0)):
            assert found[one, other] == 1.0


@given(scores)
@settings(max_examples=30)
def test_a_rank_counts_those_above(drawn: np.ndarray):
    """A rank is one more than the number of better scores."""
    known = np.where(np.isnan(drawn), -1.0, drawn)
    better = (known[:, None, :] > known[:, :, None]).sum(axis=2)
    assert (rank_scores(drawn) == 1 + better).all()


def test_winning_every_battle_has_wilson_bounds():
    """A contestant that won on all of ten questions gets Wilson's bounds, not a point."""
    battles = [battle("judge", "ann", "bob", -1, f"q{k}") for k in range(10)]
    found = rank(collect(battles), bootstrap=100)
    best, worst = found.contestants["ann"], found.contestants["bob"]
    assert (best.score, best.high) == (1.0, 1.0)
    assert best.low == pytest.approx(0.7225, abs=1e-4)
    assert (worst.low, worst.high) == (0.0, pytest.approx(0.2775, abs=1e-4))
    assert found.outranks == {"ann": {"bob": 1.0}, "bob": {"ann": 0.0}}


@pytest.mark.parametrize("scoring", Scoring)
def test_ties_alone_tell_no_contestants_apart(scoring: Scoring):
    """Ratings have no interval where no question varies them, and equal scores may have any rank."""
    ties = collect(
        battle("x", one, other, 0, f"q{k}") for k in range(12) for one, other in ("ab", "bc", "ca")
    )
    found = rank(ties, scoring=scoring, orders=50, bootstrap=50)
    for one in found.contestants.values():
        assert (one.rank, one.rank_low, one.rank_high) == (1, 1, 3)
        assert (one.low is None) == (scoring is not Scoring.WIN_RATE)
    assert "do not tell the contestants apart" in describe_ranking(found, orders=50, bootstrap=50)


def test_a_rating_that_no_question_varies_has_no_bounds():
    """Elo and Bradley-Terry scores have no limits, so nothing shows how far the estimate may be off."""
    low, high = bound_resampled(np.zeros(2), np.zeros((5, 2)), questions=9, limits=None)
    assert np.isnan([low, high]).all()
    assert rank_bounds(np.zeros((5, 2)))[1].tolist() == [2, 2]


@pytest.mark.parametrize("scoring", [Scoring.WIN_RATE, Scoring.ELO])
@pytest.mark.parametrize(("questions", "sure"), [(2, False), (3, False), (4, True), (9, True)])
def test_few_alike_questions_leave_the_order_open(scoring: Scoring, questions: int, sure: bool):
    """Below four alike questions most others may show the reverse, and an order of Elo is no evidence."""
    alike = collect(
        battle(reviewer, one, other, -1, f"q{k}")
        for k in range(questions)
        for reviewer in ("x", "y")
        for one, other in ("ab", "bc", "ac")
    )
    found = rank(alike, scoring=scoring, orders=50, bootstrap=50)
    bounds = [(one.rank_low, one.rank_high) for one in found.contestants.values()]
    assert bounds == ([(1, 1), (2, 2), (3, 3)] if sure else [(1, 3)] * 3)
    assert (found.outranks is not None) == sure
    unbounded = {one.low is None for one in found.contestants.values()}
    assert unbounded == {scoring is Scoring.ELO}
    said = "scores have none" in describe_ranking(found, orders=50, bootstrap=50)
    assert said == (scoring is Scoring.ELO)


def random_tournament(seed: int, judges: int = 6, size: int = 6, count: int = 400) -> Tournament:
    """Random battles, some unreadable; the first reviewers are contestants."""
    random = np.random.default_rng(seed)
    return collect(
        Battle.scored(
            question=f"q{random.integers(7)}",
            reviewer=f"n{random.integers(judges)}",
            first=f"n{first}",
            second=f"n{(first + random.integers(1, size)) % size}",
            score=None if random.random() < 0.1 else int(random.integers(-1, 2)),
        )
        for first in random.integers(size, size=count)
    )


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_every_question_once_is_the_tournament_itself(seed: int):
    """Both ways of counting give Equation 1 if every question occurs once."""
    tournament = random_tournament(seed)
    rows = select_rows(tournament)
    once = np.ones((1, rows.questions))
    expected = win_rates(tournament).rates
    np.testing.assert_allclose(win_rates_by_sample(rows, once)[0], expected)


def test_few_battles_on_many_cells_are_counted_alike():
    """Counting battles and multiplying tables give the same win rates."""
    small = random_tournament(3, judges=40, size=40, count=300)
    rows = select_rows(small)
    draws = np.random.default_rng(0).multinomial(rows.questions, [1 / 7] * 7, size=4).astype(float)
    thin = win_rates_by_sample(rows, draws)
    for sample, times in zip(thin, draws, strict=True):
        repeated = [
            k for k in range(len(rows.question)) for _ in range(int(times[rows.question[k]]))
        ]
        again = Tournament(
            questions=small.questions,
            reviewers=small.reviewers,
            contestants=small.contestants,
            question=rows.question[repeated],
            reviewer=rows.reviewer[repeated],
            first=rows.first[repeated],
            second=rows.second[repeated],
            score=rows.score[repeated],
            readable=np.ones(len(repeated), dtype=np.bool_),
        )
        np.testing.assert_allclose(sample, win_rates(again).rates)


@pytest.mark.parametrize("scoring", Scoring)
def test_found_weights_have_bounds_and_given_ones_have_none(scoring: Scoring):
    """Peer weights are computed in every sample, so they have bounds; given weights have none."""
    tournament = random_tournament(1)
    found = rank(tournament, scoring=scoring, weights="peer", scheme=Scheme.DAMPED, bootstrap=100)
    for name, weight in found.weights.weights.items():
        low, high = found.weight_bounds[name]
        assert 0.0 < low <= high < 1.0
        assert low - 0.05 <= weight <= high + 0.05
    assert rank(tournament, scoring=scoring, bootstrap=10).weight_bounds is None


def test_resampled_weights_are_those_of_the_sample():
    """With one question every sample has the weights of the tournament."""
    one = random_tournament(2)
    single = collect(replace(each, question="q") for each in list_battles(one))
    found = bootstrap(
        single, scoring=Scoring.WIN_RATE, weights=None, scheme=Scheme.DAMPED, samples=2
    )
    expected = peer_rank(single, scheme=Scheme.DAMPED).weights
    assert found.weights[1].tolist() == pytest.approx(list(expected.values()), abs=1e-9)


@pytest.mark.parametrize("scoring", Scoring)
def test_a_single_question_has_no_bounds(scoring: Scoring):
    """Resamples of one question are all alike, so there are no bounds, except over the orders of Elo."""
    many = random_tournament(3)
    single = replace(many, question=np.zeros_like(many.question), questions=("q",))
    found = rank(single, scoring=scoring, weights="peer", scheme=Scheme.DAMPED, bootstrap=50)
    assert (found.outranks, found.weight_bounds) == (None, None)
    for standing in found.contestants.values():
        assert (standing.low is None) == (scoring is not Scoring.ELO)
        assert (standing.rank_low is None) == (scoring is not Scoring.ELO)


@pytest.mark.parametrize("scoring", Scoring)
def test_scores_have_bounds_unless_none_are_wanted(scoring: Scoring):
    """Questions are resampled by default; without resamples only Elo has bounds, over its orders."""
    tournament = random_tournament(5)
    for standing in rank(tournament, scoring=scoring, orders=20).contestants.values():
        assert standing.low < standing.high
    found = rank(tournament, scoring=scoring, orders=20, bootstrap=0)
    assert (found.outranks, found.weight_bounds) == (None, None)
    for standing in found.contestants.values():
        assert (standing.low is None) == (scoring is not Scoring.ELO)


def test_peer_weights_must_settle_in_most_orders_of_the_tournament_only():
    """Elo weights must settle in most orders of the tournament, not in every order or resample."""
    random = np.random.default_rng(42)
    battles = [
        battle(who, one, other, int(score), str(k))
        for k in range(int(random.integers(2, 30)))
        for who in "abcd"
        for one, other in combinations("abcd", 2)
        for score in [random.choice([-1, 0, 1], p=[0.5, 0.1, 0.4])]
    ]
    found = rank(collect(battles), scoring=Scoring.ELO, weights="peer", orders=60, bootstrap=60)
    assert (found.unsettled_orders, found.weights.converged) == (2, False)
    assert found.weight_bounds is not None


def test_the_document_carries_the_uncertainty():
    """`rank --json` has the bounds of ranks and weights and the shares of outranking."""
    found = rank(random_tournament(4), weights="peer", scheme=Scheme.DAMPED, bootstrap=50)
    document = ranking_document(found)
    assert set(document["outranks"]) == set(document["contestants"])
    assert set(document["weight_bounds"]) == set(document["weights"])
    for standing in document["contestants"].values():
        assert 1 <= standing["rank_low"] <= standing["rank"] <= standing["rank_high"] <= 6
