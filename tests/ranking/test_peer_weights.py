from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Scheme, Tournament, replace
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.ranking import collect, given_weights, peer_rank, win_rates, without_family
from tests.ranking.battles import PEERS, battle, list_battles, rename, tournaments


def mirrored(tournament: Tournament) -> Tournament:
    """The same tournament with both answers of every battle shown the other way round."""
    return replace(
        tournament,
        first=tournament.second,
        second=tournament.first,
        score=(-tournament.score).astype(np.int8),
    )


def doubled(tournament: Tournament) -> Tournament:
    """The same tournament with every battle twice."""
    return collect(list_battles(tournament) * 2)


@given(tournaments)
def test_both_contestants_of_a_pair_share_one_point(tournament: Tournament):
    """Win rates over all reviewers and opponents add up to half the battles."""
    found = win_rates(tournament)
    readable = int(tournament.readable.sum())
    assert found.points.sum() == readable
    assert found.battles.sum() == 2 * readable


@given(tournaments)
@settings(max_examples=25)
def test_self_reviews_can_be_left_out(tournament: Tournament):
    """Without self-reviews, no battle counts in which the reviewer is a contestant."""
    own = [one.reviewer in (one.first, one.second) for one in list_battles(tournament)]
    others = win_rates(replace(tournament, readable=tournament.readable & ~np.array(own)))
    found = win_rates(without_family(tournament, {}))
    assert found.points.tolist() == others.points.tolist()
    assert found.battles.tolist() == others.battles.tolist()


def test_counting_by_cells_and_by_rows_agree():
    """A tournament too large for one table of cells has the same counts."""
    size = 130
    random = np.random.default_rng(1)
    first = random.integers(0, size, 5000, dtype=np.int32)
    names = tuple(f"n{k:03}" for k in range(size))
    large = Tournament(
        questions=("q",),
        reviewers=names,
        contestants=names,
        question=np.zeros(5000, dtype=np.int32),
        reviewer=random.integers(0, size, 5000, dtype=np.int32),
        first=first,
        second=((first + 1) % size).astype(np.int32),
        score=random.integers(-1, 2, 5000).astype(np.int8),
        readable=random.random(5000) < 0.9,
    )
    found, mirror = win_rates(large), win_rates(mirrored(large))
    assert found.points.sum() == large.readable.sum()
    assert found.points.tolist() == mirror.points.tolist()
    small = replace(large.where(large.reviewer < 3), reviewers=names[:3])
    assert win_rates(small).points.tolist() == found.points[:3].tolist()
    assert win_rates(small).battles.tolist() == found.battles[:3].tolist()
    apart = win_rates(without_family(large, {}))
    alone = win_rates(without_family(small, {}))
    assert alone.points.tolist() == apart.points[:3].tolist()


@given(tournaments)
def test_damped_weights_are_positive_and_sum_to_one(tournament: Tournament):
    """Under the damped scheme every reviewer with a readable battle has a positive weight."""
    found = peer_rank(tournament, scheme=Scheme.DAMPED)
    weights = list(found.weights.values())
    assert sum(weights) == pytest.approx(1.0)
    read = {tournament.reviewers[k] for k in tournament.reviewer[tournament.readable]}
    known = [found.weights[name] for name in read or tournament.reviewers]
    assert min(known) >= 0.15 / len(known) - 1e-12
    assert sum(known) == pytest.approx(1.0)
    assert found.converged


@given(tournaments)
def test_prd_weights_are_not_negative_and_sum_to_one(tournament: Tournament):
    """If Equation 2 converges, its weights are shares."""
    try:
        weights = list(peer_rank(tournament).weights.values())
    except ConvergenceError:
        return
    assert sum(weights) == pytest.approx(1.0)
    assert min(weights) >= 0.0


@given(tournaments, st.permutations([*PEERS, "eve"]), st.sampled_from(Scheme))
@settings(max_examples=30)
def test_weights_follow_their_owners_through_renaming(tournament, names, scheme):
    """Weights do not depend on the names of reviewers and contestants."""
    new = dict(zip([*PEERS, "eve"], names, strict=True))
    try:
        before = peer_rank(tournament, scheme=scheme, tolerance=1e-12).weights
        after = peer_rank(collect(rename(tournament, new)), scheme=scheme, tolerance=1e-12).weights
    except ConvergenceError:
        return
    assert {new[name]: weight for name, weight in before.items()} == pytest.approx(after, abs=1e-6)


@given(tournaments, st.sampled_from(Scheme), st.sampled_from([mirrored, doubled]))
def test_weights_ignore_the_shown_order_and_the_amount_of_data(tournament, scheme, change):
    """Swapping both answers with their score, or judging everything twice, changes nothing."""
    try:
        before = peer_rank(tournament, scheme=scheme).weights
    except ConvergenceError:
        return
    assert peer_rank(change(tournament), scheme=scheme).weights == pytest.approx(before)


@given(
    st.lists(st.sampled_from([-1, 0, 1]), min_size=18, max_size=18),
    st.floats(0.0, 0.95),
)
def test_damped_weights_are_pagerank_on_the_win_rates(scores: list[int], damping: float):
    """Damped weights equal PageRank on the graph of win rates."""
    shown = [(judge, *pair) for judge in PEERS for pair in itertools.permutations(PEERS, 2)]
    tournament = collect(battle(*who, score) for who, score in zip(shown, scores, strict=True))
    found = peer_rank(tournament, scheme=Scheme.DAMPED, damping=damping, tolerance=1e-13).weights
    web = nx.from_numpy_array(win_rates(tournament).rates, create_using=nx.DiGraph)
    expected = nx.pagerank(web, alpha=damping, tol=1e-13, max_iter=5000)
    assert list(found.values()) == pytest.approx([expected[k] for k in range(3)], abs=1e-9)


def test_an_oscillating_tournament_raises_and_names_the_damped_scheme():
    """If Equation 2 oscillates, it raises, and the damped scheme converges."""
    pairs = (("ann", "bob"), ("ann", "cy"), ("bob", "cy"))
    scores = {"ann": (-1, -1, -1), "bob": (-1, 1, 1), "cy": (-1, -1, -1)}
    swinging = collect(
        battle(reviewer, *pair, score)
        for reviewer, given_scores in scores.items()
        for pair, score in zip(pairs, given_scores, strict=True)
    )
    with pytest.raises(ConvergenceError, match=r"after 1000 iterations .* use scheme 'damped'"):
        peer_rank(swinging)
    assert peer_rank(swinging, scheme=Scheme.DAMPED).converged


def test_a_reviewer_that_is_no_contestant_weighs_the_mean():
    """A reviewer that is not a contestant gets the mean weight and does not change the other ratios."""
    inside = [battle(judge, "ann", "bob", -1) for judge in ("ann", "bob")]
    inside += [battle(judge, "ann", "cy", -1) for judge in ("ann", "bob", "cy")]
    inside += [battle(judge, "bob", "cy", score) for judge, score in (("ann", -1), ("cy", 0))]
    for scheme in Scheme:
        weights = peer_rank(collect([*inside, battle("eve", "ann", "bob", -1)]), scheme=scheme)
        peers = [weights.weights[name] for name in PEERS]
        assert weights.weights["eve"] == pytest.approx(sum(peers) / 3)


@pytest.mark.parametrize("scheme", Scheme)
def test_without_a_difference_all_weigh_the_same(scheme: Scheme):
    """Ties everywhere, or reviewers none of whom is a contestant, leave equal weights."""
    ties = collect(battle(judge, "ann", "bob", 0) for judge in ("ann", "bob"))
    assert peer_rank(ties, scheme=scheme).weights == pytest.approx({"ann": 0.5, "bob": 0.5})
    outsiders = collect(battle(judge, "ann", "bob", -1) for judge in ("eve", "dan"))
    assert peer_rank(outsiders, scheme=scheme).weights == pytest.approx({"dan": 0.5, "eve": 0.5})
    alone = collect([battle("ann", "ann", "bob", 1)])
    assert peer_rank(alone, scheme=scheme).weights == {"ann": 1.0}


def test_a_contestant_is_scored_by_those_who_saw_it():
    """A reviewer that never saw a contestant does not affect its score."""
    seen = [battle(judge, "ann", "bob", -1) for judge in PEERS]
    tournament = collect([*seen, battle("bob", "bob", "cy", -1)])
    rates = win_rates(tournament).rates
    assert np.isnan(rates[0, 2])
    assert rates[1].tolist() == [1.0, 0.5, 0.0]
    assert peer_rank(tournament).weights["ann"] > peer_rank(tournament).weights["bob"]


def test_invalid_weights_raise():
    """Weights must exist for every reviewer, be non-negative and not all zero."""
    assert given_weights(["a", "b"], {"a": 1, "b": 3}).weights == {"a": 0.25, "b": 0.75}
    for wrong in ({"a": 1.0}, {"a": -1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}):
        with pytest.raises(DataError, match="weight"):
            given_weights(["a", "b"], wrong)
    with pytest.raises(DataError, match="damping"):
        peer_rank(collect([battle("a", "b", "c", 0)]), scheme=Scheme.DAMPED, damping=1.0)
    with pytest.raises(DataError, match="no reviews"):
        peer_rank(collect([]))


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("credited", ["itself", "the other"])
def test_two_who_credit_only_one_side_each_stay_equal(scheme: Scheme, credited: str):
    """Two reviewers that give every win to themselves, or to the other, have equal weights."""
    played = collect(
        battle(judge, "ann", "bob", score if credited == "itself" else -score, f"q{k}")
        for judge, score in (("ann", -1), ("bob", 1))
        for k in range(5)
    )
    found = peer_rank(played, scheme=scheme)
    assert found.weights == pytest.approx({"ann": 0.5, "bob": 0.5})


def test_one_lost_battle_breaks_the_tie_between_two_who_credit_themselves():
    """Min-max gives all the weight to the leading reviewer; the damped scheme keeps both."""
    played = [battle("ann", "ann", "bob", -1, f"q{k}") for k in range(5)]
    played += [battle("bob", "ann", "bob", 1 if k else -1, f"q{k}") for k in range(5)]
    assert peer_rank(collect(played)).weights == pytest.approx({"ann": 1.0, "bob": 0.0})
    damped = peer_rank(collect(played), scheme=Scheme.DAMPED).weights
    assert 0.5 < damped["ann"] < 1.0
    assert damped["bob"] > 0.07


@given(tournaments)
@settings(max_examples=25)
def test_people_judge_with_the_mean_weight(tournament: Tournament):
    """A reviewer without answers of its own gets the mean weight of the others."""
    people = battle("human", "ann", "bob", -1, "q1")
    found = peer_rank(collect([*list_battles(tournament), people]), scheme=Scheme.DAMPED).weights
    assert sum(found.values()) == pytest.approx(1.0)
    read = {tournament.reviewers[k] for k in tournament.reviewer[tournament.readable]}
    assert min(found[name] for name in {*read, "human"}) > 0.0
    try:
        strict = peer_rank(collect([*list_battles(tournament), people])).weights
    except ConvergenceError:
        return
    own = [weight for name, weight in strict.items() if name in read & {*PEERS}]
    if own:
        assert strict["human"] == pytest.approx(sum(own) / len(own))
