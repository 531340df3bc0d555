"""Distance of a model from the published figures, and the distance to be expected if it were true.

A figure lies *inside* when it is in the interval of 95 % of studies simulated from the model. Beside
every summary stands its noise floor: the value of the same summary when the published figures are
replaced by those of a study simulated from the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from studies.analytic import Floats
from studies.calibration import llmbar, prd, vicuna80
from studies.calibration.simulated import simulate_llmbar, simulate_prd, simulate_vicuna80
from studies.calibration.targets import Figure, LlmbarTargets, PrdTargets, Vicuna80Targets

_ROUNDING = 5e-5
"""Half of the last digit of published figures: .3433 is 46 of 134, which is a little less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Published figure beside its expectation, with the interval of 95 % of simulated studies.

    `simulated` has the figure in every simulated study; `deviations` is the distance of the published
    figure in standard deviations of simulated studies.
    """

    figure: Figure
    mean: float
    low: float
    high: float
    deviations: float
    simulated: Floats = field(hash=False)

    @property
    def inside(self) -> bool:
        """True if the published figure lies in the interval."""
        return self.low - _ROUNDING <= self.figure.published <= self.high + _ROUNDING

    @property
    def miss(self) -> float:
        """Distance of the published figure from the expectation, without sign."""
        return abs(self.figure.published - self.mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One number over several rows, with its noise floor: mean and 95 % of studies of the model.

    `counts` marks a number of rows that lie inside.
    """

    name: str
    value: float
    floor: float
    floor_low: float
    floor_high: float
    rows: int
    counts: bool


def assess_prd(
    cast: prd.Cast, published: PrdTargets, *, studies: int, seed: int = 0
) -> tuple[Row, ...]:
    """Set PRD's figures beside a cast whose splits a coin settles."""
    simulated = simulate_prd(cast, published, studies=studies, seed=seed)
    return _build_rows(prd.list_figures(published), prd.expect_figures(cast, published), simulated)


def assess_llmbar(
    cast: llmbar.Cast,
    subsets: llmbar.Subsets,
    published: LlmbarTargets,
    *,
    studies: int,
    seed: int = 0,
) -> tuple[Row, ...]:
    """Set PRePair's figures beside evaluators and subsets."""
    simulated = simulate_llmbar(cast, subsets, published, studies=studies, seed=seed)
    means = llmbar.expect_figures(cast, subsets, published)
    return _build_rows(llmbar.list_figures(published), means, simulated)


def assess_vicuna80(
    cast: vicuna80.Cast, published: Vicuna80Targets, *, studies: int, seed: int = 0
) -> tuple[Row, ...]:
    """Set the figures of Vicuna80 beside a cast."""
    simulated = simulate_vicuna80(cast, published, studies=studies, seed=seed)
    means = vicuna80.expect_figures(cast, published)
    return _build_rows(vicuna80.list_figures(published), means, simulated)


def select_rows(rows: Iterable[Row], *groups: str) -> list[Row]:
    """Return the rows of these groups of figures."""
    return [row for row in rows if row.figure.group in groups]


def select_prd(rows: Iterable[Row], *, gains: bool = True) -> list[Row]:
    """Return the rows of PRD's figures: levels, and gains if wanted."""
    return [
        row
        for row in rows
        if row.figure.group.startswith("PRD") and (gains or row.figure.group != prd.GAIN)
    ]


def count_inside(rows: Iterable[Row]) -> int:
    """Return how many published figures lie in the interval of 95 % of simulated studies."""
    return sum(row.inside for row in rows)


def summarize(rows: Sequence[Row]) -> tuple[Summary, ...]:
    """Return the numbers by which a calibration is judged."""
    accuracies = select_rows(rows, *prd.ACCURACIES)
    totals = select_rows(rows, llmbar.TOTAL)
    cells = select_rows(rows, llmbar.CELL)
    natural = [row for row in cells if row.figure.name.endswith(llmbar.NATURAL)]
    gains = select_rows(rows, prd.GAIN)
    chosen: list[tuple[str, Sequence[Row], Callable[[Floats], Floats]]] = [
        ("gains inside", gains, _count),
        ("PRD figures inside", select_prd(rows), _count),
        ("LLMBar cells inside", cells, _count),
        ("LLMBar Adversarial totals inside", totals, _count),
        ("mean error, Table 4 discussed", select_rows(rows, prd.DISCUSSED), _mean),
        ("mean error, gains", gains, _mean),
        ("mean error, PRD accuracies", accuracies, _mean),
        (
            "mean error, PRD accuracies, Adversarial totals, Natural",
            (*accuracies, *totals, *natural),
            _mean,
        ),
        ("mean error, LLMBar cells", cells, _mean),
        ("greatest error, held opinions", select_rows(rows, prd.HELD), _greatest),
    ]
    return tuple(_summarize(name, kept, by) for name, kept, by in chosen if kept)


def _build_rows(
    published: Sequence[Figure], means: Mapping[str, float], simulated: Mapping[str, Floats]
) -> tuple[Row, ...]:
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
                simulated=drawn,
            )
        )
    return tuple(rows)


def _count(misses: Floats) -> Floats:
    return misses.sum(axis=-1)


def _mean(misses: Floats) -> Floats:
    return misses.mean(axis=-1)


def _greatest(misses: Floats) -> Floats:
    return misses.max(axis=-1)


def _summarize(name: str, rows: Sequence[Row], by: Callable[[Floats], Floats]) -> Summary:
    drawn = np.stack([row.simulated for row in rows], axis=-1)
    low, high, mean = (
        np.array([getattr(row, side) for row in rows]) for side in ("low", "high", "mean")
    )
    if by is _count:
        value = float(count_inside(rows))
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
