"""Settings that all measures of one result share: seed and number of resamples, and the level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import LEVEL, Measurement
from peerjudge.statistics.clusters import Floats, Numbers
from peerjudge.statistics.interval import (
    DIFFERENCE,
    SHARE,
    Limits,
    PairedDifference,
    measure_difference,
    measure_mean,
)

__all__ = ["Sampler"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """Seed and number of the resamples of questions, and the level of intervals."""

    seed: int = 0
    samples: int = 2000
    level: float = LEVEL

    def mean(
        self,
        values: Floats | npt.NDArray[np.bool_],
        questions: Numbers,
        *,
        limits: Limits = SHARE,
    ) -> Measurement:
        """Return the mean of the values, with `n` 0 and NaN where there are none.

        Args:
            values: One for each observation.
            questions: The question of each, as a code.
            limits: The least and the greatest possible value.
        """
        return measure_mean(values, questions, limits=limits, level=self.level)

    def known_mean(
        self,
        values: Floats | npt.NDArray[np.bool_],
        questions: Numbers,
        *,
        limits: Limits = SHARE,
    ) -> Measurement | None:
        """Return the mean of the values that are not NaN; `None` without any."""
        known = ~np.isnan(values)
        if not known.any():
            return None
        return self.mean(values[known], questions[known], limits=limits)

    def difference(
        self, values: Floats, questions: Numbers, *, added: Limits = DIFFERENCE
    ) -> PairedDifference:
        """Return the mean of paired differences of shares with its p-value; see `measure_difference`."""
        return measure_difference(values, questions, added=added, level=self.level)
