"""Bounds of rankings belong to the printed scores, and say how many resamples did not settle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from peerjudge.data import Battle, Scheme, Scoring, Tournament
from peerjudge.ranking import bootstrap, collect, elo, rank, ranking_document
from peerjudge.ranking.resampling import select_rows
from peerjudge.statistics.resampling import bound_score
from tests.ranking.battles import battle

NAMES = ("ann", "bob", "cy", "dan")


def play(questions: int, *, seed: int = 0, reviewers: str = "xyz", even: float = 0.2) -> Tournament:
    """Reviews of four contestants of different strength; questions differ in whom they favour."""
    random = np.random.default_rng(seed)
    battles: list[Battle] = []
    for q in range(questions):
        strength = np.array([0.6, 0.2, -0.2, -0.6]) + random.normal(size=4)
        for judge in reviewers:
            for one, other in combinations(range(4), 2):
                margin = strength[one] - strength[other] + random.normal()
                score = 0 if abs(margin) < even else -1 if margin > 0 else 1
                battles.append(battle(judge, NAMES[one], NAMES[other], score, f"q{q:03}"))
    return collect(battles)


def test_elo_samples_spread_as_the_mean_over_orders():
    """Their spread is that of means over many orders in resampled questions, not of single orders."""
    tournament = play(40, seed=1)
    share = np.full(3, 1 / 3)
    found = bootstrap(tournament, scoring=Scoring.ELO, weights=share, samples=600, seed=3)
    random = np.random.default_rng(8)
    rows = select_rows(tournament)
    means: list[np.ndarray] = []
    for _ in range(120):
        times = np.bincount(random.integers(40, size=40), minlength=40)
        battles = np.repeat(np.arange(len(tournament), dtype=np.int32), times[rows.question])
        orders = np.array([random.permutation(battles) for _ in range(40)], dtype=np.int32)
        means.append(elo(tournament, weights=share, orders=orders).ratings.mean(axis=0))
    expected = np.std(means, axis=0)
    single = elo(tournament, weights=share, orders=200).ratings.std(axis=0)
    assert found.scores.std(axis=0) == pytest.approx(expected, rel=0.25)
    assert (np.hypot(expected, single) > 1.5 * expected).all()
    differences = found.scores[:, 0] - found.scores[:, 1]
    again = np.array(means)[:, 0] - np.array(means)[:, 1]
    assert differences.std() == pytest.approx(again.std(), rel=0.25)
    assert found.scores.sum(axis=1) == pytest.approx(np.full(600, 4000.0))


def test_all_ties_leave_room_for_a_winner():
    """Ten questions of ties give each rate an interval towards 0 and 1, not the point one half."""
    ties = collect(battle("x", "ann", "bob", 0, f"q{k}") for k in range(10))
    found = rank(ties, bootstrap=50).contestants["ann"]
    assert found.score == 0.5
    assert (found.low, found.high) == pytest.approx((0.3612, 0.6388), abs=1e-3)


def test_bounds_of_few_questions_hold_the_strength():
    """With 6 questions at least 90 of 100 intervals of a win rate hold the true one."""
    held = 0
    truth = rank(play(3000, seed=99, reviewers="x"), bootstrap=0).contestants["ann"].score
    for seed in range(150):
        one = rank(play(6, seed=seed), bootstrap=100).contestants["ann"]
        held += one.low <= truth <= one.high
    assert held >= 0.92 * 150


def test_resamples_that_do_not_settle_are_counted():
    """PRD weights that oscillate in a resample, and Bradley-Terry without an estimate, are said."""
    beaten = collect(
        battle("x", "ann", "bob", score, f"q{k}") for k, score in enumerate([-1, -1, -1, -1, 1])
    )
    found = rank(beaten, scoring=Scoring.BRADLEY_TERRY, bootstrap=400)
    # The one question that bob won is missing from (4/5)^5 of the resamples.
    assert found.propped / found.resamples == pytest.approx(0.328 + 0.0003, abs=0.07)
    assert ranking_document(found)["propped"] == found.propped
    assert found.unsettled == 0
    credit = [
        battle(judge, "ann", "bob", score, f"q{k}")
        for k in range(9)
        for judge, score in (("ann", -1 if k < 6 else 1), ("bob", 1 if k < 4 else -1))
    ]
    prd = rank(collect(credit), weights="peer", scheme=Scheme.PRD, bootstrap=300)
    assert 0 <= prd.unsettled < prd.resamples == 300


def test_a_score_interval_has_its_limits():
    """It is Student's without limits, Wilson's for a share, and never leaves its limits."""
    low, high = bound_score(10.0, 4.0, df=7, limits=None)
    t = stats.t.ppf(0.975, 7)
    assert (float(low), float(high)) == pytest.approx((10 - 2 * t, 10 + 2 * t))
    wilson = stats.binomtest(18, 20).proportion_ci(method="wilson")
    low, high = bound_score(0.9, 0.09 / 20, df=1e9, limits=(0.0, 1.0))
    assert (float(low), float(high)) == pytest.approx((wilson.low, wilson.high))
    shares, spread = np.linspace(0, 1, 11), np.full(11, 0.2)
    low, high = bound_score(shares, spread, df=3, limits=(0.0, 1.0))
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert ((low <= shares) & (shares <= high)).all()
