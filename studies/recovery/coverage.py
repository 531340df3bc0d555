"""Coverage of intervals by number of questions: how many of the intervals hold the true value.

Each population draws the results of questions independently. The intervals are those of
`peerjudge.analysis.measure_mean`, which scores and reports print for accuracies. Kappa is a statistic
of sums over questions (`measure_statistic`). Differences are in `contrasts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.kappa import KAPPA, cohen_kappa
from peerjudge.data import Measurement
from peerjudge.statistics.interval import SHARE, measure_mean
from peerjudge.statistics.resampling import measure_statistic
from studies.analytic import Floats

SIZES = (4, 6, 8, 12, 20, 36, 80, 140)
LEAST = 0.93
"""Least coverage of a nominal 95 % that counts as honest."""
_AGREED, _SAID = 0.7, 0.6
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Share of intervals that hold the truth in `studies` studies, with its standard error."""

    population: str
    questions: int
    covered: float
    error: float
    width: float


def measure_coverage(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[Coverage, ...]:
    """Return the coverage of every population by number of questions."""
    found: list[Coverage] = []
    for number, (name, (draw, truth, measure)) in enumerate(_POPULATIONS.items()):
        for size in sizes:
            random = np.random.default_rng([seed, number, size])
            held = [measure(draw(size, random), size) for _ in range(studies)]
            low, high = np.transpose([(one.low, one.high) for one in held])
            found.append(count_held(name, size, low, high, truth))
    return tuple(found)


def count_held(name: str, questions: int, low: Floats, high: Floats, truth: float) -> Coverage:
    """Return the share of intervals that hold the truth."""
    covered = float(np.mean((low <= truth + _EQUAL) & (truth - _EQUAL <= high)))
    return Coverage(
        population=name,
        questions=questions,
        covered=covered,
        error=float(np.sqrt(covered * (1.0 - covered) / len(low))),
        width=float(np.mean(high - low)),
    )


def is_honest(one: Coverage) -> bool:
    """Return `True` if chance allows that the true coverage is at least 0.93."""
    return one.covered + 2.0 * max(one.error, 1e-3) >= LEAST


Measure = Callable[[Floats, int], Measurement]


def _measure_share(values: Floats, size: int) -> Measurement:
    questions = np.arange(size, dtype=np.int32).repeat(len(values) // size)
    return measure_mean(values, questions, limits=SHARE)


def _measure_kappa(cells: Floats, size: int) -> Measurement:
    def of(sums: Floats) -> Floats:
        return cohen_kappa(sums.reshape(-1, 3, 3))

    return measure_statistic(cells, of, n=size, limits=KAPPA, samples=500)


def _draw_graded(size: int, random: np.random.Generator) -> Floats:
    return random.beta(2.0, 1.0, size)


def _draw_single(share: float) -> Callable[[int, np.random.Generator], Floats]:
    return lambda size, random: (random.random(size) < share).astype(np.float64)


def _draw_orders(size: int, random: np.random.Generator) -> Floats:
    """Draw verdicts in both orders: correlated within a question."""
    return (random.random((size, 2)) < random.beta(3.0, 1.0, (size, 1))).ravel().astype(np.float64)


def _draw_pairs(size: int, random: np.random.Generator) -> Floats:
    """Draw the cells of the verdicts of two reviewers, four comparisons for each question."""
    one = random.random((size, 4)) < _SAID
    same = random.random((size, 4)) < _AGREED
    other = np.where(same, one, random.random((size, 4)) < _SAID)
    cell = 6 * one + 2 * other
    return np.stack([np.bincount(row, minlength=9) for row in cell]).astype(np.float64)


_POPULATIONS: Mapping[str, tuple[Callable[[int, np.random.Generator], Floats], float, Measure]] = {
    "graded accuracy, mean 2/3": (_draw_graded, 2 / 3, _measure_share),
    "single verdicts, 70 % right": (_draw_single(0.7), 0.7, _measure_share),
    "single verdicts, 90 % right": (_draw_single(0.9), 0.9, _measure_share),
    "both orders, 75 % right": (_draw_orders, 0.75, _measure_share),
    "Cohen's kappa of two reviewers": (_draw_pairs, _AGREED, _measure_kappa),
}
