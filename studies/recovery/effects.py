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

from peerjudge.analysis import (
    Sampler,
    collect_transcripts,
    count_moves,
    measure_ordering,
    measure_position,
    measure_self_enhancement,
    paired_bootstrap,
)
from peerjudge.analysis.assembling import ComparisonTable, build_ballots
from peerjudge.analysis.ballots import TIE, Ballots, Stage, no_discussions
from peerjudge.data import Answer, Comparison, Measurement, Question, Verdict
from peerjudge.simulation.arrays import Items, Speaker, Verdicts, World, score_verdicts
from peerjudge.simulation.discussions import Draws
from peerjudge.simulation.latent import compute_change_chance, expect_accuracy
from peerjudge.simulation.traits import Traits
from studies.recovery.playing import in_turn

__all__ = ["EFFECTS", "Effect", "Planted"]

_PLAIN = Traits(ability=0.6, shared_error=0.3, copy_error=0.1)
_NOBODY = 40.0
"""A logit at which nobody, or everybody, changes its mind."""

_OF_MINE = ("mine", None, None)
"""The row of the reviewer, in whatever role and whomever it heard."""


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
    return World(Items.build_plain(gold), studies=1, random=random)


def _altering(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How often a reviewer alters its opinion when it is contradicted."""
    mine = _moving("mine", susceptibility=_logit(size))
    held = in_turn(_world(questions, random), _unmoved(), mine, draws={})
    rows = count_moves(collect_transcripts(held), sampler=Sampler())
    found = next(row for row in rows if (row.reviewer, row.role, row.opponent) == _OF_MINE)
    return Planted(
        found=found.altered,
        truth=compute_change_chance(mine.traits, leads=False, right=True, first_turn=True),
    )


def _leading(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How much more often it alters when it leads than when it follows."""
    world, draws = _world(questions, random), Draws()
    mine, other = _moving("mine", susceptibility=0.5, firmness=size), _unmoved()
    held = in_turn(world, mine, other, draws=draws) + in_turn(world, other, mine, draws=draws)
    rows = measure_ordering(collect_transcripts(held), sampler=Sampler())
    found = next(row.altered for row in rows if row.reviewer == mine.name)
    if found is None:
        msg = "the simulated reviewer was never contradicted in both roles"
        raise AssertionError(msg)
    following, leading = (
        compute_change_chance(mine.traits, leads=leads, right=True, first_turn=True)
        for leads in (False, True)
    )
    return Planted(found=found.difference, truth=leading - following)


def _placing(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How often it chooses the first-shown answer, judging every pair in both orders."""
    world = _world(questions, random)
    traits = Traits(ability=0.6, position_bias=size, copy_error=0.3)
    reviews = _collect(world, {"reviewer": Speaker(name="reviewer", traits=traits)})
    (row,) = measure_position(reviews)
    first, second = (expect_accuracy(traits, best_first=place) for place in (True, False))
    return Planted(found=row.share, truth=(first + 1 - second) / 2)


def _ordering(size: float, questions: int, random: np.random.Generator) -> Planted:
    """How much more often one reviewer is right than another on the same questions."""
    world = _world(questions, random)
    able = Traits(ability=_PLAIN.ability + size, shared_error=0.3, copy_error=0.1)
    right = [
        np.mean(
            [
                score_verdicts(world.draw_verdicts(speaker, swapped=order), world)[0]
                for order in _ORDERS
            ],
            axis=0,
        )
        for speaker in (Speaker(name="able", traits=able), Speaker(name="plain", traits=_PLAIN))
    ]
    difference = (right[0] - right[1]).tolist()
    found = paired_bootstrap(difference, list(range(questions)))
    return Planted(found=found.difference, truth=expect_accuracy(able) - expect_accuracy(_PLAIN))


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
    (row,) = measure_self_enhancement(_collect(world, speakers, authors=("proud", "stranger")))
    if row.against_peers is None:
        msg = "the simulated peers judged nothing"
        raise AssertionError(msg)
    wins = (expect_accuracy(proud, pull=size) + 1 - expect_accuracy(proud, pull=-size)) / 2
    return Planted(found=row.against_peers, truth=wins - 0.5)


_ORDERS = (False, True)
_VERDICTS = np.array([0, TIE, 1], dtype=np.int8)
"""Codes of the verdicts 1, 0 and -1 of a world."""

EFFECTS: tuple[Effect, ...] = (
    Effect(
        name="altering rate",
        analysis="stance_counts: share of altered among contradicted",
        planted=0.6,
        nothing=0.0,
        none=0.0,
        measure=_altering,
    ),
    Effect(
        name="leader effect",
        analysis="ordering: altering as leader less altering as follower",
        planted=1.5,
        nothing=0.0,
        none=0.0,
        measure=_leading,
    ),
    Effect(
        name="position bias",
        analysis="position: share of first-shown answers in both orders",
        planted=0.3,
        nothing=0.0,
        none=0.5,
        measure=_placing,
    ),
    Effect(
        name="ability order",
        analysis="paired_bootstrap: difference of accuracies on the same questions",
        planted=0.5,
        nothing=0.0,
        none=0.0,
        measure=_ordering,
    ),
    Effect(
        name="self-enhancement",
        analysis="self_enhancement: own win rate less the one that peers give",
        planted=0.3,
        nothing=0.0,
        none=0.0,
        measure=_favouring,
    ),
)


def _moving(name: str, *, susceptibility: float, firmness: float = 0.0) -> Speaker:
    traits = Traits(ability=0.4, shared_error=0.2, susceptibility=susceptibility, firmness=firmness)
    return Speaker(name=name, traits=traits)


def _unmoved() -> Speaker:
    """Somebody to be contradicted by."""
    return _moving("other", susceptibility=-_NOBODY)


def _logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(_NOBODY, share - 0.5)


def _collect(
    world: World, speakers: dict[str, Speaker], *, authors: tuple[str, str] = ("one", "other")
) -> Ballots:
    """Return the ballots of all speakers on every question in both orders."""
    questions = world.shape[1]
    rows: list[tuple[int, bool, Verdicts]] = [
        (number, order, world.draw_verdicts(speaker, swapped=order)[0])
        for number, speaker in enumerate(speakers.values())
        for order in _ORDERS
    ]
    table = ComparisonTable(keep_texts=False)
    answers = tuple(Answer(id=author, text="", author=author) for author in authors)
    for number, gold in enumerate(world.gold[0].tolist()):
        question = Question(id=str(number), text="")
        better = Verdict.of(authors[0 if gold > 0 else 1])
        comparison = Comparison(id=str(number), question=question, answers=answers, gold=better)
        table.number(comparison)
    orders = [table.order(0, authors), table.order(0, authors[::-1])]
    return build_ballots(
        {
            "reviewer": np.repeat([number for number, _, _ in rows], questions),
            "comparison": np.tile(np.arange(questions), len(rows)),
            "order": np.repeat([orders[order] for _, order, _ in rows], questions),
            # A verdict above 0 chooses the first answer of the data, and 0 is a tie.
            "verdict": np.concatenate([_VERDICTS[1 - said] for _, _, said in rows]),
            "stage": Stage.RECORDED,
        },
        size=questions * len(rows),
        name="simulated",
        simulated=True,
        reviewers=speakers,
        table=table,
        discussions=no_discussions(),
    )
