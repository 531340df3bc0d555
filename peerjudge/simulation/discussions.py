"""Discussions of simulated reviewers as arrays: a script followed in many studies at a time.

As in the spoken path, equal private cues to one reviewer are one draw, in any protocol. Conclusions come
from the protocol itself, once for every pattern of verdicts that occurs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from peerjudge.data import (
    TIE,
    WITHOUT_REASONS,
    Control,
    Expects,
    Outcome,
    Review,
    Role,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.simulation.arrays import Bools, Speaker, Verdicts, World
from peerjudge.simulation.judgement import BARE_TASKS
from peerjudge.simulation.latent import compute_change_chance
from peerjudge.simulation.scripts import Script, Step
from peerjudge.simulation.traits import Traits

NOTHING = np.int8(9)
"""Code of a conclusion that is no verdict: nothing readable, or an inconsistent reviewer."""

_ALONE = 1
_VALUES = 3

Draws = dict[tuple[object, ...], Verdicts]
"""Private draws by their key; shared by the scripts that are played in one world."""


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What a protocol made of the patterns of verdicts in one script.

    `ends` holds the conclusion and the number of turns by pattern, `over` whether the protocol ends
    before a turn, by that turn and the pattern of the verdicts before it: patterns share their
    beginnings.
    """

    ends: dict[int, tuple[np.int8, int]] = field(default_factory=dict[int, tuple[np.int8, int]])
    over: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Outcome of a script, `[study, item]`: the conclusion, and by seat its private and final verdicts.

    A seat without a private verdict has `None` there. `contradicted` and `altered` count a seat's
    turns. `turns` is the number of turns until the protocol ends, at most those of the script.
    """

    conclusion: Verdicts
    turns: npt.NDArray[np.int64]
    private: tuple[Verdicts | None, ...]
    final: tuple[Verdicts | None, ...]
    contradicted: tuple[Verdicts, ...]
    altered: tuple[Verdicts, ...]


def play_script(
    script: Script,
    world: World,
    speakers: Mapping[str, Speaker],
    *,
    draws: Draws,
    conclusions: Conclusions | None = None,
    repetition: int = 0,
) -> Played:
    """Follow a script in all studies of a world, with the speakers by seat id.

    `draws` holds earlier private draws in this world, and `conclusions` those of this script in other
    worlds; new ones are added. Each repetition has its own draws.
    """
    if script.rates:
        return _rate(script, world, speakers, draws, repetition)
    said: dict[int, Verdicts] = {}
    seats = range(len(script.seats))
    private: list[Verdicts | None] = [None for _ in seats]
    final: list[Verdicts | None] = [None for _ in seats]
    contradicted = [np.zeros(world.shape, np.int8) for _ in seats]
    altered = [np.zeros(world.shape, np.int8) for _ in seats]
    drawn: dict[tuple[object, ...], int] = {}
    for turn, step in enumerate(script.steps):
        if step.cue.expects is not Expects.VERDICT:
            continue
        seat = script.seats[step.seat]
        if step.own is None:
            key = (repetition, seat.reviewer, seat.sampling, step.content)
            drawn[key] = drawn.get(key, -1) + 1
            stance = _draw((*key, drawn[key]), step, seat, world, speakers[seat.id], draws)
        else:
            stance = said[step.own]
        if step.others:
            at, others, yields = _contradict_seat(script, step, stance, said, world, speakers)
            stance = stance.copy()
            stance[at] = np.where(yields, others, stance[at])
            contradicted[step.seat][at] += 1
            altered[step.seat][at] += yields
        elif private[step.seat] is None:
            private[step.seat] = stance
        said[turn] = final[step.seat] = stance
    conclusion, turns = _conclude(script, said, conclusions or Conclusions())
    return Played(
        conclusion=conclusion,
        turns=turns,
        private=tuple(private),
        final=tuple(final),
        contradicted=tuple(contradicted),
        altered=tuple(altered),
    )


def _draw(
    key: tuple[object, ...],
    step: Step,
    seat: Seat,
    world: World,
    speaker: Speaker,
    draws: Draws,
) -> Verdicts:
    if key not in draws:
        traits = speaker.traits
        left = {0: 1.0, _ALONE: traits.alone_dampening}.get(
            step.explained, traits.together_dampening
        )
        draws[key] = world.draw_verdicts(
            speaker,
            temperature=_find_temperature(seat),
            dampening=left,
            swapped=step.swapped,
            ties=step.cue.ties,
        )
    return draws[key]


def _find_temperature(seat: Seat) -> float:
    given = seat.sampling.temperature
    return 1.0 if given is None else given


def _contradict_seat(
    script: Script,
    step: Step,
    stance: Verdicts,
    said: Mapping[int, Verdicts],
    world: World,
    speakers: Mapping[str, Speaker],
) -> tuple[tuple[npt.NDArray[np.intp], ...], Verdicts, Bools]:
    """Return the items on which a seat is contradicted, the others' verdicts, and where it gives way."""
    seat = script.seats[step.seat]
    return weigh_contradiction(
        world,
        speakers[seat.id].traits,
        stance,
        [_turn_round(step, script.steps[other], said[other]) for other in step.others],
        forces=[_find_force(script, step, other, speakers) for other in step.others],
        leads=seat.role == Role.LEADER,
        first_turn=step.first_turn,
        ties=step.cue.ties,
        control=step.cue.control,
    )


def _turn_round(step: Step, other: Step, stance: Verdicts) -> Verdicts:
    """Return the other's stance as heard: the opposite where they saw different orders."""
    turned = step.cue.control == "swapped" and step.swapped != other.swapped
    return -stance if turned else stance


def _find_force(script: Script, step: Step, turn: int, speakers: Mapping[str, Speaker]) -> float:
    """Return the persuasiveness of a turn; 0 where no reasons are heard."""
    spoken = script.steps[turn]
    if spoken.cue.task in BARE_TASKS or step.cue.control in WITHOUT_REASONS:
        return 0.0
    return speakers[script.seats[spoken.seat].id].traits.persuasiveness


def weigh_contradiction(
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
    """Return the items on which a stance is contradicted, the others' verdicts, and where it gives way.

    `forces` is the persuasiveness of the seats heard; `ties` is whether a tie is allowed. Under a
    `control` that changes what is heard being right does not convince, and under a placebo no seat gives way.
    """
    said, clear = _find_majority(heard)
    against = clear & (said != stance)
    if not ties:
        against &= said != 0
    at = np.nonzero(against)
    there = said[at]
    levels, level = np.array(forces[:1]), np.zeros(there.shape, np.intp)
    if len(set(forces)) > 1:
        # Only the seats that hold the majority's stance count.
        agreeing = np.stack([one[at] == there for one in heard])
        mean = (np.array(forces) @ agreeing) / agreeing.sum(axis=0)
        levels, level = np.unique(mean, return_inverse=True)
    chances = [
        [
            0.0
            if control == "placebo"
            else compute_change_chance(
                traits,
                leads=leads,
                right=right if control in {"none", "unnamed"} else None,
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


def _find_majority(stances: Sequence[Verdicts]) -> tuple[Verdicts, Bools]:
    """Return the strict majority of the stances, and where there is one."""
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


def _rate(
    script: Script,
    world: World,
    speakers: Mapping[str, Speaker],
    draws: Draws,
    repetition: int,
) -> Played:
    """Rate each answer alone by a lone judge; the higher rating wins."""
    rating = next(step for step in script.steps if step.cue.expects is Expects.RATING)
    seat = script.seats[rating.seat]
    low, high = sorted(rating.cue.scale)
    points = None if rating.cue.logprobs or seat.sampling.logprobs else high - low + 1
    key = (repetition, seat.reviewer, seat.sampling, rating.cue.task, rating.cue.reply, points)
    if key not in draws:
        draws[key] = world.draw_ratings(
            speakers[seat.id], temperature=_find_temperature(seat), points=points
        )
    still = np.zeros(world.shape, np.int8)
    return Played(
        conclusion=draws[key],
        turns=np.full(world.shape, len(script.steps)),
        private=(draws[key],),
        final=(draws[key],),
        contradicted=(still,),
        altered=(still,),
    )


def _conclude(
    script: Script, said: Mapping[int, Verdicts], conclusions: Conclusions
) -> tuple[Verdicts, npt.NDArray[np.int64]]:
    """Return the protocol's conclusions and numbers of turns, computed once for every pattern."""
    codes = np.zeros(next(iter(said.values())).shape, dtype=np.int64)
    for verdicts in said.values():
        codes = codes * _VALUES + (verdicts.astype(np.int64) + 1)
    patterns, places = np.unique(codes, return_inverse=True)
    found: list[int] = patterns.tolist()
    for pattern in found:
        if pattern not in conclusions.ends:
            ended = _conclude_pattern(script, list(said), pattern, conclusions.over)
            conclusions.ends[pattern] = ended
    concluded = np.array([conclusions.ends[pattern][0] for pattern in found], dtype=np.int8)
    turns = np.array([conclusions.ends[pattern][1] for pattern in found], dtype=np.int64)
    return concluded[places].reshape(codes.shape), turns[places].reshape(codes.shape)


def _conclude_pattern(
    script: Script,
    verdict_turns: Sequence[int],
    pattern: int,
    over: dict[tuple[int, int], bool],
) -> tuple[np.int8, int]:
    values: dict[int, int] = {}
    for turn in reversed(verdict_turns):
        pattern, digit = divmod(pattern, _VALUES)
        values[turn] = digit - 1
    turns = tuple(
        _build_turn(step, index, script, values.get(index))
        for index, step in enumerate(script.steps)
    )
    protocol, seats, comparison = script.protocol, script.seats, script.comparison
    verdict = protocol.conclude(seats, comparison, turns)
    before = 0
    for at in range(len(turns)):
        if at in script.starts and (at, before) not in over:
            over[at, before] = not protocol.next_cues(seats, comparison, turns[:at])
        if over.get((at, before)):
            return _code_verdict(verdict, script), at
        before = before * _VALUES + values.get(at, 0) + 1
    return _code_verdict(verdict, script), len(turns)


def _build_turn(step: Step, index: int, script: Script, value: int | None) -> Turn:
    read = Review() if value is None else Review(verdict=_decode_verdict(value, script))
    return Turn(index=index, cue=step.cue, utterance=Utterance(text=""), review=read)


def _decode_verdict(value: int, script: Script) -> Verdict:
    if value == 0:
        return TIE
    first, second = script.shown
    return Verdict.of(first if value > 0 else second)


def _code_verdict(verdict: Verdict, script: Script) -> np.int8:
    if verdict.outcome is Outcome.TIE:
        return np.int8(0)
    if verdict.choice is None:
        return NOTHING
    return np.int8(1 if verdict.choice == script.shown[0] else -1)
