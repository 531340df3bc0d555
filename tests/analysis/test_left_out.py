"""People are judged by gold made of the votes of others, never of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.analysis import (
    OwnVotesError,
    collect_reviews,
    measure_agreement,
    measure_panel,
    select_judges,
)
from peerjudge.analysis.ballots import NONE, SHARED, TIE
from peerjudge.analysis.scoring import score_ballots
from peerjudge.data import Dataset, GoldRule, Verdict, replace, settle_votes
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

MARKS = {-1: "1", 0: "=", 1: "2"}
"""Marks of votes for the first answer, for a tie and for the second answer."""


def voted(
    votes: Sequence[dict[str, int]],
    *,
    rule: GoldRule = GoldRule.SIGN_OF_MEAN,
    models: Sequence[dict[str, int]] = (),
    swap: bool = False,
) -> Dataset:
    """Return comparisons whose gold is settled from these votes, by annotator."""
    comparisons, reviews = [], []
    for number, given_votes in enumerate(votes):
        settled = MARKS[settle_votes(list(given_votes.values()), rule)] if given_votes else ""
        comparisons.append(pair_of(f"c{number}", ("a", "b"), gold=settled))
        said = {**given_votes, **(models[number] if models else {})}
        reviews += [
            review_of(comparisons[-1], MARKS[score], by=name, swap=swap)
            for name, score in said.items()
        ]
    humans = tuple(sorted({name for one in votes for name in one}))
    return dataset_of(comparisons, reviews, humans=humans, gold_rule=rule)


def golds(data: Dataset) -> dict[tuple[str, str], int]:
    """Return the gold against which each review is held, by reviewer and comparison."""
    ballots = collect_reviews(data)
    names = [ballots.reviewers[code] for code in ballots.reviewer]
    ids = [ballots.comparisons[number].id for number in ballots.comparison]
    return dict(zip(zip(names, ids, strict=True), ballots.gold.tolist(), strict=True))


def test_gold_of_a_vote_is_that_of_the_others():
    """Two against one: the one is wrong, and each of the two is held against a split, which is a tie."""
    found = golds(voted([{"ann": -1, "bob": -1, "cem": 1}, {"ann": 1}], models=[{"m": -1}, {}]))
    assert found == {
        ("ann", "c0"): TIE,
        ("bob", "c0"): TIE,
        ("cem", "c0"): 0,
        ("m", "c0"): 0,
        ("ann", "c1"): NONE,
    }


votes = st.lists(
    st.dictionaries(st.sampled_from(["ann", "bob", "cem", "dan"]), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=4,
)


@settings(max_examples=30)
@given(votes, st.sampled_from(list(GoldRule)), st.sampled_from([-1, 0, 1]))
def test_gold_of_a_vote_does_not_depend_on_it(given_votes, rule, other):
    """Whatever ann votes, the gold that she is held against is the same."""
    changed = [
        {name: other if name == "ann" else vote for name, vote in one.items()}
        for one in given_votes
    ]
    one, two = (golds(voted(each, rule=rule)) for each in (given_votes, changed))
    assert {key: gold for key, gold in one.items() if key[0] == "ann"} == {
        key: gold for key, gold in two.items() if key[0] == "ann"
    }


def test_a_label_is_gold_for_everybody():
    """Gold that is not made of votes is not changed: neither a declared label nor another verdict."""
    data = voted([{"ann": -1, "bob": -1}])
    labeled = replace(data, labeled=("c0",))
    assert set(golds(labeled).values()) == {0}
    (one,) = data.comparisons
    other = replace(data, comparisons=(replace(one, gold=Verdict.of("b")),))
    assert set(golds(other).values()) == {1}


def test_votes_without_names_are_told_apart():
    """Three votes by one name in one order are of three people: each is held against the other two."""
    data = voted([{"ann": -1, "bob": -1, "cem": 1}])
    reviews = tuple(replace(one, reviewer="user") for one in data.reviews)
    ballots = collect_reviews(replace(data, reviews=reviews, humans=("user",)))
    assert ballots.gold.tolist() == [TIE, TIE, 0]


def coin_votes(size: int = 400) -> Dataset:
    """Return votes of three people who toss coins."""
    drawn = np.random.default_rng(3).choice([-1, 1], size=(size, 3))
    return voted([dict(zip(("ann", "bob", "cem"), map(int, row), strict=True)) for row in drawn])


def test_people_who_toss_coins_are_not_accurate():
    """Against gold with their own votes coins are right in 75 %, against that of the others in 25 %.

    Two others agree half of the time, and then the third is right by chance.
    """
    data = coin_votes()
    ballots = collect_reviews(data)
    scores = {
        one.judge.reviewer: one.total.accuracy.value
        for one in score_ballots(ballots, reviewers=["human"]).scores
    }
    panel = measure_panel(select_judges(ballots, reviewers=["human"]), samples=50)
    assert scores == {name: one.value for name, one in panel.accuracy.items()}
    circular = replace(data, labeled=tuple(one.id for one in data.comparisons))
    flattered = score_ballots(collect_reviews(circular), reviewers=["human"]).scores
    for name, value in scores.items():
        assert value == pytest.approx(0.25, abs=0.06), name
    assert [one.total.accuracy.value for one in flattered] == pytest.approx([0.75] * 3, abs=0.06)
    assert panel.krippendorff_alpha.low < 0 < panel.krippendorff_alpha.high


def test_a_panel_is_held_against_votes_of_others():
    """The combined verdict of two people is compared with the third; all three have no gold left."""
    data = coin_votes(40)
    ballots = collect_reviews(data)
    two = measure_agreement(ballots, reviewers=["ann", "bob"], samples=20)
    said = np.array([one.verdict.choice for one in data.reviews]).reshape(40, 3)
    assert two.accuracy.value == pytest.approx((said == said[:, :1]).all(axis=1).mean())
    with pytest.raises(OwnVotesError, match="gold is without the votes of those judged"):
        measure_agreement(ballots, reviewers=["human"], samples=20)
    found = pj.agreement(data, reviewers="human", panel=True)
    assert found.document()["accuracy"] is None
    assert found.document()["panel"]["krippendorff_alpha"]["n"] == 40
    assert set(found.df["measure"]) >= {"krippendorff_alpha", "cohen_kappa"}
    assert "Gold for a person is made of the votes of the other people" in str(found)


def test_each_vote_as_gold_leaves_out_ones_own():
    """By labeler, a vote is held against each other vote: of three, two that agree and one that does not."""
    data = voted([{"expert_1": -1, "expert_2": -1, "expert_3": 1}])
    found = score_ballots(collect_reviews(data), by="labeler", reviewers=["human"])
    cells = {one.judge.reviewer: one.total for one in found.scores}
    assert {name: (cell.right, cell.n) for name, cell in cells.items()} == {
        "expert_1": (1, 2),
        "expert_2": (1, 2),
        "expert_3": (0, 2),
    }


def test_other_gold_data_leave_out_the_same_votes():
    """`--gold` with data that have a person's votes leaves these out as well."""
    data = voted([{"ann": -1, "bob": -1, "cem": 1}])
    renamed = replace(data, name="again")
    found = score_ballots(collect_reviews(data), reviewers=["cem", "ann"], gold=renamed)
    assert [one.total.right for one in found.scores] == [0, 0]


def test_a_frame_of_ballots_keeps_gold_without_own_votes():
    """Measures of a frame are those of the dataset."""
    data = coin_votes(60)
    frame = pj.ballots_df(data)
    assert pj.score(frame, reviewers="ann").df["value"][0] == pytest.approx(
        pj.score(data, reviewers="ann").df["value"][0]
    )


def test_people_who_saw_other_orders_judged_the_same_pair():
    """Two people who agree on the answer agree, whichever was shown first."""
    one, two = voted([{"ann": -1}, {"ann": 1}]), voted([{"bob": -1}, {"bob": 1}], swap=True)
    data = replace(one, reviews=(*one.reviews, *two.reviews), humans=("ann", "bob"))
    panel = measure_panel(select_judges(collect_reviews(data), reviewers=["human"]), samples=20)
    assert panel.items == 2
    assert (panel.same.value, panel.same.n) == (1.0, 2)


def test_shared_gold_needs_a_vote_of_somebody_else():
    """A ballot that is no vote has the gold of its comparison."""
    ballots = collect_reviews(voted([{"ann": -1}], models=[{"m": 1}]))
    assert ballots.voter_gold.tolist() == [NONE, SHARED]


def test_experts_of_mt_bench_agree_as_published(mtbench):
    """Zheng et al. 2023, Table 5: two people agree in 63 % (721 pairs) and 81 % (479) of the first turn."""
    found = {}
    for turn in ("turn 1", "turn 2"):
        kept = tuple(one for one in mtbench.comparisons if one.subset == turn)
        ids = {one.id for one in kept}
        reviews = tuple(one for one in mtbench.reviews if one.comparison in ids)
        ballots = collect_reviews(replace(mtbench, comparisons=kept, reviews=reviews))
        panel = measure_panel(select_judges(ballots, reviewers=["expert_*"]), samples=2)
        both = (panel.same, panel.same_choice)
        found[turn] = [(round(one.value, 2), one.n) for one in both]
    assert found == {"turn 1": [(0.63, 721), (0.81, 479)], "turn 2": [(0.67, 707), (0.82, 474)]}
