"""Many studies at a time, as arrays: what simulated reviewers would decide, without a word said.

The equations are those of the spoken path (`peerjudge.simulation.latent`), for two answers: the same
distribution of verdicts, stances and events, drawn from a stream instead of from hashes, so the single
numbers are others. Replies that cannot be read are not drawn. All arrays are `[study, item]`; a verdict
is 1 for the first answer as the data have it, -1 for the second and 0 for a tie, in every shown order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from peerjudge.simulation.judgement import MIDDLE_RATING, RATING_STEP
from peerjudge.simulation.latent import TIED_MARGIN, Noise, noise_of
from peerjudge.simulation.traits import Traits

__all__ = ["Bools", "Items", "Speaker", "Verdicts", "World", "score"]

Verdicts = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Drawn = npt.NDArray[np.float32]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What is compared, item by item. Differences are of the first answer minus the second.

    `gold` is 1, -1 or 0 (a tie); where nobody knows (`known` false) the truth is drawn anew in every
    study. `length` is the difference of the logarithms of the lengths, `machine` that of being a
    machine's, and `machines` says how many of the two are.
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

    def taken(self, rows: npt.NDArray[np.intp]) -> Items:
        """These items, in this order, as often as they are named."""
        return Items(
            gold=self.gold[rows],
            known=self.known[rows],
            clarity=self.clarity[rows],
            lure=self.lure[rows],
            length=self.length[rows],
            machine=self.machine[rows],
            machines=self.machines[rows],
        )

    @classmethod
    def plain(cls, gold: Sequence[int], machine: Sequence[int] | None = None) -> Items:
        """Ordinary items with this gold."""
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
    """A reviewer by name, with its traits.

    `own` is 1 where the first answer is its own, -1 where the second is.
    """

    name: str
    traits: Traits
    own: npt.NDArray[np.int8] | int = field(default=0, hash=False)


class World:
    """So many studies of the same items: what is true in each, and what each reviewer keeps of errors.

    Args:
        items: what is compared.
        studies: how many studies are drawn.
        random: where the numbers come from.
    """

    def __init__(self, items: Items, *, studies: int, random: np.random.Generator) -> None:
        self.items = items
        self.shape = (studies, len(items))
        self.random = random
        gold = np.broadcast_to(items.gold, self.shape)
        if not items.known.all():
            drawn = random.integers(0, 2, self.shape, dtype=np.int8) * 2 - 1
            gold = np.where(items.known, gold, drawn)
        self.gold: Verdicts = gold.astype(np.int8)
        # Where gold is a tie, one of the two is a little better all the same.
        tied = items.gold == 0
        better = self.gold.astype(np.float32)
        if tied.any():
            better = np.where(self.gold == 0, random.integers(0, 2, self.shape) * 2 - 1, better)
        scale = np.where(tied & items.known, TIED_MARGIN, items.clarity)
        self._margin = (better * scale * np.abs(self._normal())).astype(np.float32)
        self._lure = (-self.gold * items.lure).astype(np.float32)
        self._numbers: dict[tuple[str, ...], Drawn] = {}

    def private(
        self,
        speaker: Speaker,
        *,
        temperature: float = 1.0,
        dampening: float = 1.0,
        swapped: bool = False,
        ties: bool = False,
    ) -> Verdicts:
        """One draw of the speaker's verdicts before it has heard anybody.

        Args:
            speaker: who judges.
            temperature: at which it is sampled.
            dampening: what is left of the surface's pull.
            swapped: whether the second answer is shown first.
            ties: whether a tie may be said.
        """
        traits, noise = speaker.traits, noise_of(speaker.traits, temperature)
        side = -1.0 if swapped else 1.0
        seen = self._difference(speaker, noise, dampening=dampening)
        seen += np.float32(side * traits.position_bias)
        if noise.place:
            turned = np.float32(side * math.sqrt(noise.place))
            seen += turned * self._kept("place", speaker.name)
        verdicts = _sides(seen)
        return np.where(np.abs(seen) < traits.tie_width, np.int8(0), verdicts) if ties else verdicts

    def rated(
        self,
        speaker: Speaker,
        *,
        temperature: float = 1.0,
        points: int | None = 5,
    ) -> Verdicts:
        """One draw of which answer the speaker rates higher, having seen each alone.

        On a scale of so many `points` the two are often rated the same; with `None` the rating is an
        expectation, and never is.
        """
        traits, noise = speaker.traits, noise_of(speaker.traits, temperature)
        difference = self._difference(speaker, noise, dampening=traits.alone_dampening)
        if points is None:
            return _sides(difference)
        # What the two answers have in common decides where on the scale they are.
        level = -traits.ability * np.abs(self._margin)
        level += (traits.surface * traits.alone_dampening) * np.abs(self._lure)
        level += np.asarray(
            traits.machine_taste * self.items.machines
            + traits.self_enhancement * np.abs(speaker.own),
            dtype=np.float32,
        )
        level += self._errors(noise, speaker.name, of="level")
        first, second = (
            rating_of((level + np.float32(side) * difference) / np.float32(2), traits, points)
            for side in (1, -1)
        )
        return np.sign(first - second).astype(np.int8)

    def _difference(self, speaker: Speaker, noise: Noise, *, dampening: float) -> Drawn:
        """How much better the first answer looks, place apart."""
        traits = speaker.traits
        seen = traits.ability * self._margin
        seen += (traits.surface * dampening) * self._lure
        seen += np.asarray(
            traits.verbosity * self.items.length
            + traits.machine_taste * self.items.machine
            + traits.self_enhancement * speaker.own,
            dtype=np.float32,
        )
        seen += self._errors(noise, speaker.name, of="difference")
        return seen

    def _errors(self, noise: Noise, name: str, *, of: str) -> Drawn:
        """The errors of a reply but for that of the place: common ones, the speaker's own, fresh ones."""
        total = np.float32(math.sqrt(noise.shared)) * self._kept(of)
        if noise.own:
            total += np.float32(math.sqrt(noise.own)) * self._kept(of, name)
        if noise.fresh:
            total += np.float32(math.sqrt(noise.fresh)) * self._normal()
        return total

    def _kept(self, *of: str) -> Drawn:
        """A standard normal number per study and item, the same whenever it is asked for."""
        if of not in self._numbers:
            self._numbers[of] = self._normal()
        return self._numbers[of]

    def _normal(self) -> Drawn:
        return self.random.standard_normal(self.shape, dtype=np.float32)


def rating_of(seen: npt.NDArray[np.floating], traits: Traits, points: int) -> Values:
    """The score from 0 to `points` - 1 of answers that look this good; see `judgement.rate`."""
    halfway = -traits.ability * math.sqrt(2 / math.pi) / 2
    felt = (MIDDLE_RATING + RATING_STEP * (seen - halfway) - 1) * ((points - 1) / 4)
    return np.asarray(np.clip(np.rint(felt), 0, points - 1), dtype=np.float64)


def _sides(seen: Drawn) -> Verdicts:
    return np.where(seen > 0, np.int8(1), np.int8(-1))


def score(verdicts: Verdicts, world: World, *, tie: float = 0.0) -> Drawn:
    """1 where the verdict is right, else 0; `tie` where a tie is said and gold is a choice."""
    right = (verdicts == world.gold).astype(np.float32)
    if tie:
        right[(verdicts == 0) & (world.gold != 0)] = tie
    return right
