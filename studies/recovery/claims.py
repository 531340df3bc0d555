"""False claims of a headline: studies of one or more discussions that change nothing.

Two reviewers of equal ability lead once each and never alter: a discussion concludes what its leader
thought, so it is exactly as able as either seat. Any claim that discussing helps or harms is false.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peerjudge.analysis import build_contrasts, collect_transcripts
from peerjudge.data import Transcript, replace
from peerjudge.simulation.arrays import Items, Speaker, World
from peerjudge.simulation.discussions import Draws
from peerjudge.simulation.traits import Traits
from peerjudge.statistics.sampler import Sampler
from studies.recovery.transcripts import play_studies

CONDITIONS = (1, 4, 10)
_LEVEL = 0.95
_SURE = 0.999
_UNMOVED = Traits(ability=0.6, shared_error=0.3, copy_error=0.1, susceptibility=-40.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Shares of studies that claim something: of their headline, and of unadjusted intervals.

    `better` and `worse` are the shares whose adjusted p-value claims a gain or a loss for any condition,
    `any` is either; `unadjusted` is the share in which the 95 % interval of some condition
    leaves out 0. `at_most` is what chance allows where the true share is 5 %.
    """

    conditions: int
    better: float
    worse: float
    any: float
    unadjusted: float
    at_most: float


def count_claims(*, studies: int, questions: int = 24, seed: int = 0) -> tuple[Claims, ...]:
    """Simulate studies with 1, 4 and 10 discussions that change nothing, and count their claims."""
    return tuple(
        _count(conditions, studies, questions, np.random.default_rng([seed, conditions]))
        for conditions in CONDITIONS
    )


def _count(conditions: int, studies: int, questions: int, random: np.random.Generator) -> Claims:
    from scipy.special import bdtr

    drawn = [_claim(conditions, questions, random) for _ in range(studies)]
    better, worse, unadjusted = np.array(drawn, dtype=np.bool_).T
    chance = np.asarray(bdtr(np.arange(studies + 1), studies, 1 - _LEVEL), dtype=np.float64)
    return Claims(
        conditions=conditions,
        better=float(better.mean()),
        worse=float(worse.mean()),
        any=float((better | worse).mean()),
        unadjusted=float(unadjusted.mean()),
        at_most=int(np.searchsorted(chance, _SURE)) / studies,
    )


def _claim(conditions: int, questions: int, random: np.random.Generator) -> tuple[bool, bool, bool]:
    """Return whether one study claims a gain, a loss, and either by unadjusted intervals."""
    gold = [1 - 2 * (number % 2) for number in range(questions)]
    world = World(Items.build_plain(gold), studies=1, random=random)
    held: list[Transcript] = []
    for number in range(conditions):
        one, two = (Speaker(name=f"{seat} {number}", traits=_UNMOVED) for seat in ("one", "two"))
        draws: Draws = {}
        talks = play_studies(world, one, two, draws=draws) + play_studies(
            world, two, one, draws=draws
        )
        held += [replace(talk, condition=f"talk {number}") for talk in talks]
    rows = build_contrasts(collect_transcripts(held), sampler=Sampler())
    seats = [row.over_better_seat for row in rows]
    found = [(one.difference.difference, one.p_holm) for one in seats if one.difference is not None]
    return (
        any(one.value > 0 and p <= 1 - _LEVEL for one, p in found),
        any(one.value < 0 and p <= 1 - _LEVEL for one, p in found),
        any(not one.low <= 0 <= one.high for one, _ in found),
    )
