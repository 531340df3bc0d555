"""Battles without kin, and battles settled by the weighted majority of a panel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.analysis import build_tournament, collect_reviews
from peerjudge.data import Battle, Tournament
from peerjudge.errors import DataError
from peerjudge.ranking import (
    PANEL,
    collect,
    majority_verdicts,
    peer_rank,
    without_family,
)
from tests.ranking.battles import list_battles

PEERS = ("ann", "bob", "cy")

tournaments = st.lists(
    st.builds(
        lambda reviewer, names, score, question: Battle.scored(
            question=question, reviewer=reviewer, first=names[0], second=names[1], score=score
        ),
        st.sampled_from([*PEERS, "eve"]),
        st.permutations(PEERS),
        st.sampled_from([-1, 0, 1, None]),
        st.sampled_from(["q1", "q2"]),
    ),
    min_size=1,
    max_size=30,
).map(collect)


def battles(tournament: Tournament) -> list[tuple[str, str, str, str, int | None]]:
    """All battles as tuples of names."""
    found = list_battles(tournament)
    return [(one.question, one.reviewer, one.first, one.second, one.score) for one in found]


@given(tournaments, st.dictionaries(st.sampled_from([*PEERS, "eve"]), st.sampled_from(["x", ""])))
@settings(max_examples=60)
def test_battles_of_the_reviewers_family_are_removed(
    tournament: Tournament, families: dict[str, str]
):
    """Exactly the battles without a contestant of the reviewer's family remain."""

    def kind(name: str) -> tuple[str, str]:
        return ("family", families[name]) if families.get(name) else ("name", name)

    found = without_family(tournament, families)
    expected = [
        battle
        for battle in battles(tournament)
        if kind(battle[1]) not in (kind(battle[2]), kind(battle[3]))
    ]
    assert battles(found) == expected
    assert found.contestants == tournament.contestants


@given(tournaments, st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4))
@settings(max_examples=60)
def test_a_majority_is_the_sign_of_the_weighted_mean(tournament: Tournament, worth: list[float]):
    """There is one battle per question and ordered pair, without zero weights and unreadable verdicts."""
    weights = dict(zip([*PEERS, "eve"], worth, strict=True))
    found = {
        battle[:1] + battle[2:4]: battle[4]
        for battle in battles(majority_verdicts(tournament, weights))
    }
    expected: dict[tuple[str, str, str], int | None] = {}
    for key in {battle[:1] + battle[2:4] for battle in battles(tournament)}:
        total, voices = 0.0, 0.0
        for name, weight in weights.items():
            said = [
                battle[4]
                for battle in battles(tournament)
                if battle[:1] + battle[2:4] == key and battle[1] == name and battle[4] is not None
            ]
            if said and weight > 0.0:
                total += weight * sum(said) / len(said)
                voices += weight
        sign = 0 if abs(total) <= 1e-9 * voices else 1 if total > 0 else -1
        expected[key] = sign if voices else None
    assert found == expected


@given(tournaments)
@settings(max_examples=40)
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
            Battle.scored(question=question, reviewer=name, first="a", second="b", score=score)
            for question, scores in (("q1", (1, 1, -1)), ("q2", (1, -1)), ("q3", (None,)))
            for name, score in zip(PEERS, scores, strict=False)
        )
    )
    assert [battle[4] for battle in battles(found)] == [1, 0, None]
    assert found.reviewers == (PANEL,)


def test_every_reviewer_needs_a_weight():
    """A missing or negative weight is an error."""
    tournament = collect(
        [Battle.scored(question="q", reviewer="ann", first="a", second="b", score=1)]
    )
    for weights in ({}, {"ann": -1.0}, {"ann": float("nan")}):
        with pytest.raises(DataError, match="weight of at least 0 for every reviewer"):
            majority_verdicts(tournament, weights)


def test_the_weighted_majority_of_the_five_models_is_right_1077_times(vicuna):
    """PRD Table 3: the peer-weighted panel agrees with people on 67.31 percent of 1600 battles."""
    reviews = build_tournament(collect_reviews(vicuna))
    settled = majority_verdicts(reviews, peer_rank(reviews).weights)
    people = build_tournament(collect_reviews(vicuna), reviewers=vicuna.humans)
    golds = {(q, one, other): score for q, _, one, other, score in battles(people)}
    golds |= {(q, other, one): -score for (q, one, other), score in golds.items()}
    assert len(settled) == 1600
    right = sum(golds[q, one, other] == score for q, _, one, other, score in battles(settled))
    assert right == 1077
    assert np.all(settled.readable)
