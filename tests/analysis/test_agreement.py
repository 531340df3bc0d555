from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerjudge.analysis import GoldAgreement, build_tournament, collect_reviews, measure_agreement
from peerjudge.analysis.kappa import fleiss_kappa
from peerjudge.data import COUNTING, Dataset, Scheme, Undecided, replace
from peerjudge.errors import DataError
from peerjudge.ranking import peer_rank
from peerjudge.results.agreements import AgreementResult
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


@pytest.mark.parametrize(
    ("reviewers", "kappa", "accuracy", "right"),
    [
        (["gpt35"], 0.387, 0.621, None),
        (["claude"], 0.319, 0.607, 971),
        (["gpt4"], 0.406, 0.643, 1028),
        (["gpt4", "claude", "gpt35"], 0.403, 0.666, None),
        (None, 0.410, 0.673, 1077),
    ],
)
def test_agreement_with_people_is_that_of_table_3(vicuna, reviewers, kappa, accuracy, right):
    """PRD Table 3: the sign of the peer-weighted mean score against the sign of the mean vote.

    The text has 60.69, 64.25 and 67.31 percent of 1600, which are exact counts.
    """
    found = agreement(vicuna, reviewers=reviewers, weights="peer", samples=200)
    assert found.accuracy.value == pytest.approx(accuracy, abs=0.0005001)
    assert right is None or found.accuracy.value * 1600 == pytest.approx(right)
    assert found.fleiss_kappa.value == pytest.approx(kappa, abs=0.0005)
    assert (found.n, found.unreadable) == (1600, 0)
    assert found.accuracy.low < found.accuracy.value < found.accuracy.high
    assert found.fleiss_kappa.low < found.fleiss_kappa.value < found.fleiss_kappa.high


def test_the_weakest_of_three_reviewers_has_weight_0(vicuna: Dataset):
    """Peer weights are computed among the named reviewers; min-max gives the weakest weight 0."""
    found = agreement(vicuna, reviewers=["gpt4", "claude", "gpt35"], weights="peer", samples=2)
    assert found.weights.weights["gpt35"] == 0.0
    together = agreement(vicuna, weights="peer", samples=2)
    assert together.weights.weights == peer_rank(build_tournament(collect_reviews(vicuna))).weights


def test_a_reviewer_serves_as_gold_for_others_and_not_for_itself(vicuna: Dataset):
    """GPT-4's verdicts in both orders are gold for 1600 of Bard's; people are not their own gold."""
    found = agreement(vicuna, reviewers=["bard"], gold="gpt4", samples=2)
    assert (found.n, found.gold) == (1600, "gpt4")
    with pytest.raises(DataError, match="human is the gold here"):
        agreement(vicuna, reviewers=["human"])


def agreement(data: Dataset, **kwargs) -> GoldAgreement:
    """The agreement of the recorded reviews of a dataset with gold."""
    return measure_agreement(collect_reviews(data), **kwargs)


def dataset(*rows: tuple[str, str, str]) -> Dataset:
    """Rows of gold and the marks of reviewers x and y: 1, 2, = or ?; `-` is no review."""
    comparisons = [pair_of(f"c{k}", gold=row[0]) for k, row in enumerate(rows)]
    reviews = [
        review_of(one, mark, by=name)
        for one, row in zip(comparisons, rows, strict=True)
        for name, mark in zip("xy", row[1:], strict=True)
        if mark != "-"
    ]
    return dataset_of(comparisons, reviews)


def test_a_tie_is_right_only_where_gold_is_a_tie():
    """Opposite verdicts of two reviewers combine to a tie, which is compared with gold as a tie."""
    found = agreement(dataset(("1", "1", "2"), ("=", "1", "2"), ("2", "2", "=")))
    assert found.accuracy.value == pytest.approx(2 / 3)


def test_an_unreadable_review_leaves_the_verdict_to_the_other_reviewer():
    """An unreadable review is counted; an item without a readable review is left out."""
    found = agreement(dataset(("1", "?", "1"), ("1", "?", "?"), ("2", "2", "-")))
    assert (found.n, found.unreadable, found.unjudged) == (2, 3, 1)
    assert found.accuracy.value == 1.0
    assert (found.worst_case, found.best_case) == (pytest.approx(2 / 3), 1.0)


def test_weights_decide_between_reviewers():
    """The reviewer with the larger weight decides; weight 0 has no influence."""
    data = dataset(("1", "1", "2"), ("2", "?", "2"))
    assert agreement(data, weights={"x": 2.0, "y": 1.0}).accuracy.value == 1.0
    assert agreement(data, weights={"x": 1.0, "y": 2.0}).accuracy.value == 0.5
    silent = agreement(data, weights={"x": 1.0, "y": 0.0})
    assert (silent.n, silent.unjudged) == (1, 1)


def test_gold_is_an_answer_not_a_place():
    """The same verdict is right in both shown orders."""
    data = dataset(("1", "1", "1"))
    swapped = tuple(replace(review, shown=("bob", "ann")) for review in data.reviews)
    both = replace(data, reviews=data.reviews + swapped)
    found = agreement(both)
    assert (found.n, found.accuracy.value) == (2, 1.0)


def test_unknown_reviewers_and_gold_are_errors():
    """A misspelt reviewer or gold is an error that lists the reviewers."""
    data = dataset(("1", "1", "2"))
    with pytest.raises(DataError, match="no reviews by z; choose among those by x, y"):
        agreement(data, reviewers=["z"])
    with pytest.raises(DataError, match="no reviewer 'z'"):
        agreement(data, gold="z")
    with pytest.raises(DataError, match="x is the gold here and always agrees with itself"):
        agreement(data, reviewers=["x", "y"], gold="x")
    with pytest.raises(DataError, match="no pair has both"):
        agreement(dataset(("1", "?", "?")))
    anonymous = tuple(
        replace(one, answers=tuple(replace(answer, author="") for answer in one.answers))
        for one in data.comparisons
    )
    with pytest.raises(DataError, match="use weights 'equal'"):
        agreement(replace(data, comparisons=anonymous), weights="peer")


def test_the_document_has_the_keys_of_its_contract():
    """`agreement --json` is a contract; a kappa that does not exist is null."""
    found = agreement(dataset(("1", "1", "1"), ("1", "1", "1")))
    document = AgreementResult(
        agreement=found, panel=None, gold="gold", simulated=False, questions=3
    ).document()
    assert document.pop("simulated") is False
    bounds = document.pop("intervals")
    assert bounds.keys() == {"accuracy", "fleiss_kappa"}
    assert bounds["accuracy"] == [found.accuracy.low, found.accuracy.high]
    assert document == {
        "reviewers": ["x", "y"],
        "gold": "human",
        "accuracy": 1.0,
        "fleiss_kappa": None,
        "level": 0.95,
        "conventions": {
            "accuracy": COUNTING[Undecided.LEFT_OUT],
        },
        "n": 2,
        "unreadable": 0,
        "unjudged": 0,
        "scheme": None,
    }


def test_fleiss_kappa_is_that_of_the_textbook():
    """Fleiss' own example: 10 subjects, 14 raters, 5 categories, kappa 0.210."""
    counts = np.array(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ],
        dtype=np.float64,
    )
    assert fleiss_kappa(counts) == pytest.approx(0.20993, abs=1e-5)
    with pytest.raises(DataError, match="equally often"):
        fleiss_kappa(np.array([[1.0, 1.0], [1.0, 0.0]]))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=30))
def test_kappa_is_one_for_full_agreement_and_never_above(ratings: list[tuple[int, int]]):
    """Kappa is at most 1, and 1 exactly when both raters always agree."""
    counts = np.zeros((len(ratings), 3))
    for row, (one, other) in zip(counts, ratings, strict=True):
        row[one] += 1
        row[other] += 1
    kappa = fleiss_kappa(counts)
    agreed = all(one == other for one, other in ratings)
    if not math.isnan(kappa):
        assert kappa <= 1.0 + 1e-12
        assert (kappa == pytest.approx(1.0)) == agreed


def test_the_uncertainty_of_peer_weights_is_in_the_bounds(vicuna: Dataset):
    """Weights that are computed again in each resample leave more room than the same weights fixed."""
    peer = agreement(vicuna, weights="peer", scheme=Scheme.DAMPED, samples=200)
    fixed = agreement(vicuna, weights=peer.weights.weights, samples=200)
    assert peer.accuracy.value == fixed.accuracy.value
    assert (peer.accuracy.low, peer.accuracy.high) != (fixed.accuracy.low, fixed.accuracy.high)
    assert peer.accuracy.low < peer.accuracy.value < peer.accuracy.high
    assert peer.fleiss_kappa.high - peer.fleiss_kappa.low > 0.0
    assert (peer.unsettled, peer.samples) == (0, 200)
    again = agreement(vicuna, weights="peer", scheme=Scheme.DAMPED, samples=200)
    assert again.accuracy == peer.accuracy
