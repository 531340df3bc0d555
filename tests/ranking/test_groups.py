"""Contestants that no battles connect are not ranked against each other."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.errors import DataError, UnconnectedError
from peerjudge.ranking import (
    collect,
    find_groups,
    peer_rank,
    rank,
    ranking_document,
    review_graph,
    without_family,
)
from peerjudge.results.contestants import build_ranking_tables
from tests.ranking.battles import battle, list_battles


def play(*pairs: str, judges: str = "xy") -> Tournament:
    """The first of each pair wins on three questions of four, the same for every judge."""
    return collect(
        battle(judge, pair[0], pair[1], score, f"q{k}")
        for pair in pairs
        for judge in judges
        for k, score in enumerate([-1, -1, -1, 1])
    )


@pytest.mark.parametrize("scoring", Scoring)
def test_groups_that_never_met_are_ranked_apart(scoring: Scoring):
    """Each group has its own first rank, and no contestant outranks one of another group."""
    found = rank(play("ab", "bc", "de"), scoring=scoring, orders=60, bootstrap=30)
    assert found.groups == (("a", "b", "c"), ("d", "e"))
    ranks = {name: one.rank for name, one in found.contestants.items()}
    assert ranks == {"a": 1, "b": 2, "c": 3, "d": 1, "e": 2}
    assert list(ranks) == ["a", "b", "c", "d", "e"]
    assert found.outranks["d"].keys() == {"e"}
    assert max(one.rank_high or 0 for one in found.contestants.values()) <= 3
    assert ranking_document(found)["groups"] == [["a", "b", "c"], ["d", "e"]]


def test_bradley_terry_strengths_of_groups_have_the_same_mean():
    """Each group is estimated alone, with mean 1000 and the strengths it would have alone."""
    both = rank(play("ab", "bc", "de"), scoring=Scoring.BRADLEY_TERRY, bootstrap=0)
    for group in ("abc", "de"):
        assert np.mean([both.contestants[name].score for name in group]) == pytest.approx(1000)
    alone = rank(play("de"), scoring=Scoring.BRADLEY_TERRY, bootstrap=0)
    assert both.contestants["d"].score == pytest.approx(alone.contestants["d"].score)


def test_a_contestant_without_a_battle_is_in_no_group():
    """It ranks last without a score, after the groups."""
    unread = battle("x", "a", "f", None, "q0")
    found = rank(
        collect([unread, *list_battles(play("ab", "de"))]), scoring=Scoring.WIN_RATE, bootstrap=20
    )
    assert found.groups == (("a", "b"), ("d", "e"))
    assert list(found.contestants)[-1] == "f"
    assert np.isnan(found.contestants["f"].score)


def test_the_table_names_the_groups():
    """The printed ranking has a column of groups and names their members."""
    standings = build_ranking_tables(rank(play("ab", "de"), bootstrap=0))[0]
    assert "a, b; d, e" in standings.note
    whole = build_ranking_tables(rank(play("ab", "bc"), bootstrap=0))[0]
    assert whole.note == ""


def test_reviewers_that_never_met_get_no_peer_weights():
    """A weight is a score as a contestant, and scores of two groups have no common measure."""
    apart = play("ab", "cd", judges="abcd")
    with pytest.raises(DataError, match=r"no battles connect.*: a, b; c, d"):
        peer_rank(apart)
    for scoring in Scoring:
        for scheme in Scheme:
            with pytest.raises(UnconnectedError, match="no battles connect"):
                rank(apart, weights="peer", scoring=scoring, scheme=scheme)
    # Only two reviewers of the same group are contestants: the other group does not matter.
    assert peer_rank(play("ab", "cd", judges="abx")).converged


@pytest.mark.parametrize("scheme", Scheme)
def test_the_graph_of_a_tournament_has_all_that_weights_need(scheme: Scheme):
    """Weights from the graph equal those from the battles, with and without self-reviews."""
    random = np.random.default_rng(3)
    battles = [
        battle(judge, one, other, score, f"q{k}")
        for k in range(12)
        for judge in "abcx"
        for one, other in ("ab", "bc", "ac", "cd")
        for score in [random.choice([-1, -1, -1, -1, -1, 0, 1, None])]
    ]
    for tournament in (collect(battles), without_family(collect(battles), {})):
        played = review_graph(tournament)
        assert isinstance(played, nx.MultiDiGraph)
        expected = peer_rank(tournament, scheme=scheme)
        found = peer_rank(played, scheme=scheme)
        assert found.weights == pytest.approx(expected.weights)
        assert found.iterations == expected.iterations


def test_groups_are_the_components_of_the_graph():
    """They are those that networkx finds, the largest first."""
    random = np.random.default_rng(5)
    for _ in range(50):
        met = random.random((9, 9)) < 0.12
        met = (met | met.T) & ~np.eye(9, dtype=np.bool_)
        expected = [
            sorted(part)
            for part in nx.connected_components(nx.from_numpy_array(met))
            if len(part) > 1
        ]
        found = [group.tolist() for group in find_groups(met)]
        assert sorted(found) == sorted(expected)
        assert [len(group) for group in found] == sorted(map(len, found), reverse=True)


def test_an_edge_without_battles_is_refused():
    """A graph that was not built from a tournament is refused with the edge."""
    wrong = nx.MultiDiGraph()
    wrong.add_edge("a", "b", key="x", points=1.0)
    with pytest.raises(DataError, match="'a' to 'b' by 'x' needs points and battles"):
        peer_rank(wrong)
