from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, strategies as st

from peerjudge.data import Battle
from peerjudge.errors import DataError
from peerjudge.ranking import collect, graph, select
from tests.ranking.battles import battle, drawn_battles, list_battles

battles = st.lists(drawn_battles, min_size=1, max_size=20)


@given(battles)
def test_collecting_keeps_every_battle_in_order(played: list[Battle]):
    """A tournament holds exactly the battles it was given, under sorted names."""
    found = collect(iter(played))
    assert list_battles(found) == played
    for names in (found.questions, found.reviewers, found.contestants):
        assert list(names) == sorted(set(names))


@pytest.mark.parametrize(("winner", "score"), [("ann", -1), ("tie", 0), ("bob", 1), (None, None)])
def test_a_battle_names_its_winner(winner: str | None, score: int | None):
    """The winner is a contestant; PRD's score follows from the shown order."""
    named = Battle(question="q", reviewer="r", first="ann", second="bob", winner=winner)
    assert named.score == score
    assert battle("r", "ann", "bob", score) == named


def test_a_winner_has_taken_part():
    """Other names, scores in place of a winner, and contestants called like a tie are refused."""
    shown = {"question": "q", "reviewer": "r", "first": "ann"}
    for winner in ("cy", -1, "a"):
        with pytest.raises(
            DataError, match="between 'ann' and 'bob' is one of them, 'tie' or None"
        ):
            Battle(**shown, second="bob", winner=winner)
    with pytest.raises(DataError, match="cannot be called 'tie'"):
        Battle(**shown, second="tie", winner="ann")
    with pytest.raises(DataError, match="score is -1, 0, \\+1 or None, not 2"):
        Battle.scored(**shown, second="bob", score=2)


def test_a_contestant_cannot_battle_itself():
    """Two answers by one author decide nothing between contestants."""
    with pytest.raises(DataError, match="'ann' battles itself"):
        collect([battle("r", "ann", "ann", 0)])


@given(battles)
def test_selecting_keeps_the_battles_of_the_named(played: list[Battle]):
    """A selection keeps all battles of the named and drops all others, names included."""
    whole = collect(played)
    some = whole.reviewers[:1]
    part = select(whole, reviewers=some)
    again = collect(one for one in played if one.reviewer in some)
    assert list_battles(part) == list_battles(again)
    for names in ("questions", "reviewers", "contestants"):
        assert getattr(part, names) == getattr(again, names)


@given(battles)
def test_a_graph_runs_from_loser_to_winner_and_keeps_every_point(played: list[Battle]):
    """Each readable battle gives one point; a tie gives half a point to each side."""
    tournament = collect(played)
    drawn = graph(tournament)
    total = sum(points for _, _, points in drawn.edges(data="points"))
    assert total == pytest.approx(sum(one.score is not None for one in played))
    for loser, winner, wins in drawn.edges(data="wins"):
        beaten = sum(
            (one.first, one.second, one.score) in ((winner, loser, -1), (loser, winner, 1))
            for one in played
        )
        assert wins == beaten
    assert set(drawn) == set(tournament.contestants)


def test_a_graph_weighs_points_by_their_reviewers():
    """A reviewer of weight 0 adds battles but no points."""
    tournament = collect([battle("ann", "ann", "bob", -1), battle("bob", "ann", "bob", 1)])
    drawn = graph(tournament, weights={"ann": 1.0, "bob": 0.0})
    (edge,) = drawn.edges(data=True)
    assert edge == ("bob", "ann", {"wins": 1, "points": 1.0, "battles": 2})
    assert nx.is_directed(drawn)
