"""All ways to judge in one table, on cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.collecting import BallotCollector, collect_transcripts
from peerjudge.analysis.contrasts import build_contrasts
from peerjudge.analysis.ways import Ways, build_ways
from peerjudge.data import Sampling, Usage, replace
from peerjudge.statistics.sampler import Sampler
from tests.analysis.analysis_kit import (
    ANN,
    BOB,
    COURT,
    COURT_MOVES,
    dataset_of,
    pair_of,
    review_of,
    told,
)

SAMPLER = Sampler()


def table(ballots) -> Ways:
    """All ways to judge of a run or a dataset."""
    return build_ways(ballots, build_contrasts(ballots, sampler=SAMPLER), sampler=SAMPLER)


def talks(*moves: str, **changed):
    """One discussion a question of these moves; gold is the first answer."""
    return [told(one, f"c{number}", **changed) for number, one in enumerate(moves)]


def test_every_condition_and_every_reviewer_alone_has_a_row():
    """Ann is right alone on three of four, bob on one, and together they are right on two."""
    found = table(collect_transcripts(talks("1|2 1 1", "1|2 1 1", "1|2 2 2", "2|1 2 2")))
    assert [(row.name, row.right.value, row.calls) for row in found.rows] == [
        ("ann alone", 0.75, 1.0),
        ("talk", 0.5, 4.0),
        ("bob alone", 0.25, 1.0),
    ]
    talk = found.rows[1]
    assert talk.over_better_seat.value == -0.25
    assert (talk.altered.n, talk.to_gold, talk.from_gold) == (7, 2, 2)
    assert (found.questions, found.comparisons, found.with_gold) == (4, 4, 4)


def test_private_verdicts_of_all_conditions_are_one_reviewer_alone():
    """The same reviewer in two conditions is one way; at another temperature, or with more calls, another."""
    hot = replace(ANN, sampling=Sampling(temperature=1.0))
    cold = replace(ANN, sampling=Sampling(temperature=0.0))
    both = [
        *talks("1|2", "1|2", seats=(cold, BOB)),
        *talks("2|2", "2|2", seats=(cold, BOB), condition="more"),
        *talks("1|1", "2|2", seats=(hot, BOB), condition="hot"),
    ]
    names = {row.name: row for row in table(collect_transcripts(both)).rows}
    assert names["ann at temperature 0 alone"].right.value == 0.5
    assert names["ann at temperature 0 alone"].verdicts == 4
    assert names["ann at temperature 1 alone"].verdicts == 2
    assert names["bob alone"].verdicts == 6


def test_private_calls_are_of_the_seats_that_judged_alone():
    """A judge asked only after the debate leaves one private call to each debater, not two thirds."""
    found = table(collect_transcripts(talks(*COURT_MOVES, seats=COURT)))
    rows = {row.name: (row.right.value, row.calls) for row in found.rows}
    assert rows == {"ann alone": (0.75, 1.0), "talk": (0.75, 5.0), "bob alone": (0.25, 1.0)}
    so = next(row.so for row in found.rows if row.discusses)
    assert so == "not shown to beat ann asked once (eve never judged alone)"


def test_unreadable_verdicts_are_left_out_and_counted():
    """Of four verdicts one is unreadable: accuracy is over three, and three quarters are readable."""
    found = table(collect_transcripts(talks("1", "1", "2", "?", seats=(ANN,), protocol="pairwise")))
    (row,) = found.rows
    assert (row.right.value, row.right.n, row.readable) == (2 / 3, 3, 0.75)


def equals(questions: int) -> Ways:
    """A discussion that ends with what ann said before, and is right on three of four questions."""
    moves = ["1|2 1 1" if number % 4 else "2|2 2 2" for number in range(questions)]
    return table(collect_transcripts(talks(*moves)))


def test_the_cheapest_way_that_is_as_good_is_named_from_eight_questions_on():
    """Ann alone is never worse than the discussion, which takes four calls; seven questions name nothing."""
    found = equals(200)
    assert [row.name for row in found.rows] == ["talk", "ann alone", "bob alone"]
    assert found.rows[1].over_first.low > -found.margin
    assert found.cheapest == "ann alone"
    assert "fewest calls of the ways shown to be at most 5 points less often right" in found.summary
    assert equals(7).cheapest == ""
    assert equals(7).summary == "7 questions are too few to tell these ways apart."


def test_differences_from_the_first_row_hold_for_all_rows():
    """Of eight ways that are equally good, one is shown to be worse in at most 5 % of studies."""
    random = np.random.default_rng(1)
    wrong = 0
    for _ in range(40):
        right = random.random((30, 8)) < 0.7
        pairs = [pair_of(f"c{number}", gold="1") for number in range(len(right))]
        reviews = [
            review_of(pair, "1" if hit else "2", by=f"r{place}")
            for pair, hits in zip(pairs, right, strict=True)
            for place, hit in enumerate(hits)
        ]
        found = table(collect_reviews(dataset_of(pairs, reviews)))
        wrong += any(row.over_first and row.over_first.high < 0.0 for row in found.rows)
    assert wrong <= 2


def test_without_gold_a_way_is_held_against_the_majority_of_the_others():
    """Of three reviewers two agree on every question: the third agrees with their majority on one of two."""
    pairs = [pair_of("c1"), pair_of("c2")]
    marks = {"ann": "11", "bob": "11", "eve": "12"}
    reviews = [
        review_of(pair, mark, by=name)
        for name, said in marks.items()
        for pair, mark in zip(pairs, said, strict=True)
    ]
    found = table(collect_reviews(dataset_of(pairs, reviews)))
    assert found.with_gold == 0
    shares = {row.name: (row.right, row.agrees.value, row.agrees.n) for row in found.rows}
    # On c2 the two others of ann and of bob disagree, so that there is no majority.
    assert shares == {"ann": (None, 1.0, 1), "bob": (None, 1.0, 1), "eve": (None, 0.5, 2)}


def test_a_control_is_no_way_to_be_first():
    """A placebo that happens to be right more often is listed, named a control, and compared with nothing."""
    played = [
        *talks("1|2 1 1", "1|2 2 2"),
        *talks("1|1 1 1", "1|1 1 1", condition="not told", options={"control": "placebo"}),
    ]
    found = table(collect_transcripts(played))
    control = found.rows[0]
    assert (control.name, control.so, control.over_first) == ("not told", "a control", None)


@pytest.mark.parametrize(
    ("prices", "talk", "alone"),
    [
        ({"ann": (1.0, 2.0), "bob": (0.0, 0.0)}, 1000 * 2 * 120e-6, 1000 * 120e-6),
        ({"ann": (1.0, 2.0), "bob": None}, None, 1000 * 120e-6),
        ({"ann": None, "bob": None}, None, None),
        ({}, None, None),
    ],
)
def test_a_price_is_that_of_1_000_verdicts_played_alone(prices, talk, alone):
    """Ann speaks twice in a discussion, with 100 tokens in and 10 out; a cached reply costs the same."""
    usage = Usage(prompt_tokens=100, completion_tokens=10)
    collector = BallotCollector(prices=prices)
    for one in talks("1|2 1 2", "1|2 1 1"):
        turns = [
            replace(turn, utterance=replace(turn.utterance, usage=usage, cached=turn.cue.private))
            for turn in one.turns
        ]
        collector.add(replace(one, turns=tuple(turns)))
    rows = {row.name: row.usd for row in table(collector.ballots()).rows}
    assert rows["talk"] == (None if talk is None else pytest.approx(talk))
    assert rows["ann alone"] == (None if alone is None else pytest.approx(alone))
