"""Peer ranking gives the weight to the able, or to a majority that favours itself."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from peerjudge.data import Scheme
from studies.ecology.population import Population, Rule, play_rounds
from studies.ecology.report import compute_ecology

EQUAL = Rule(name="equal", scheme=None)
PRD = Rule(name="PRD", scheme=Scheme.PRD)
DAMPED = Rule(name="damped", scheme=Scheme.DAMPED)
HALF = Rule(name="damped by half", scheme=Scheme.DAMPED, damping=0.5)
SEEDS = pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
)


def _play(population: Population, rule: Rule, seed: int, **changes):
    wanted = {"rounds": 12, "populations": 40} | changes
    return play_rounds(population, rule, seed=seed, **wanted)


def _end(population: Population, rule: Rule, seed: int, **changes) -> float:
    """Return the mean weight of the able after the last round."""
    return _play(population, rule, seed, **changes).able[:, -1].mean()


def _against(faction: int, **changes) -> Population:
    return Population(able=12 - faction, faction=faction, **changes)


@SEEDS
def test_without_a_faction_the_able_gain_weight(seed):
    """Without bias the better reviewers gain weight round by round."""
    found = _play(_against(6, pull=0.0), PRD, seed)
    assert found.able[:, 0] == pytest.approx(0.5)
    early, late = found.able[:, 1].mean(), found.able[:, -1].mean()
    assert 0.5 < early < late
    assert late > 0.7
    assert found.captured < 0.1


@SEEDS
def test_a_majority_that_favours_itself_captures_the_ranking(seed):
    """A faction of two thirds takes the weight; a faction of one third does not."""
    captured = _play(_against(8), PRD, seed)
    assert captured.able[:, -1].mean() < 0.2
    assert captured.captured > 0.8
    held = _play(_against(4), PRD, seed)
    assert held.able[:, -1].mean() > 0.8
    assert held.captured < 0.1


@SEEDS
def test_damping_moves_weights_towards_equal_ones(seed):
    """Damped weights gain the able less where they win, and lose them less where they are captured."""
    for faction in (4, 8):
        away = [
            abs(_end(_against(faction), rule, seed) - (12 - faction) / 12)
            for rule in (PRD, DAMPED, HALF, EQUAL)
        ]
        assert away[0] > away[1] + 0.03 > away[2] + 0.03 > away[3] + 0.03
        assert away[3] == pytest.approx(0.0)


@SEEDS
def test_damping_does_not_undo_a_majority(seed):
    """Under every rule the favourites of two thirds are ranked first."""
    for rule in (PRD, DAMPED, HALF, EQUAL):
        assert _play(_against(8), rule, seed).captured > 0.8


@SEEDS
def test_selection_of_reviewers_matters_less_than_their_weights(seed):
    """Equal selection and selection by weight end with about the same weights."""
    alike = dataclasses.replace(PRD, all_heard=True)
    for faction in (4, 8):
        by_weight, by_number = (
            _end(_against(faction), rule, seed, rounds=20) for rule in (PRD, alike)
        )
        assert by_weight == pytest.approx(by_number, abs=0.06)


@SEEDS
def test_without_self_reviews_self_enhancement_gains_nothing(seed):
    """In a small circle self-enhancement costs the able weight only if self-reviews count."""
    circle = Population(able=2, faction=2, quality=(0.3, -0.3), pull=0.0)
    lost = {}
    for exclude in (False, True):
        rule = dataclasses.replace(PRD, exclude_self=exclude)
        modest, vain = (
            _end(dataclasses.replace(circle, own=own), rule, seed) for own in (0.0, 3.0)
        )
        lost[exclude] = modest - vain
    assert lost[False] > 0.1
    assert lost[True] == pytest.approx(0.0, abs=0.005)


def test_equal_weights_stay_equal_and_all_weights_sum_to_one():
    """Without a scheme weights stay equal; with one they stay between 0 and 1."""
    kind = Population(able=5, faction=3)
    assert np.ptp(_play(kind, EQUAL, 3).able) == pytest.approx(0.0)
    moved = _play(kind, PRD, 3)
    assert ((moved.able >= 0) & (moved.able <= 1 + 1e-9)).all()


def test_sentences_of_the_ecology_state_its_numbers():
    """Every weight in the sentences is in the document."""
    found = compute_ecology(seed=2, populations=8, rounds=4)
    weights = {
        f"{one['able_weight']:.2f}"
        for part in ("capture", "self_review")
        for rows in found.document[part].values()
        for one in rows
    }
    said = " ".join(found.summary)
    assert set(found.figures) == {"rounds", "capture", "self-review"}
    damped = next(word for word in said.split("able weigh ")[1].split())
    assert damped in weights
    assert "Without self-reviews vanity gains nothing" in said
