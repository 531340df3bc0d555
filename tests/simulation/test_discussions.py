"""Scripts followed in one world share their private draws."""

from __future__ import annotations

import numpy as np

from peerjudge.data import Card, ReviewerKind, Role, Seat
from peerjudge.shelf import Shelf
from peerjudge.simulation.arrays import World, build_items, build_speaker
from peerjudge.simulation.discussions import play_script
from peerjudge.simulation.scripts import write_script

SEATS = (
    Seat(id="seat-1", reviewer="one", role=Role.LEADER),
    Seat(id="seat-2", reviewer="two", role=Role.FOLLOWER),
)


def _private(many, *options):
    """Return the private verdicts of both seats, for each of these options, in one world."""
    comparisons = many(60)
    world = World(build_items(comparisons), studies=30, random=np.random.default_rng(4))
    traits = {"ability": 0.6, "tie_width": 0.4}
    speakers = {
        seat.id: build_speaker(
            Card(name=seat.reviewer, kind=ReviewerKind.SIMULATED, traits=traits), comparisons
        )
        for seat in SEATS
    }
    draws = {}
    played = []
    for chosen in options:
        protocol = Shelf().protocol("leader_follower", chosen)
        script = write_script(protocol, SEATS, comparisons[0])
        played.append(np.stack(play_script(script, world, speakers, draws=draws).private))
    return played


def test_equal_private_cues_are_one_draw(many):
    """Discussions of different length begin with the same private reviews."""
    short, long = _private(many, {"turns": 2}, {"turns": 4})
    assert (short == long).all()


def test_ties_are_drawn_only_where_allowed(many):
    """Private draws of a condition with ties are not reused in one without."""
    tied, plain = _private(many, {"ties": True}, {"ties": False})
    assert (tied == 0).mean() > 0.1
    assert not (plain == 0).any()
