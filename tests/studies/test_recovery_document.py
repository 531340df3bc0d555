"""The document of the recovery: results under plain keys, and no reversals of rankings."""

from __future__ import annotations

import pytest

from studies.recovery.ratings import measure_rating_coverage
from studies.recovery.report import compute_recovery
from studies.recovery.reversals import OPTIONS, count_reversals


def test_no_option_of_a_ranking_reverses_reviewers_that_agree():
    """Two tournaments under each of 24 options: all rankings have the planted order."""
    found = count_reversals(tournaments=2, seed=1)
    assert len(found) == len(OPTIONS) == 24
    assert sum(one.reversed for one in found) == 0
    assert sum(one.ranked for one in found) >= 45


@pytest.mark.slow
def test_the_document_names_its_results_plainly():
    """Coverage by questions, false claims by conditions, reversals and errors of stopping are in it."""
    found = compute_recovery(seed=2, studies=4).document
    covered = found["coverage_by_questions"]
    assert [*map(int, covered)] == [4, 6, 8, 12, 20, 36, 80, 140]
    assert all(0 <= one["covered"] <= 1 and one["error"] >= 0 for one in covered.values())
    assert [*map(int, found["contrasts_by_questions"])] == [6, 8, 12, 20, 40, 80]
    assert {one["gain"] for one in found["gains"]} == {0.0, 0.1}
    assert [*found["false_claims_by_conditions"]] == ["1", "4", "10"]
    assert found["order_reversals"]["reversals"] == 0
    assert 0 <= found["stopping"]["false_decisions"] <= 0.5
    assert {one["weights"] for one in found["rankings"]} == {"equal", "peer, prd", "peer, damped"}
    assert {one["questions"] for one in found["ratings"]} == {8, 12, 20, 40, 80}
    assert {one["random_ties"] for one in found["true_ties"]} == {0.0, 0.02, 0.05}


@pytest.mark.slow
def test_ratings_that_agree_more_with_gold_are_found_to():
    """With 40 questions a condition that errs more is found in most studies, and in few if it does not."""
    found = {one.planted: one for one in measure_rating_coverage(studies=30, seed=4, sizes=(40,))}
    assert min(found[True].claimed.values()) > 0.5
    assert max(found[False].claimed.values()) < 0.2
    for one in found.values():
        assert min((*one.covered.values(), *one.difference_covered.values())) > 0.8
