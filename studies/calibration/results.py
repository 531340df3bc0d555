"""Results of a calibration: the fits, the null models, and the predictions of figures left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studies.calibration import llmbar, prd
from studies.calibration.assessment import (
    Row,
    Summary,
    assess_llmbar,
    assess_prd,
    assess_vicuna80,
    select_prd,
    select_rows,
    summarize,
)
from studies.calibration.evidence import Equivalence, Penalised, compare_within, penalise
from studies.calibration.fitting import Fit
from studies.calibration.holdout import (
    FIT,
    GAINED,
    hold_out_pair,
    hold_out_prompts,
    hold_out_rows,
    hold_out_strictly,
)
from studies.calibration.targets import Targets, read_targets
from studies.calibration.vicuna80 import describe_reviewers

PRD, LLMBAR, VICUNA80 = "PRD on LFQA", "PRePair on LLMBar", "Vicuna80"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Reviewers by task and name, subsets of LLMBar, and the fits that found them, by title."""

    published: Targets
    casts: Mapping[str, prd.Cast] = field(hash=False)
    subsets: llmbar.Subsets = field(hash=False)
    fits: Mapping[str, Fit] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Null:
    """Model without an essential claim of the fitted one, fitted to the same figures.

    In `rows` and `summaries` all figures of other tasks are as fitted.
    """

    name: str
    fit: Fit
    rows: tuple[Row, ...]
    summaries: tuple[Summary, ...]

    @property
    def cost(self) -> float:
        """Its sum of squares on its own task."""
        return self.fit.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The fits beside all figures, the null models, and predictions of figures left out.

    `nulls` are the models without discussion; in `untamed` no method tames the surface; `unguided` is
    the fit to PRD without the pull of the truth. `pairs`, `prompts`, `strict` and `methods` are
    the errors of `studies.calibration.holdout`.
    """

    calibration: Calibration
    studies: int
    rows: tuple[Row, ...]
    summaries: tuple[Summary, ...]
    nulls: tuple[Null, ...]
    untamed: Null
    unguided: Fit
    pairs: Mapping[str, Mapping[str, float]] = field(hash=False)
    prompts: tuple[float, float]
    strict: float
    methods: Sequence[tuple[str, float, float, float, float]]

    def average_error(self, prediction: str) -> float:
        """Return the mean error over the pairs left out, by way to settle splits or by rule."""
        return sum(errors[prediction] for errors in self.pairs.values()) / len(self.pairs)

    def differ(self, prediction: str) -> Equivalence:
        """Test whether the fit predicts the gains of pairs left out as another prediction does."""
        return compare_within(
            [
                errors[f"{FIT}{GAINED}"] - errors[f"{prediction}{GAINED}"]
                for errors in self.pairs.values()
            ]
        )

    def penalise_prd(self) -> tuple[Penalised, ...]:
        """Return the penalised criteria of all models of PRD's discussions."""
        fits = {"fitted": self.calibration.fits[PRD]}
        fits |= {null.name: null.fit for null in self.nulls}
        fits["the truth does not pull"] = self.unguided
        asked = sum(case.count for case in self.calibration.published.prd.questions)
        return penalise(fits, select_prd(self.rows), questions=asked)

    def penalise_llmbar(self) -> tuple[Penalised, ...]:
        """Return the penalised criteria of both models of LLMBar's methods."""
        fits = {"fitted": self.calibration.fits[LLMBAR], self.untamed.name: self.untamed.fit}
        asked = sum(self.calibration.published.llmbar.items.values())
        return penalise(fits, select_rows(self.rows, llmbar.CELL), questions=asked)


def calibrate() -> Calibration:
    """Fit all reviewers to the published figures; takes some seconds."""
    published = read_targets()
    discussed, judged = prd.fit_prd(published.prd), llmbar.fit_llmbar(published.llmbar)
    evaluators, subsets = llmbar.build_world(judged.values, published.llmbar)
    recorded, fits = describe_reviewers(published.vicuna80)
    return Calibration(
        published=published,
        casts={
            PRD: prd.build_cast(discussed.values, published.prd.reviewers),
            LLMBAR: evaluators,
            VICUNA80: recorded,
        },
        subsets=subsets,
        fits={
            PRD: discussed,
            LLMBAR: judged,
            **{f"{VICUNA80}, {name}": fit for name, fit in fits.items()},
        },
    )


def compute_results(*, seed: int, studies: int) -> Results:
    """Fit, simulate studies of each model, and leave out figures in turn."""
    calibration = calibrate()
    published = calibration.published.prd
    rows = assess(calibration, studies=studies, seed=seed)
    return Results(
        calibration=calibration,
        studies=studies,
        rows=rows,
        summaries=summarize(rows),
        nulls=fit_nulls(calibration, rows, studies=studies, seed=seed),
        untamed=fit_untamed(calibration, rows, studies=studies, seed=seed),
        unguided=fit_unguided(calibration),
        pairs={pair.name: hold_out_pair(pair, published) for pair in published.pairs},
        prompts=hold_out_prompts(published),
        strict=hold_out_strictly(published),
        methods=hold_out_rows(calibration.published.llmbar),
    )


def assess(calibration: Calibration, *, studies: int, seed: int = 0) -> tuple[Row, ...]:
    """Set all figures beside the fitted models."""
    casts, published = calibration.casts, calibration.published
    size = {"studies": studies, "seed": seed}
    return (
        *assess_prd(casts[PRD], published.prd, **size),
        *assess_llmbar(casts[LLMBAR], calibration.subsets, published.llmbar, **size),
        *assess_vicuna80(casts[VICUNA80], published.vicuna80, **size),
    )


def fit_nulls(
    calibration: Calibration, fitted: Sequence[Row], *, studies: int, seed: int = 0
) -> tuple[Null, ...]:
    """Fit the models without discussion, and set them beside the fitted one."""
    published = calibration.published.prd
    nulls: list[Null] = []
    for model in prd.list_null_models(published):
        fit = prd.fit_prd(published, model=model)
        rows = assess_prd(model.build_cast(fit.values), published, studies=studies, seed=seed)
        nulls.append(_build_null(model.name, fit, fitted, rows))
    return tuple(nulls)


def fit_untamed(
    calibration: Calibration, fitted: Sequence[Row], *, studies: int, seed: int = 0
) -> Null:
    """Fit the model in which no method tames the surface, and set it beside the fitted one."""
    published = calibration.published.llmbar
    fit = llmbar.fit_llmbar(published, dampened=False)
    world = llmbar.build_world({**fit.values, **llmbar.UNTAMED}, published)
    rows = assess_llmbar(*world, published, studies=studies, seed=seed)
    return _build_null("no method tames the surface", fit, fitted, rows)


def fit_unguided(calibration: Calibration) -> Fit:
    """Fit PRD's figures without the pull of the truth."""
    published = calibration.published.prd
    return prd.fit_prd(published, model=prd.build_unguided_model(published))


def _build_null(name: str, fit: Fit, fitted: Sequence[Row], own: Sequence[Row]) -> Null:
    replaced = {row.figure.id: row for row in own}
    rows = tuple(replaced.get(row.figure.id, row) for row in fitted)
    return Null(name=name, fit=fit, rows=rows, summaries=summarize(rows))
