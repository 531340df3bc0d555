"""A protocol as a script that many studies can follow at a time.

The protocol is played through once on paper, with seats that never agree: that gives every cue it can
give, with what is heard there. Its conclusion is asked of the protocol itself, once for every pattern
of verdicts that occurs. A protocol that ends early where seats agree is followed to its full length,
which takes more calls and concludes the same; one whose cues depend otherwise on what is said cannot be
followed, and neither can one that ranks three answers.

As in the spoken path, equal private cues to one reviewer are one draw, in whatever protocol they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.data import (
    TIE,
    Comparison,
    Cue,
    Expects,
    Outcome,
    Review,
    Role,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.simulation.fast import Bools, Speaker, Verdicts, World, majority
from peerjudge.simulation.latent import change_probability

__all__ = ["NOTHING", "Played", "Script", "Step", "play_script", "script_of"]

NOTHING = np.int8(9)
"""Stands for a conclusion that is no verdict: nothing readable, or a reviewer at odds with itself."""

_ANSWERS = 2
_LONGEST = 200
_ALONE = 1
_VALUES = 3

Draws = dict[tuple[object, ...], Verdicts]
"""Private draws by what they depend on; shared by the scripts that are played in one world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A cue, with what bears on the verdict: whose verdicts are heard (by turn), what was explained.

    `own` is the turn of the seat's stance, `None` where it has none; `others` has a turn for every
    other seat with a stance. `explained` is how many answers it looked at when it explained them, 0
    if it did not. `content` is what a private draw depends on besides the reviewer.
    """

    cue: Cue
    seat: int
    swapped: bool
    own: int | None
    others: tuple[int, ...]
    explained: int
    first_turn: bool
    content: tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The steps of a protocol with these seats, and the protocol to ask for its conclusion.

    `comparison` is in the order in which it is shown to all; `shown` has its answers as the data do.
    """

    protocol: DiscussionProtocol
    seats: tuple[Seat, ...]
    comparison: Comparison
    shown: tuple[str, str]
    steps: tuple[Step, ...]

    @property
    def rates(self) -> bool:
        """Whether answers are rated one by one and nothing else decides."""
        kinds = {step.cue.expects for step in self.steps}
        return Expects.RATING in kinds and Expects.VERDICT not in kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of it, `[study, item]`: the conclusion, and by seat its private and final verdicts.

    A seat that gives no verdict in private has `None` there. `contradicted` and `altered` count a
    seat's turns.
    """

    conclusion: Verdicts
    private: tuple[Verdicts | None, ...]
    final: tuple[Verdicts | None, ...]
    contradicted: tuple[Verdicts, ...]
    altered: tuple[Verdicts, ...]


def script_of(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    *,
    swapped: bool = False,
) -> Script:
    """The script of this protocol, as it goes for comparisons of two answers like this one.

    `swapped` shows the second answer first. Raises `ProtocolError` where it cannot be followed.
    """
    if len(comparison.answers) != _ANSWERS:
        msg = f"only comparisons of two answers can be simulated fast, not of {len(comparison.answers)}"
        raise ProtocolError(msg)
    first, second = comparison.shown
    shown = comparison.swapped() if swapped else comparison
    turns: tuple[Turn, ...] = ()
    steps: list[Step] = []
    while (cue := protocol.next_cue(seats, shown, turns)) is not None:
        if len(turns) >= _LONGEST:
            msg = f"protocol {protocol.name!r} has no end after {_LONGEST} turns"
            raise ProtocolError(msg)
        steps.append(_step(cue, seats, first, turns))
        turns += (_reply(steps[-1], comparison, len(turns)),)
    kinds = {step.cue.expects for step in steps}
    if not kinds & {Expects.VERDICT, Expects.RATING}:
        msg = f"protocol {protocol.name!r} asks for no verdict; there is nothing to simulate"
        raise ProtocolError(msg)
    if {Expects.VERDICT, Expects.RATING} <= kinds:
        msg = (
            f"protocol {protocol.name!r} mixes ratings and verdicts, which cannot be simulated fast"
        )
        raise ProtocolError(msg)
    return Script(
        protocol=protocol,
        seats=seats,
        comparison=shown,
        shown=(first, second),
        steps=tuple(steps),
    )


def play_script(
    script: Script,
    world: World,
    speakers: Mapping[str, Speaker],
    *,
    draws: Draws,
    repetition: int = 0,
) -> Played:
    """Follow a script in all studies of a world.

    Args:
        script: what is followed.
        world: the studies.
        speakers: who speaks, by seat id.
        draws: private draws that were made before in this world; new ones are added.
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
            heard = [said[other] for other in step.others]
            stance, moved = _heard(step, stance, heard, world, speakers[seat.id], seat.role)
            contradicted[step.seat] += moved[0]
            altered[step.seat] += moved[1]
        elif private[step.seat] is None:
            private[step.seat] = stance
        said[turn] = final[step.seat] = stance
    return Played(
        conclusion=_concluded(script, said),
        private=tuple(private),
        final=tuple(final),
        contradicted=tuple(contradicted),
        altered=tuple(altered),
    )


def _step(cue: Cue, seats: Sequence[Seat], first: str, turns: tuple[Turn, ...]) -> Step:
    heard = [turns[index] for index in cue.hears]
    stances = {turn.cue.seat: turn.index for turn in heard if turn.review.verdict is not None}
    own = stances.pop(cue.seat, None)
    mine = [turn for turn in heard if turn.cue.seat == cue.seat]
    explained = [len(turn.cue.sees) for turn in mine if turn.cue.expects is Expects.TEXT]
    return Step(
        cue=cue,
        seat=[seat.id for seat in seats].index(cue.seat),
        swapped=cue.sees[:1] != (first,),
        own=own,
        others=tuple(stances.values()),
        explained=max(explained, default=0),
        first_turn=all(turn.cue.private for turn in mine),
        content=(cue.task, cue.sees, tuple((turn.cue.task, turn.cue.sees) for turn in heard)),
    )


def _reply(step: Step, comparison: Comparison, index: int) -> Turn:
    """A seat always chooses the answer of its own number, so that no two neighbours agree."""
    match step.cue.expects:
        case Expects.VERDICT:
            read = Review(verdict=Verdict.of(comparison.shown[step.seat % _ANSWERS]))
        case Expects.RATING:
            read = Review(score=float(step.cue.scale[1]))
        case Expects.TEXT:
            read = Review()
    return Turn(index=index, cue=step.cue, utterance=Utterance(text=""), review=read)


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


def _heard(
    step: Step,
    stance: Verdicts,
    heard: Sequence[Verdicts],
    world: World,
    speaker: Speaker,
    role: Role,
) -> tuple[Verdicts, tuple[Bools, Bools]]:
    """The stance after hearing others, where it was contradicted, and where it was altered."""
    said, clear = majority(heard)
    against = clear & (said != stance)
    if not step.cue.ties:
        against &= said != 0
    right, wrong = (
        change_probability(
            speaker.traits, leads=role is Role.LEADER, right=truth, first_turn=step.first_turn
        )
        for truth in (True, False)
    )
    at = np.nonzero(against)
    limit = np.where(said[at] == world.gold[at], np.float32(right), np.float32(wrong))
    moved = np.zeros(world.shape, dtype=np.bool_)
    moved[at] = world.random.random(limit.shape, dtype=np.float32) < limit
    return np.where(moved, said, stance), (against, moved)


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
    points = None if seat.sampling.logprobs else high - low + 1
    key = (repetition, seat.reviewer, seat.sampling, rating.cue.task, points)
    if key not in draws:
        draws[key] = world.rated(speakers[seat.id], temperature=_temperature(seat), points=points)
    still = np.zeros(world.shape, np.int8)
    return Played(
        conclusion=draws[key],
        private=(draws[key],),
        final=(draws[key],),
        contradicted=(still,),
        altered=(still,),
    )


def _concluded(script: Script, said: Mapping[int, Verdicts]) -> Verdicts:
    """What the protocol concludes from the verdicts, asked once for every pattern of them."""
    codes = np.zeros(next(iter(said.values())).shape, dtype=np.int64)
    for verdicts in said.values():
        codes = codes * _VALUES + (verdicts.astype(np.int64) + 1)
    patterns, places = np.unique(codes, return_inverse=True)
    concluded = np.array(
        [_conclusion(script, list(said), int(pattern)) for pattern in patterns], dtype=np.int8
    )
    return concluded[places].reshape(codes.shape)


def _conclusion(script: Script, verdict_turns: Sequence[int], pattern: int) -> np.int8:
    values: dict[int, int] = {}
    for turn in reversed(verdict_turns):
        pattern, digit = divmod(pattern, _VALUES)
        values[turn] = digit - 1
    turns = tuple(
        _spoken(step, index, script, values.get(index)) for index, step in enumerate(script.steps)
    )
    verdict = script.protocol.conclude(script.seats, script.comparison, turns)
    return _value_of(verdict, script)


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
