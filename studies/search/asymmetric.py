"""False adoptions and held-out intervals where a wording gains little often and loses much seldom.

No search is played: question by question, the differences of finalists from the base are drawn from
populations whose mean is known, and go through the bound of `adopt` and the interval of the held-out test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import Bools
from peerjudge.features.search.adoption import ALPHA, MAX_FINALISTS
from peerjudge.statistics.interval import DIFFERENCE, Ratios, measure_ratios
from studies.analytic import Floats

SIZES = (20, 40, 100)
"""Questions to select, and to test."""
SEARCHES = 8000
SHARED = 0.7
"""Share of questions on which alike finalists differ from the base in the same way."""
DEPENDENCES = ("1 finalist", f"{MAX_FINALISTS} alike", f"{MAX_FINALISTS} independent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Differences of questions: each value with its share; the others are 0."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def name(self) -> str:
        """The population in words."""
        parts = zip(self.values, self.shares, strict=True)
        return ", ".join(f"{value:+g} in {share:.0%}" for value, share in parts)

    @property
    def mean(self) -> float:
        """The true difference."""
        return round(float(np.dot(self.values, self.shares)), 9)

    def draw(self, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
        """Draw differences of this shape."""
        ends = np.cumsum(self.shares)
        values = np.append(self.values, 0.0)
        found: Floats = values[np.searchsorted(ends, random.random(shape), side="right")]
        return found


NULLS = (
    Population(values=(0.5, -0.5), shares=(0.2, 0.2)),
    Population(values=(0.5, -1.0), shares=(0.2, 0.1)),
    Population(values=(0.25, -1.0), shares=(0.4, 0.1)),
    Population(values=(0.1, -1.0), shares=(0.8, 0.08)),
)
"""Populations without a true difference."""
GAINS = (
    Population(values=(0.25, -1.0), shares=(0.8, 0.04)),
    Population(values=(0.1, -1.0), shares=(0.8, 0.04)),
)
"""Populations whose true difference is above 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One population at one number of questions.

    `adopted` is the share of searches that adopt, by `DEPENDENCES`; `covered` the share of 95 % intervals
    of that many test questions that hold the true difference.
    """

    population: str
    mean: float
    questions: int
    adopted: tuple[float, ...]
    covered: float


def measure_cells(*, seed: int, searches: int, sizes: Sequence[int] = SIZES) -> tuple[Cell, ...]:
    """Return every population at every size, from this number of searches of each kind."""
    random = np.random.default_rng(seed)
    return tuple(
        _measure_cell(population, size, searches, random)
        for population in (*NULLS, *GAINS)
        for size in sizes
    )


def draw_finalists(
    population: Population,
    shape: tuple[int, int, int],
    dependence: str,
    random: np.random.Generator,
) -> Floats:
    """Draw differences `[question, search, finalist]` of finalists that depend on each other so."""
    own = population.draw(shape, random)
    if dependence != DEPENDENCES[1]:
        return own
    common = population.draw((*shape[:2], 1), random)
    return np.where(random.random(shape) < SHARED, common, own)


def decide(differences: Floats) -> Bools:
    """Return by search whether `adopt` adopts a finalist, from differences `[question, search, finalist]`."""
    low, _ = _measure(differences).bound(1.0 - 2.0 * ALPHA / differences.shape[2])
    return np.any(low > 0.0, axis=1, keepdims=True)[:, 0]


def _measure_cell(
    population: Population, questions: int, searches: int, random: np.random.Generator
) -> Cell:
    adopted = tuple(
        float(
            decide(
                draw_finalists(
                    population,
                    (questions, searches, 1 if dependence == DEPENDENCES[0] else MAX_FINALISTS),
                    dependence,
                    random,
                )
            ).mean()
        )
        for dependence in DEPENDENCES
    )
    low, high = _measure(population.draw((questions, searches), random)).bound()
    return Cell(
        population=population.name,
        mean=population.mean,
        questions=questions,
        adopted=adopted,
        covered=float(((low <= population.mean) & (population.mean <= high)).mean()),
    )


def _measure(differences: Floats) -> Ratios:
    return measure_ratios(differences, np.ones_like(differences), limits=DIFFERENCE)
