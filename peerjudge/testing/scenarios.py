"""Scenarios for the protocol contract: seats, answers and replies with which a protocol is played."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from peerjudge.data import (
    MAX_ANSWERS,
    REFUSED,
    TIE,
    UNREADABLE,
    Comparison,
    Cue,
    Expects,
    Review,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.engine import MAX_TURNS, find_set_fault
from peerjudge.errors import DataError, PeerJudgeError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.protocol.scripted import comparison_of, seats_of

_COUNTS = (0, 1, 2, 5)
"""Values tried for an option that is a whole number."""
_RATINGS = (1.0, 3.5, 5.0, UNREADABLE, REFUSED)
_REPLAYS = 3
"""Seeded mixes of replies per setting."""


class ContractError(PeerJudgeError):
    """A protocol that cannot be played in a scenario, with the name of the clause that it breaks."""

    def __init__(self, problem: str, *, clause: str) -> None:
        super().__init__(problem)
        self.clause = clause


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A protocol with its options, seats, a comparison and the replies to every cue.

    Attributes:
        protocol: The protocol with its options.
        seats: The seats, leader first.
        comparison: The comparison in its shown order.
        verdicts: The verdicts of each seat by its id, in the order in which the seat gives them;
            they repeat when the seat gives more. A tie is unreadable where a cue allows no ties.
        ratings: The rating of each answer by its id, `UNREADABLE` or `REFUSED` where it has none.
        most_turns: The number of turns after which a discussion counts as endless.
        may_refuse: The protocol may raise `ProtocolError`, because the options are not its defaults.
    """

    protocol: DiscussionProtocol
    seats: tuple[Seat, ...]
    comparison: Comparison
    verdicts: Mapping[str, tuple[Verdict, ...]]
    ratings: Mapping[str, float | Verdict]
    most_turns: int = MAX_TURNS
    may_refuse: bool = False

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """All turns of the discussion; raises `ContractError` if it cannot be played to its end."""
        return self.play()

    def play(self) -> tuple[Turn, ...]:
        """Play the discussion anew and return its turns.

        Raises `ContractError` for an exception in the protocol, a cue that names what is not there,
        and a discussion that does not end.
        """
        turns: tuple[Turn, ...] = ()
        while cues := self.next_cues(turns):
            if len(turns) + len(cues) > self.most_turns:
                problem = f"the discussion goes on after {len(turns)} turns"
                raise ContractError(problem, clause="ends")
            for cue in cues:
                turns += (self._answer(cue, turns),)
        return turns

    def next_cues(self, turns: tuple[Turn, ...]) -> tuple[Cue, ...]:
        """Return the next set after these turns; raises `ContractError` for a fault of the protocol."""
        now = len(turns)
        try:
            cues = self.protocol.next_cues(self.seats, self.comparison, turns)
        except Exception as cause:
            clause = "legal_cues" if isinstance(cause, DataError) else "no_exceptions"
            problem = f"next_cues raised {cause!r} after {now} turns"
            raise ContractError(problem, clause=clause) from cause
        if (found := find_set_fault(cues, self.seats, self.comparison, now)) is not None:
            turn, fault = found
            problem = f"next_cues {fault} in turn {turn}"
            raise ContractError(problem, clause="legal_cues")
        return cues

    def conclude(self, turns: tuple[Turn, ...]) -> Verdict:
        """Return the conclusion after these turns; raises `ContractError` if it is no verdict."""
        try:
            verdict = self.protocol.conclude(self.seats, self.comparison, turns)
        except Exception as cause:
            problem = f"conclude raised {cause!r} after {len(turns)} turns"
            raise ContractError(problem, clause="no_exceptions") from cause
        if not isinstance(verdict, Verdict):  # pyright: ignore[reportUnnecessaryIsInstance]
            problem = f"conclude returned {verdict!r} after {len(turns)} turns, which is no Verdict"
            raise ContractError(problem, clause="conclusion")
        return verdict

    def describe(self) -> str:
        """Return the seats, answers, options and replies in one line."""
        replies = ", ".join(
            f"{seat}: {' '.join(map(str, verdicts[:4]))}"
            for seat, verdicts in self.verdicts.items()
        )
        options = "".join(f", {name}={value!r}" for name, value in self.protocol.settings().items())
        answers = len(self.comparison.answers)
        return f"seats={len(self.seats)}, answers={answers}{options}; replies {replies}"

    def _answer(self, cue: Cue, turns: tuple[Turn, ...]) -> Turn:
        own = sum(turn.cue.seat == cue.seat for turn in turns)
        said = Utterance(text=f"{cue.seat} says its word number {own}", simulated=True)
        return Turn(index=len(turns), cue=cue, utterance=said, review=self._review(cue, own))

    def _review(self, cue: Cue, own: int) -> Review:
        if cue.expects is Expects.VERDICT:
            verdicts = self.verdicts[cue.seat]
            verdict = verdicts[own % len(verdicts)]
            return Review(verdict=UNREADABLE if verdict == TIE and not cue.ties else verdict)
        if cue.expects is Expects.TEXT or not cue.sees:
            return Review()
        rating = self.ratings[cue.sees[0]]
        if isinstance(rating, Verdict):
            return Review(verdict=REFUSED if rating == REFUSED else None)
        return Review(score=rating)


def generate_scenarios(protocol: DiscussionProtocol) -> Iterator[Scenario]:
    """Generate the scenarios of the contract: the same ones for the same protocol.

    The default options meet every number of answers and up to three numbers of seats; every other
    value of an option meets the fewest and the most of both. Replies agree, differ by seat, cannot be
    read, are refused, or are mixed by a seed.
    """
    (fewest_seats, most_seats), (fewest, most) = protocol.seats, protocol.answers
    seats = range(fewest_seats, (most_seats or fewest_seats + 2) + 1)
    answers = range(min(fewest, MAX_ANSWERS), min(most or MAX_ANSWERS, MAX_ANSWERS) + 1)
    for count in seats[:3]:
        for shown in answers:
            yield from _with_replies(protocol, count, shown)
    for variant in _variants(protocol):
        for count, shown in ((seats[0], answers[-1]), (seats[:3][-1], answers[0])):
            for scenario in _with_replies(variant, count, shown):
                yield dataclasses.replace(scenario, may_refuse=True)


def _variants(protocol: DiscussionProtocol) -> Iterator[DiscussionProtocol]:
    """The protocol with one option changed at a time, to every value that its type and check allow."""
    options = protocol.options
    for name, kind in typing.get_type_hints(type(options)).items():
        for value in _list_values(kind):
            if not isinstance(value, str | int) or value == getattr(options, name, value):
                continue
            try:
                changed = dataclasses.replace(options, **{name: value})  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
            except (PeerJudgeError, ValueError):
                continue
            yield dataclasses.replace(protocol, options=changed)


def _list_values(kind: object) -> tuple[object, ...]:
    """Return the values to try of a type; of a union those of its parts."""
    if kind is bool:
        return (False, True)
    if kind is int:
        return _COUNTS
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return parts
    return tuple(value for part in parts for value in _list_values(part))


def _with_replies(protocol: DiscussionProtocol, seats: int, answers: int) -> Iterator[Scenario]:
    seated = seats_of(seats, protocol.list_roles(seats))
    comparison = comparison_of(answers)
    choices = [Verdict.of(answer_id) for answer_id in comparison.shown]
    always = {
        "same": [choices[0]] * seats,
        "own": [choices[place % answers] for place in range(seats)],
        "unreadable": [UNREADABLE] * seats,
        "refused": [REFUSED] * seats,
    }
    scenario = Scenario(
        protocol=protocol,
        seats=seated,
        comparison=comparison,
        verdicts=MappingProxyType({}),
        ratings=dict(zip(comparison.shown, (5.0, 3.5, 3.5, 1.0), strict=False)),
    )
    for replies in always.values():
        verdicts = {seat.id: (reply,) for seat, reply in zip(seated, replies, strict=True)}
        yield dataclasses.replace(scenario, verdicts=verdicts)
    pool = (*choices, *choices, TIE, UNREADABLE, REFUSED)
    for seed in range(_REPLAYS):
        rng = np.random.default_rng([seed, seats, answers])
        yield dataclasses.replace(
            scenario,
            verdicts={
                seat.id: tuple(pool[int(rng.integers(len(pool)))] for _ in range(7))
                for seat in seated
            },
            ratings={shown: _RATINGS[rng.integers(len(_RATINGS))] for shown in comparison.shown},
        )
