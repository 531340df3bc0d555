"""Follows a script in many studies at a time: every verdict an array, no word said.

As in the spoken path, equal private cues to one reviewer are one draw, in whatever protocol they come.
What is concluded is asked of the protocol itself, once for every pattern of verdicts that occurs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import TIE, Expects, Outcome, Review, Role, Seat, Turn, Utterance, Verdict
from peerjudge.simulation.fast import Bools, Speaker, Verdicts, World
from peerjudge.simulation.judgement import BARE_TASKS
from peerjudge.simulation.script import Script, Step
from peerjudge.simulation.talks import contradict

__all__ = ["NOTHING", "Conclusions", "Draws", "Played", "play_script"]

NOTHING = np.int8(9)
"""Stands for a conclusion that is no verdict: nothing readable, or a reviewer at odds with itself."""

_ALONE = 1
_VALUES = 3

Draws = dict[tuple[object, ...], Verdicts]
"""Private draws by what they depend on; shared by the scripts that are played in one world."""

Conclusions = dict[int, tuple[np.int8, int]]
"""What a script concludes, and after how many turns it is over, by the pattern of its verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of it, `[study, item]`: the conclusion, and by seat its private and final verdicts.

    A seat that gives no verdict in private has `None` there. `contradicted` and `altered` count a
    seat's turns. `turns` counts those that the protocol takes, where it ends before the script does.
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
    """Follow a script in all studies of a world.

    Args:
        script: what is followed.
        world: the studies.
        speakers: who speaks, by seat id.
        draws: private draws that were made before in this world; new ones are added.
        conclusions: of this script, from other worlds; new ones are added.
        repetition: another one is another draw.
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
            stance = _drawn((*key, drawn[key]), step, seat, world, speakers[seat.id], draws)
        else:
            stance = said[step.own]
        if step.others:
            at, others, yields = _contradicted(script, step, stance, said, world, speakers)
            stance = stance.copy()
            stance[at] = np.where(yields, others, stance[at])
            contradicted[step.seat][at] += 1
            altered[step.seat][at] += yields
        elif private[step.seat] is None:
            private[step.seat] = stance
        said[turn] = final[step.seat] = stance
    conclusion, turns = _concluded(script, said, {} if conclusions is None else conclusions)
    return Played(
        conclusion=conclusion,
        turns=turns,
        private=tuple(private),
        final=tuple(final),
        contradicted=tuple(contradicted),
        altered=tuple(altered),
    )


def _drawn(
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
        draws[key] = world.private(
            speaker,
            temperature=_temperature(seat),
            dampening=left,
            swapped=step.swapped,
            ties=step.cue.ties,
        )
    return draws[key]


def _temperature(seat: Seat) -> float:
    given = seat.sampling.temperature
    return 1.0 if given is None else given


def _contradicted(
    script: Script,
    step: Step,
    stance: Verdicts,
    said: Mapping[int, Verdicts],
    world: World,
    speakers: Mapping[str, Speaker],
) -> tuple[tuple[npt.NDArray[np.intp], ...], Verdicts, Bools]:
    """Where what a seat hears speaks against its stance, what is said there, and where it gives way."""
    seat = script.seats[step.seat]
    return contradict(
        world,
        speakers[seat.id].traits,
        stance,
        [_as_heard(step, script.steps[other], said[other]) for other in step.others],
        forces=[_force(script, step, other, speakers) for other in step.others],
        leads=seat.role is Role.LEADER,
        first_turn=step.first_turn,
        ties=step.cue.ties,
        control=step.cue.control,
    )


def _as_heard(step: Step, other: Step, stance: Verdicts) -> Verdicts:
    """What the other's words say to the listener: the opposite where they saw different orders."""
    turned = step.cue.control == "swapped" and step.swapped != other.swapped
    return -stance if turned else stance


def _force(script: Script, step: Step, turn: int, speakers: Mapping[str, Speaker]) -> float:
    """How persuasive what was said in a turn is; without reasons that are heard, nothing is."""
    spoken = script.steps[turn]
    if spoken.cue.task in BARE_TASKS or step.cue.control == "irrelevant":
        return 0.0
    return speakers[script.seats[spoken.seat].id].traits.persuasiveness


def _rate(
    script: Script,
    world: World,
    speakers: Mapping[str, Speaker],
    draws: Draws,
    repetition: int,
) -> Played:
    """Each answer rated alone by a lone judge: the higher rating wins."""
    rating = next(step for step in script.steps if step.cue.expects is Expects.RATING)
    seat = script.seats[rating.seat]
    low, high = sorted(rating.cue.scale)
    points = None if rating.cue.logprobs or seat.sampling.logprobs else high - low + 1
    key = (repetition, seat.reviewer, seat.sampling, rating.cue.task, rating.cue.reply, points)
    if key not in draws:
        draws[key] = world.rated(speakers[seat.id], temperature=_temperature(seat), points=points)
    still = np.zeros(world.shape, np.int8)
    return Played(
        conclusion=draws[key],
        turns=np.full(world.shape, len(script.steps)),
        private=(draws[key],),
        final=(draws[key],),
        contradicted=(still,),
        altered=(still,),
    )


def _concluded(
    script: Script, said: Mapping[int, Verdicts], conclusions: Conclusions
) -> tuple[Verdicts, npt.NDArray[np.int64]]:
    """What the protocol concludes and after how many turns, asked once for every pattern."""
    codes = np.zeros(next(iter(said.values())).shape, dtype=np.int64)
    for verdicts in said.values():
        codes = codes * _VALUES + (verdicts.astype(np.int64) + 1)
    patterns, places = np.unique(codes, return_inverse=True)
    found: list[int] = patterns.tolist()
    for pattern in found:
        if pattern not in conclusions:
            conclusions[pattern] = _conclusion(script, list(said), pattern)
    concluded = np.array([conclusions[pattern][0] for pattern in found], dtype=np.int8)
    turns = np.array([conclusions[pattern][1] for pattern in found], dtype=np.int64)
    return concluded[places].reshape(codes.shape), turns[places].reshape(codes.shape)


def _conclusion(script: Script, verdict_turns: Sequence[int], pattern: int) -> tuple[np.int8, int]:
    values: dict[int, int] = {}
    for turn in reversed(verdict_turns):
        pattern, digit = divmod(pattern, _VALUES)
        values[turn] = digit - 1
    turns = tuple(
        _spoken(step, index, script, values.get(index)) for index, step in enumerate(script.steps)
    )
    protocol, seats, comparison = script.protocol, script.seats, script.comparison
    lengths = range(len(turns))
    over = (at for at in lengths if protocol.next_cue(seats, comparison, turns[:at]) is None)
    verdict = protocol.conclude(seats, comparison, turns)
    return _value_of(verdict, script), next(over, len(turns))


def _spoken(step: Step, index: int, script: Script, value: int | None) -> Turn:
    read = Review() if value is None else Review(verdict=_verdict_of(value, script))
    return Turn(index=index, cue=step.cue, utterance=Utterance(text=""), review=read)


def _verdict_of(value: int, script: Script) -> Verdict:
    if value == 0:
        return TIE
    first, second = script.shown
    return Verdict.of(first if value > 0 else second)


def _value_of(verdict: Verdict, script: Script) -> np.int8:
    if verdict.outcome is Outcome.TIE:
        return np.int8(0)
    if verdict.choice is None:
        return NOTHING
    return np.int8(1 if verdict.choice == script.shown[0] else -1)
