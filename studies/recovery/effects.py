"""Effects planted in simulated studies, each with the analysis that should find it.

A design plants one effect, simulates a study, and measures the effect as in a real study: with the
functions of `peerjudge.analysis`, whose intervals resample questions. The true size of the effect
follows from the equations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from peerjudge.analysis import (
    collect_transcripts,
    count_moves,
    measure_ordering,
    measure_position,
    measure_self_enhancement,
)
from peerjudge.analysis.assembling import ComparisonTable, build_ballots
from peerjudge.analysis.ballots import TIE, Ballots, Stage, no_discussions
from peerjudge.data import Answer, Comparison, Measurement, Question, Verdict
from peerjudge.features.talk.talking import measure_talk
from peerjudge.simulation.arrays import Items, Speaker, Verdicts, World, score_verdicts
from peerjudge.simulation.discussions import Draws
from peerjudge.simulation.latent import compute_change_chance, expect_accuracy
from peerjudge.simulation.traits import Traits
from peerjudge.statistics.interval import measure_difference
from peerjudge.statistics.sampler import Sampler
from studies.recovery.transcripts import play_studies

_PLAIN = Traits(ability=0.6, shared_error=0.3, copy_error=0.1)
_FAR = 40.0
"""A logit at which the probability of a change is 0 or 1."""

_OF_MINE = ("mine", None, None)
"""Row of the reviewer over all roles and opponents."""


Planted = tuple[Measurement, float]
"""A study's measurement of an effect, and its true size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Effect with its size as a trait if `planted`, and the size of `nothing`.

    `measure(size, questions, random)` simulates a study and measures the effect. `none` is the correct
    measurement where nothing is planted.
    """

    name: str
    analysis: str
    planted: float
    nothing: float
    none: float
    measure: Callable[[float, int, np.random.Generator], Planted] = field(hash=False)


def _build_world(questions: int, random: np.random.Generator) -> World:
    gold = [1 - 2 * (number % 2) for number in range(questions)]
    return World(Items.build_plain(gold), studies=1, random=random)


def plant_altering(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how often a reviewer alters its opinion when contradicted."""
    mine = _build_mover("mine", susceptibility=_compute_logit(size))
    held = play_studies(_build_world(questions, random), _build_unmoved(), mine, draws={})
    rows = count_moves(collect_transcripts(held), sampler=Sampler())
    found = next(row for row in rows if (row.reviewer, row.role, row.opponent) == _OF_MINE)
    truth = compute_change_chance(mine.traits, leads=False, right=True, first_turn=True)
    return found.altered, truth


def plant_conformity(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how often a reviewer comes over at its first contradiction, as `peerjudge talk` prints it."""
    mine = _build_mover("mine", susceptibility=_compute_logit(size))
    held = play_studies(_build_world(questions, random), _build_unmoved(), mine, draws={})
    found = measure_talk(collect_transcripts(held), (), sampler=Sampler())
    (came,) = (row.came_over for row in found.yielding if row.reviewer == mine.name)
    if came is None:
        msg = "the simulated reviewer was never contradicted"
        raise AssertionError(msg)
    return came, compute_change_chance(mine.traits, leads=False, right=True, first_turn=True)


def plant_leading(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how much more often a reviewer alters as leader than as follower."""
    world, draws = _build_world(questions, random), Draws()
    mine, other = _build_mover("mine", susceptibility=0.5, firmness=size), _build_unmoved()
    held = play_studies(world, mine, other, draws=draws) + play_studies(
        world, other, mine, draws=draws
    )
    rows = measure_ordering(collect_transcripts(held), sampler=Sampler())
    found = next(row.altered for row in rows if row.reviewer == mine.name)
    if found is None:
        msg = "the simulated reviewer was never contradicted in both roles"
        raise AssertionError(msg)
    following, leading = (
        compute_change_chance(mine.traits, leads=leads, right=True, first_turn=True)
        for leads in (False, True)
    )
    return found.difference, leading - following


def plant_position(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how often a reviewer chooses the first-shown answer, judging both orders."""
    world = _build_world(questions, random)
    traits = Traits(ability=0.6, position_bias=size, copy_error=0.3)
    reviews = _collect(world, {"reviewer": Speaker(name="reviewer", traits=traits)})
    (row,) = measure_position(reviews)
    first, second = (expect_accuracy(traits, best_first=place) for place in (True, False))
    return row.share, (first + 1 - second) / 2


def plant_ability(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how much more often one reviewer is right than another on the same questions."""
    world = _build_world(questions, random)
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
    found = measure_difference(difference, list(range(questions)))
    return found.difference, expect_accuracy(able) - expect_accuracy(_PLAIN)


def plant_self_enhancement(size: float, questions: int, random: np.random.Generator) -> Planted:
    """Measure how much more often a reviewer lets its own answers win than its peers do."""
    world = _build_world(questions, random)
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
    return row.against_peers, wins - 0.5


_ORDERS = (False, True)
_VERDICTS = np.array([0, TIE, 1], dtype=np.int8)
"""Codes of the verdicts 1, 0 and -1 of a world."""

EFFECTS = tuple(
    Effect(name=name, analysis=analysis, planted=planted, nothing=0.0, none=none, measure=measure)
    for name, analysis, planted, none, measure in (
        (
            "altering rate",
            "stance_counts: share of altered among contradicted",
            0.6,
            0.0,
            plant_altering,
        ),
        (
            "conformity",
            "talk: share that came over at the first contradiction",
            0.35,
            0.0,
            plant_conformity,
        ),
        (
            "leader effect",
            "ordering: altering as leader less altering as follower",
            1.5,
            0.0,
            plant_leading,
        ),
        (
            "position bias",
            "position: share of first-shown answers in both orders",
            0.3,
            0.5,
            plant_position,
        ),
        (
            "ability order",
            "measure_difference: difference of accuracies on the same questions",
            0.5,
            0.0,
            plant_ability,
        ),
        (
            "self-enhancement",
            "self_enhancement: own win rate less the one that peers give",
            0.3,
            0.0,
            plant_self_enhancement,
        ),
    )
)


def _build_mover(name: str, *, susceptibility: float, firmness: float = 0.0) -> Speaker:
    traits = Traits(ability=0.4, shared_error=0.2, susceptibility=susceptibility, firmness=firmness)
    return Speaker(name=name, traits=traits)


def _build_unmoved() -> Speaker:
    """Build an opponent that never changes its opinion."""
    return _build_mover("other", susceptibility=-_FAR)


def _compute_logit(share: float) -> float:
    return math.log(share / (1 - share)) if 0 < share < 1 else math.copysign(_FAR, share - 0.5)


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
    table = ComparisonTable(keep_texts=False, own_order=True)
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
