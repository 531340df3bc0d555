"""Place, author and length: what sways reviewers, on published and on made data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from peerjudge.analysis import (
    bias,
    judged,
    order_consistency,
    position,
    self_enhancement,
    verbosity,
)
from peerjudge.analysis.verbosity import logistic
from peerjudge.data import (
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
    replace,
)
from peerjudge.datasets import load
from peerjudge.errors import DataError


@pytest.fixture(scope="module")
def vicuna(verdicts) -> Dataset:
    """The published verdicts and votes of Vicuna80."""
    return load(verdicts("vicuna80"))


def pair(
    name: str,
    authors: tuple[str, str] = ("ann", "bob"),
    *,
    gold: str = "",
    lengths: tuple[int, int] = (3, 3),
) -> Comparison:
    """A pair of answers by two authors, with gold 1, 2, = or none."""
    answers = tuple(
        Answer(id=author, text="x" * length, author=author)
        for author, length in zip(authors, lengths, strict=True)
    )
    marks = {"1": Verdict.of(authors[0]), "2": Verdict.of(authors[1]), "=": TIE}
    question = Question(id=f"q-{name}", text="Why?")
    return Comparison(id=name, question=question, answers=answers, gold=marks.get(gold))


def review(one: Comparison, reviewer: str, mark: str, *, swapped: bool = False) -> RecordedReview:
    """A review of a pair: f for the first-shown, s for the second-shown, = or ?."""
    shown = one.swapped().shown if swapped else one.shown
    marks = {"f": Verdict.of(shown[0]), "s": Verdict.of(shown[1]), "=": TIE, "?": UNREADABLE}
    return RecordedReview(comparison=one.id, shown=shown, reviewer=reviewer, verdict=marks[mark])


def dataset(pairs: list[Comparison], reviews: list[RecordedReview], **kwargs) -> Dataset:
    """These pairs and reviews."""
    return Dataset(
        name="d", description="", comparisons=tuple(pairs), reviews=tuple(reviews), **kwargs
    )


def test_bard_chose_the_first_answer_1253_times_of_1600(vicuna: Dataset):
    """Published reviews: places chosen by the five models, and the lean of each."""
    found = {row.reviewer: row for row in bias(vicuna).position}
    counts = {name: (row.first, row.tie, row.second) for name, row in found.items()}
    assert counts["bard"] == (1253, 57, 290)
    assert counts["gpt4"] == (848, 240, 512)
    assert all(sum(row) == 1600 for row in counts.values())
    assert found["bard"].share.low > 0.5
    assert found["claude"].share.high < 0.5
    assert found["gpt35"].share.low < 0.5 < found["gpt35"].share.high


def test_gpt4_sees_itself_above_people_and_peers(vicuna: Dataset):
    """PRD Table 2: GPT-4 wins .856 in its own eyes, .822 in people's; .723 in its peers'."""
    families = {"gpt4": "gpt", "gpt35": "gpt"}
    rows = self_enhancement(judged(vicuna), families=families)
    own = {row.reviewer: row for row in rows if row.kind == "own"}
    rates = {
        name: (row.own_view.value, row.gold.value, row.peers.value) for name, row in own.items()
    }
    assert rates["gpt4"] == pytest.approx((0.856, 0.822, 0.723), abs=0.0006)
    assert rates["claude"] == pytest.approx((0.670, 0.689, 0.660), abs=0.0006)
    assert rates["vicuna-13b"] == pytest.approx((0.441, 0.389, 0.381), abs=0.0006)
    assert own["gpt4"].against_peers.low > 0.1
    assert own["gpt4"].against_gold.low < 0.0 < own["gpt4"].against_gold.high
    family = {row.reviewer: row for row in rows if row.kind == "family"}
    assert set(family) == {"gpt4", "gpt35"}
    assert family["gpt35"].authors == ("gpt4",)
    assert family["gpt35"].against_peers.low > 0.0


marks = st.lists(
    st.tuples(st.sampled_from("fs=?"), st.sampled_from("fs=?")), min_size=1, max_size=12
)


@given(marks)
@settings(deadline=None, max_examples=40)
def test_showing_answers_the_other_way_round_mirrors_the_places(rows: list[tuple[str, str]]):
    """Counts of first and second change places; consistency does not notice."""
    pairs = [pair(f"c{k}") for k in range(len(rows))]
    there = [
        review(one, "judge", mark, swapped=swapped)
        for one, both in zip(pairs, rows, strict=True)
        for mark, swapped in zip(both, (False, True), strict=True)
    ]
    back = [replace(one, shown=one.shown[::-1]) for one in there]
    straight, mirrored = judged(dataset(pairs, there)), judged(dataset(pairs, back))
    (one,), (other,) = position(straight, samples=20), position(mirrored, samples=20)
    assert (one.first, one.tie, one.second) == (other.second, other.tie, other.first)
    assert one.unreadable == other.unreadable == sum(both.count("?") for both in rows)
    (one,), (other,) = (order_consistency(m, samples=20) for m in (straight, mirrored))
    assert (one.same, one.mixed, one.first) == (other.same, other.mixed, other.second)
    readable = sum("?" not in both for both in rows)
    assert one.same + one.first + one.second + one.mixed == readable


def test_standing_by_an_answer_and_standing_by_a_place():
    """The same answer in both orders is consistent; the same place is not, nor a tie once."""
    pairs = [pair(f"c{k}") for k in range(5)]
    both = ["fs", "==", "ff", "ss", "f="]
    reviews = [
        review(one, "judge", mark, swapped=bool(order))
        for one, two in zip(pairs, both, strict=True)
        for order, mark in enumerate(two)
    ]
    (found,) = order_consistency(judged(dataset(pairs, reviews)))
    assert (found.same, found.first, found.second, found.mixed) == (2, 1, 1, 1)
    assert found.rate.value == 0.4


def test_repeated_judgements_are_matched_one_to_one():
    """Two reviews in one order and one in the other make one pair."""
    one = pair("c")
    reviews = [
        review(one, "judge", "f"),
        review(one, "judge", "s"),
        review(one, "judge", "s", swapped=True),
    ]
    (found,) = order_consistency(judged(dataset([one], reviews)))
    assert (found.same, found.rate.n) == (1, 1)


def test_self_enhancement_compares_on_the_same_pairs():
    """Ann gives herself every win, Bob gives her one of two, and gold none."""
    pairs = [pair("c1", gold="2"), pair("c2", gold="2"), pair("c3", ("bob", "cy"))]
    reviews = [review(one, "ann", "f") for one in pairs]
    reviews += [review(pairs[0], "bob", "s"), review(pairs[1], "bob", "s", swapped=True)]
    rows = self_enhancement(judged(dataset(pairs, reviews)))
    ann, bob = rows
    assert (ann.reviewer, ann.own_view.value, ann.own_view.n) == ("ann", 1.0, 2)
    assert (ann.peers.value, ann.gold.value) == (0.5, 0.0)
    assert (ann.against_peers.value, ann.against_gold.value) == (0.5, 1.0)
    assert (bob.own_view.value, bob.gold.value) == (0.5, 1.0)


def test_a_family_leaves_out_battles_within_it():
    """Between two answers of one family nobody can favour the family."""
    pairs = [pair("c1", ("gpt_a", "gpt_b")), pair("c2", ("gpt_a", "other"))]
    reviews = [review(one, "gpt_c", "f") for one in pairs]
    families = {"gpt_a": "gpt", "gpt_b": "gpt", "gpt_c": "gpt"}
    (row,) = self_enhancement(judged(dataset(pairs, reviews)), families=families)
    assert (row.kind, row.authors, row.own_view.n) == ("family", ("gpt_a", "gpt_b"), 1)
    assert (row.peers, row.gold, row.against_gold) == (None, None, None)
    assert self_enhancement(judged(dataset(pairs, reviews))) == ()


def test_the_regression_is_that_of_an_optimiser():
    """Newton's method on all samples at once finds the maximum of each penalised likelihood."""
    random = np.random.default_rng(1)
    given_columns = np.column_stack([np.ones(80), random.normal(size=(80, 2))])
    chosen = (random.random(80) < 0.5).astype(float)
    times = random.integers(0, 3, (3, 80)).astype(float)

    def loss(beta: np.ndarray, weight: np.ndarray) -> float:
        line = given_columns @ beta
        return float((weight * (np.logaddexp(0, line) - chosen * line)).sum() + 0.005 * beta @ beta)

    found = logistic(given_columns, chosen, times)
    for row, weight in zip(found, times, strict=True):
        expected = minimize(loss, np.zeros(3), args=(weight,), tol=1e-10).x
        assert row == pytest.approx(expected, abs=1e-4)


def test_separable_choices_have_a_finite_estimate():
    """A reviewer who always takes the longer answer has large odds, and they are a number."""
    column = np.array([-2.0, -1.0, 1.0, 2.0])
    found = logistic(np.column_stack([np.ones(4), column]), (column > 0) * 1.0, np.ones((1, 4)))
    assert 2.0 < found[0, 1] < 20.0


def made(taste: float, place: float, *, seed: int = 0, count: int = 400) -> Dataset:
    """Reviews whose log-odds are quality, `taste` per doubling of length, and `place`."""
    random = np.random.default_rng(seed)
    pairs, reviews = [], []
    for k in range(count):
        lengths = tuple(int(2**power) for power in random.uniform(5, 9, 2))
        better = bool(random.integers(2))
        one = pair(f"c{k}", gold="1" if better else "2", lengths=lengths)
        pairs.append(one)
        for swapped in (False, True):
            first = (lengths[0] + 1) / (lengths[1] + 1)
            line = 1.0 if better else -1.0
            line = (line + taste * np.log2(first)) * (-1 if swapped else 1) + place
            mark = "f" if random.random() < 1 / (1 + np.exp(-line)) else "s"
            reviews.append(review(one, "judge", mark, swapped=swapped))
    return dataset(pairs, reviews)


@pytest.mark.parametrize(("taste", "place"), [(0.0, 0.0), (0.7, 0.5), (-0.5, -0.3)])
def test_the_taste_for_length_is_found_again(taste: float, place: float):
    """The odds with which the data were made come out again, quality being controlled."""
    (found,) = verbosity(judged(made(taste, place, count=3000)), samples=100)
    assert found.control == "gold"
    assert np.log(found.odds.value) == pytest.approx(taste, abs=0.1)
    assert np.log(found.first_odds.value) == pytest.approx(place, abs=0.1)
    assert found.odds.low < found.odds.value < found.odds.high
    assert found.odds.high / found.odds.low < 1.3
    assert found.odds.n == 6000


def longer_is_better(taste: float, *, seed: int = 3, count: int = 2500) -> Dataset:
    """Better answers tend to be longer; people see only quality, the judge also likes length.

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

        one = pair(f"c{k}", gold="1" if chosen(better) else "2", lengths=lengths)
        pairs.append(one)
        for swapped in (False, True):
            first = chosen(better + taste * longer) != swapped
            reviews.append(review(one, "judge", "f" if first else "s", swapped=swapped))
    return dataset(pairs, reviews)


def test_a_taste_for_what_is_better_is_no_taste_for_length():
    """Gold's verdict hides little of it that better answers are longer; gold's own odds hide all."""
    (fair,) = verbosity(judged(longer_is_better(0.0)), samples=100)
    assert fair.odds.low > 1.1
    assert fair.over_gold.low < 1.0 < fair.over_gold.high
    (fond,) = verbosity(judged(longer_is_better(0.7)), samples=100)
    assert fond.over_gold.low > 1.3
    assert fond.over_gold.high < 2.5


def test_one_question_and_equal_lengths_tell_nothing_of_length():
    """There is nothing to resample, or nothing to regress on."""
    one = pair("c", gold="1", lengths=(10, 100))
    (row,) = verbosity(judged(dataset([one], [review(one, "judge", "f")])), samples=20)
    assert (row.odds.n, row.first_odds.n, row.over_gold.n) == (0, 0, 0)
    assert row.longer.n == 1
    even = [pair(f"c{k}", gold="1", lengths=(10, 10)) for k in range(3)]
    (row,) = verbosity(judged(dataset(even, [review(p, "judge", "f") for p in even])), samples=20)
    assert (row.odds.n, row.longer.n) == (0, 0)


def test_without_gold_quality_is_what_the_others_say():
    """Peers control for quality where gold is missing, and nothing does for a lone reviewer."""
    data = made(0.5, 0.0, count=60)
    bare = replace(data, comparisons=tuple(replace(c, gold=None) for c in data.comparisons))
    (alone,) = verbosity(judged(bare), samples=20)
    assert (alone.control, alone.gold_longer) == ("none", None)
    twin = tuple(replace(one, reviewer="twin") for one in data.reviews)
    both = verbosity(judged(replace(bare, reviews=data.reviews + twin)), samples=20)
    assert {row.control for row in both} == {"peers"}


def test_humans_judge_only_as_gold():
    """People are not measured unless named, and a reviewer can serve as gold in their place."""
    one = pair("c", gold="1")
    data = dataset(
        [one], [review(one, "judge", "f"), review(one, "people", "s")], humans=("people",)
    )
    assert judged(data).reviewers == ("judge",)
    assert judged(data, reviewers=["people"]).reviewers == ("people",)
    by_judge = judged(data, reviewers=["people"], gold="judge")
    assert by_judge.gold.tolist() == [-1.0]
    with pytest.raises(DataError, match="no reviews of pairs by nobody"):
        judged(data, gold="nobody")
    with pytest.raises(DataError, match="no reviews of pairs by eve"):
        judged(data, reviewers=["eve"])
