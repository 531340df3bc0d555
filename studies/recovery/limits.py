"""Which traits a study can tell at all: how far the figure that depends on a trait most moves with it.

Between two values of a trait that both are credible, the mean of a figure moves by so many standard
deviations of the figure from study to study. Where that is less than 2.8, a study of this size has less
than four chances in five to tell the two values apart at the level of 5 %, whatever the analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from peerjudge.simulation.arrays import Items, Speaker, World, score_verdicts
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.talks import simulate_talk

__all__ = ["Sensitivity", "sensitivities"]

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
    """A trait between two values, the figure looked at, and how many standard deviations it moves."""

    trait: str
    one: float
    other: float
    figure: str
    deviations: float

    @property
    def told(self) -> bool:
        """Whether a study is likely to tell the two values apart."""
        return abs(self.deviations) >= _TOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    trait: str
    one: float
    other: float
    figure: str
    measure: Callable[[World, Traits], Floats] = field(hash=False)


def sensitivities(
    *, questions: int = 140, studies: int = 400, seed: int = 0
) -> tuple[Sensitivity, ...]:
    """Every trait that is not planted elsewhere, in studies of so many questions in both orders."""
    found: list[Sensitivity] = []
    for number, probe in enumerate(_PROBES):
        drawn = [
            probe.measure(
                World(
                    _items(questions),
                    studies=studies,
                    random=np.random.default_rng([seed, number, side]),
                ),
                replace(_BASE, **{probe.trait: value})
                if probe.trait != "temperature"
                else _at(value),
            )
            for side, value in enumerate((probe.one, probe.other))
        ]
        spread = float(np.sqrt((drawn[0].var() + drawn[1].var()) / 2))
        found.append(
            Sensitivity(
                trait=probe.trait,
                one=probe.one,
                other=probe.other,
                figure=probe.figure,
                deviations=float(drawn[1].mean() - drawn[0].mean()) / spread if spread else 0.0,
            )
        )
    return tuple(found)


def _at(temperature: float) -> Traits:
    """The traits at this temperature: what is fresh at 1 is the reviewer's own below it."""
    fresh = 1 - _BASE.shared_error - _BASE.copy_error
    return replace(_BASE, copy_error=_BASE.copy_error + fresh * (1 - temperature**2))


def _items(questions: int) -> Items:
    plain = Items.build_plain([1 - 2 * (number % 2) for number in range(questions)])
    return replace(plain, lure=np.ones(questions))


def _seats(traits: Traits, *, same: bool) -> tuple[Speaker, Speaker]:
    return Speaker(name="one", traits=traits), Speaker(name="one" if same else "two", traits=traits)


def _agreement(world: World, traits: Traits, *, same: bool) -> Floats:
    one, other = _seats(traits, same=same)
    alike = [
        world.draw_verdicts(one, swapped=order) == world.draw_verdicts(other, swapped=order)
        for order in (False, True)
    ]
    return np.asarray(np.mean(alike, axis=(0, 2)), dtype=np.float64)


def _of_copies(world: World, traits: Traits) -> Floats:
    return _agreement(world, traits, same=True)


def _of_others(world: World, traits: Traits) -> Floats:
    return _agreement(world, traits, same=False)


def _orders_alike(world: World, traits: Traits) -> Floats:
    speaker, _ = _seats(traits, same=True)
    given, turned = (world.draw_verdicts(speaker, swapped=order) for order in (False, True))
    return (given == turned).mean(axis=1)


def _accuracy(world: World, traits: Traits) -> Floats:
    speaker, _ = _seats(traits, same=True)
    right = [
        score_verdicts(world.draw_verdicts(speaker, swapped=order), world)
        for order in (False, True)
    ]
    return np.asarray(np.mean(right, axis=(0, 2)), dtype=np.float64)


def _gain(world: World, traits: Traits, *, same: bool) -> Floats:
    seats = _seats(traits, same=same)
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


def _gain_of_copies(world: World, traits: Traits) -> Floats:
    return _gain(world, traits, same=True)


def _gain_of_others(world: World, traits: Traits) -> Floats:
    return _gain(world, traits, same=False)


def _altered_as_leader(world: World, traits: Traits) -> Floats:
    return _altered(world, _seats(traits, same=False), seat=0)


def _altered_as_follower(world: World, traits: Traits) -> Floats:
    return _altered(world, _seats(traits, same=False), seat=1)


def _persuaded(world: World, traits: Traits) -> Floats:
    """Altering of a follower whose leader is as persuasive as itself is less susceptible."""
    leader, follower = _seats(traits, same=False)
    less = replace(traits, susceptibility=traits.susceptibility - traits.persuasiveness)
    return _altered(world, (leader, replace(follower, traits=less)), seat=1)


def _altered(world: World, seats: tuple[Speaker, Speaker], *, seat: int) -> Floats:
    altered, asked = np.zeros(world.shape[0]), np.zeros(world.shape[0])
    for order in (False, True):
        private = [world.draw_verdicts(one, swapped=order) for one in seats]
        held = simulate_talk(world, seats, private, turns=4)
        altered += held.altered[seat].sum(axis=1)
        asked += held.contradicted[seat].sum(axis=1)
    return altered / np.maximum(asked, 1)


def _dampened(world: World, traits: Traits) -> Floats:
    """Accuracy after explaining each answer alone, less that of judging side by side."""
    speaker, _ = _seats(traits, same=True)
    alone, side = (
        score_verdicts(world.draw_verdicts(speaker, dampening=left), world)
        for left in (traits.alone_dampening, 1.0)
    )
    return np.asarray((alone - side).mean(axis=1), dtype=np.float64)


_PROBES = (
    _Probe(trait="temperature", one=0.0, other=1.0, figure="private accuracy", measure=_accuracy),
    _Probe(
        trait="temperature",
        one=0.0,
        other=1.0,
        figure="agreement of two replies of one reviewer",
        measure=_of_copies,
    ),
    _Probe(
        trait="copy_error",
        one=0.05,
        other=0.3,
        figure="gain of discussing with itself",
        measure=_gain_of_copies,
    ),
    _Probe(
        trait="copy_error",
        one=0.05,
        other=0.3,
        figure="agreement of two replies of one reviewer",
        measure=_of_copies,
    ),
    _Probe(
        trait="shared_error",
        one=0.2,
        other=0.45,
        figure="agreement of two reviewers",
        measure=_of_others,
    ),
    _Probe(
        trait="place_error",
        one=0.0,
        other=0.25,
        figure="share of the same verdicts in both orders",
        measure=_orders_alike,
    ),
    _Probe(
        trait="truth_pull",
        one=0.0,
        other=1.5,
        figure="gain of discussing with another",
        measure=_gain_of_others,
    ),
    _Probe(
        trait="firmness",
        one=6.0,
        other=9.0,
        figure="share of altering as leader",
        measure=_altered_as_leader,
    ),
    _Probe(
        trait="persuasiveness",
        one=0.0,
        other=1.0,
        figure="altering of who hears it",
        measure=_altered_as_follower,
    ),
    _Probe(
        trait="persuasiveness",
        one=0.0,
        other=1.0,
        figure="the same, of who is as much less susceptible",
        measure=_persuaded,
    ),
    _Probe(
        trait="alone_dampening",
        one=0.5,
        other=1.0,
        figure="accuracy of PRePair less pairwise, all adversarial",
        measure=_dampened,
    ),
)
