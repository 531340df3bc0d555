"""How often a study of a given size would show an effect, and how large it has to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from peerjudge.power.effects import Effect, Estimates, estimated
from peerjudge.power.simulated import Stage, studies_of

__all__ = ["LARGEST", "AtSize", "Needed", "at_sizes", "needed"]

LARGEST = 100_000
"""Comparisons beyond which no size is named."""

_CHECKED = 3_000
"""Up to so many comparisons a size is checked by simulation; beyond it is computed."""

_LEAST = 20
"""Comparisons below which an interval by the normal approximation is not worth its name."""

_CLEAR = 3.0
"""An effect has to be so many standard errors of the whole simulation above 0 to be one."""

_TRIES = 5
_NEAR = 0.02
"""How much more power than was wanted is near enough."""

_EDGE = 0.01
_LEVEL = 1.959964
_BATCHES = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSize:
    """An effect in studies of one size.

    `low` to `high` is where 95 % of the studies' values lie. `power` is the share of studies whose
    own 95 % interval lies above 0. `spread` is the standard deviation between comparisons.
    """

    comparisons: int
    value: float
    low: float
    high: float
    power: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The smallest size, from 20, that reaches the wanted power.

    It is `None` where no size up to `LARGEST` does, or there is no effect. `power` is what studies of
    this size reached when simulated, `None` where that was too large.
    """

    comparisons: int | None
    power: float | None


def at_sizes(
    stage: Stage,
    effects: Sequence[Effect],
    *,
    sizes: Sequence[int],
    studies: int,
    seed: int,
) -> Mapping[Effect, tuple[AtSize, ...]]:
    """Every effect at every size."""
    found: dict[Effect, list[AtSize]] = {effect: [] for effect in effects}
    for size in sizes:
        for effect, estimates in _estimates(stage, effects, size, studies, seed).items():
            found[effect].append(_at_size(estimates, size))
    return {effect: tuple(rows) for effect, rows in found.items()}


def needed(
    stage: Stage,
    effect: Effect,
    rows: Sequence[AtSize],
    *,
    power: float,
    studies: int,
    seed: int,
) -> Needed:
    """The smallest size with this power: guessed from the largest one simulated, then simulated."""
    known = rows[-1]
    chance = known.spread / (known.comparisons * studies) ** 0.5
    if not known.value > _CLEAR * chance:
        return Needed(comparisons=None, power=None)
    if not known.spread:
        return Needed(comparisons=rows[0].comparisons, power=rows[0].power)
    size = max(_LEAST, ceil((_reach(power) * known.spread / known.value) ** 2))
    if size > LARGEST:
        return Needed(comparisons=None, power=None)
    if size > _CHECKED:
        return Needed(comparisons=size, power=None)
    stage = stage.only(effect.condition, effect.against)
    return _searched(
        lambda size: _at_size(_estimates(stage, [effect], size, studies, seed)[effect], size).power,
        size,
        power,
    )


def _searched(reached_at: Callable[[int], float], size: int, power: float) -> Needed:
    """The smallest size found that reaches the power, from a guess; simulations near it are few."""
    found: dict[int, float] = {}
    while size not in found and len(found) < _TRIES:
        reached = found[size] = reached_at(size)
        if 0 <= reached - power <= _NEAR:
            break
        # Where all studies show it, or none, how far off the guess is cannot be told.
        told = min(max(reached, _EDGE), 1 - _EDGE)
        size = max(_LEAST, ceil(size * (_reach(power) / _reach(told)) ** 2))
    enough = [size for size, reached in found.items() if reached >= power]
    best = min(enough) if enough else max(found)
    return Needed(comparisons=best, power=found[best])


def _reach(power: float) -> float:
    """How many standard errors above 0 an effect has to be for this power."""
    from scipy.special import ndtri

    return _LEVEL + float(ndtri(power))


def _estimates(
    stage: Stage, effects: Sequence[Effect], size: int, studies: int, seed: int
) -> Mapping[Effect, Estimates]:
    random = np.random.default_rng([seed, size, _BATCHES])
    chunks: dict[Effect, list[Estimates]] = {effect: [] for effect in effects}
    for conditions in studies_of(stage, comparisons=size, studies=studies, random=random):
        for effect in effects:
            chunks[effect].append(estimated(effect, conditions))
    return {
        effect: Estimates(
            value=np.concatenate([chunk.value for chunk in found]),
            error=np.concatenate([chunk.error for chunk in found]),
        )
        for effect, found in chunks.items()
    }


def _at_size(estimates: Estimates, size: int) -> AtSize:
    known = ~np.isnan(estimates.value)
    if not known.any():
        nan = float("nan")
        return AtSize(comparisons=size, value=nan, low=nan, high=nan, power=0.0, spread=0.0)
    values, errors = estimates.value[known], estimates.error[known]
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    shown = values - _LEVEL * errors > 0
    return AtSize(
        comparisons=size,
        value=float(values.mean()),
        low=low,
        high=high,
        power=float(shown.sum()) / len(estimates.value),
        spread=float(np.sqrt((errors**2).mean() * size)),
    )
