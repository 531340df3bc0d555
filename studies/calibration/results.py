"""Everything that a calibration has to show for itself: fits, nulls, and what is predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from studies.calibration.assess import (
    Assessment,
    Row,
    Summary,
    assess,
    assess_llmbar,
    assess_prd,
    summaries,
)
from studies.calibration.calibrate import Calibration, calibrate
from studies.calibration.holdout import (
    SETTLES,
    HeldOutPair,
    HeldOutRow,
    held_out_pair,
    held_out_rows,
    strictly,
)
from studies.calibration.llmbar import UNTAMED, fit_llmbar, world_of
from studies.calibration.nulls import null_models, unguided_model
from studies.calibration.prd import fit_prd
from studies.calibration.prd_figures import GAIN

__all__ = [
    "Null",
    "Results",
    "found_in",
    "inside",
    "levels",
    "mean_of",
    "null_results",
    "of_prd",
    "results",
    "untamed_result",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Null:
    """A model without something that the fitted one claims, fitted to the same figures.

    `cost` is its sum of squares on the task that it is about. In `found` and `summed` everything else
    is as fitted.
    """

    name: str
    cost: float
    found: Assessment
    summed: tuple[Summary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The fits beside all figures, the null models, and predictions of what was left out.

    `nulls` are those without discussion; `untamed` is the one in which no method tames the surface;
    `unguided` is PRD's sum of squares where the truth does not pull.
    `strict` is the error on GPT-4 with Claude where no figure that it enters was shown.
    """

    calibration: Calibration
    studies: int
    found: Assessment
    summed: tuple[Summary, ...]
    nulls: tuple[Null, ...]
    untamed: Null
    unguided: float
    pairs: tuple[HeldOutPair, ...]
    strict: float
    rows: tuple[HeldOutRow, ...]

    @property
    def missed(self) -> list[Row]:
        """The published figures that lie outside."""
        return [row for row in self.found.rows if not row.inside]

    @property
    def held_out(self) -> Mapping[str, float]:
        """The mean error over the pairs left out, by who settles splits."""
        return {name: mean_of([pair.errors[name] for pair in self.pairs]) for name in SETTLES}

    @property
    def held_out_trivial(self) -> float:
        """The same of the rule that the better private accuracy stays."""
        return mean_of([pair.better for pair in self.pairs])


def results(*, seed: int, studies: int) -> Results:
    """Fit, simulate so many studies of each model, and leave out in turn."""
    calibration = calibrate()
    published = calibration.published
    found = assess(calibration, studies=studies, seed=seed)
    return Results(
        calibration=calibration,
        studies=studies,
        found=found,
        summed=summaries(found),
        nulls=tuple(null_results(calibration, found, studies=studies, seed=seed)),
        untamed=untamed_result(calibration, found, studies=studies, seed=seed),
        unguided=fit_prd(published.prd, model=unguided_model(published.prd)).cost,
        pairs=tuple(held_out_pair(pair, published.prd) for pair in published.prd.pairs),
        strict=strictly(published.prd),
        rows=held_out_rows(published.llmbar),
    )


def inside(rows: Sequence[Row]) -> int:
    """How many published figures lie where 95 % of simulated studies lie."""
    return sum(row.inside for row in rows)


def of_prd(found: Assessment) -> list[Row]:
    """PRD's figures: the levels and the gains."""
    return [row for row in found.rows if row.figure.group.startswith("PRD")]


def levels(found: Assessment) -> list[Row]:
    """PRD's figures without the gains."""
    return [row for row in of_prd(found) if row.figure.group != GAIN]


def found_in(found: Assessment, *groups: str) -> list[Row]:
    """The rows of these groups of figures."""
    return [row for row in found.rows if row.figure.group in groups]


def mean_of(values: Sequence[float]) -> float:
    """Their mean."""
    return sum(values) / len(values)


def null_results(
    calibration: Calibration, fitted: Assessment, *, studies: int, seed: int = 0
) -> Iterator[Null]:
    """The models without discussion, beside the fitted one."""
    prd = calibration.published.prd
    for model in null_models(prd):
        fit = fit_prd(prd, model=model)
        without = assess_prd(model.cast(fit.values), prd, studies=studies, seed=seed)
        yield _null(model.name, fit.cost, fitted, without)


def untamed_result(
    calibration: Calibration, fitted: Assessment, *, studies: int, seed: int = 0
) -> Null:
    """The model in which no method tames the surface, beside the fitted one."""
    published = calibration.published.llmbar
    fit = fit_llmbar(published, dampened=False)
    world = world_of({**fit.values, **UNTAMED}, published)
    without = assess_llmbar(world, published, studies=studies, seed=seed)
    name = "no method tames the surface"
    return _null(name, fit.cost, fitted, without)


def _null(name: str, cost: float, fitted: Assessment, without: Assessment) -> Null:
    found = fitted.but_for(without)
    return Null(name=name, cost=cost, found=found, summed=summaries(found))
