"""Discussions of simulated reviewers, many studies at a time: who gives way to whom.

Arrays are as in `peerjudge.simulation.fast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Control
from peerjudge.simulation.fast import Bools, Speaker, Verdicts, World
from peerjudge.simulation.latent import change_probability
from peerjudge.simulation.traits import Traits

__all__ = ["Talk", "contradict", "talk"]

_PAIR = 2
"""Only where so many sit does one of them lead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What came of discussions: final stances, and how often each seat was contradicted and altered.

    All are by seat. `contradicted` and `altered` count a seat's turns.
    """

    stances: tuple[Verdicts, ...]
    contradicted: tuple[npt.NDArray[np.int8], ...]
    altered: tuple[npt.NDArray[np.int8], ...]
    last: int | None


def talk(
    world: World,
    speakers: Sequence[Speaker],
    private: Sequence[Verdicts],
    *,
    turns: int,
    hears_all: bool = True,
) -> Talk:
    """Discussions of these speakers, who take turns in this order and begin with these stances.

    The first of two speakers leads; on a larger panel nobody does. `hears_all` lets everybody hear the
    private reviews; otherwise a seat is heard once it has spoken.
    """
    seats = range(len(speakers))
    stances = [stance.copy() for stance in private]
    contradicted = [np.zeros(world.shape, np.int8) for _ in seats]
    altered = [np.zeros(world.shape, np.int8) for _ in seats]
    heard = set(seats) if hears_all else set[int]()
    for turn in range(turns):
        seat = turn % len(speakers)
        others = [other for other in seats if other != seat and other in heard]
        heard.add(seat)
        if not others:
            continue
        at, said, yields = contradict(
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
    return Talk(
        stances=tuple(stances),
        contradicted=tuple(contradicted),
        altered=tuple(altered),
        last=(turns - 1) % len(speakers) if turns else None,
    )


def contradict(
    world: World,
    traits: Traits,
    stance: Verdicts,
    heard: Sequence[Verdicts],
    *,
    forces: Sequence[float],
    leads: bool,
    first_turn: bool,
    ties: bool = True,
    control: Control = "none",
) -> tuple[tuple[npt.NDArray[np.intp], ...], Verdicts, Bools]:
    """Where what is heard contradicts a stance, what the others say there, and where it gives way.

    `forces` is how persuasive those are who are heard; `ties` is whether a tie may be said. Under a
    `control` being right convinces nobody, and under a placebo nobody gives way.
    """
    said, clear = _majority(heard)
    against = clear & (said != stance)
    if not ties:
        against &= said != 0
    at = np.nonzero(against)
    there = said[at]
    levels, level = np.array(forces[:1]), np.zeros(there.shape, np.intp)
    if len(set(forces)) > 1:
        # Those count who hold the stance that is heard.
        agreeing = np.stack([one[at] == there for one in heard])
        mean = (np.array(forces) @ agreeing) / agreeing.sum(axis=0)
        levels, level = np.unique(mean, return_inverse=True)
    chances = [
        [
            0.0
            if control == "placebo"
            else change_probability(
                traits,
                leads=leads,
                right=right if control == "none" else None,
                first_turn=first_turn,
                persuasion=force,
            )
            for force in levels.tolist()
        ]
        for right in (False, True)
    ]
    right = (there == world.gold[at]).astype(np.intp)
    limit = np.array(chances, dtype=np.float32)[right, level]
    return at, there, world.random.random(limit.shape, dtype=np.float32) < limit


def _majority(stances: Sequence[Verdicts]) -> tuple[Verdicts, Bools]:
    """What more than half of the stances are, and where there is such a thing."""
    if len(stances) == 1:
        return stances[0], np.ones(stances[0].shape, dtype=np.bool_)
    counts = {value: sum(stance == value for stance in stances) for value in (1, -1, 0)}
    said = np.zeros(stances[0].shape, np.int8)
    clear = np.zeros(stances[0].shape, np.bool_)
    for value, count in counts.items():
        most = 2 * np.asarray(count) > len(stances)
        said[most] = value
        clear |= most
    return said, clear
