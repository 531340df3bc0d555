"""Coverage of the intervals of contrasts, and their claims, by number of questions.

A study has two seats, a discussion, the vote of each seat alone (self-consistency) and a vote of both. All
verdicts are turned from those of the first seat: some wrong ones become right and some right ones wrong, so
every true difference is known. The intervals are those that commands and reports print, by the functions
that print them: over the mean seat, each seat, the better seat, self-consistency and the vote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import Bools
from studies.analytic import Floats
from studies.many import measure_many
from studies.recovery.coverage import Coverage, count_held

SIZES = (6, 8, 12, 20, 40, 80)
_DIFFICULTY = 0.2

Turned = tuple[float, float]
"""Share of wrong verdicts that become right, and of right ones that become wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A study: verdicts per question, accuracy of the first seat, and what the others turn of it.

    `talk` turns the verdicts of the first seat, `lone` those of each seat.
    """

    verdicts: int
    right: float
    other: Turned
    talk: Turned
    lone: Turned = (0.05, 0.02)
    vote: Turned = (0.05, 0.05)

    def draw(
        self, studies: int, questions: int, random: np.random.Generator
    ) -> Mapping[str, Floats]:
        """Return accuracies by way to judge, `[study, question]`."""
        shape = (studies, questions, self.verdicts)
        # Verdicts on one question are correlated, as it is difficult for all of them.
        reach = _DIFFICULTY * (self.verdicts > 1)
        difficulty = random.uniform(-reach, reach, (studies, questions, 1))
        seat = random.random(shape) < self.right + difficulty
        other = _turn(seat, self.other, random)
        ways = {
            "seat": seat,
            "other": other,
            "talk": _turn(seat, self.talk, random),
            "lone": _turn(seat, self.lone, random),
            "lone other": _turn(other, self.lone, random),
            "vote": _turn(seat, self.vote, random),
        }
        return {name: way.mean(axis=-1) for name, way in ways.items()}

    def expect(self) -> Mapping[str, float]:
        """Return the true accuracies by way to judge."""
        other = _expect(self.right, self.other)
        return {
            "seat": self.right,
            "other": other,
            "talk": _expect(self.right, self.talk),
            "lone": _expect(self.right, self.lone),
            "lone other": _expect(other, self.lone),
            "vote": _expect(self.right, self.vote),
        }


WORLDS: Mapping[str, World] = {
    "single verdicts, rare losses": World(
        verdicts=1, right=0.8, other=(0.0, 0.05), talk=(0.0, 0.04)
    ),
    "single verdicts, rare gains": World(
        verdicts=1, right=0.7, other=(0.05, 0.02), talk=(0.1, 0.0)
    ),
    "single verdicts, seats apart": World(verdicts=1, right=0.8, other=(0.2, 0.4), talk=(0.3, 0.1)),
    "single verdicts, equal seats": World(verdicts=1, right=0.6, other=(0.6, 0.4), talk=(0.3, 0.2)),
    "both orders, rare differences": World(
        verdicts=2, right=0.7, other=(0.0, 0.05), talk=(0.05, 0.02)
    ),
    "both orders, equal seats": World(verdicts=2, right=0.6, other=(0.6, 0.4), talk=(0.3, 0.2)),
    "four verdicts, seats apart": World(verdicts=4, right=0.7, other=(0.2, 0.3), talk=(0.3, 0.1)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GainClaims:
    """Shares of studies that claim a gain or a loss over the better seat, where the true gain is `gain`.

    `value` is the mean of the printed differences, which lean against the discussion where seats are nearly
    equal, as the least of two is printed. `known_seat` is the share that claims a gain if the better
    seat were known in advance.
    """

    world: str
    questions: int
    gain: float
    value: float
    better: float
    worse: float
    known_seat: float


def measure_contrast_coverage(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[Coverage, ...]:
    """Return for every contrast and world the share of printed intervals that hold the truth."""
    return tuple(
        count_held(f"{contrast}: {name}", size, bounds[:, 0], bounds[:, 1], truth)
        for number, (name, world) in enumerate(WORLDS.items())
        for size in sizes
        for contrast, bounds, truth in _measure(
            world, studies, size, np.random.default_rng([seed, number, size])
        )
    )


def count_gain_claims(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[GainClaims, ...]:
    """Return how often a gain of 10 points over the better seat is claimed, and one that is none."""
    found: list[GainClaims] = []
    for number, (gain, other) in enumerate(
        (gain, other) for gain in (0.0, 0.1) for other in OTHERS
    ):
        lost = 0.15
        world = World(
            verdicts=1, right=0.7, other=OTHERS[other], talk=((gain + lost * 0.7) / 0.3, lost)
        )
        for size in sizes:
            ways = world.draw(studies, size, np.random.default_rng([seed, number, size, 5]))
            values = np.stack([ways["seat"], ways["other"]], axis=1)
            differences = ways["talk"][:, None] - values
            value, _, _, p_value = measure_many(differences)
            known, _, _, known_p = measure_many(differences[:, :1])
            found.append(
                GainClaims(
                    world=other,
                    questions=size,
                    gain=gain,
                    value=float(value.mean()),
                    better=float(((p_value <= 0.05) & (value > 0.0)).mean()),
                    worse=float(((p_value <= 0.05) & (value < 0.0)).mean()),
                    known_seat=float(((known_p <= 0.05) & (known > 0.0)).mean()),
                )
            )
    return tuple(found)


OTHERS: Mapping[str, Turned] = {
    "equal seats": (0.7, 0.3),
    "other seat 5 points worse": (0.6, 0.32857),
    "other seat 20 points worse": (0.4, 0.45714),
}


def _measure(
    world: World, studies: int, size: int, random: np.random.Generator
) -> Iterator[tuple[str, Floats, float]]:
    """Yield contrasts with their bounds, `[study, (low, high)]`, and their true differences."""
    ways, true = world.draw(studies, size, random), world.expect()
    talk = ways["talk"][:, None]
    seats = np.stack([ways["seat"], ways["other"]], axis=1)
    lone = np.stack([ways["lone"], ways["lone other"]], axis=1)
    best, best_lone = max(true["seat"], true["other"]), max(true["lone"], true["lone other"])
    alternatives: Mapping[str, tuple[Floats, float]] = {
        "mean seat": (seats.mean(axis=1, keepdims=True), (true["seat"] + true["other"]) / 2.0),
        "seat": (seats[:, :1], true["seat"]),
        "other seat": (seats[:, 1:], true["other"]),
        "better seat": (seats, best),
        "self-consistency": (lone, best_lone),
        "vote": (ways["vote"][:, None], true["vote"]),
    }
    for name, (values, other) in alternatives.items():
        _, low, high, _ = measure_many(talk - values)
        yield name, np.stack([low, high], axis=1), true["talk"] - other


def _turn(verdicts: Bools, turned: Turned, random: np.random.Generator) -> Bools:
    chance = random.random(verdicts.shape)
    return np.where(verdicts, chance >= turned[1], chance < turned[0])


def _expect(right: float, turned: Turned) -> float:
    return right * (1.0 - turned[1]) + (1.0 - right) * turned[0]
