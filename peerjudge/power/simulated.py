"""Simulates a planned study many times: what every condition comes to, comparison by comparison."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from peerjudge.data import Card, Leader, Orders, Role, replace
from peerjudge.runs import Part, Plan
from peerjudge.simulation.arrays import Items, Speaker, World, build_items, build_speaker
from peerjudge.simulation.discussions import NOTHING, Conclusions, Draws, Played, play_script
from peerjudge.simulation.scripts import Script, write_script

__all__ = ["Conditions", "Floats", "Measures", "Stage", "reached", "stage_of", "studies_of"]

Floats = npt.NDArray[np.float64]

_CELLS = 50_000
"""Comparisons times studies that are drawn at a time: few enough for the cache."""

_SELECTIONS = 20
"""Of comparisons, at least, so that a small study's power is not that of one selection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A condition in so many studies, `[study, comparison]`: means over its discussions.

    `after` is how often the conclusion is right (NaN where there never was one), `before` how often a
    private verdict was; `None` for a lone judge. By role, `contradicted` and `altered` count turns.
    """

    after: Floats
    before: Floats | None
    contradicted: Mapping[Role, Floats] = field(hash=False)
    altered: Mapping[Role, Floats] = field(hash=False)


Conditions = Mapping[str, Measures]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Play:
    """One discussion of a condition: its script, and in which place of a random draw it is played."""

    script: Script
    conclusions: Conclusions = field(default_factory=dict, hash=False, compare=False)
    repetition: int
    order: int
    leader: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    name: str
    plays: tuple[_Play, ...]
    random_order: bool
    random_leader: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A planned study, made ready to be simulated at any size."""

    items: Items
    speakers: Mapping[str, Speaker] = field(hash=False)
    conditions: tuple[_Condition, ...]

    def only(self, *names: str) -> Stage:
        """The same study with no other conditions than these."""
        kept = tuple(condition for condition in self.conditions if condition.name in names)
        return dataclasses.replace(self, conditions=kept)


def stage_of(plan: Plan, cast: Mapping[str, Card]) -> Stage:
    """Make a plan ready, with simulated cards for everybody.

    Raises:
        ProtocolError: a protocol cannot be followed fast.
        DataError: a comparison has other than two answers.
    """
    return Stage(
        items=build_items(plan.comparisons),
        speakers={name: build_speaker(card, plan.comparisons) for name, card in cast.items()},
        conditions=tuple(_condition(part, plan) for part in plan.parts),
    )


def studies_of(
    stage: Stage, *, comparisons: int, studies: int, random: np.random.Generator
) -> Iterator[Conditions]:
    """So many studies of so many comparisons, some studies at a time.

    The comparisons are the plan's, selected at random and anew every so many studies, each as often
    as any other, give or take one.
    """
    for scene in _scenes(stage, comparisons=comparisons, studies=studies, random=random):
        yield {condition.name: _measured(condition, scene) for condition in stage.conditions}


def reached(
    stage: Stage, *, comparisons: int, studies: int, random: np.random.Generator
) -> Mapping[str, tuple[float, ...]]:
    """By condition, the share of its discussions that get to each of their turns."""
    counts = {
        condition.name: np.zeros(max(len(play.script.steps) for play in condition.plays))
        for condition in stage.conditions
    }
    for scene in _scenes(stage, comparisons=comparisons, studies=studies, random=random):
        for condition in stage.conditions:
            turns = counts[condition.name]
            for _, played, here in _played(condition, scene):
                for turn in range(len(turns)):
                    turns[turn] += float(((played.turns > turn) * here).sum())
    return {name: tuple((turns / turns[0]).tolist()) for name, turns in counts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Some studies; `coins` choose, by comparison, the order and the leader that are drawn."""

    world: World
    speakers: Mapping[str, Speaker]
    coins: Sequence[npt.NDArray[np.int64]]
    draws: Draws = field(default_factory=dict, hash=False, compare=False)


def _scenes(
    stage: Stage, *, comparisons: int, studies: int, random: np.random.Generator
) -> Iterator[_Scene]:
    at_a_time = max(1, min(_CELLS // comparisons, studies // _SELECTIONS))
    for done in range(0, studies, at_a_time):
        rows = np.resize(random.permutation(len(stage.items)), comparisons).astype(np.intp)
        speakers = {
            name: dataclasses.replace(speaker, own=np.asarray(speaker.own)[rows])
            for name, speaker in stage.speakers.items()
        }
        world = World(stage.items.take(rows), studies=min(at_a_time, studies - done), random=random)
        coins = [random.integers(0, 2, comparisons) for _ in ("order", "leader")]
        yield _Scene(world=world, speakers=speakers, coins=coins)


def _condition(part: Part, plan: Plan) -> _Condition:
    """All discussions of the condition on one comparison; both, where one is drawn at random."""
    declared = part.condition
    random_order = declared.orders is Orders.RANDOM
    random_leader = declared.leader is Leader.RANDOM
    both = replace(
        declared,
        orders=Orders.BOTH if random_order else declared.orders,
        leader=Leader.BOTH if random_leader else declared.leader,
    )
    first = plan.comparisons[0]
    heads = list(
        dataclasses.replace(
            plan, parts=(dataclasses.replace(part, condition=both),), comparisons=(first,)
        )
    )
    shown = list(dict.fromkeys(head.comparison.shown for head in heads))
    seatings = list(dict.fromkeys(head.seats for head in heads))
    return _Condition(
        name=declared.name,
        plays=tuple(
            _Play(
                script=write_script(
                    part.protocol,
                    head.seats,
                    first,
                    swapped=head.comparison.shown != first.shown,
                ),
                repetition=head.repetition,
                order=shown.index(head.comparison.shown),
                leader=seatings.index(head.seats),
            )
            for head in heads
        ),
        random_order=random_order,
        random_leader=random_leader,
    )


def _played(
    condition: _Condition, scene: _Scene
) -> Iterator[tuple[_Play, Played, npt.NDArray[np.float64]]]:
    """Every discussion of the condition, and 1 for the comparisons on which it is held, else 0."""
    world = scene.world
    for play in condition.plays:
        played = play_script(
            play.script,
            world,
            {seat.id: scene.speakers[seat.reviewer] for seat in play.script.seats},
            draws=scene.draws,
            conclusions=play.conclusions,
            repetition=play.repetition,
        )
        here = np.ones(world.shape[1])
        if condition.random_order:
            here *= scene.coins[0] == play.order
        if condition.random_leader:
            here *= scene.coins[1] == play.leader
        yield play, played, here


def _measured(condition: _Condition, scene: _Scene) -> Measures:
    world = scene.world
    sums: dict[str, Floats] = {
        name: np.zeros(world.shape) for name in ("after", "read", "before", "seats")
    }
    contradicted: dict[Role, Floats] = {}
    altered: dict[Role, Floats] = {}
    for play, played, here in _played(condition, scene):
        read = here * (played.conclusion != NOTHING)
        sums["after"] += read * (played.conclusion == world.gold)
        sums["read"] += read
        for number, seat in enumerate(play.script.seats):
            stance = played.private[number]
            if stance is not None:
                sums["before"] += here * (stance == world.gold)
                sums["seats"] += here
            for counts, drawn in (
                (contradicted, played.contradicted),
                (altered, played.altered),
            ):
                counts[seat.role] = counts.get(seat.role, np.zeros(world.shape)) + (
                    here * drawn[number]
                )
    lone = all(len(play.script.seats) == 1 for play in condition.plays)
    return Measures(
        after=_ratio(sums["after"], sums["read"]),
        before=None if lone else _ratio(sums["before"], sums["seats"]),
        contradicted=contradicted,
        altered=altered,
    )


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
