"""Means over discussions with intervals that resample questions, never single discussions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from peerjudge.analysis.accuracy import Accuracy, accuracy
from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.data import Measurement, Verdict

__all__ = ["Sample", "Sampler"]

Sample = tuple[str, float]
"""A value and the question it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """How the intervals of a run are drawn."""

    seed: int
    level: float = 0.95
    samples: int = 2000

    def mean(
        self, samples: Iterable[Sample | None], *, limits: tuple[float, float] = SHARE
    ) -> Measurement | None:
        """The mean of the values with its interval; `None` without any. `None` samples are passed over.

        `limits` are the least and the greatest value there can be: (-1, 1) for differences.
        """
        kept = [sample for sample in samples if sample is not None]
        if not kept:
            return None
        questions, values = zip(*kept, strict=True)
        return bootstrap_mean(
            values,
            questions,
            limits=limits,
            seed=self.seed,
            samples=self.samples,
            level=self.level,
        )

    def accuracy(self, judged: Iterable[tuple[str, Verdict, Verdict]]) -> Accuracy | None:
        """The accuracy of (question, verdict, gold); `None` without any."""
        given = list(judged)
        if not given:
            return None
        return accuracy(
            ((verdict, gold) for _, verdict, gold in given),
            clusters=[question for question, _, _ in given],
            seed=self.seed,
            samples=self.samples,
            level=self.level,
        )
