"""Questions that simulated studies use under the rule `--until decided`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.stopping import FIRST_LOOK, find_stops, list_looks
from peerjudge.power.effects import Effect, list_differences
from peerjudge.power.studies import Floats, StudyDesign, simulate_studies

_STUDIES = 300
"""Most studies that are simulated: the mean needs fewer than the power."""
_SEED = 19


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


def forecast_stops(
    design: StudyDesign, effects: Sequence[Effect], *, most: int, studies: int, seed: int
) -> Mapping[Effect, StopForecast]:
    """Simulate studies of this size and stop each where the confidence sequence leaves out 0.

    Effects that no primary contrast can declare are left out, and so are all below the first look.
    """
    if most < FIRST_LOOK:
        return {}
    random = np.random.default_rng([seed, most, _SEED])
    looks = list_looks(most)
    ends: dict[Effect, list[Floats]] = {}
    played = simulate_studies(
        design, comparisons=most, studies=min(studies, _STUDIES), random=random
    )
    for conditions in played:
        for effect in effects:
            differences = list_differences(effect, conditions)
            if differences is not None and effect.primary:
                found = find_stops(differences, looks).astype(np.float64)
                ends.setdefault(effect, []).append(found)
    return {effect: _summarize(np.concatenate(found), most) for effect, found in ends.items()}


def _summarize(ends: Floats, most: int) -> StopForecast:
    used = np.where(ends == 0.0, most, np.abs(ends))
    return StopForecast(
        most=most,
        better=float((ends > 0.0).mean()),
        worse=float((ends < 0.0).mean()),
        mean=float(used.mean()),
        median=float(np.median(used)),
    )
