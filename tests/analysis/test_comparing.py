"""Accuracy compared on the same questions."""

from __future__ import annotations

import numpy as np
import pytest

from peerjudge.analysis import (
    AccuracyByComparison,
    collect_reviews,
    compare_all,
    measure_accuracy,
    measure_mean_accuracy,
    tabulate_by_reviewer,
)
from peerjudge.errors import DataError
from tests.analysis.analysis_kit import QUICK, dataset_of, pair_of, review_of


def row(name: str, right: list[float], *, question: str = "q") -> AccuracyByComparison:
    """Right so often on one comparison of each question."""
    judged = {(f"{question}{k}", f"c{k}"): share for k, share in enumerate(right)}
    return AccuracyByComparison(
        name=name,
        reviewers=frozenset({name}),
        turns=1.0,
        right=judged,
    )


def test_a_baseline_leaves_one_test_for_each_of_the_others():
    """The others come first, and p-values are adjusted for two tests instead of three."""
    random = np.random.default_rng(0)
    three = [
        row(name, (random.random(30) < p) * 1.0)
        for name, p in zip("abc", (0.9, 0.5, 0.3), strict=True)
    ]
    found = compare_all(three, baseline="b", sampler=QUICK)
    assert [(pair.one, pair.other) for pair in found] == [("a", "b"), ("c", "b")]
    strongest = min(pair.difference.p_value for pair in found)
    assert min(pair.holm for pair in found) == pytest.approx(min(1.0, 2 * strongest))
    assert found[0].difference.difference.value > 0 > found[1].difference.difference.value
    every = compare_all(three, sampler=QUICK)
    assert [(pair.one, pair.other) for pair in every] == [("a", "b"), ("a", "c"), ("b", "c")]
    smallest = min(pair.difference.p_value for pair in every)
    assert min(pair.holm for pair in every) == pytest.approx(min(1.0, 3 * smallest))
    assert all(pair.difference.p_value <= pair.holm for pair in every)


def test_the_baseline_must_exist():
    """A misspelt baseline is an error that lists the names."""
    with pytest.raises(DataError, match="Unknown baseline 'z'; choose one of 'a', 'b'"):
        compare_all([row("a", [1.0]), row("b", [0.0])], baseline="z", sampler=QUICK)


def test_rows_without_a_shared_comparison_are_not_compared():
    """Two that judged different questions have no difference, not one of 0."""
    apart = row("b", [1.0], question="other")
    assert compare_all([row("a", [1.0, 0.0]), apart], sampler=QUICK) == ()


def test_recorded_reviewers_are_compared():
    """Right in one of two orders is half right; what cannot be read is left out."""
    one = pair_of(gold="1")
    marks = {"place": "12", "able": "1?"}
    reviews = [
        review_of(one, mark, by=name, swap=bool(order))
        for name, both in marks.items()
        for order, mark in enumerate(both)
    ]
    ballots = collect_reviews(dataset_of([one], reviews))
    able, place = tabulate_by_reviewer(ballots)
    assert (able.name, measure_mean_accuracy(able, sampler=QUICK).value) == ("able", 1.0)
    assert (place.name, measure_mean_accuracy(place, sampler=QUICK).value) == ("place", 0.5)
    with pytest.raises(DataError, match="with gold by other"):
        tabulate_by_reviewer(ballots, reviewers=["able", "other"])


def test_a_reviewer_has_one_accuracy_everywhere():
    """Where verdicts are missing, `compare` has the share of readable verdicts that `score` has."""
    pairs = [pair_of(f"c{k}", gold="1") for k in range(8)]
    reviews = [
        review_of(one, mark, swap=swap)
        for k, one in enumerate(pairs)
        for mark, swap in (("1" if k < 5 else "2", False), ("?" if k % 2 else "1", True))
    ]
    ballots = collect_reviews(dataset_of(pairs, reviews))
    (judge,) = tabulate_by_reviewer(ballots)
    pooled = measure_accuracy(ballots, sampler=QUICK)
    assert measure_mean_accuracy(judge, sampler=QUICK) == pooled.accuracy
    assert pooled.accuracy.value == pytest.approx(9 / 12)
