from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.data import (
    INCONSISTENT,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Battle,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
    replace,
)
from peerjudge.errors import DataError
from peerjudge.ranking import (
    battles_from_reviews,
    collect,
    from_dataset,
    graph,
    select,
)


def pair(name: str = "c1", authors: tuple[str, str] = ("ann", "bob")) -> Comparison:
    """A pair of answers by these authors."""
    answers = tuple(Answer(id=f"by-{author}", text=author, author=author) for author in authors)
    return Comparison(id=name, question=Question(id=f"q-{name}", text="Why?"), answers=answers)


def review(verdict: Verdict, *, reviewer: str = "judge", swapped: bool = False) -> RecordedReview:
    """A review of `pair()`, in its own order or the other."""
    shown = ("by-bob", "by-ann") if swapped else ("by-ann", "by-bob")
    return RecordedReview(comparison="c1", shown=shown, reviewer=reviewer, verdict=verdict)


battles = st.lists(
    st.builds(
        lambda question, reviewer, names, score: Battle(
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
@settings(deadline=None)
def test_collecting_keeps_every_battle_in_order(played: list[Battle]):
    """A tournament holds exactly the battles it was given, under sorted names."""
    found = collect(iter(played))
    back = [
        Battle(
            question=found.questions[found.question[k]],
            reviewer=found.reviewers[found.reviewer[k]],
            first=found.contestants[found.first[k]],
            second=found.contestants[found.second[k]],
            score=int(found.score[k]) if found.readable[k] else None,
        )
        for k in range(len(found))
    ]
    assert back == played
    for names in (found.questions, found.reviewers, found.contestants):
        assert list(names) == sorted(set(names))


def test_a_contestant_cannot_battle_itself():
    """Two answers by one author decide nothing between contestants."""
    battle = Battle(question="q", reviewer="r", first="ann", second="ann", score=0)
    with pytest.raises(DataError, match="'ann' battles itself"):
        collect([battle])


@pytest.mark.parametrize(
    ("verdict", "score"),
    [
        (Verdict.of("by-ann"), -1),
        (Verdict.of("by-bob"), 1),
        (TIE, 0),
        (UNREADABLE, None),
        (REFUSED, None),
        (INCONSISTENT, None),
    ],
)
def test_a_review_becomes_a_battle_in_the_order_it_was_shown(verdict: Verdict, score: int | None):
    """-1 is for the first-shown, +1 for the second-shown; nothing unreadable is ever a tie."""
    (battle,) = battles_from_reviews([pair()], [review(verdict)])
    assert (battle.first, battle.second, battle.score) == ("ann", "bob", score)
    (mirrored,) = battles_from_reviews([pair()], [review(verdict, swapped=True)])
    assert (mirrored.first, mirrored.second) == ("bob", "ann")
    assert mirrored.score == (None if score is None else -score)


def test_answers_without_two_authors_make_no_battle():
    """An answer without an author, or two answers by one author, make no battle."""
    same, unknown = pair(authors=("ann", "ann2")), pair(authors=("ann", "bob"))
    same = replace(same, answers=tuple(replace(answer, author="ann") for answer in same.answers))
    unknown = replace(unknown, answers=(unknown.answers[0], replace(unknown.answers[1], author="")))
    one = RecordedReview(comparison="c1", shown=same.shown, reviewer="judge", verdict=TIE)
    assert list(battles_from_reviews([same], [one])) == []
    assert list(battles_from_reviews([unknown], [review(TIE)])) == []


def test_a_review_of_an_unknown_comparison_raises():
    """A review of an unknown comparison is an error, not dropped silently."""
    with pytest.raises(DataError, match="unknown comparison 'c1'"):
        list(battles_from_reviews([pair("c2")], [review(TIE)]))


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1, None]), st.booleans()), min_size=1))
@settings(deadline=None)
def test_a_panel_of_people_is_one_battle_with_the_sign_of_its_mean(
    votes: list[tuple[int | None, bool]],
):
    """Votes of several people make one battle, independent of the order shown to each."""
    verdicts = {-1: Verdict.of("by-ann"), 0: TIE, 1: Verdict.of("by-bob"), None: UNREADABLE}
    given_votes = [review(verdicts[vote], swapped=swapped) for vote, swapped in votes]
    (battle,) = battles_from_reviews([pair()], given_votes, panels=["judge"])
    readable = [vote for vote, _ in votes if vote is not None]
    sign = (sum(readable) > 0) - (sum(readable) < 0)
    towards_bob = battle.score if battle.second == "bob" or battle.score is None else -battle.score
    assert towards_bob == (sign if readable else None)


def test_humans_judge_only_if_they_are_named():
    """Human votes are gold by default; they make battles only if the humans are named."""
    dataset = Dataset(
        name="d",
        description="",
        comparisons=(pair(),),
        reviews=(review(TIE), review(TIE, reviewer="human"), review(TIE, reviewer="human")),
        humans=("human",),
    )
    assert from_dataset(dataset).reviewers == ("judge",)
    named = from_dataset(dataset, reviewers=["human"])
    assert (named.reviewers, len(named)) == (("human",), 1)
    with pytest.raises(DataError, match="no reviewer 'zoe'"):
        from_dataset(dataset, reviewers=["zoe"])


@given(battles)
@settings(deadline=None)
def test_selecting_keeps_the_battles_of_the_named(played: list[Battle]):
    """A selection keeps all battles of the named and drops all others, names included."""
    whole = collect(played)
    some = whole.reviewers[:1]
    part = select(whole, reviewers=some)
    kept = [battle for battle in played if battle.reviewer in some]
    assert len(part) == len(kept)
    again = collect(kept)
    assert (part.questions, part.reviewers, part.contestants) == (
        again.questions,
        again.reviewers,
        again.contestants,
    )
    assert part.first.tolist() == again.first.tolist()


@given(battles)
@settings(deadline=None)
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
            Battle(question="q", reviewer="ann", first="ann", second="bob", score=-1),
            Battle(question="q", reviewer="bob", first="ann", second="bob", score=1),
        ]
    )
    drawn = graph(tournament, weights={"ann": 1.0, "bob": 0.0})
    assert list(drawn.edges(data=True)) == [
        ("bob", "ann", {"wins": 1, "points": 1.0, "battles": 2})
    ]
    assert nx.is_directed(drawn)
