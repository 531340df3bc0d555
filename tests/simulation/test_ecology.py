"""Peers who weigh each other come to listen to the able, or to whoever holds the majority."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peerjudge.data import Scheme
from peerjudge.simulation.ecology import Population, Rule, play_rounds

PRD = Rule(name="PRD", scheme=Scheme.PRD)
DAMPED = Rule(name="damped", scheme=Scheme.DAMPED)


def _play(population: Population, rule: Rule, **changes):
    wanted = {"rounds": 12, "populations": 60, "seed": 3} | changes
    return play_rounds(population, rule, **wanted)


def test_without_a_faction_peers_come_to_listen_to_the_able():
    """Where nobody is biased the better writers, who judge better too, gain weight round by round."""
    fair = Population(able=6, faction=6, pull=0.0)
    found = _play(fair, PRD)
    assert found.able[:, 0] == pytest.approx(0.5)
    assert found.able[:, -1].mean() > 0.75
    assert found.captured == 0.0


def test_a_majority_that_favours_itself_captures_the_ranking():
    """Two thirds who favour each other take the weight, though they write and judge worse."""
    captured = _play(Population(able=4, faction=8), PRD)
    assert captured.able[:, -1].mean() < 0.15
    assert captured.captured > 0.9
    held = _play(Population(able=8, faction=4), PRD)
    assert held.able[:, -1].mean() > 0.8
    assert held.captured < 0.1


def test_damping_keeps_everybody_heard():
    """Damped weights gain the able less where they win, and lose them less where they are captured."""
    for able in (8, 4):
        kind = Population(able=able, faction=12 - able)
        plain, damped = (_play(kind, rule).able[:, -1].mean() for rule in (PRD, DAMPED))
        assert abs(damped - able / 12) < abs(plain - able / 12)


def test_leaving_self_reviews_out_takes_the_reward_from_vanity():
    """In a small circle, self-love costs the able weight only where self-reviews count."""
    circle = Population(able=2, faction=2, quality=(0.3, -0.3), pull=0.0)
    lost = {}
    for exclude in (False, True):
        rule = replace(DAMPED, exclude_self=exclude)
        modest, vain = (
            _play(replace(circle, own=own), rule, populations=150).able[:, -1].mean()
            for own in (0.0, 3.0)
        )
        lost[exclude] = modest - vain
    assert lost[False] > 0.01
    assert lost[True] == pytest.approx(0.0, abs=0.005)


def test_equal_weights_stay_equal_and_all_weights_sum_to_one():
    """Without a scheme nothing feeds back; with one, what the able gain the others lose."""
    kind = Population(able=5, faction=3)
    still = _play(kind, Rule(name="equal", scheme=None))
    assert np.ptp(still.able) == pytest.approx(0.0)
    moved = _play(kind, PRD)
    assert ((moved.able >= 0) & (moved.able <= 1 + 1e-9)).all()
