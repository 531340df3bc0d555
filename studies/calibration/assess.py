"""How near a model comes to the published figures, and how near it could come if it were true.

A figure lies *inside* when 95 % of studies simulated from the model lie on both sides of it. Beside
every summary stands its noise floor: what the same summary comes to when the published figures are
replaced by those of a study simulated from the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from studies.analytic import Floats
from studies.calibration.calibrate import Calibration
from studies.calibration.llmbar import CELL, NATURAL, TOTAL, World
from studies.calibration.llmbar import expected as llmbar_expected
from studies.calibration.llmbar import figures as llmbar_figures
from studies.calibration.prd import Cast, expected
from studies.calibration.prd_figures import (
    ACCURACIES,
    DISCUSSED,
    GAIN,
    HELD,
    figures,
)
from studies.calibration.programme import simulate
from studies.calibration.scatter import simulate_llmbar, simulate_vicuna80
from studies.calibration.targets import Figure, LlmbarTargets, PrdTargets
from studies.calibration.vicuna80 import expected as vicuna80_expected
from studies.calibration.vicuna80 import figures as vicuna80_figures

__all__ = ["Assessment", "Row", "Summary", "assess", "assess_llmbar", "assess_prd", "summaries"]

_ROUNDING = 5e-5
"""Half of the last digit of published figures: .3433 is 46 of 134, which is a little less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A published figure beside what is expected, with the interval of 95 % of simulated studies.

    `deviations` is how many standard deviations of simulated studies the published figure is off.
    """

    figure: Figure
    mean: float
    low: float
    high: float
    deviations: float

    @property
    def inside(self) -> bool:
        """Whether the published figure lies in the interval."""
        return self.low - _ROUNDING <= self.figure.published <= self.high + _ROUNDING

    @property
    def miss(self) -> float:
        """How far the published figure is from what is expected, without a sign."""
        return abs(self.figure.published - self.mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The rows, and the simulated studies they rest on (`[study]` by the id of the figure)."""

    rows: tuple[Row, ...]
    simulated: Mapping[str, Floats] = field(hash=False)

    def but_for(self, other: Assessment) -> Assessment:
        """These rows, with those of the same figures in `other` in their place."""
        theirs = {row.figure.id: row for row in other.rows}
        return Assessment(
            rows=tuple(theirs.get(row.figure.id, row) for row in self.rows),
            simulated={**self.simulated, **other.simulated},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One number over several rows, with its noise floor: the mean and 95 % of studies of the model.

    `counts` says that it is how many of the rows lie inside.
    """

    name: str
    value: float
    floor: float
    floor_low: float
    floor_high: float
    rows: int
    counts: bool


def assess(calibration: Calibration, *, studies: int, seed: int = 0) -> Assessment:
    """All figures beside the fitted models."""
    published = calibration.published
    parts = (
        assess_prd(calibration.prd, published.prd, studies=studies, seed=seed),
        assess_llmbar(calibration.llmbar, published.llmbar, studies=studies, seed=seed),
        _assessed(
            vicuna80_figures(published.vicuna80),
            vicuna80_expected(calibration.vicuna80.cast, published.vicuna80),
            simulate_vicuna80(
                calibration.vicuna80.cast, published.vicuna80, studies=studies, seed=seed
            ),
        ),
    )
    return Assessment(
        rows=tuple(row for part in parts for row in part.rows),
        simulated={name: drawn for part in parts for name, drawn in part.simulated.items()},
    )


def assess_prd(cast: Cast, published: PrdTargets, *, studies: int, seed: int = 0) -> Assessment:
    """PRD's figures beside a cast, whose splits a coin settles."""
    simulated = simulate(cast, published, studies=studies, seed=seed)
    return _assessed(figures(published), expected(cast, published), simulated)


def assess_llmbar(
    world: World, published: LlmbarTargets, *, studies: int, seed: int = 0
) -> Assessment:
    """PRePair's figures beside a world of evaluators and subsets."""
    simulated = simulate_llmbar(world, published, studies=studies, seed=seed)
    return _assessed(llmbar_figures(published), llmbar_expected(world, published), simulated)


def summaries(found: Assessment) -> tuple[Summary, ...]:
    """The numbers by which a calibration is judged."""
    of_prd = [row for row in found.rows if row.figure.group.startswith("PRD")]
    prd = [row for row in of_prd if row.figure.group in ACCURACIES]
    totals = _of(found.rows, TOTAL)
    natural = [row for row in _of(found.rows, CELL) if row.figure.name.endswith(NATURAL)]
    chosen: list[tuple[str, Sequence[Row], Callable[[Floats], Floats]]] = [
        ("gains inside", _of(found.rows, GAIN), _count),
        ("PRD figures inside", of_prd, _count),
        ("LLMBar cells inside", _of(found.rows, CELL), _count),
        ("LLMBar Adversarial totals inside", totals, _count),
        ("mean error, Table 4 discussed", _of(found.rows, DISCUSSED), _mean),
        ("mean error, gains", _of(found.rows, GAIN), _mean),
        ("mean error, PRD accuracies", prd, _mean),
        (
            "mean error, PRD accuracies, Adversarial totals, Natural",
            (*prd, *totals, *natural),
            _mean,
        ),
        ("mean error, LLMBar cells", _of(found.rows, CELL), _mean),
        ("greatest error, held opinions", _of(found.rows, HELD), _greatest),
    ]
    return tuple(_summary(name, rows, found, by) for name, rows, by in chosen if rows)


def _of(rows: Iterable[Row], group: str) -> list[Row]:
    return [row for row in rows if row.figure.group == group]


def _assessed(
    published: Sequence[Figure], means: Mapping[str, float], simulated: Mapping[str, Floats]
) -> Assessment:
    rows: list[Row] = []
    for figure in published:
        drawn = simulated[figure.id]
        low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
        spread, off = float(drawn.std()), figure.published - means[figure.id]
        rows.append(
            Row(
                figure=figure,
                mean=means[figure.id],
                low=low,
                high=high,
                deviations=off / spread if spread else float(np.sign(off)) * np.inf if off else 0.0,
            )
        )
    return Assessment(
        rows=tuple(rows), simulated={figure.id: simulated[figure.id] for figure in published}
    )


def _count(misses: Floats) -> Floats:
    return misses.sum(axis=-1)


def _mean(misses: Floats) -> Floats:
    return misses.mean(axis=-1)


def _greatest(misses: Floats) -> Floats:
    return misses.max(axis=-1)


def _summary(
    name: str, rows: Sequence[Row], found: Assessment, by: Callable[[Floats], Floats]
) -> Summary:
    drawn = np.stack([found.simulated[row.figure.id] for row in rows], axis=-1)
    low, high, mean = (np.array([getattr(row, side) for row in rows]) for side in _SIDES)
    if by is _count:
        value = float(sum(row.inside for row in rows))
        floors = by(((low - _ROUNDING <= drawn) & (drawn <= high + _ROUNDING)).astype(np.float64))
    else:
        value = float(by(np.array([row.miss for row in rows])))
        floors = by(np.abs(drawn - mean))
    floor_low, floor_high = np.quantile(floors, [0.025, 0.975]).tolist()
    return Summary(
        name=name,
        value=value,
        floor=float(floors.mean()),
        floor_low=floor_low,
        floor_high=floor_high,
        rows=len(rows),
        counts=by is _count,
    )


_SIDES = ("low", "high", "mean")
