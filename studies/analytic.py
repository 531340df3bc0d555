"""Expectations of two simulated reviewers, by quadrature instead of simulation.

The model is that of `peerjudge.simulation.latent` for two answers and no ties. Given the margin and
the error that two seats share, their private choices are independent; the course of a discussion from
a disagreement depends only on which of them is right. So every expectation is an integral over two
numbers, and agrees with simulation up to its error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from peerjudge.simulation.latent import build_margins, compute_change_chance, split_noise
from peerjudge.simulation.traits import Traits

Floats = npt.NDArray[np.float64]

Settle = Literal["coin", "last", "leader"]
"""Verdict that counts where a discussion ends in disagreement: that of either seat with equal chance,
of the seat that spoke last, or of the leader. PRD does not say; on average over studies a coin is the
same as counting the split as half right."""

_MARGINS, _FACTORS = 28, 28
_MOST = 5.5
"""Greatest margin of the integrals; greater ones have a weight of 4e-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Questions that are alike, and their number.

    `gold` is 1 for the first-shown answer and -1 for the second. `machine` is the same for the answer
    by a machine, and 0 where both or neither are.
    """

    gold: int
    machine: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """Expectations of a discussion as probabilities, case by case.

    `right`: the conclusion is gold. `leader_first`, `follower_first`: in the end the seat prefers the
    first-shown answer. `leader_held`, `follower_held`: the seats disagreed at first, and in the end the
    seat has its first opinion. `leader_altered`: the leader gave way.
    """

    right: Floats
    leader_first: Floats
    follower_first: Floats
    leader_held: Floats
    follower_held: Floats
    leader_altered: Floats


@cache
def build_factor() -> tuple[Floats, Floats]:
    """Return nodes and weights that integrate over a standard normal number."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_FACTORS)
    return np.asarray(nodes), np.asarray(weights / weights.sum())


def integrate(values: Floats) -> Floats:
    """Return the mean over margins and factor, the last two axes of `values`."""
    _, density = build_margins(_MARGINS, most=_MOST)
    _, weights = build_factor()
    return values @ weights @ density


def is_gold_first(cases: Sequence[Case]) -> npt.NDArray[np.bool_]:
    """Return by case whether the first-shown answer is gold."""
    return np.array([case.gold > 0 for case in cases])


def compute_chances(
    traits: Traits, cases: Sequence[Case], *, copies: bool = False, temperature: float = 1.0
) -> Floats:
    """Return the probability of preferring the first-shown answer, `[case, margin, factor]`.

    The factor is the error shared with other reviewers, or, for `copies`, with a second seat of the
    same reviewer.
    """
    from scipy.special import ndtr

    margin, _ = build_margins(_MARGINS, most=_MOST)
    nodes, _ = build_factor()
    noise = split_noise(traits, temperature)
    common = noise.shared + (noise.own + noise.place if copies else 0.0)
    gold = np.array([case.gold for case in cases])
    machine = np.array([case.machine for case in cases])
    evidence = (
        traits.ability * gold[:, None] * margin
        + traits.position_bias
        + traits.machine_taste * machine[:, None]
    )
    alone = math.sqrt(max(noise.total - common, 1e-12))
    seen = (evidence[:, :, None] + math.sqrt(common) * nodes) / alone
    return np.asarray(ndtr(seen), dtype=np.float64)


def compute_accuracy(first: Floats, cases: Sequence[Case]) -> float:
    """Return the share of right verdicts from the probability of the first answer by case."""
    count = np.array([case.count for case in cases])
    right = np.where(is_gold_first(cases), first, 1 - first)
    return float(right @ count / count.sum())


def resolve_disagreement(
    leader: Traits, follower: Traits, *, leader_right: bool, turns: int = 4
) -> tuple[float, float, float]:
    """Return the probabilities that the leader gives way, that the follower does, and of neither."""
    leader_yields = follower_yields = 0.0
    split = 1.0
    for turn in range(turns):
        leads = turn % 2 == 0
        chance = compute_change_chance(
            leader if leads else follower,
            leads=leads,
            right=leader_right != leads,
            first_turn=turn < 2,
            persuasion=(follower if leads else leader).persuasiveness,
        )
        if leads:
            leader_yields += split * chance
        else:
            follower_yields += split * chance
        split *= 1 - chance
    return leader_yields, follower_yields, split


def expect_discussion(
    leader: tuple[Traits, Floats],
    follower: tuple[Traits, Floats],
    cases: Sequence[Case],
    *,
    settle: Settle = "coin",
    turns: int = 4,
) -> Discussion:
    """Return the expectations of a discussion of two reviewers, each with its private chances."""
    both = integrate(leader[1] * follower[1])
    gold_first = is_gold_first(cases)
    ends = {
        truth: resolve_disagreement(leader[0], follower[0], leader_right=truth, turns=turns)
        for truth in (True, False)
    }
    # Of a split, this part counts as the leader's opinion.
    share = {"coin": 0.5, "last": float(turns % 2 == 1), "leader": 1.0}[settle]
    concluded, leader_first, follower_first = both, both, both
    leader_held = follower_held = leader_altered = np.zeros_like(both)
    # The seats differ: only the leader prefers the first answer, or only the follower does.
    for first, seat in ((True, leader), (False, follower)):
        differ = integrate(seat[1]) - both
        truth = gold_first == first
        yields, convinces, split = (
            np.where(truth, right, wrong)
            for right, wrong in zip(ends[True], ends[False], strict=True)
        )
        leads = convinces + share * split
        concluded = concluded + differ * (leads if first else 1 - leads)
        leader_first = leader_first + differ * (1 - yields if first else yields)
        follower_first = follower_first + differ * (convinces if first else 1 - convinces)
        leader_held = leader_held + differ * (1 - yields)
        follower_held = follower_held + differ * (1 - convinces)
        leader_altered = leader_altered + differ * yields
    return Discussion(
        right=np.where(gold_first, concluded, 1 - concluded),
        leader_first=leader_first,
        follower_first=follower_first,
        leader_held=leader_held,
        follower_held=follower_held,
        leader_altered=leader_altered,
    )
