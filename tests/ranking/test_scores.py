from __future__ import annotations

import itertools
import math

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.ranking import (
    bootstrap,
    bradley_terry,
    collect,
    elo,
    elo_peer,
    elo_trajectory,
    rank,
    ranking_document,
    win_rates,
)
from peerjudge.results.rankings import describe_ranking
from tests.ranking.battles import battle, list_battles, rename

NAMES = ("ann", "bob", "cy", "dan")
SHOWN = list(itertools.permutations(NAMES, 2))


def round_robin(scores: list[int], judge: str = "judge") -> Tournament:
    """Every ordered pair on as many questions as the scores fill, judged by one reviewer."""
    return collect(
        battle(judge, one, two, score, f"q{k // len(SHOWN)}")
        for k, score in enumerate(scores)
        for one, two in [SHOWN[k % len(SHOWN)]]
    )


tournaments = st.lists(st.sampled_from([-1, 0, 1]), min_size=24, max_size=24).map(round_robin)


def as_evalica(tournament: Tournament):
    """Convert battles to the arguments of evalica."""
    winners = {-1: evalica.Winner.X, 0: evalica.Winner.Draw, 1: evalica.Winner.Y}
    names = np.array(tournament.contestants)
    return (
        names[tournament.first].tolist(),
        names[tournament.second].tolist(),
        [winners[score] for score in tournament.score.tolist()],
    )


@given(tournaments)
@settings(max_examples=25)
def test_win_rates_are_those_of_evalica(tournament: Tournament):
    """In a full round robin the mean over opponents is the share of points."""
    expected = evalica.average_win_rate(*as_evalica(tournament)).scores
    found = win_rates(tournament).rates[0]
    for name, rate in zip(tournament.contestants, found, strict=True):
        assert rate == pytest.approx(expected[name])


@given(tournaments)
@settings(max_examples=25)
def test_one_order_of_elo_is_that_of_evalica(tournament: Tournament):
    """Algorithm 1 is plain Elo with K = 32 where there is one reviewer."""
    order = np.arange(len(tournament), dtype=np.int32)[None]
    expected = evalica.elo(*as_evalica(tournament), k=32).scores
    found = elo(tournament, orders=order).ratings[0]
    for name, rating in zip(tournament.contestants, found, strict=True):
        assert rating == pytest.approx(expected[name])


@given(tournaments, st.integers(0, 5))
@settings(max_examples=20)
def test_elo_hands_ratings_from_one_to_another(tournament: Tournament, seed: int):
    """What a winner gains a loser loses, so the mean stays 1000 in every order."""
    found = elo(tournament, orders=7, seed=seed).ratings
    assert found.mean(axis=1) == pytest.approx([1000.0] * 7)
    assert found.tolist() == elo(tournament, orders=7, seed=seed).ratings.tolist()


@given(tournaments, st.integers(1, 30))
@settings(max_examples=20)
def test_a_trajectory_is_elo_after_so_many_battles(tournament: Tournament, every: int):
    """Every step is what Elo gives for the battles up to there, in the same orders."""
    orders = np.array([np.random.default_rng(k).permutation(24) for k in range(3)], dtype=np.int32)
    steps, rated = elo_trajectory(tournament, every=every, orders=orders)
    assert steps.tolist() == [*range(0, 24, every), 24]
    assert (rated[0] == 1000.0).all()
    for battles, ratings in zip(steps[1:], rated[1:], strict=True):
        expected = elo(tournament, orders=orders[:, :battles]).ratings
        # Contestants without a battle so far are where they started.
        assert ratings == pytest.approx(np.nan_to_num(expected, nan=1000.0))


def test_a_trajectory_needs_steps():
    """Zero battles between two steps are refused."""
    with pytest.raises(DataError, match="every must be at least 1 battle, not 0"):
        elo_trajectory(round_robin([1] * 12), every=0)


def test_a_reviewer_without_weight_moves_no_rating():
    """Weights scale the steps: a reviewer with weight 0 does not change ratings."""
    one = [battle("x", "a", "b", -1, "q")] * 3
    other = [battle("y", "a", "b", 1, "q")] * 3
    found = elo(collect([*one, *other]), weights=np.array([1.0, 0.0]), orders=5).ratings
    # Of two reviewers one of weight 1 counts double (Algorithm 1 scales the mean weight to 1).
    rating = {"a": 1000.0, "b": 1000.0}
    for _ in range(3):
        chance = 1 / (1 + 10 ** ((rating["b"] - rating["a"]) / 400))
        rating["a"] += 64 * (1 - chance)
        rating["b"] -= 64 * (1 - chance)
    assert found.tolist() == pytest.approx(np.array([[rating["a"], rating["b"]]] * 5))


@given(tournaments)
@settings(max_examples=25)
def test_bradley_terry_is_that_of_choix_and_evalica(tournament: Tournament):
    """choix, evalica and this package find the same maximum-likelihood strengths."""
    try:
        found = bradley_terry(tournament)
    except DataError:
        return
    size = len(NAMES)
    points = np.zeros((size, size))
    for first, second, score in zip(
        tournament.first, tournament.second, tournament.score, strict=True
    ):
        points[first, second] += (1 - score) / 2
        points[second, first] += (1 + score) / 2
    natural = choix.ilsr_pairwise_dense(points, max_iter=10000)
    assert found == pytest.approx(1000 + 400 / math.log(10) * natural, abs=1e-2)
    theirs = evalica.bradley_terry(*as_evalica(tournament), tolerance=1e-12, limit=10000).scores
    logs = np.log([theirs[name] for name in tournament.contestants])
    assert found == pytest.approx(1000 + 400 / math.log(10) * (logs - logs.mean()), abs=1e-2)


def test_a_contestant_that_never_scores_has_no_finite_strength():
    """A contestant without a point has no finite strength, except with a prior."""
    lost = round_robin([-1 if "ann" in pair[:1] else 1 if "ann" in pair else 0 for pair in SHOWN])
    with pytest.raises(DataError, match="no finite Bradley-Terry"):
        bradley_terry(lost)
    weak, strong = bradley_terry(lost, prior=2.0), bradley_terry(lost, prior=0.1)
    assert 1000 < weak[0] < strong[0]
    assert weak.mean() == pytest.approx(1000)
    ranked = rank(lost, scoring=Scoring.BRADLEY_TERRY, prior=2.0).contestants
    assert [ranked[name].score for name in NAMES] == pytest.approx(weak.tolist())
    with pytest.raises(DataError, match="of at least 0, not -1"):
        bradley_terry(lost, prior=-1.0)


@given(tournaments, st.sampled_from(Scoring), st.permutations(NAMES))
@settings(max_examples=20)
def test_scores_follow_their_owners_through_renaming(tournament, scoring, names):
    """Scores do not depend on the names of contestants."""
    new = dict(zip(NAMES, names, strict=True))
    other = collect(rename(tournament, new))
    try:
        before = rank(tournament, scoring=scoring, orders=20, bootstrap=0).contestants
    except DataError:
        return
    after = rank(other, scoring=scoring, orders=20, bootstrap=0).contestants
    for name, standing in before.items():
        assert after[new[name]].score == pytest.approx(standing.score, abs=1e-6)
        assert after[new[name]].rank == standing.rank


def test_equal_scores_share_a_rank():
    """Two contestants with equal scores are both second, and none is third."""
    scores = {("ann", "dan"): -1, ("ann", "bob"): -1, ("ann", "cy"): -1, ("bob", "dan"): -1}
    scores |= {("cy", "dan"): -1, ("bob", "cy"): 0}
    found = rank(round_robin([scores.get(p, -scores.get(p[::-1], 0)) for p in SHOWN]))
    ranks = {name: one.rank for name, one in found.contestants.items()}
    assert ranks == {"ann": 1, "bob": 2, "cy": 2, "dan": 4}


def test_unreadable_verdicts_are_counted_and_left_out():
    """Unreadable verdicts are not ties: they are excluded from the ranking and counted."""
    battles = [battle("r", "a", "b", score, "q") for score in (-1, None, None)]
    found = rank(collect(battles))
    assert found.contestants["a"].score == 1.0
    assert (found.reviews, found.unreadable) == (1, 2)
    with pytest.raises(DataError, match="none of the 2 has a readable verdict"):
        rank(collect(battles[1:]))


@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize("bootstrap", [0, 20])
def test_a_contestant_without_readable_battles_has_no_score(scoring: Scoring, bootstrap: int):
    """A contestant without readable battles comes last without score or bounds."""
    battles = [
        battle("a", "a", "b", -1, "q1"),
        battle("b", "a", "b", 0, "q1"),
        battle("a", "a", "c", None, "q2"),
    ]
    found = rank(
        collect(battles), scoring=scoring, weights="peer", scheme=Scheme.DAMPED, bootstrap=bootstrap
    )
    document = ranking_document(found)
    silent = document["contestants"]["c"]
    assert (silent["score"], silent["rank"], silent["low"], silent["high"]) == (None, 3, None, None)
    assert document["contestants"]["a"]["rank"] == 1


mixed = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(SHOWN), st.sampled_from([-1, 0, 1])),
    min_size=30,
    max_size=30,
).map(
    lambda rows: collect(
        battle(judge, one, two, score, f"q{k % 6}")
        for k, (judge, (one, two), score) in enumerate(rows)
    )
)


@given(mixed, st.sampled_from(Scoring), st.sampled_from(["equal", "peer"]))
@settings(max_examples=25)
def test_bounds_hold_the_score_and_ranks_their_rank(tournament, scoring, weights):
    """The interval contains the estimate, and low is never above high."""
    try:
        found = rank(
            tournament,
            scoring=scoring,
            weights=weights,
            scheme=Scheme.DAMPED,
            bootstrap=80,
            orders=20,
        )
    except DataError:
        return
    for standing in found.contestants.values():
        assert standing.low <= standing.high
        assert 1 <= standing.rank_low <= standing.rank_high <= 4
    inside = [s.low <= s.score <= s.high for s in found.contestants.values()]
    assert sum(inside) >= len(inside) - 1


def test_resampling_draws_questions_with_all_their_reviews():
    """Repeated reviews of the same questions do not narrow the intervals."""
    random = np.random.default_rng(0)
    scores = [int(random.choice([-1, 0, 1])) for _ in range(12 * 20)]
    once = round_robin(scores)
    thrice = collect(battle for battle in list_battles(once) for _ in range(3))
    kwargs = {"scoring": Scoring.WIN_RATE, "weights": np.ones(1), "samples": 300}
    assert bootstrap(once, **kwargs).scores == pytest.approx(bootstrap(thrice, **kwargs).scores)


def test_a_sample_is_the_ranking_of_the_questions_drawn():
    """With one question every resample is the tournament itself."""
    single = round_robin([-1, 0, 1, 1, -1, 0, -1, -1, 1, 0, 1, 1])
    for scoring in (Scoring.WIN_RATE, Scoring.BRADLEY_TERRY):
        samples = bootstrap(single, scoring=scoring, weights=np.ones(1), samples=3).scores
        score = {name: s.score for name, s in rank(single, scoring=scoring).contestants.items()}
        assert samples.tolist() == pytest.approx(np.array([[score[name] for name in NAMES]] * 3))


def test_two_reviewers_who_each_prefer_the_other_find_no_elo_weights():
    """Min-max of two ratings gives 0 and 1, so two reviewers that prefer each other oscillate."""
    battles = [
        battle(judge, "ann", "bob", score, f"q{k}")
        for judge, score in (("ann", 1), ("bob", -1))
        for k in range(30)
    ]
    tournament = collect(battles)
    with pytest.raises(ConvergenceError, match="use scheme 'damped'"):
        elo_peer(tournament, orders=20)
    assert rank(tournament, scoring=Scoring.ELO, weights="peer", scheme=Scheme.DAMPED, orders=20)


def draw_panel(seed: int) -> Tournament:
    """Three reviewers, who are the contestants, with a random verdict on each pair of three questions."""
    random = np.random.default_rng(seed)
    return collect(
        battle(judge, one, two, int(random.choice([-1, 0, 1])), f"q{number}")
        for number in range(3)
        for judge in NAMES[:3]
        for one, two in itertools.combinations(NAMES[:3], 2)
    )


def test_orders_of_battles_that_do_not_settle_are_counted_and_kept():
    """In 7 of 40 orders the Elo peer weights oscillate; they count with their last weights."""
    panel = draw_panel(6)
    played = elo_peer(panel, orders=40)
    assert played.unsettled.sum() == 7
    found = rank(panel, scoring=Scoring.ELO, weights="peer", orders=40, bootstrap=0)
    means = dict(zip(panel.reviewers, played.weights.mean(axis=0), strict=True))
    assert found.weights.weights == pytest.approx(means)
    assert not found.weights.converged
    assert ranking_document(found)["unsettled_orders"] == 7
    assert "; 7 of 40 orders of the battles did not settle and count with their last" in (
        describe_ranking(found, orders=40, bootstrap=0)
    )


def test_elo_peer_weights_need_half_of_the_orders_to_settle():
    """Where 33 of 40 orders oscillate, there are no weights, and the error has both numbers."""
    with pytest.raises(ConvergenceError, match=r"in 33 of 40 orders of the battles .* 'damped'"):
        rank(draw_panel(43), scoring=Scoring.ELO, weights="peer", orders=40)


def test_only_elo_with_its_own_peer_weights_has_orders_that_may_not_settle():
    """Equal and damped weights are not found within the orders, and win rates have none: no count."""
    panel = draw_panel(6)
    for scoring in (Scoring.ELO, Scoring.WIN_RATE):
        kwargs = {"scoring": scoring, "orders": 10, "bootstrap": 0}
        assert rank(panel, **kwargs).unsettled_orders is None
        damped = rank(panel, weights="peer", scheme=Scheme.DAMPED, **kwargs)
        assert damped.unsettled_orders is None
    settled = rank(draw_panel(0), scoring=Scoring.ELO, weights="peer", orders=40, bootstrap=0)
    assert (settled.unsettled_orders, settled.weights.converged) == (0, True)


def test_an_elo_ranking_says_how_far_the_order_of_the_battles_moves_a_rating():
    """`between_orders` is the deviation of `elo` by contestant; a win rate has no order of battles."""
    battles = [
        battle("eve", "ann", "bob", score, f"q{k}")
        for k, score in enumerate([-1, -1, 1, 0, -1, 1, -1])
    ]
    tournament = collect(battles)
    found = rank(tournament, scoring=Scoring.ELO, orders=50, bootstrap=20)
    expected = elo(tournament, orders=50).ratings.std(axis=0, ddof=1)
    assert found.between_orders == pytest.approx(
        dict(zip(tournament.contestants, expected, strict=True))
    )
    assert rank(tournament, bootstrap=20).between_orders is None


def test_the_document_has_the_promised_keys():
    """`rank --json` is a contract: these keys, weights that sum to 1, nulls where there is nothing."""
    battles = [
        battle(judge, "ann", "bob", score, "q")
        for judge, score in (("ann", -1), ("bob", -1), ("eve", None))
    ]
    document = ranking_document(rank(collect(battles), weights="peer"))
    promised = """scoring weighting scheme reviewers contestants groups weights contestant_of
        iterations residual converged reviews unreadable outranks weight_bounds between_orders
        unsettled_orders questions resamples unsettled propped by_opponent light_pairs"""
    assert list(document) == promised.split()
    unbounded = dict.fromkeys(("low", "high", "rank_low", "rank_high"))
    assert document["contestants"]["ann"] == {"score": 1.0, "rank": 1, **unbounded}
    assert (document["outranks"], document["weight_bounds"]) == (None, None)
    assert sum(document["weights"].values()) == pytest.approx(1.0)
    assert (document["weighting"], document["scheme"]) == ("peer", "prd")
    assert document["reviewers"] == ["ann", "bob", "eve"]
    equal = ranking_document(rank(collect(battles), weights="equal"))
    assert (equal["weighting"], equal["scheme"], equal["iterations"]) == ("equal", None, 0)
    uneven = {"ann": 3.0, "bob": 1.0, "eve": 0.0}
    assert ranking_document(rank(collect(battles), weights=uneven))["weighting"] == "given"
