"""The analysis finds the effects planted in simulated studies, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from studies.recovery.claims import count_claims
from studies.recovery.contrasts import WORLDS, count_gain_claims, measure_contrast_coverage
from studies.recovery.effects import EFFECTS
from studies.recovery.limits import measure_sensitivities
from studies.recovery.report import recover_effects


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.name.replace(" ", "-"))
def test_planted_effects_are_found_at_the_nominal_rate(effect):
    """Intervals of 95 % hold the truth at the nominal rate, with an effect and without."""
    # Where discussions are gone through one by one, fewer studies.
    discussed = effect.name in ("altering rate", "leader effect")
    studies = 20 if discussed else 60
    found = recover_effects(studies=studies, questions=140, seed=2, effects=[effect])[effect.name]
    assert found.nominal
    assert found.found == pytest.approx(found.expected, abs=0.04 if discussed else 0.025)
    assert found.detected > 0.6


def test_a_larger_effect_is_detected_more_often():
    """The stronger of two position biases is detected in more studies, and measured as stronger."""
    position = next(effect for effect in EFFECTS if effect.name == "position bias")
    drawn = {
        size: [position.measure(size, 60, np.random.default_rng(seed)) for seed in range(60)]
        for size in (0.15, 0.6)
    }
    seen = {
        size: np.mean([not found.low <= 0.5 <= found.high for found, _ in studies])
        for size, studies in drawn.items()
    }
    assert seen[0.6] > seen[0.15] + 0.2
    assert drawn[0.6][0][1] > drawn[0.15][0][1]


def test_limits_of_a_study_are_listed():
    """Temperature does not move accuracy, nor do copies' errors the gain of a self-discussion."""
    found = {
        (one.trait, one.figure): one
        for one in measure_sensitivities(questions=100, studies=80, seed=1)
    }
    assert not found["temperature", "private accuracy"].told
    assert abs(found["temperature", "private accuracy"].deviations) < 0.5
    assert found["temperature", "agreement of two replies of one reviewer"].told
    assert not found["copy_error", "gain of discussing with itself"].told
    assert not found["firmness", "share of altering as leader"].told
    assert found["truth_pull", "gain of discussing with another"].told
    assert found["persuasiveness", "altering of who hears it"].told
    alike = found["persuasiveness", "the same, of who is as much less susceptible"]
    assert abs(alike.deviations) < 0.5


@pytest.mark.parametrize(
    "questions", [6, *(pytest.param(number, marks=pytest.mark.slow) for number in (8, 20))]
)
def test_printed_intervals_of_contrasts_hold_the_truth(questions):
    """Over the mean seat, each seat, the better one, self-consistency and the vote, also where rare."""
    found = measure_contrast_coverage(studies=60, seed=4, sizes=(questions,))
    assert len(found) == 6 * len(WORLDS)
    # 93 %, and three standard errors of 60 studies, as the least of 35 is taken.
    assert min(one.covered for one in found) >= 0.93 - 3 * (0.93 * 0.07 / 60) ** 0.5


def test_a_gain_over_the_better_seat_is_claimed_where_there_is_one():
    """Where the discussion equals the better seat, at most 5 % of studies claim a difference."""
    found = count_gain_claims(studies=200, seed=5, sizes=(8, 80))
    assert max(one.better + one.worse for one in found if not one.gain) <= 0.05
    assert min(one.better for one in found if one.gain and one.questions == 80) > 0.05
    for one in found:
        assert one.better <= one.known_seat


def test_the_headline_claims_nothing_where_discussing_changes_nothing():
    """With 1, 4 or 10 conditions, at most 5 % of studies claim something, within chance."""
    found = count_claims(studies=8, questions=12, seed=3)
    assert [one.conditions for one in found] == [1, 4, 10]
    for one in found:
        assert one.any <= one.at_most
