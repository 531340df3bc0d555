"""Reviewers that judged different pairs: leaving out battles must not reverse a ranking."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from peerjudge.data import Scheme, Scoring, Tournament, replace
from peerjudge.ranking import (
    collect,
    peer_rank,
    rank,
    ranking_document,
    select,
    win_rates,
    without_family,
)
from peerjudge.ranking.tally import share_pairs
from tests.ranking.battles import battle

WON = {"ab": 12, "ac": 15, "ad": 15, "bc": 16, "bd": 16, "cd": 10}
"""Questions of twenty on which the first of the pair wins: A leads B, and B wins more against C and D."""


@cache
def planted(*, exclude: bool) -> Tournament:
    """Four contestants that review each other in perfect agreement, in both orders."""
    battles = [
        battle(judge, *shown, sign * score, f"q{k:02}")
        for pair, won in WON.items()
        for k in range(20)
        for judge in "abcd"
        for shown, sign in ((pair, 1), (pair[::-1], -1))
        for score in [-1 if (k * 7) % 20 < won else 1]
    ]
    tournament = collect(battles)
    return without_family(tournament, {}) if exclude else tournament


@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize(
    ("weights", "scheme"), [("equal", Scheme.PRD), ("peer", Scheme.PRD), ("peer", Scheme.DAMPED)]
)
def test_reviewers_that_agree_rank_alike_under_every_option(exclude, scoring, weights, scheme):
    """Where all reviewers agree, no weights and no exclusion of self-reviews change the order."""
    found = rank(
        planted(exclude=exclude),
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=100,
        bootstrap=40,
    )
    assert list(found.contestants)[:2] == ["a", "b"]
    assert found.outranks["a"]["b"] > 0.5
    if scoring is Scoring.WIN_RATE:
        scores = {name: standing.score for name, standing in found.contestants.items()}
        assert scores["a"] == pytest.approx(0.7)
        assert scores["b"] == pytest.approx(2 / 3)
        assert sum(scores.values()) == pytest.approx(2.0)


@pytest.mark.parametrize("scheme", Scheme)
def test_excluding_self_reviews_that_agree_keeps_the_weights(scheme: Scheme):
    """A reviewer gets the same weight without its own reviews, if these were as the others'."""
    whole, part = (peer_rank(planted(exclude=one), scheme=scheme) for one in (False, True))
    assert part.weights == pytest.approx(whole.weights)


def test_a_pair_left_to_reviewers_of_little_weight_is_named():
    """Without self-reviews the two best are compared by the others only, and the ranking says so."""
    found = rank(planted(exclude=True), weights="peer", bootstrap=0)
    assert found.by_opponent
    (light,) = [pair for pair in found.light_pairs if (pair.one, pair.other) == ("a", "b")]
    assert light.reviewers == ("c", "d")
    weights = found.weights.weights
    assert light.weight == pytest.approx(weights["c"] + weights["d"])
    assert ranking_document(found)["light_pairs"][0]["reviewers"] == ["c", "d"]
    even = rank(planted(exclude=False), weights="peer", bootstrap=0)
    assert not even.by_opponent
    assert even.light_pairs == ()


def test_reviewers_of_all_pairs_are_not_uneven():
    """An unreadable verdict, and a reviewer that was never readable, leave no pair out."""
    battles = [
        battle(judge, one, other, score, f"q{k}")
        for one, other in itertools.combinations("abc", 2)
        for k, score in enumerate([-1, 0, None])
        for judge in ("ann", "bob")
    ]
    mute = [battle("cy", "a", "b", None, "q0")]
    assert win_rates(collect(battles)).uneven is None
    assert win_rates(collect([*battles, *mute])).uneven is None
    missing = [one for one in battles if (one.reviewer, one.first) != ("bob", "b")]
    uneven = win_rates(collect(missing)).uneven
    assert uneven.judged[:, 1, 2].tolist() == [True, False]


def test_the_weights_of_a_pair_sum_to_one_over_its_judges():
    """Judges of a pair share all weight in proportion to theirs, alike where all of theirs is 0."""
    judged = np.ones((3, 2, 2), dtype=np.bool_)
    judged[0, 0, 1] = False
    found = share_pairs(np.array([[0.8, 0.15, 0.05], [1.0, 0.0, 0.0]]), judged)
    assert found[0, :, 0, 1] == pytest.approx([0.0, 0.151 / 0.202, 0.051 / 0.202])
    assert found[1, :, 0, 1] == pytest.approx([0.0, 0.5, 0.5])
    assert found[0, :, 1, 0] == pytest.approx(np.array([0.801, 0.151, 0.051]) / 1.003)


@pytest.mark.parametrize("scheme", Scheme)
def test_a_reviewer_that_was_never_readable_weighs_nothing(scheme: Scheme):
    """Its answers are good, but nothing is known of its reviews: weight 0, and no other weight moves."""
    whole = planted(exclude=False)
    mute = np.array([whole.reviewers[k] == "b" for k in whole.reviewer])
    silent = replace(whole, readable=whole.readable & ~mute)
    found = rank(silent, weights="peer", scheme=scheme, bootstrap=30)
    assert found.weights.weights["b"] == 0.0
    assert sum(found.weights.weights.values()) == pytest.approx(1.0)
    assert found.unreadable == int(mute.sum())
    assert peer_rank(silent, scheme=scheme).weights == pytest.approx(found.weights.weights)
    others = peer_rank(select(whole, reviewers=["a", "c", "d"]), scheme=scheme).weights
    assert {name: found.weights.weights[name] for name in "acd"} == pytest.approx(others)
    equal = rank(silent, bootstrap=0).weights.weights
    assert equal == pytest.approx({"a": 1 / 3, "b": 0.0, "c": 1 / 3, "d": 1 / 3})
