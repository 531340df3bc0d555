"""Discussions of simulated reviewers in turn, many studies at a time, without a protocol.

Arrays are as in `peerjudge.simulation.arrays`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.simulation.arrays import Speaker, Verdicts, World
from peerjudge.simulation.discussions import weigh_contradiction

_PAIR = 2
"""Size of a discussion with a leader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Outcome of a discussion by seat: final stances, and its turns contradicted and altered."""

    stances: tuple[Verdicts, ...]
    contradicted: tuple[npt.NDArray[np.int8], ...]
    altered: tuple[npt.NDArray[np.int8], ...]


def simulate_talk(
    world: World, speakers: Sequence[Speaker], private: Sequence[Verdicts], *, turns: int
) -> Talk:
    """Let speakers take turns in this order, each beginning with its private stance.

    All hear the private reviews. The first of two speakers leads; a larger panel has no leader.
    """
    seats = range(len(speakers))
    stances = [stance.copy() for stance in private]
    contradicted = [np.zeros(world.shape, np.int8) for _ in seats]
    altered = [np.zeros(world.shape, np.int8) for _ in seats]
    for turn in range(turns):
        seat = turn % len(speakers)
        others = [other for other in seats if other != seat]
        at, said, yields = weigh_contradiction(
            world,
            speakers[seat].traits,
            stances[seat],
            [stances[other] for other in others],
            forces=[speakers[other].traits.persuasiveness for other in others],
            leads=seat == 0 and len(speakers) == _PAIR,
            first_turn=turn < len(speakers),
        )
        contradicted[seat][at] += 1
        altered[seat][at] += yields
        stances[seat][at] = np.where(yields, said, stances[seat][at])
    return Talk(stances=tuple(stances), contradicted=tuple(contradicted), altered=tuple(altered))
