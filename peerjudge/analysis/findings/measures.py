"""Means over discussions with intervals that resample questions, never single discussions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from peerjudge.data import Measurement

__all__ = ["Sample", "Sampler"]

Sample = tuple[str, float]
"""A value and the question it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """How the intervals of a run are drawn."""

    seed: int
    level: float = 0.95
    draws: int = 2000

    def mean(self, samples: Iterable[Sample | None]) -> Measurement | None:
        """The mean of the values with its interval; `None` without any. `None` samples are passed over."""
        kept = [sample for sample in samples if sample is not None]
        if not kept:
            return None
        names = {name: number for number, name in enumerate(dict.fromkeys(q for q, _ in kept))}
        at = np.array([names[question] for question, _ in kept])
        values = np.array([value for _, value in kept])
        sums, counts = np.bincount(at, values), np.bincount(at).astype(float)
        picks = np.random.default_rng(self.seed).multinomial(
            len(names), np.full(len(names), 1 / len(names)), size=self.draws
        )
        means = (picks @ sums) / (picks @ counts)
        tail = (1 - self.level) / 2
        low, high = np.quantile(means, [tail, 1 - tail])
        return Measurement(
            value=float(values.mean()),
            low=float(low),
            high=float(high),
            n=len(kept),
            level=self.level,
            method="bootstrap by question",
        )
