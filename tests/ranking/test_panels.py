"""Battles without kin, and battles settled by the weighted majority of a panel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Tournament
from peerjudge.errors import DataError
from peerjudge.ranking import PANEL, collect, majority_verdicts, peer_rank, without_family
from tests.ranking.battles import PEERS, battle, list_battles, tournaments


def battles(tournament: Tournament) -> list[tuple[str, str, str, str, int | None]]:
    """All battles as tuples of names."""
    return [
        (one.question, one.reviewer, one.first, one.second, one.score)
        for one in list_battles(tournament)
    ]


@given(tournaments, st.dictionaries(st.sampled_from([*PEERS, "eve"]), st.sampled_from(["x", ""])))
@settings(max_examples=30)
def test_battles_of_the_reviewers_family_are_removed(tournament, families):
    """Exactly the battles without a contestant of the reviewer's family remain."""

    def kind(name: str) -> tuple[str, str]:
        return ("family", families[name]) if families.get(name) else ("name", name)

    found = without_family(tournament, families)
    assert list_battles(found) == [
        one
        for one in list_battles(tournament)
        if kind(one.reviewer) not in (kind(one.first), kind(one.second))
    ]
    assert found.contestants == tournament.contestants


@given(tournaments, st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4))
@settings(max_examples=30)
def test_a_majority_is_the_sign_of_the_weighted_mean(tournament: Tournament, worth: list[float]):
    """There is one battle per question and ordered pair, without zero weights and unreadable verdicts."""
    weights = dict(zip([*PEERS, "eve"], worth, strict=True))
    votes: dict[tuple[str, str, str], dict[str, list[int]]] = {}
    for question, name, first, second, score in battles(tournament):
        said = votes.setdefault((question, first, second), {}).setdefault(name, [])
        said += [score] if score is not None else []
    expected: dict[tuple[str, str, str], int | None] = {}
    for key, by_name in votes.items():
        heard = {name: said for name, said in by_name.items() if said and weights[name] > 0.0}
        total = sum(weights[name] * sum(said) / len(said) for name, said in heard.items())
        small = 1e-9 * sum(weights[name] for name in heard)
        expected[key] = ((total > small) - (total < -small)) if heard else None
    found = battles(majority_verdicts(tournament, weights))
    assert {(one[0], *one[2:4]): one[4] for one in found} == expected


@given(tournaments)
@settings(max_examples=25)
def test_a_majority_does_not_see_the_scale_of_weights_or_copies(tournament: Tournament):
    """Doubling all weights, or every battle, does not change the majority."""
    once = battles(majority_verdicts(tournament))
    assert battles(majority_verdicts(tournament, dict.fromkeys(tournament.reviewers, 7.0))) == once
    twice = collect(list_battles(tournament) * 2)
    assert battles(majority_verdicts(twice)) == once


def test_a_majority_is_ascribed_to_the_panel():
    """Two against one decide, an even split ties, and unreadable verdicts leave the battle unreadable."""
    found = majority_verdicts(
        collect(
            battle(name, "a", "b", score, question)
            for question, scores in (("q1", (1, 1, -1)), ("q2", (1, -1)), ("q3", (None,)))
            for name, score in zip(PEERS, scores, strict=False)
        )
    )
    assert [battle[4] for battle in battles(found)] == [1, 0, None]
    assert found.reviewers == (PANEL,)


def test_every_reviewer_needs_a_weight():
    """A missing or negative weight is an error."""
    tournament = collect([battle("ann", "a", "b", 1)])
    for weights in ({}, {"ann": -1.0}, {"ann": float("nan")}):
        with pytest.raises(DataError, match="weight of at least 0 for every reviewer"):
            majority_verdicts(tournament, weights)


def test_the_weighted_majority_of_the_five_models_is_right_1077_times(reviews, humans):
    """PRD Table 3: the peer-weighted panel agrees with people on 67.31 percent of 1600 battles."""
    settled = majority_verdicts(reviews, peer_rank(reviews).weights)
    golds = {(q, one, other): score for q, _, one, other, score in battles(humans)}
    golds |= {(q, other, one): -score for (q, one, other), score in golds.items()}
    assert len(settled) == 1600
    right = sum(golds[q, one, other] == score for q, _, one, other, score in battles(settled))
    assert right == 1077
    assert np.all(settled.readable)
