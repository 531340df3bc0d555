"""Effects that can be planted in simulated studies, and the project's own analysis that looks for them.

A design plants one effect, simulates a study of so many questions, and measures it as a real study is
measured: with the functions of `peerjudge.analysis`, whose intervals resample questions. What the
analysis should find is known exactly, from the equations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from peerjudge.analysis import bootstrap_mean, paired_bootstrap, position, self_enhancement
from peerjudge.analysis.intervals import SHARE, Floats, Numbers, statistic
from peerjudge.analysis.judged import Judged
from peerjudge.data import Measurement
from peerjudge.simulation.fast import Items, Speaker, Verdicts, World, score
from peerjudge.simulation.latent import change_probability, private_accuracy
from peerjudge.simulation.talks import Talk, talk
from peerjudge.simulation.traits import Traits

__all__ = ["EFFECTS", "Effect", "Planted"]

_DIFFERENCE = (-1.0, 1.0)
_PLAIN = Traits(ability=0.6, shared_error=0.3, copy_error=0.1)
_NOBODY = 40.0
"""A logit at which nobody, or everybody, changes its mind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A study's measurement of an effect, and what is true of it."""

    found: Measurement
    truth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect: `planted` is its size as a trait, `nothing` the size at which there is none.

    `measure` simulates a study of so many questions in which it has a size. `none` is what the
    analysis should find where nothing is planted.
    """

    name: str
    analysis: str
    planted: float
    nothing: float
    none: float
    measure: Callable[[float, int, np.random.Generator], Planted] = field(hash=False)


def _world(questions: int, random: np.random.Generator) -> World:
    gold = [1 - 2 * (number % 2) for number in range(questions)]
    return World(Items.plain(gold), studies=1, random=random)


def _altering(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How often a reviewer alters its opinion when it is contradicted."""
    world = _world(questions, random)
    reviewer = _moving(susceptibility=_logit(size))
    talks = _both_orders(world, reviewer, _moving(susceptibility=-_NOBODY), leads=False)
    altered, asked = _events(talks, seat=1)
    return Planted(
        found=bootstrap_mean(altered, asked, limits=SHARE),
        truth=change_probability(reviewer, leads=False, right=True, first_turn=True),
    )


def _leading(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How much more often it alters when it follows than when it leads."""
    world = _world(questions, random)
    reviewer, other = _moving(susceptibility=0.5, firmness=size), _moving(susceptibility=-_NOBODY)
    columns = np.zeros((questions, 4))
    for leads in (False, True):
        altered, asked = _events(
            _both_orders(world, reviewer, other, leads=leads), seat=0 if leads else 1
        )
        columns[:, 2 * leads] = np.bincount(asked, altered, questions)
        columns[:, 2 * leads + 1] = np.bincount(asked, minlength=questions)

    def gap(sums: Floats) -> Floats:
        return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]

    chances = [
        change_probability(reviewer, leads=leads, right=True, first_turn=True)
        for leads in (False, True)
    ]
    return Planted(
        found=statistic(columns, gap, n=int(columns[:, 1::2].sum()), limits=_DIFFERENCE),
        truth=chances[0] - chances[1],
    )


def _placing(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How often it chooses the first-shown answer, judging every pair in both orders."""
    world = _world(questions, random)
    traits = Traits(ability=0.6, position_bias=size, copy_error=0.3)
    reviews = _judged(world, {"reviewer": Speaker(name="reviewer", traits=traits)})
    (row,) = position(reviews)
    first, second = (private_accuracy(traits, best_first=place) for place in (True, False))
    return Planted(found=row.share, truth=(first + 1 - second) / 2)


def _ordering(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How much more often one reviewer is right than another on the same questions."""
    world = _world(questions, random)
    able = Traits(ability=_PLAIN.ability + size, shared_error=0.3, copy_error=0.1)
    right = [
        np.mean(
            [score(world.private(speaker, swapped=order), world)[0] for order in _ORDERS], axis=0
        )
        for speaker in (Speaker(name="able", traits=able), Speaker(name="plain", traits=_PLAIN))
    ]
    difference = (right[0] - right[1]).tolist()
    found = paired_bootstrap(difference, list(range(questions)))
    return Planted(found=found.difference, truth=private_accuracy(able) - private_accuracy(_PLAIN))


def _favouring(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How much more often a reviewer lets its own answers win than its peers do."""
    world = _world(questions, random)
    proud = Traits(ability=0.6, shared_error=0.3, copy_error=0.1, self_enhancement=size)
    own = np.ones(questions, dtype=np.int8)
    speakers = {
        "proud": Speaker(name="proud", traits=proud, own=own),
        "peer": Speaker(name="peer", traits=_PLAIN),
        "other peer": Speaker(name="other peer", traits=_PLAIN),
    }
    (row,) = self_enhancement(_judged(world, speakers, authors=("proud", "stranger")))
    if row.against_peers is None:
        msg = "the simulated peers judged nothing"
        raise AssertionError(msg)
    wins = (private_accuracy(proud, pull=size) + 1 - private_accuracy(proud, pull=-size)) / 2
    return Planted(found=row.against_peers, truth=wins - 0.5)


_ORDERS = (False, True)

EFFECTS: tuple[Effect, ...] = (
    Effect(
        name="altering rate",
        analysis="share of altered among contradicted, bootstrap by question",
        planted=0.6,
        nothing=0.0,
        none=0.0,
        measure=_altering,
    ),
    Effect(
        name="leader effect",
        analysis="altering as follower less altering as leader, bootstrap by question",
        planted=1.5,
        nothing=0.0,
        none=0.0,
        measure=_leading,
    ),
    Effect(
        name="position bias",
        analysis="share of first-shown answers, both orders",
        planted=0.3,
        nothing=0.0,
        none=0.5,
        measure=_placing,
    ),
    Effect(
        name="ability order",
        analysis="paired difference of accuracies",
        planted=0.5,
        nothing=0.0,
        none=0.0,
        measure=_ordering,
    ),
    Effect(
        name="self-enhancement",
        analysis="own win rate less the peers'",
        planted=0.3,
        nothing=0.0,
        none=0.0,
        measure=_favouring,
    ),
)


def _moving(*, susceptibility: float, firmness: float = 0.0) -> Traits:
    return Traits(ability=0.4, shared_error=0.2, susceptibility=susceptibility, firmness=firmness)


def _logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(_NOBODY, share - 0.5)


def _both_orders(world: World, reviewer: Traits, other: Traits, *, leads: bool) -> list[Talk]:
    """The reviewer and another speak once each, over every question in both orders."""
    mine, theirs = Speaker(name="mine", traits=reviewer), Speaker(name="theirs", traits=other)
    seats = (mine, theirs) if leads else (theirs, mine)
    return [
        talk(
            world,
            seats,
            [world.private(seat, swapped=order) for seat in seats],
            turns=2,
        )
        for order in _ORDERS
    ]


def _events(talks: list[Talk], *, seat: int) -> tuple[Floats, Numbers]:
    """For every turn at which the seat was contradicted: whether it altered, and the question."""
    altered: list[float] = []
    asked: list[int] = []
    for held in talks:
        questions = np.flatnonzero(held.contradicted[seat][0])
        asked += questions.tolist()
        altered += held.altered[seat][0][questions].astype(np.float64).tolist()
    return np.array(altered), np.array(asked, dtype=np.int32)


def _judged(
    world: World, speakers: dict[str, Speaker], *, authors: tuple[str, str] = ("one", "other")
) -> Judged:
    """Everybody's reviews of every question in both orders, as the analysis takes them."""
    questions = world.shape[1]
    rows: list[tuple[int, bool, Verdicts]] = [
        (number, order, world.private(speaker, swapped=order)[0])
        for number, speaker in enumerate(speakers.values())
        for order in _ORDERS
    ]
    names = tuple(sorted(authors))
    numbers = np.arange(questions, dtype=np.int32)
    first, second = (np.full(questions, names.index(author), np.int32) for author in authors)
    return Judged(
        reviewers=tuple(speakers),
        authors=names,
        questions=questions,
        reviewer=np.repeat([number for number, _, _ in rows], questions).astype(np.int32),
        question=np.tile(numbers, len(rows)),
        comparison=np.tile(numbers, len(rows)),
        swapped=np.repeat([order for _, order, _ in rows], questions),
        # A score speaks of the shown order, a verdict of that of the data.
        score=np.concatenate([said if order else -said for _, order, said in rows]),
        longer=np.zeros(questions * len(rows)),
        unreadable=(0,) * len(speakers),
        gold=-world.gold[0].astype(np.float64),
        one=first,
        other=second,
    )
