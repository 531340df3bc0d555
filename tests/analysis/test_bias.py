"""Position, self-enhancement and verbosity bias, on published and on synthetic data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from peerjudge.analysis import (
    measure_bias,
    measure_position,
    measure_self_enhancement,
    select_judges,
    verbosity,
)
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.bias import MEASURES
from peerjudge.analysis.position import measure_consistency
from peerjudge.analysis.selecting import number_judges, score_unswapped
from peerjudge.analysis.verbosity import fit_logistic, measure_verbosity
from peerjudge.data import (
    Answer,
    Comparison,
    Dataset,
    Measurement,
    Noun,
    RecordedReview,
    Verdict,
    replace,
)
from peerjudge.errors import DataError
from peerjudge.results.biases import BiasResult, build_bias_tables
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


def judged(data: Dataset, **kwargs) -> Ballots:
    """The ballots of a dataset on pairs."""
    return select_judges(collect_reviews(data), **kwargs)


def test_bard_chose_the_first_answer_1253_times_of_1600(vicuna: Dataset):
    """Published reviews: the places that the five models choose, and their position bias."""
    found = {row.reviewer: row for row in measure_position(judged(vicuna))}
    counts = {name: (row.first, row.tie, row.second) for name, row in found.items()}
    assert counts["bard"] == (1253, 57, 290)
    assert counts["gpt4"] == (848, 240, 512)
    assert all(sum(row) == 1600 for row in counts.values())
    assert found["bard"].share.low > 0.5
    assert found["claude"].share.high < 0.5
    assert found["gpt35"].share.low < 0.5 < found["gpt35"].share.high


def test_gpt4_rates_itself_above_people_and_peers(vicuna: Dataset):
    """PRD Table 2: GPT-4 wins .856 in its own eyes, .822 in people's; .723 in its peers'."""
    families = {"gpt4": "gpt", "gpt35": "gpt"}
    rows = measure_self_enhancement(judged(vicuna), families=families)
    own = {row.reviewer: row for row in rows if row.kind == "own"}
    rates = {
        name: (row.own_view.value, row.gold.value, row.peers.value) for name, row in own.items()
    }
    assert rates["gpt4"] == pytest.approx((0.856, 0.822, 0.723), abs=0.0006)
    assert rates["claude"] == pytest.approx((0.670, 0.689, 0.660), abs=0.0006)
    assert rates["vicuna-13b"] == pytest.approx((0.441, 0.389, 0.381), abs=0.0006)
    assert own["gpt4"].against_peers.low > 0.08
    assert own["gpt4"].against_gold.low < 0.0 < own["gpt4"].against_gold.high
    family = {row.reviewer: row for row in rows if row.kind == "family"}
    assert set(family) == {"gpt4", "gpt35"}
    assert family["gpt35"].authors == ("gpt4",)
    assert family["gpt35"].against_peers.low > 0.0


marks = st.lists(
    st.tuples(st.sampled_from("fs=?"), st.sampled_from("fs=?")), min_size=1, max_size=12
)


@given(marks)
@settings(max_examples=25)
def test_reversed_orders_exchange_the_places(rows: list[tuple[str, str]]):
    """Counts of first and second are exchanged; consistency stays the same."""
    pairs = [pair_of(f"c{k}") for k in range(len(rows))]
    there = [
        review_of(one, mark, swap=swapped)
        for one, both in zip(pairs, rows, strict=True)
        for mark, swapped in zip(both, (False, True), strict=True)
    ]
    back = [replace(one, shown=one.shown[::-1]) for one in there]
    straight, mirrored = judged(dataset_of(pairs, there)), judged(dataset_of(pairs, back))
    (one,), (other,) = (measure_position(m) for m in (straight, mirrored))
    assert (one.first, one.tie, one.second) == (other.second, other.tie, other.first)
    assert one.unreadable == other.unreadable == sum(both.count("?") for both in rows)
    (one,), (other,) = (measure_consistency(m) for m in (straight, mirrored))
    assert (one.same, one.mixed, one.first) == (other.same, other.mixed, other.second)
    readable = sum("?" not in both for both in rows)
    assert one.same + one.first + one.second + one.mixed == readable


def test_consistency_by_answer_differs_from_consistency_by_place():
    """The same answer in both orders is consistent; the same place or a single tie is not."""
    pairs = [pair_of(f"c{k}") for k in range(5)]
    both = ["fs", "==", "ff", "ss", "f="]
    reviews = [
        review_of(one, mark, swap=bool(order))
        for one, two in zip(pairs, both, strict=True)
        for order, mark in enumerate(two)
    ]
    (found,) = measure_consistency(judged(dataset_of(pairs, reviews)))
    assert (found.same, found.first, found.second, found.mixed) == (2, 1, 1, 1)
    assert found.rate.value == 0.4


def test_repeated_judgements_are_matched_one_to_one():
    """Two reviews in one order and one in the other make one pair."""
    one = pair_of("c")
    reviews = [
        review_of(one, "f"),
        review_of(one, "s"),
        review_of(one, "s", swap=True),
    ]
    (found,) = measure_consistency(judged(dataset_of([one], reviews)))
    assert (found.same, found.rate.n) == (1, 1)


def test_self_enhancement_compares_on_the_same_pairs():
    """Ann gives herself every win, Bob gives her one of two, and gold none."""
    pairs = [pair_of("c1", gold="2"), pair_of("c2", gold="2"), pair_of("c3", ("bob", "cy"))]
    reviews = [review_of(one, "f", by="ann") for one in pairs]
    reviews += [review_of(pairs[0], "s", by="bob"), review_of(pairs[1], "s", by="bob", swap=True)]
    rows = measure_self_enhancement(judged(dataset_of(pairs, reviews)))
    ann, bob = rows
    assert (ann.reviewer, ann.own_view.value, ann.own_view.n) == ("ann", 1.0, 2)
    assert (ann.peers.value, ann.gold.value) == (0.5, 0.0)
    assert (ann.against_peers.value, ann.against_gold.value) == (0.5, 1.0)
    assert (bob.own_view.value, bob.gold.value) == (0.5, 1.0)


def test_a_family_leaves_out_battles_within_it():
    """A comparison of two answers of one family does not measure the family."""
    pairs = [pair_of("c1", ("gpt_a", "gpt_b")), pair_of("c2", ("gpt_a", "other"))]
    reviews = [review_of(one, "f", by="gpt_c") for one in pairs]
    families = {"gpt_a": "gpt", "gpt_b": "gpt", "gpt_c": "gpt"}
    (row,) = measure_self_enhancement(judged(dataset_of(pairs, reviews)), families=families)
    assert (row.kind, row.authors, row.own_view.n) == ("family", ("gpt_a", "gpt_b"), 1)
    assert (row.peers, row.gold, row.against_gold) == (None, None, None)
    assert measure_self_enhancement(judged(dataset_of(pairs, reviews))) == ()


def test_logistic_regression_agrees_with_an_optimiser():
    """Newton's method on all samples at once finds the maximum of each penalised likelihood."""
    random = np.random.default_rng(1)
    given_columns = np.column_stack([np.ones(80), random.normal(size=(80, 2))])
    chosen = (random.random(80) < 0.5).astype(float)
    times = random.integers(0, 3, (3, 80)).astype(float)

    def loss(beta: np.ndarray, weight: np.ndarray) -> float:
        line = given_columns @ beta
        return float((weight * (np.logaddexp(0, line) - chosen * line)).sum() + 0.005 * beta @ beta)

    found = fit_logistic(given_columns, chosen, times)
    for row, weight in zip(found, times, strict=True):
        expected = minimize(loss, np.zeros(3), args=(weight,), tol=1e-10).x
        assert row == pytest.approx(expected, abs=1e-4)


def test_separable_choices_have_a_finite_estimate():
    """A reviewer that always chooses the longer answer has large finite odds."""
    column = np.array([-2.0, -1.0, 1.0, 2.0])
    found = fit_logistic(np.column_stack([np.ones(4), column]), (column > 0) * 1.0, np.ones((1, 4)))
    assert 2.0 < found[0, 1] < 20.0


def made(taste: float, place: float, *, seed: int = 0, count: int = 400) -> Dataset:
    """Reviews whose log-odds are quality, `taste` per doubling of length, and `place`."""
    random = np.random.default_rng(seed)
    pairs, reviews = [], []
    for k in range(count):
        lengths = tuple(int(2**power) for power in random.uniform(5, 9, 2))
        better = bool(random.integers(2))
        one = pair_of(f"c{k}", gold="1" if better else "2", lengths=lengths)
        pairs.append(one)
        for swapped in (False, True):
            first = (lengths[0] + 1) / (lengths[1] + 1)
            line = 1.0 if better else -1.0
            line = (line + taste * np.log2(first)) * (-1 if swapped else 1) + place
            mark = "f" if random.random() < 1 / (1 + np.exp(-line)) else "s"
            reviews.append(review_of(one, mark, swap=swapped))
    return dataset_of(pairs, reviews)


@pytest.mark.parametrize(("taste", "place"), [(0.0, 0.0), (0.7, 0.5), (-0.5, -0.3)])
def test_a_planted_preference_for_length_is_recovered(taste: float, place: float):
    """With quality controlled, the measure finds the odds that generated the data."""
    (found,) = measure_verbosity(judged(made(taste, place, count=2000)), samples=50)
    assert found.control == "gold"
    assert np.log(found.odds.value) == pytest.approx(taste, abs=0.1)
    assert np.log(found.first_odds.value) == pytest.approx(place, abs=0.1)
    assert found.odds.low < found.odds.value < found.odds.high
    assert found.odds.high / found.odds.low < 1.3
    assert found.odds.n == 4000


def test_bounds_of_many_questions_are_as_wide_as_by_resampling(monkeypatch: pytest.MonkeyPatch):
    """From 200 questions on a jackknife stands for hundreds of regressions."""
    ballots = judged(made(0.5, 0.2, count=400))
    (quick,) = measure_verbosity(ballots)
    monkeypatch.setattr(verbosity, "_MANY", 10_000)
    (slow,) = measure_verbosity(ballots)
    assert quick.odds.value == slow.odds.value
    assert "jackknife" in quick.odds.method
    assert "bootstrap" in slow.odds.method
    for one, other in ((quick.odds, slow.odds), (quick.over_gold, slow.over_gold)):
        assert np.log(one.high / one.low) == pytest.approx(np.log(other.high / other.low), rel=0.15)


def longer_is_better(taste: float, *, seed: int = 3, count: int = 2500) -> Dataset:
    """Better answers tend to be longer; people see only quality, the judge also prefers length.

    Two authors differ in both. Gold is one verdict, as coarse as that of the judge.
    """
    random = np.random.default_rng(seed)
    pairs, reviews = [], []
    for k in range(count):
        quality = random.normal((0.5, -0.5))
        powers = np.clip(7.0 + 0.8 * quality + 0.6 * random.normal(size=2), 2, 12)
        lengths = tuple(int(2**power) for power in powers)
        better, longer = quality[0] - quality[1], np.log2((lengths[0] + 1) / (lengths[1] + 1))

        def chosen(line: float) -> bool:
            return bool(random.random() < 1 / (1 + np.exp(-line)))

        one = pair_of(f"c{k}", gold="1" if chosen(better) else "2", lengths=lengths)
        pairs.append(one)
        for swapped in (False, True):
            first = chosen(better + taste * longer) != swapped
            reviews.append(review_of(one, "f" if first else "s", swap=swapped))
    return dataset_of(pairs, reviews)


def test_a_preference_for_better_answers_is_no_preference_for_length():
    """Odds with gold as control are confounded with quality; odds over those of gold are not."""
    (fair,) = measure_verbosity(judged(longer_is_better(0.0)), samples=50)
    assert fair.odds.low > 1.1
    assert fair.over_gold.low < 1.0 < fair.over_gold.high
    (fond,) = measure_verbosity(judged(longer_is_better(0.7)), samples=50)
    assert fond.over_gold.low > 1.3
    assert fond.over_gold.high < 2.5


def test_odds_that_only_the_ridge_bounds_are_unknown():
    """A judge that always chooses the longer answer has no odds of length: no sample bounds them."""
    (found,) = measure_verbosity(judged(made(60.0, 0.0, count=12)), samples=50)
    assert found.longer.value == 1.0
    assert (found.odds.n, np.isnan(found.odds.value)) == (0, True)


def test_one_question_or_equal_lengths_give_no_odds():
    """Without a second question or a difference in length, nothing is estimated."""
    one = pair_of("c", gold="1", lengths=(10, 100))
    (row,) = measure_verbosity(judged(dataset_of([one], [review_of(one, "f")])), samples=20)
    assert (row.odds.n, row.first_odds.n, row.over_gold.n) == (0, 0, 0)
    assert row.longer.n == 1
    even = [pair_of(f"c{k}", gold="1", lengths=(10, 10)) for k in range(3)]
    (row,) = measure_verbosity(
        judged(dataset_of(even, [review_of(p, "f") for p in even])), samples=20
    )
    assert (row.odds.n, row.longer.n) == (0, 0)


def test_without_gold_the_other_reviewers_measure_quality():
    """Peers control for quality where gold is missing; a single reviewer has no control."""
    data = made(0.5, 0.0, count=60)
    bare = replace(data, comparisons=tuple(replace(c, gold=None) for c in data.comparisons))
    (alone,) = measure_verbosity(judged(bare), samples=20)
    assert (alone.control, alone.gold_longer) == ("none", None)
    twin = tuple(replace(one, reviewer="twin") for one in data.reviews)
    both = measure_verbosity(judged(replace(bare, reviews=data.reviews + twin)), samples=20)
    assert {row.control for row in both} == {"peers"}


def test_humans_judge_only_as_gold():
    """People are measured only if named; a reviewer can serve as gold instead of them."""
    one = pair_of("c", gold="1")
    data = dataset_of(
        [one], [review_of(one, "f"), review_of(one, "s", by="people")], humans=("people",)
    )
    assert [name for name, _ in number_judges(judged(data))] == ["judge"]
    people = judged(data, reviewers=["people"])
    assert [name for name, _ in number_judges(people)] == ["people"]
    by_judge = judged(data, reviewers=["people"], gold="judge")
    assert score_unswapped(by_judge.gold_of).tolist() == [-1.0]
    with pytest.raises(DataError, match="no reviews of pairs by zoe"):
        judged(data, gold="zoe")
    with pytest.raises(DataError, match="no reviews of pairs by eve"):
        judged(data, reviewers=["eve"])


def test_comparisons_of_other_than_two_answers_are_not_measured():
    """A choice among three answers has no place that compares, and its gold is not used."""
    one = pair_of("c", gold="1")
    answers = (*one.answers, Answer(id="cy", text="xxx", author="cy"))
    three = Comparison(id="d", question=one.question, answers=answers, gold=Verdict.of("cy"))
    shown = three.shown
    choice = RecordedReview(comparison="d", shown=shown, reviewer="judge", verdict=three.gold)
    ballots = judged(dataset_of([three, one], [choice, review_of(one, "f")]))
    assert len(ballots) == 1
    assert np.isnan(score_unswapped(ballots.gold_of)).tolist() == [True, False]


class Ties(Noun, frozen=True, kw_only=True):
    """Number of ties of a reviewer."""

    reviewer: str
    ties: int
    share: Measurement | None


def test_a_new_measure_needs_one_entry(monkeypatch: pytest.MonkeyPatch):
    """A measure in the register appears in the JSON document and as a table of its own."""

    def measure_ties(ballots: Ballots, families: dict[str, str], seed: int) -> tuple[Ties, ...]:
        return tuple(
            Ties(
                reviewer=name,
                ties=int((ballots.score[ballots.reviewer == code] == 0).sum()),
                share=None,
            )
            for name, code in number_judges(ballots)
        )

    monkeypatch.setitem(MEASURES, "tie_rates", measure_ties)
    one = pair_of("c", gold="1")
    found = measure_bias(collect_reviews(dataset_of([one], [review_of(one, "=")])))
    document = BiasResult(bias=found, gold="human", questions=1, simulated=False).document()
    assert list(document["tie_rates"]) == [{"reviewer": "judge", "ties": 1, "share": None}]
    assert list(document)[:3] == ["gold", "simulated", "position"]
    table = build_bias_tables(found)[-1]
    assert table.title == "Tie rates"
    assert table.headings == ("Reviewer", "Ties")
    assert table.rows == (("judge", "1"),)
