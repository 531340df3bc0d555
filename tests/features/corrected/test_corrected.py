"""Win rates corrected by people, worked out by hand, on published votes, and by simulation."""

from __future__ import annotations

import json

import numpy as np
import pytest

import peerjudge as pj
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.data import replace
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.features.corrected.correcting import (
    correct,
    find_least,
    share_battles,
    weigh_savings,
)
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


@pytest.fixture(scope="module")
def vicuna(verdicts):
    """The published verdicts and votes of Vicuna80."""
    return load(verdicts("vicuna80"))


def labeled(data, count: int):
    """The votes of people on the first questions."""
    names = list(dict.fromkeys(one.question.id for one in data.comparisons))[:count]
    kept = {one.id for one in data.comparisons if one.question.id in names}
    votes = [one for one in data.reviews if one.reviewer in data.humans and one.comparison in kept]
    return replace(data, reviews=tuple(votes))


def test_the_corrected_mean_is_worked_out_by_hand():
    """Lambda is the covariance over the variance of all, halved where half is labelled; it moves by 1/2."""
    people, judged = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])
    rest = np.array([1.0, 1.0, 1.0, 0.0])
    found = correct(people, judged, rest)
    covariance = 0.5 / 3.0
    spread = np.var([*judged, *rest], ddof=1)
    weight = covariance / spread / 2.0
    assert found.weight == pytest.approx(weight)
    assert found.value == pytest.approx(0.5 + weight * 0.5)
    left = people - 0.5 - weight * (judged - 0.25)
    variance = (left**2).sum() / 2 / 4 + weight**2 * rest.var(ddof=1) / 4
    assert found.error == pytest.approx(variance**0.5)
    low, high = found.bound(4)
    assert (high - low) / 2 == pytest.approx(4.302653 * variance**0.5)


def test_a_judge_that_is_constant_leaves_people_alone():
    """Lambda is 0, whatever its bias; and the same where it contradicts people."""
    people, half = np.array([0.2, 0.4, 0.6, 0.8]), np.full(4, 0.5)
    assert correct(people, half, half).weight == 0.0
    assert correct(people, half, half).value == pytest.approx(0.5)
    assert correct(people, 1.0 - people, people).weight == 0.0


def test_bias_of_the_judge_costs_nothing():
    """A judge that adds .3 to all is corrected to the same figure with the same interval."""
    random = np.random.default_rng(0)
    truth = random.random(60)
    people, seen = truth[:20], 0.5 * truth
    plain, biased = (correct(people, one[:20], one[20:]) for one in (seen, seen + 0.3))
    assert plain.value == pytest.approx(biased.value)
    assert plain.error == pytest.approx(biased.error)


def test_it_saves_nothing_below_a_correlation():
    """Of 80 questions with 10, 20 and 40 labelled, below .38, .27 and .23; nor with all labelled."""
    assert [round(find_least(n, 80), 2) for n in (10, 20, 40)] == [0.38, 0.27, 0.23]
    for n in (10, 20, 40):
        assert weigh_savings(find_least(n, 80), n, 80) == pytest.approx(0.0, abs=1e-12)
        assert weigh_savings(find_least(n, 80) + 0.1, n, 80) > 0.0
    assert weigh_savings(0.99, 80, 80) == weigh_savings(float("nan"), 20, 80) == 0.0


def test_a_pair_with_many_votes_is_one_battle():
    """Ann won one pair by three votes and lost another by one: half of her battles, not three of four."""
    pairs = [pair_of("c1"), replace(pair_of("c2"), question=pair_of("c1").question)]
    reviews = [review_of(pairs[0], "1", by=name) for name in ("p1", "p2", "p3")]
    reviews += [review_of(pairs[1], "2", by="p1")]
    names, shares = share_battles(collect_reviews(dataset_of(pairs, reviews)))
    assert names == ("ann", "bob")
    assert shares.tolist() == [[0.5, 0.5]]


def test_gpt4_overstates_its_own_win_rate(vicuna):
    """On Vicuna80 it says 85.6 for the 76.3 of people; with all questions labelled nothing is saved."""
    found = pj.corrected(vicuna, reviewers="gpt4")
    own = {row.contestant: row for row in found.contestants}["gpt4"]
    assert (round(100 * own.judges.value, 1), round(100 * own.people.value, 1)) == (85.6, 76.3)
    assert round(100 * own.bias.difference.value, 1) == 9.3
    assert own.corrected.value == own.people.value
    assert {row.saved for row in found.contestants} == {0.0}
    assert "Nothing is saved" in str(found)


def test_twenty_labeled_questions_correct_the_panel(vicuna):
    """With 20 of 80 questions labelled, the panel follows people on vicuna-13b, and narrows its interval."""
    found = pj.corrected(vicuna, people=labeled(vicuna, 20))
    assert found.reviewers == ("bard", "claude", "gpt35", "gpt4", "vicuna-13b")
    assert {(row.labeled, row.questions) for row in found.contestants} == {(20, 80)}
    most = max(found.contestants, key=lambda row: row.saved)
    assert most.saved > 0.2
    assert most.corrected.high - most.corrected.low < most.people.high - most.people.low
    assert f"It saves most for {most.contestant}:" in str(found)
    assert "People voted on 20 of 80 questions." in str(found)
    frame = found.df
    assert len(frame) == 20
    assert set(frame["measure"]) == {"judges", "bias", "corrected", "people"}


def test_too_few_or_no_votes_are_an_error(vicuna):
    """Three labelled questions correct nothing, and data without people cannot."""
    with pytest.raises(DataError, match="fewer than 4"):
        pj.corrected(vicuna, people=labeled(vicuna, 3))
    judges = [one for one in vicuna.reviews if one.reviewer == "gpt4"]
    with pytest.raises(DataError, match="no votes of people"):
        pj.corrected(replace(vicuna, reviews=tuple(judges), humans=()))


def write_pair(number: int, **more: str) -> str:
    """A row of a table of pairs."""
    row = {"question": f"Why {number}?", "answer_a": "yes " * (1 + number), "answer_b": "no"}
    row |= {"author_a": "long", "author_b": "short", "gold": "a" if number % 3 else "b"}
    return json.dumps(row | more) + "\n"


def test_votes_in_a_table_correct_a_run(shell):
    """Questions without a common id are the same where their texts are; the command prints the function's."""
    pairs = "".join(write_pair(number) for number in range(12))
    (shell.folder / "pairs.jsonl").write_text(pairs)
    votes = [write_pair(number, annotator="eve", id=f"vote-{number}") for number in range(6)]
    (shell.folder / "votes.jsonl").write_text("".join(votes))
    words = ("run", "leader_follower", "--data", "jsonl:pairs.jsonl", "--out", "run")
    assert shell(*words, "--display", "none").code == 0
    told = shell("corrected", "run", "--people", "jsonl:votes.jsonl", "--json")
    assert told.code == 0, told.err
    assert told.document["simulated"] is True
    assert {row["contestant"]: row["labeled"] for row in told.document["contestants"]} == {
        "long": 6,
        "short": 6,
    }
    found = pj.corrected(shell.folder / "run", people=f"jsonl:{shell.folder / 'votes.jsonl'}")
    assert found.document() == told.document


def draw_coverage(people, judged, size: int, *, studies: int, questions: int = 80, seed: int = 0):
    """Share of studies of a population, given by question, whose corrected interval holds its mean."""
    picked = np.random.default_rng(seed).integers(len(people), size=(studies, questions))
    own, seen = people[picked], judged[picked]
    low, high = correct(own[:, :size], seen[:, :size], seen[:, size:]).bound(size)
    return float(((low <= people.mean()) & (people.mean() <= high)).mean())


@pytest.mark.parametrize("size", [10, 20, 40])
def test_corrected_intervals_of_published_votes_hold_the_truth(vicuna, size):
    """Resampled questions of Vicuna80: .94 on average at 20, at least .92 for every contestant and judge."""
    ballots = collect_reviews(vicuna)
    _, people = share_battles(ballots.where(ballots.by_people))
    found = []
    for name in ("gpt4", None):
        own = ~ballots.by_people
        if name:
            own = ballots.reviewer == ballots.reviewers.index(name)
        _, judged = share_battles(ballots.where(own))
        found += [
            draw_coverage(people[:, column], judged[:, column], size, studies=4000)
            for column in range(5)
        ]
    assert min(found) >= 0.92
    assert np.mean(found) == pytest.approx(0.94, abs=0.01)


@pytest.mark.parametrize("follows", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("size", [10, 20, 40])
def test_corrected_intervals_of_planted_judges_hold_the_truth(follows, size):
    """Shares of four battles a question, by a judge that is biased and follows people more or less."""
    random = np.random.default_rng(1)
    chance = random.beta(2.0, 2.0, size=20_000)
    people = random.binomial(4, chance) / 4.0
    said = np.where(random.random(20_000) < follows, people, random.binomial(4, 0.7, 20_000) / 4.0)
    assert draw_coverage(people, said, size, studies=4000) >= 0.93
