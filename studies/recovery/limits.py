"""Limits of a study: how far the figure that depends most on a trait moves with the trait.

Between two credible values of a trait the mean of the figure moves by some standard deviations of the
figure from study to study. Below 2.8 a study of this size has less than four chances in five to
distinguish the two values at the level of 5 %, with any analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from peerjudge.simulation.arrays import Items, Speaker, World, score_verdicts
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.talks import simulate_talk

_TOLD = 2.8
_BASE = Traits(
    ability=0.6,
    surface=0.7,
    shared_error=0.35,
    copy_error=0.15,
    susceptibility=0.5,
    firmness=2.0,
    truth_pull=0.5,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Move of a figure between two values of a trait, in standard deviations."""

    trait: str
    one: float
    other: float
    figure: str
    deviations: float

    @property
    def told(self) -> bool:
        """True if a study is likely to distinguish the two values."""
        return abs(self.deviations) >= _TOLD


def measure_sensitivities(
    *, questions: int = 140, studies: int = 400, seed: int = 0
) -> tuple[Sensitivity, ...]:
    """Measure every trait that is not planted elsewhere, in studies of questions in both orders."""
    found: list[Sensitivity] = []
    for number, (trait, one, other, figure, measure) in enumerate(_PROBES):
        drawn: list[Floats] = []
        for side, value in enumerate((one, other)):
            random = np.random.default_rng([seed, number, side])
            world = World(_build_items(questions), studies=studies, random=random)
            cooled = _set_temperature(value) if trait == "temperature" else None
            drawn.append(measure(world, cooled or replace(_BASE, **{trait: value})))
        spread = float(np.sqrt((drawn[0].var() + drawn[1].var()) / 2))
        found.append(
            Sensitivity(
                trait=trait,
                one=one,
                other=other,
                figure=figure,
                deviations=float(drawn[1].mean() - drawn[0].mean()) / spread if spread else 0.0,
            )
        )
    return tuple(found)


def _set_temperature(temperature: float) -> Traits:
    """Return the traits at this temperature: below 1, fresh error becomes the reviewer's own."""
    fresh = 1 - _BASE.shared_error - _BASE.copy_error
    return replace(_BASE, copy_error=_BASE.copy_error + fresh * (1 - temperature**2))


def _build_items(questions: int) -> Items:
    plain = Items.build_plain([1 - 2 * (number % 2) for number in range(questions)])
    return replace(plain, lure=np.ones(questions))


def _build_seats(traits: Traits, *, same: bool) -> tuple[Speaker, Speaker]:
    return Speaker(name="one", traits=traits), Speaker(name="one" if same else "two", traits=traits)


def _measure_agreement(world: World, traits: Traits, *, same: bool) -> Floats:
    one, other = _build_seats(traits, same=same)
    alike = [
        world.draw_verdicts(one, swapped=order) == world.draw_verdicts(other, swapped=order)
        for order in (False, True)
    ]
    return np.asarray(np.mean(alike, axis=(0, 2)), dtype=np.float64)


def _measure_consistency(world: World, traits: Traits) -> Floats:
    speaker, _ = _build_seats(traits, same=True)
    given, turned = (world.draw_verdicts(speaker, swapped=order) for order in (False, True))
    return (given == turned).mean(axis=1)


def _measure_accuracy(world: World, traits: Traits) -> Floats:
    speaker, _ = _build_seats(traits, same=True)
    right = [
        score_verdicts(world.draw_verdicts(speaker, swapped=order), world)
        for order in (False, True)
    ]
    return np.asarray(np.mean(right, axis=(0, 2)), dtype=np.float64)


def _measure_gain(world: World, traits: Traits, *, same: bool) -> Floats:
    seats = _build_seats(traits, same=same)
    gains: list[Floats] = []
    for order in (False, True):
        private = [world.draw_verdicts(seat, swapped=order) for seat in seats]
        held = simulate_talk(world, seats, private, turns=4)
        before = (score_verdicts(private[0], world) + score_verdicts(private[1], world)) / 2
        after = (
            score_verdicts(held.stances[0], world) + score_verdicts(held.stances[1], world)
        ) / 2
        gains.append(np.asarray((after - before).mean(axis=1), dtype=np.float64))
    return np.mean(gains, axis=0)


def _measure_altering(world: World, traits: Traits, *, seat: int) -> Floats:
    return _share_altered(world, _build_seats(traits, same=False), seat=seat)


def _measure_persuaded(world: World, traits: Traits) -> Floats:
    """Measure altering of a follower that is less susceptible by the persuasiveness of its leader."""
    leader, follower = _build_seats(traits, same=False)
    less = replace(traits, susceptibility=traits.susceptibility - traits.persuasiveness)
    return _share_altered(world, (leader, replace(follower, traits=less)), seat=1)


def _share_altered(world: World, seats: tuple[Speaker, Speaker], *, seat: int) -> Floats:
    altered, asked = np.zeros(world.shape[0]), np.zeros(world.shape[0])
    for order in (False, True):
        private = [world.draw_verdicts(one, swapped=order) for one in seats]
        held = simulate_talk(world, seats, private, turns=4)
        altered += held.altered[seat].sum(axis=1)
        asked += held.contradicted[seat].sum(axis=1)
    return altered / np.maximum(asked, 1)


def _measure_dampening(world: World, traits: Traits) -> Floats:
    """Measure the gain in accuracy of explaining each answer alone over judging side by side."""
    speaker, _ = _build_seats(traits, same=True)
    alone, side = (
        score_verdicts(world.draw_verdicts(speaker, dampening=left), world)
        for left in (traits.alone_dampening, 1.0)
    )
    return np.asarray((alone - side).mean(axis=1), dtype=np.float64)


_PROBES: tuple[tuple[str, float, float, str, Callable[[World, Traits], Floats]], ...] = (
    ("temperature", 0.0, 1.0, "private accuracy", _measure_accuracy),
    (
        "temperature",
        0.0,
        1.0,
        "agreement of two replies of one reviewer",
        partial(_measure_agreement, same=True),
    ),
    (
        "copy_error",
        0.05,
        0.3,
        "gain of discussing with itself",
        partial(_measure_gain, same=True),
    ),
    (
        "copy_error",
        0.05,
        0.3,
        "agreement of two replies of one reviewer",
        partial(_measure_agreement, same=True),
    ),
    (
        "shared_error",
        0.2,
        0.45,
        "agreement of two reviewers",
        partial(_measure_agreement, same=False),
    ),
    (
        "place_error",
        0.0,
        0.25,
        "share of the same verdicts in both orders",
        _measure_consistency,
    ),
    (
        "truth_pull",
        0.0,
        1.5,
        "gain of discussing with another",
        partial(_measure_gain, same=False),
    ),
    ("firmness", 6.0, 9.0, "share of altering as leader", partial(_measure_altering, seat=0)),
    ("persuasiveness", 0.0, 1.0, "altering of who hears it", partial(_measure_altering, seat=1)),
    (
        "persuasiveness",
        0.0,
        1.0,
        "the same, of who is as much less susceptible",
        _measure_persuaded,
    ),
    (
        "alone_dampening",
        0.5,
        1.0,
        "accuracy of PRePair less pairwise, all adversarial",
        _measure_dampening,
    ),
)
"""Probes: trait, its two values, the figure that depends on it most, and its measurement."""
