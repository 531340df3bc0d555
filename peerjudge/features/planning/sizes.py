"""Power of a study by its number of comparisons, the number it needs, and that under a stopping rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from peerjudge.analysis.stopping import FIRST_LOOK, find_stops, list_looks
from peerjudge.features.planning.effects import (
    NORMAL,
    Effect,
    Estimates,
    estimate_effect,
    list_differences,
)
from peerjudge.features.planning.studies import Floats, StudyDesign, simulate_studies

_LARGEST = 100_000
"""Largest size that is reported. [comparisons]"""
_LARGEST_SIMULATED = 3_000
"""Up to this size the needed size is simulated, beyond it is computed. [comparisons]"""
_SMALLEST = 20
"""Below this size an interval by the normal approximation is not valid. [comparisons]"""
_CLEAR = 3.0
"""Fewest standard errors of the whole simulation above 0 that count as an effect."""
_TRIES = 12
_CLOSE = 0.02
"""Excess over the wanted power at which the search ends."""
_EDGE = 0.01
_SEED = 17
_STOP_STUDIES = 300
"""Most studies that are simulated for `--until decided`: the mean needs fewer than the power."""
_STOP_SEED = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeResult:
    """An effect in studies of one size.

    `low` to `high` holds 95 % of the studies' values. `power` is the share of studies that claim it: their
    own 95 % interval lies above 0. `spread` is the standard deviation between comparisons.
    """

    comparisons: int
    value: float
    low: float
    high: float
    power: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """An effect at each size, and the smallest size from 20 that reaches the wanted power.

    `needed` is `None` if no size up to 100,000 does, or there is no effect. `power_at_needed` is the
    power of simulated studies of that size; `None` if it was too large to simulate.
    """

    sizes: tuple[SizeResult, ...]
    needed: int | None
    power_at_needed: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopForecast:
    """Studies of at most `most` comparisons that stop when an effect is decided.

    `better` and `worse` are the shares that decide so; `mean` and `median` are the comparisons that
    studies use, those included that are never decided.
    """

    most: int
    better: float
    worse: float
    mean: float
    median: float


def forecast_effects(
    design: StudyDesign,
    effects: Sequence[Effect],
    *,
    sizes: Sequence[int],
    power: float,
    studies: int,
    seed: int,
) -> dict[Effect, Forecast]:
    """Simulate each effect at each size, and search the size that it needs."""
    results: dict[Effect, list[SizeResult]] = {effect: [] for effect in effects}
    for size in sizes:
        for effect, estimates in _simulate(design, effects, size, studies, seed).items():
            results[effect].append(_summarize(estimates, size))

    def forecast(effect: Effect) -> Forecast:
        own = design.select(effect.condition, effect.against)
        needed, reached = _find_needed(
            results[effect],
            lambda size: (
                _summarize(_simulate(own, [effect], size, studies, seed)[effect], size).power
            ),
            power=power,
            studies=studies,
        )
        return Forecast(sizes=tuple(results[effect]), needed=needed, power_at_needed=reached)

    return {effect: forecast(effect) for effect in effects}


def _find_needed(
    results: Sequence[SizeResult],
    power_at: Callable[[int], float],
    *,
    power: float,
    studies: int,
) -> tuple[int | None, float | None]:
    """Return the needed size and its power: extrapolated from the largest size, then simulated."""
    largest = results[-1]
    error = largest.spread / (largest.comparisons * studies) ** 0.5
    if not largest.value > _CLEAR * error:
        return None, None
    if not largest.spread:
        return results[0].comparisons, results[0].power
    size = max(_SMALLEST, ceil((_errors_above_zero(power) * largest.spread / largest.value) ** 2))
    if size > _LARGEST:
        return None, None
    return _search(power_at, size, power) if size <= _LARGEST_SIMULATED else (size, None)


def _search(power_at: Callable[[int], float], size: int, power: float) -> tuple[int, float]:
    """Return the smallest size tried that reaches the power, starting from a guess."""
    tried: dict[int, float] = {}
    while size not in tried and len(tried) < _TRIES:
        reached = tried[size] = power_at(size)
        if 0 <= reached - power <= _CLOSE:
            break
        # A power of 0 or 1 does not say how far the guess is off.
        known = min(max(reached, _EDGE), 1 - _EDGE)
        scale = _errors_above_zero(power) / _errors_above_zero(known)
        size = max(_SMALLEST, ceil(size * scale**2))
        short = max((one for one, power_of in tried.items() if power_of < power), default=0)
        most = min((one for one, power_of in tried.items() if power_of >= power), default=_LARGEST)
        if not short < size < most:
            # Power rises faster than normal means say where no question is lost.
            size = max(_SMALLEST, (short + most) // 2)
    enough = [size for size, reached in tried.items() if reached >= power]
    best = min(enough) if enough else max(tried)
    return best, tried[best]


def _errors_above_zero(power: float) -> float:
    """Return the number of standard errors above 0 that gives an effect this power."""
    from scipy.special import ndtri

    return NORMAL + float(ndtri(power))


def _simulate(
    design: StudyDesign, effects: Sequence[Effect], size: int, studies: int, seed: int
) -> Mapping[Effect, Estimates]:
    random = np.random.default_rng([seed, size, _SEED])
    batches: dict[Effect, list[Floats]] = {effect: [] for effect in effects}
    for conditions in simulate_studies(design, comparisons=size, studies=studies, random=random):
        for effect in effects:
            batches[effect].append(np.stack(estimate_effect(effect, conditions)))
    joined = {effect: np.concatenate(found, axis=1) for effect, found in batches.items()}
    return {effect: (value, error, claimed) for effect, (value, error, claimed) in joined.items()}


def _summarize(estimates: Estimates, size: int) -> SizeResult:
    known = ~np.isnan(estimates[0])
    if not known.any():
        nan = float("nan")
        return SizeResult(comparisons=size, value=nan, low=nan, high=nan, power=0.0, spread=0.0)
    values, errors, claimed = (estimate[known] for estimate in estimates)
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return SizeResult(
        comparisons=size,
        value=float(values.mean()),
        low=low,
        high=high,
        power=float(claimed.sum()) / len(known),
        spread=float(np.sqrt((errors**2).mean() * size)),
    )


def forecast_stops(
    design: StudyDesign, effects: Sequence[Effect], *, most: int, studies: int, seed: int
) -> Mapping[Effect, StopForecast]:
    """Simulate studies of this size and stop each where the confidence sequence leaves out 0.

    Effects that no primary contrast can declare are left out, and so are all below the first look.
    """
    if most < FIRST_LOOK:
        return {}
    random = np.random.default_rng([seed, most, _STOP_SEED])
    looks = list_looks(most)
    ends: dict[Effect, list[Floats]] = {}
    played = simulate_studies(
        design, comparisons=most, studies=min(studies, _STOP_STUDIES), random=random
    )
    for conditions in played:
        for effect in effects:
            differences = list_differences(effect, conditions)
            if differences is not None and effect.primary:
                found = find_stops(differences, looks).astype(np.float64)
                ends.setdefault(effect, []).append(found)
    return {effect: _summarize_stops(np.concatenate(found), most) for effect, found in ends.items()}


def _summarize_stops(ends: Floats, most: int) -> StopForecast:
    used = np.where(ends == 0.0, most, np.abs(ends))
    return StopForecast(
        most=most,
        better=float((ends > 0.0).mean()),
        worse=float((ends < 0.0).mean()),
        mean=float(used.mean()),
        median=float(np.median(used)),
    )
