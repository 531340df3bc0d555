"""LFQA is read from the published file and from the tidy tables."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from peerjudge.analysis import build_tournament, collect_reviews
from peerjudge.data import TIE, GoldRule, replace
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.ranking import rank

ROW = {
    "question": "Why?",
    "answer_a": "Because.",
    "answer_b": "Therefore.",
    "answer_a_type": "human",
    "answer_b_type": "machine",
    "overall_preference": 1,
    "justification": "Shorter.",
}


@pytest.mark.data
def test_the_counts_are_those_of_the_paper(published):
    """140 pairs, 75 of them between a person and GPT-3, and 260 votes of one to three experts."""
    dataset = load(f"lfqa:{published('lfqa/original')}")
    authors = Counter(tuple(sorted(a.author for a in c.answers)) for c in dataset.comparisons)
    assert authors == {("gpt3", "human"): 75, ("human", "human"): 65}
    votes = Counter(Counter(review.comparison for review in dataset.reviews).values())
    assert votes == {1: 60, 2: 40, 3: 40}
    assert {review.reviewer for review in dataset.reviews} == set(dataset.humans) == {"human"}
    assert all(comparison.shown == ("a", "b") for comparison in dataset.comparisons)


@pytest.mark.data
def test_people_rank_gpt3_as_in_prd(published):
    """Where two experts disagree the first vote decides, which gives GPT-3 PRD's win rate, 58.67 %."""
    dataset = load(f"lfqa:{published('lfqa/original')}")
    ranking = rank(build_tournament(collect_reviews(dataset), reviewers=["human"]))
    assert ranking.contestants["gpt3"].score == pytest.approx(0.5867, abs=5e-5)


@pytest.mark.data
@pytest.mark.parametrize("column", ["majority", "first_vote_on_even"])
def test_gold_is_settled_by_the_rule_asked_for(published, column):
    """Both rules give the published verdicts; only one of them has ties."""
    rule = {"majority": "sign_of_mean"}.get(column, column)
    gold = {c.id: c.gold for c in load(f"lfqa+{rule}:{published('lfqa/original')}").comparisons}
    lines = (published("lfqa") / "pairs.jsonl").read_text().splitlines()
    expected = {
        pair["id"]: {-1: "a", 0: "tie", 1: "b"}[pair[column]] for pair in map(json.loads, lines)
    }
    assert {name: str(verdict) for name, verdict in gold.items()} == expected
    assert sum(verdict == TIE for verdict in gold.values()) == (11 if column == "majority" else 0)


@pytest.mark.data
def test_every_question_has_a_better_answer_by_default(published):
    """The first vote is the gold if two experts disagree."""
    path = published("lfqa/original")
    default = load(f"lfqa:{path}")
    assert default == load(f"lfqa:{path}", gold=GoldRule.FIRST_VOTE_ON_EVEN)
    assert all(comparison.gold.choice for comparison in default.comparisons)


@pytest.mark.data
def test_the_tidy_tables_add_the_domains_and_the_experts(published):
    """The two forms differ in the categories, seven domains of 20 questions, and in the names of experts."""
    tidy = load(f"lfqa:{published('lfqa')}")
    domains = Counter(comparison.question.category for comparison in tidy.comparisons)
    assert sorted(domains.values()) == [20] * 7
    plain = tuple(replace(c, question=replace(c.question, category="")) for c in tidy.comparisons)
    votes = tuple(replace(review, reviewer="human") for review in tidy.reviews)
    assert {review.reviewer for review in tidy.reviews} == set(tidy.humans)
    assert all(name.startswith("expert_") for name in tidy.humans)
    file = published("lfqa/original/experts_pairwise_human_preferences.jsonl")
    same = replace(tidy, comparisons=plain, reviews=votes, humans=("human",))
    assert same == load(f"lfqa:{file}")


def test_line_breaks_are_line_breaks(write):
    """`<br />` in the published texts stands for a line break."""
    row = {**ROW, "answer_a": "One.<br />Two."}
    (comparison,) = load(f"lfqa:{write('own.jsonl', [row])}").comparisons
    assert comparison.answer("a").text == "One.\nTwo."


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"overall_preference": 0}, "'overall_preference' must be -1 .* not 0"),
        ({"answer_b_type": "parrot"}, "'answer_b_type' must be one of .* not 'parrot'"),
        ({"justification": None}, "'justification' must be a string"),
    ],
)
def test_a_wrong_row_is_named_by_file_and_line(write, change, complaint):
    """An impossible vote is an error with file and line."""
    path = write("own.jsonl", [ROW, {**ROW, **change, "question": "How?"}])
    with pytest.raises(DataError, match=rf"own.jsonl, line 2: {complaint}"):
        load(f"lfqa:{path}")
