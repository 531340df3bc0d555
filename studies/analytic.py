"""What two simulated reviewers are expected to do, by quadrature instead of drawing.

The model is that of `peerjudge.simulation.latent` for two answers and no ties. Given the margin and
the error that two seats share, what they choose in private is independent; how a discussion goes on
from a disagreement depends on nothing but who of them is right. So every expectation is an integral
over two numbers, and agrees with what is drawn up to the drawing.
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

__all__ = [
    "Case",
    "Discussion",
    "Floats",
    "Moves",
    "Settle",
    "accuracy",
    "chances",
    "discussion",
    "expectation",
    "factor",
    "gold_of",
    "moves",
]

Floats = npt.NDArray[np.float64]

Settle = Literal["coin", "last", "leader"]
"""Whose verdict counts where a discussion ends in disagreement: that of either seat, with equal chance,
of the seat that spoke last, or of the leader. PRD does not say; on average over studies a coin is the
same as counting the split as half right."""

_MARGINS, _FACTORS = 28, 28
_MOST = 5.5
"""The greatest margin that is integrated over; greater ones have a weight of 4e-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Questions that are alike: which answer is gold, and whether one of the two is a machine's.

    Both are 1 for the first-shown answer and -1 for the second; `machine` is 0 where both or neither
    are. `count` is how many such questions there are.
    """

    gold: int
    machine: int = 0
    count: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """How a disagreement ends, in probabilities: one gives way to the other, or none does."""

    leader_yields: float
    follower_yields: float
    split: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """What is expected of a discussion, case by case, as probabilities.

    `right`: its conclusion is gold. `leader_first`, `follower_first`: in the end the seat prefers the
    first-shown answer. `leader_held`, `follower_held`: the two disagreed at first, and in the end it
    holds what it held. `leader_altered`: it gave way.
    """

    right: Floats
    leader_first: Floats
    follower_first: Floats
    leader_held: Floats
    follower_held: Floats
    leader_altered: Floats


@cache
def factor() -> tuple[Floats, Floats]:
    """Nodes and weights that integrate over a standard normal number."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_FACTORS)
    return np.asarray(nodes), np.asarray(weights / weights.sum())


def expectation(values: Floats) -> Floats:
    """The mean over margins and factor, the last two axes of `values`."""
    _, density = build_margins(_MARGINS, most=_MOST)
    _, weights = factor()
    return values @ weights @ density


def gold_of(cases: Sequence[Case]) -> npt.NDArray[np.bool_]:
    """Whether the first-shown answer is gold, by case."""
    return np.array([case.gold > 0 for case in cases])


def chances(
    traits: Traits, cases: Sequence[Case], *, copies: bool = False, temperature: float = 1.0
) -> Floats:
    """The probability of preferring the first-shown answer, `[case, margin, factor]`.

    The factor is the error that the reviewer shares with others, or, where `copies`, with a second
    seat of its own.
    """
    # Imported here because a spoken discussion does not need it.
    from scipy.special import ndtr

    margin, _ = build_margins(_MARGINS, most=_MOST)
    nodes, _ = factor()
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


def accuracy(first: Floats, cases: Sequence[Case]) -> float:
    """The share of right verdicts, from the probability by case of preferring the first answer."""
    count = np.array([case.count for case in cases])
    right = np.where(gold_of(cases), first, 1 - first)
    return float(right @ count / count.sum())


def moves(leader: Traits, follower: Traits, *, leader_right: bool, turns: int = 4) -> Moves:
    """How a disagreement of leader and follower ends, when one of the two is right."""
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
    return Moves(leader_yields=leader_yields, follower_yields=follower_yields, split=split)


def discussion(
    leader: tuple[Traits, Floats],
    follower: tuple[Traits, Floats],
    cases: Sequence[Case],
    *,
    settle: Settle = "coin",
    turns: int = 4,
) -> Discussion:
    """What is expected of a discussion of two reviewers, each with its private `chances`."""
    both = expectation(leader[1] * follower[1])
    gold_first = gold_of(cases)
    right, wrong = (
        moves(leader[0], follower[0], leader_right=truth, turns=turns) for truth in (True, False)
    )
    # Of a split, this part counts as what the leader holds.
    share = {"coin": 0.5, "last": float(turns % 2 == 1), "leader": 1.0}[settle]
    concluded, leader_first, follower_first = both, both, both
    leader_held = follower_held = leader_altered = np.zeros_like(both)
    # They differ: the leader alone prefers the first answer, or the follower alone does.
    for first, seat in ((True, leader), (False, follower)):
        differ = expectation(seat[1]) - both
        truth = gold_first == first
        yields = np.where(truth, right.leader_yields, wrong.leader_yields)
        convinces = np.where(truth, right.follower_yields, wrong.follower_yields)
        split = np.where(truth, right.split, wrong.split)
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
