"""Verdicts of simulated reviewers as arrays, many studies at a time, without words.

The equations are those of the spoken path (`peerjudge.simulation.latent`), for two answers: the same
distribution of verdicts, stances and events, drawn from a stream instead of from hashes, so single
numbers differ. Unreadable replies are not drawn, and reactions to the wording of prompts are left out.
All arrays are `[study, item]`; a verdict is 1 for the first answer in the order of the data, -1 for the
second and 0 for a tie, in every shown order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import numpy.typing as npt

from peerjudge.data import Card, Comparison, Outcome
from peerjudge.errors import DataError
from peerjudge.simulation.judgement import (
    MIDDLE_RATING,
    RATING_STEP,
    is_machine,
    is_own,
    measure_length,
)
from peerjudge.simulation.latent import TIED_MARGIN, Noise, find_subset, split_noise
from peerjudge.simulation.traits import Traits, read_traits

Verdicts = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Drawn = npt.NDArray[np.float32]
Values = npt.NDArray[np.float64]

_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Compared pairs, item by item. Differences are of the first answer minus the second.

    `gold` is 1, -1 or 0 (a tie); where it is not `known` the truth is drawn anew in every study.
    `length` is the difference of the logarithms of the lengths, `machine` that of having a machine as
    author, and `machines` the number of answers by machines.
    """

    gold: npt.NDArray[np.int8]
    known: Bools
    clarity: Values
    lure: Values
    length: Values
    machine: npt.NDArray[np.int8]
    machines: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, rows: npt.NDArray[np.intp]) -> Items:
        """Return the items of these rows, in this order, with repetitions."""
        return Items(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    @classmethod
    def build_plain(cls, gold: Sequence[int], machine: Sequence[int] | None = None) -> Items:
        """Build ordinary items with this gold."""
        count = len(gold)
        machines = np.zeros(count, np.int8) if machine is None else np.array(machine, np.int8)
        return cls(
            gold=np.array(gold, dtype=np.int8),
            known=np.ones(count, dtype=np.bool_),
            clarity=np.ones(count),
            lure=np.zeros(count),
            length=np.zeros(count),
            machine=machines,
            machines=np.abs(machines),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Reviewer by name, with its traits.

    `own` is 1 where it is the author of the first answer, -1 where of the second.
    """

    name: str
    traits: Traits
    own: npt.NDArray[np.int8] | int = field(default=0, hash=False)


class World:
    """Studies of the same items: the truth in each, and the persistent errors of each reviewer."""

    def __init__(self, items: Items, *, studies: int, random: np.random.Generator) -> None:
        self.items = items
        self.shape = (studies, len(items))
        self.random = random
        gold = np.broadcast_to(items.gold, self.shape)
        if not items.known.all():
            drawn = random.integers(0, 2, self.shape, dtype=np.int8) * 2 - 1
            gold = np.where(items.known, gold, drawn)
        self.gold: Verdicts = gold.astype(np.int8)
        # Where gold is a tie, one of the two is still a little better.
        tied = items.gold == 0
        better = self.gold.astype(np.float32)
        if tied.any():
            better = np.where(self.gold == 0, random.integers(0, 2, self.shape) * 2 - 1, better)
        scale = np.where(tied & items.known, TIED_MARGIN, items.clarity)
        self._margin = (better * scale * np.abs(self._draw_normal())).astype(np.float32)
        self._lure = (-self.gold * items.lure).astype(np.float32)
        self._numbers: dict[tuple[str, ...], Drawn] = {}

    def draw_verdicts(
        self,
        speaker: Speaker,
        *,
        temperature: float = 1.0,
        dampening: float = 1.0,
        swapped: bool = False,
        ties: bool = False,
    ) -> Verdicts:
        """Draw the speaker's private verdicts once.

        `dampening` is the part of the surface's pull that is left, `swapped` shows the second answer
        first, and `ties` allows ties.
        """
        traits, noise = speaker.traits, split_noise(speaker.traits, temperature)
        side = -1.0 if swapped else 1.0
        seen = self._find_difference(speaker, noise, dampening=dampening)
        seen += np.float32(side * traits.position_bias)
        if noise.place:
            turned = np.float32(side * math.sqrt(noise.place))
            seen += turned * self._recall("place", speaker.name)
        verdicts = _choose(seen)
        return np.where(np.abs(seen) < traits.tie_width, np.int8(0), verdicts) if ties else verdicts

    def draw_ratings(
        self,
        speaker: Speaker,
        *,
        temperature: float = 1.0,
        points: int | None = 5,
    ) -> Verdicts:
        """Draw once which answer the speaker rates higher, each seen alone.

        On a scale of `points` the two often get the same rating; with `None` the rating is an
        expectation, and there are no ties.
        """
        traits, noise = speaker.traits, split_noise(speaker.traits, temperature)
        difference = self._find_difference(speaker, noise, dampening=traits.alone_dampening)
        if points is None:
            return _choose(difference)
        # The common part of the two answers places them on the scale.
        level = -traits.ability * np.abs(self._margin)
        level += (traits.surface * traits.alone_dampening) * np.abs(self._lure)
        level += np.asarray(
            traits.machine_taste * self.items.machines
            + traits.self_enhancement * np.abs(speaker.own),
            dtype=np.float32,
        )
        level += self._draw_errors(noise, speaker.name, of="level")
        first, second = (
            compute_rating((level + np.float32(side) * difference) / np.float32(2), traits, points)
            for side in (1, -1)
        )
        return np.sign(first - second).astype(np.int8)

    def _find_difference(self, speaker: Speaker, noise: Noise, *, dampening: float) -> Drawn:
        """Return how much better the first answer looks, without effects of place."""
        traits = speaker.traits
        seen = traits.ability * self._margin
        seen += (traits.surface * dampening) * self._lure
        seen += np.asarray(
            traits.verbosity * self.items.length
            + traits.machine_taste * self.items.machine
            + traits.self_enhancement * speaker.own,
            dtype=np.float32,
        )
        seen += self._draw_errors(noise, speaker.name, of="difference")
        return seen

    def _draw_errors(self, noise: Noise, name: str, *, of: str) -> Drawn:
        """Draw the errors of a reply except that of the place: common, own and fresh ones."""
        total = np.float32(math.sqrt(noise.shared)) * self._recall(of)
        # Without words every prompt has the same wording, so its error is the reviewer's own.
        if own := noise.own + noise.wording:
            total += np.float32(math.sqrt(own)) * self._recall(of, name)
        if noise.fresh:
            total += np.float32(math.sqrt(noise.fresh)) * self._draw_normal()
        return total

    def _recall(self, *of: str) -> Drawn:
        """Return standard normal numbers by study and item, the same for the same key."""
        if of not in self._numbers:
            self._numbers[of] = self._draw_normal()
        return self._numbers[of]

    def _draw_normal(self) -> Drawn:
        return self.random.standard_normal(self.shape, dtype=np.float32)


def compute_rating(seen: npt.NDArray[np.floating], traits: Traits, points: int) -> Values:
    """Return the score from 0 to `points` - 1 of answers that look this good; see `judgement.rate`."""
    halfway = -traits.ability * math.sqrt(2 / math.pi) / 2
    felt = (MIDDLE_RATING + RATING_STEP * (seen - halfway) - 1) * ((points - 1) / 4)
    return np.asarray(np.clip(np.rint(felt), 0, points - 1), dtype=np.float64)


def _choose(seen: Drawn) -> Verdicts:
    return np.where(seen > 0, np.int8(1), np.int8(-1))


def score_verdicts(verdicts: Verdicts, world: World) -> Drawn:
    """Return 1 where the verdict is right, else 0."""
    return (verdicts == world.gold).astype(np.float32)


def build_items(comparisons: Sequence[Comparison]) -> Items:
    """Build the items of comparisons.

    Raises:
        DataError: a comparison has more or fewer than two answers.
    """
    for comparison in comparisons:
        if len(comparison.answers) != _PAIR:
            msg = (
                f"comparison {comparison.id!r} has {len(comparison.answers)} answers; only pairs can be "
                "simulated fast"
            )
            raise DataError(msg)
    subsets = [find_subset(comparison) for comparison in comparisons]
    golds = [comparison.gold for comparison in comparisons]
    lengths = [[measure_length(answer) for answer in pair.answers] for pair in comparisons]
    machines = [[is_machine(answer) for answer in pair.answers] for pair in comparisons]
    return Items(
        gold=np.array([_code_gold(comparison) for comparison in comparisons], dtype=np.int8),
        known=np.array([gold is not None and gold.readable for gold in golds], dtype=np.bool_),
        clarity=np.array([subset.clarity for subset in subsets]),
        lure=np.array([subset.lure for subset in subsets]),
        length=np.array([one - other for one, other in lengths]),
        machine=np.array([int(one) - int(other) for one, other in machines], dtype=np.int8),
        machines=np.array([int(one) + int(other) for one, other in machines], dtype=np.int8),
    )


def build_speaker(card: Card, comparisons: Sequence[Comparison]) -> Speaker:
    """Build a simulated reviewer and mark its own answers; raises `CardError` as `read_traits`."""
    own = [[is_own(answer, card) for answer in pair.answers] for pair in comparisons]
    return Speaker(
        name=card.name,
        traits=read_traits(card),
        own=np.array([int(one) - int(other) for one, other in own], dtype=np.int8),
    )


def _code_gold(comparison: Comparison) -> int:
    gold = comparison.gold
    if gold is None or gold.outcome is Outcome.TIE or gold.choice is None:
        return 0
    return 1 if gold.choice == comparison.shown[0] else -1
