"""Coverage of the bounds of rankings."""

from __future__ import annotations

import numpy as np

from studies.stopping.rank_bounds import FIELDS, _play, measure_rank_bounds


def test_bounds_of_ranks_hold():
    """Where five contestants differ clearly, at least nine in ten bounds hold the true rank."""
    found = measure_rank_bounds({"five": FIELDS["5 as in PRD"]}, rankings=10, seed=2)
    assert [one.scoring for one in found] == ["bradley-terry", "win-rate"]
    for one in found:
        assert one.ranks >= 0.9
        assert (one.scores is None) == (one.scoring == "win-rate")


def test_no_comparison_is_played_twice():
    """Each pair of contestants meets at most once on a question."""
    played = _play(np.array([1.0, 0.0, -1.0]), random=np.random.default_rng(1))
    met = [*zip(played.first, played.second, played.question, strict=True)]
    assert len(set(met)) == len(met) == 120
