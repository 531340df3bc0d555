from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerjudge.data import (
    Battle,
)
from peerjudge.errors import DataError
from peerjudge.ranking import (
    collect,
    graph,
    select,
)
from tests.ranking.battles import list_battles

battles = st.lists(
    st.builds(
        lambda question, reviewer, names, score: Battle.scored(
            question=question, reviewer=reviewer, first=names[0], second=names[1], score=score
        ),
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["ann", "bob", "eve"]),
        st.permutations(["ann", "bob", "cy"]),
        st.sampled_from([-1, 0, 1, None]),
    ),
    min_size=1,
    max_size=20,
)


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
    battle = Battle(question="q", reviewer="r", first="ann", second="bob", winner=winner)
    assert battle.score == score
    shown = {"question": "q", "reviewer": "r", "first": "ann", "second": "bob"}
    assert Battle.scored(**shown, score=score) == battle


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
    battle = Battle.scored(question="q", reviewer="r", first="ann", second="ann", score=0)
    with pytest.raises(DataError, match="'ann' battles itself"):
        collect([battle])


@given(battles)
def test_selecting_keeps_the_battles_of_the_named(played: list[Battle]):
    """A selection keeps all battles of the named and drops all others, names included."""
    whole = collect(played)
    some = whole.reviewers[:1]
    part = select(whole, reviewers=some)
    again = collect(battle for battle in played if battle.reviewer in some)
    assert list_battles(part) == list_battles(again)
    assert (part.questions, part.reviewers, part.contestants) == (
        again.questions,
        again.reviewers,
        again.contestants,
    )


@given(battles)
def test_a_graph_runs_from_loser_to_winner_and_keeps_every_point(played: list[Battle]):
    """Each readable battle gives one point; a tie gives half a point to each side."""
    tournament = collect(played)
    drawn = graph(tournament)
    total = sum(points for _, _, points in drawn.edges(data="points"))
    assert total == pytest.approx(sum(battle.score is not None for battle in played))
    for loser, winner, wins in drawn.edges(data="wins"):
        beaten = sum(
            (battle.first, battle.second, battle.score) in ((winner, loser, -1), (loser, winner, 1))
            for battle in played
        )
        assert wins == beaten
    assert set(drawn) == set(tournament.contestants)


def test_a_graph_weighs_points_by_their_reviewers():
    """A reviewer of weight 0 adds battles but no points."""
    tournament = collect(
        [
            Battle(question="q", reviewer="ann", first="ann", second="bob", winner="ann"),
            Battle(question="q", reviewer="bob", first="ann", second="bob", winner="bob"),
        ]
    )
    drawn = graph(tournament, weights={"ann": 1.0, "bob": 0.0})
    assert list(drawn.edges(data=True)) == [
        ("bob", "ann", {"wins": 1, "points": 1.0, "battles": 2})
    ]
    assert nx.is_directed(drawn)
