"""Expectations by quadrature agree with simulated discussions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from peerjudge.simulation import Traits
from peerjudge.simulation.arrays import Items, Speaker, World, score_verdicts
from studies.analytic import Case, compute_chances, expect_discussion, integrate
from studies.talks import simulate_talk


def test_simulated_discussions_match_their_expectation():
    """Drawn and integrated, a discussion is right, held and altered equally often."""
    leader = Traits(
        ability=0.9, shared_error=0.4, susceptibility=-1.0, firmness=2.0, truth_pull=0.8
    )
    follower = dataclasses.replace(
        leader, ability=0.4, susceptibility=1.5, position_bias=0.3, machine_taste=0.3
    )
    cases = [
        Case(gold=gold, machine=machine, count=1) for gold in (1, -1) for machine in (1, -1, 0)
    ]
    found = expect_discussion(
        (leader, compute_chances(leader, cases)),
        (follower, compute_chances(follower, cases)),
        cases,
        settle="last",
    )
    items = Items.build_plain([case.gold for case in cases], [case.machine for case in cases])
    world = World(items, studies=40_000, random=np.random.default_rng(5))
    seats = [Speaker(name="leader", traits=leader), Speaker(name="follower", traits=follower)]
    private = [world.draw_verdicts(seat) for seat in seats]
    drawn = simulate_talk(world, seats, private, turns=4)
    differed = private[0] != private[1]
    tolerance = 4 * 0.5 / np.sqrt(world.shape[0])
    for values, expected in (
        (score_verdicts(drawn.stances[1], world), found.right),
        (drawn.stances[0] == 1, found.leader_first),
        (differed & (drawn.stances[0] == private[0]), found.leader_held),
        (differed & (drawn.stances[1] == private[1]), found.follower_held),
        (drawn.altered[0] > 0, found.leader_altered),
    ):
        assert np.abs(values.mean(axis=0) - expected).max() < tolerance


def test_copies_share_more_errors_than_other_reviewers():
    """Two seats of one reviewer agree more often than two reviewers of the same traits."""
    traits = Traits(ability=0.6, shared_error=0.2, copy_error=0.4)
    cases = [Case(gold=1)]
    apart = compute_chances(traits, cases)
    copies = compute_chances(traits, cases, copies=True)
    agreeing = [float(integrate(seen * seen)[0]) for seen in (apart, copies)]
    assert agreeing[1] > agreeing[0] + 0.03
    assert integrate(apart) == pytest.approx(integrate(copies), abs=1e-6)
