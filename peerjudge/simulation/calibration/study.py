"""The calibration as a study: every target, every summary with its floor, the nulls, what is predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from peerjudge.data import Cell, Measurement, Study, StudyTable, Target, TargetFigure
from peerjudge.simulation.analytic import Settle
from peerjudge.simulation.calibration.assess import (
    Assessment,
    Row,
    Summary,
    assess,
    assess_prd,
    summaries,
)
from peerjudge.simulation.calibration.calibrate import Calibration, calibrate
from peerjudge.simulation.calibration.fitting import Fit
from peerjudge.simulation.calibration.holdout import (
    SETTLES,
    HeldOutPair,
    HeldOutRow,
    held_out_pairs,
    held_out_rows,
    strictly,
)
from peerjudge.simulation.calibration.llmbar import fit_llmbar
from peerjudge.simulation.calibration.nulls import null_models
from peerjudge.simulation.calibration.prd import fit_prd
from peerjudge.simulation.calibration.prd_figures import DISCUSSED, GAIN, PROMPT

__all__ = ["calibration_study"]

_STUDIES = 4000
_SETTLE: Settle = "coin"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Null:
    name: str
    cost: float
    found: Assessment


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    calibration: Calibration
    found: Assessment
    summed: tuple[Summary, ...]
    nulls: tuple[_Null, ...]
    pairs: tuple[HeldOutPair, ...]
    strict: float
    rows: tuple[HeldOutRow, ...]
    undampened: float


def calibration_study(*, seed: int, studies: int = _STUDIES) -> Study:
    """Fit, simulate, and set all of it beside what was published.

    Args:
        seed: of the simulated studies; the fit has no chance in it.
        studies: how many are simulated for the intervals.
    """
    calibration = calibrate()
    found = assess(calibration, studies=studies, seed=seed)
    prd = calibration.published.prd
    nulls: list[_Null] = []
    for model in null_models(prd):
        fit = fit_prd(prd, model=model)
        assessed = assess_prd(model.cast(fit.values), prd, studies=studies, seed=seed)
        nulls.append(_Null(name=model.name, cost=fit.cost, found=assessed))
    parts = _Parts(
        calibration=calibration,
        found=found,
        summed=summaries(found),
        nulls=tuple(nulls),
        pairs=held_out_pairs(prd),
        strict=strictly(prd),
        rows=held_out_rows(calibration.published.llmbar),
        undampened=fit_llmbar(calibration.published.llmbar, dampened=False).cost,
    )
    return Study(
        title="Calibration of the simulated reviewers",
        summary=tuple(_sentences(parts)),
        tables=(
            *_target_tables(found),
            _parameters(calibration),
            _summary_table(parts),
            _null_table(parts),
            _pair_table(parts),
            _row_table(parts),
        ),
        figures={"gains": _figure(found, GAIN, "Gain over the pair's private mean, PRD Table 4")},
        document=_document(parts),
    )


def _inside(rows: Sequence[Row]) -> int:
    return sum(row.inside for row in rows)


def _of_prd(found: Assessment) -> list[Row]:
    return [row for row in found.rows if row.figure.group.startswith("PRD")]


def _levels(found: Assessment) -> list[Row]:
    return [row for row in _of_prd(found) if row.figure.group != GAIN]


def _group(found: Assessment, *groups: str) -> list[Row]:
    return [row for row in found.rows if row.figure.group in groups]


def _sentences(parts: _Parts) -> Iterator[str]:
    found, fit = parts.found, parts.calibration.prd_fit
    yield (
        f"{_inside(found.rows)} of {len(found.rows)} published figures lie where 95 % of simulated "
        f"studies lie. Of PRD's {len(_levels(found))} levels it is {_inside(_levels(found))}, but where "
        f"{parts.nulls[0].name} it still is {_inside(_levels(parts.nulls[0].found))}: the paired gains, "
        "the events and LLMBar's methods carry the evidence."
    )
    yield (
        f"PRD: {len(fit.values)} parameters for {fit.figures} figures, of which about 8 are "
        f"independent; squares of misses {fit.cost:.0f}, and "
        + ", ".join(f"{null.cost:.0f} ({null.name})" for null in parts.nulls)
        + ". Errors below their noise floor mean that the fit has taken in noise."
    )
    yield (
        f"LLMBar: {len(parts.calibration.llmbar_fit.values)} parameters for "
        f"{parts.calibration.llmbar_fit.figures} cells; squares of misses "
        f"{parts.calibration.llmbar_fit.cost:.0f}, and {parts.undampened:.0f} where no method tames "
        "the surface."
    )
    better = _mean([pair.better for pair in parts.pairs])
    errors = {name: _mean([pair.errors[name] for pair in parts.pairs]) for name in SETTLES}
    yield (
        f"Each pair of Table 4 left out in turn: predicted within {errors['coin']:.4f} on average; the "
        f"better private accuracy, which needs no model, within {better:.4f}. That holds where a coin "
        "settles splits, which was chosen because PRD does not say whose verdict counts then, but after "
        f"a first study had seen all three: with the last verdict it is {errors['last']:.4f}, with the "
        f"leader's {errors['leader']:.4f}."
    )
    yield "truth_pull looks at gold: with it, a simulated discussion helps by construction."
    for contradiction in parts.calibration.published.notes.contradictions:
        yield f"Contradiction: {contradiction}"


def _target_tables(found: Assessment) -> Iterator[StudyTable]:
    for group in dict.fromkeys(row.figure.group for row in found.rows):
        rows = _group(found, group)
        yield StudyTable(
            title=group,
            columns=("figure", "published", "simulated", "low", "high", "z", ""),
            rows=tuple(
                (
                    row.figure.name,
                    row.figure.published,
                    row.mean,
                    row.low,
                    row.high,
                    round(row.deviations, 1),
                    "" if row.inside else "outside",
                )
                for row in rows
            ),
            note=f"{_inside(rows)} of {len(rows)} inside the 95 % interval.",
        )


def _parameters(calibration: Calibration) -> StudyTable:
    fits: list[tuple[str, Fit]] = [
        ("PRD on LFQA", calibration.prd_fit),
        ("PRePair on LLMBar", calibration.llmbar_fit),
        *((f"Vicuna80, {name}", fit) for name, fit in calibration.vicuna80.fits.items()),
        ("Vicuna80, errors in common", calibration.vicuna80.shared),
    ]
    return StudyTable(
        title="Parameters",
        columns=("fit", "parameter", "value", "standard error", ""),
        rows=tuple(
            (where, name, value, fit.errors[name], "on a bound" if name in fit.at_bound else "")
            for where, fit in fits
            for name, value in fit.values.items()
        ),
        note="Standard errors include the weak priors; where they equal the prior's, nothing was "
        "learnt. `steady` is the error that stays when the answers are swapped less that which "
        "turns round.",
    )


def _summary_table(parts: _Parts) -> StudyTable:
    return StudyTable(
        title="Summaries beside their noise floor",
        columns=("summary", "of", "value", "floor", "floor low", "floor high"),
        rows=tuple(
            (one.name, one.rows, one.value, one.floor, one.floor_low, one.floor_high)
            for one in parts.summed
        ),
        note="The floor is what the same summary comes to when the published figures are replaced "
        "by a study simulated from the fitted model: mean and 95 % of such studies.",
    )


def _null_table(parts: _Parts) -> StudyTable:
    models = [("fitted", parts.calibration.prd_fit.cost, parts.found)]
    models += [(null.name, null.cost, null.found) for null in parts.nulls]
    rows: list[tuple[Cell, ...]] = []
    for name, cost, found in models:
        talks = _group(found, DISCUSSED, PROMPT)
        rows.append(
            (
                name,
                _inside(_levels(found)),
                _inside(_group(found, GAIN)),
                _inside(talks),
                _mean([row.miss for row in _group(found, DISCUSSED)]),
                _mean([row.miss for row in _group(found, GAIN)]),
                cost,
            )
        )
    return StudyTable(
        title="Null models on PRD's figures",
        columns=(
            "model",
            f"levels inside, of {len(_levels(parts.found))}",
            f"gains inside, of {len(_group(parts.found, GAIN))}",
            f"Tables 4 and 9 discussed inside, of {len(_group(parts.found, DISCUSSED, PROMPT))}",
            "error, Table 4",
            "error, gains",
            "squares of misses",
        ),
        rows=tuple(rows),
        note="Each null model is fitted to the same figures, events included, before it is counted.",
    )


def _pair_table(parts: _Parts) -> StudyTable:
    columns = ("pair", *(f"fit, {name}" for name in SETTLES), "better", "mean", "leader")
    rows = [
        (pair.pair, *(pair.errors[name] for name in SETTLES), pair.better, pair.mean, pair.leader)
        for pair in parts.pairs
    ]
    means = [_mean([float(row[column]) for row in rows]) for column in range(1, len(columns))]
    return StudyTable(
        title="Table 4, each pair left out in turn: mean errors",
        columns=columns,
        rows=(*rows, ("all", *means)),
        note="`better`, `mean` and `leader` predict by a private accuracy. GPT-4 with Claude is left "
        f"out together with Table 9; with nothing that it enters shown to the fit: {parts.strict:.4f}.",
    )


def _row_table(parts: _Parts) -> StudyTable:
    return StudyTable(
        title="LLMBar, PRePair's row of each evaluator left out in turn: errors",
        columns=("evaluator", "published total", "fit, total", "fit, cells", "as pairwise, total"),
        rows=tuple(
            (row.model, row.total, row.error, row.cells, row.pairwise) for row in parts.rows
        ),
        note="`as pairwise` predicts that explaining each answer alone changes nothing.",
    )


def _figure(found: Assessment, group: str, title: str) -> TargetFigure:
    return TargetFigure(
        title=title,
        series=("simulated",),
        rows=tuple(
            Target(
                name=row.figure.name,
                values=(
                    Measurement(
                        value=row.mean,
                        low=row.low,
                        high=row.high,
                        n=_STUDIES,
                        level=0.95,
                        method="simulated studies",
                    ),
                ),
                published=(row.figure.published,),
            )
            for row in _group(found, group)
        ),
    )


def _document(parts: _Parts) -> Mapping[str, object]:
    """What `--json` prints.

    `inside_share` is over all targets; `prd_inside_share` and `null_inside_share` (of the best null
    model) over PRD's levels and gains, which alone the null models are about.
    """
    found, prd = parts.found, _of_prd(parts.found)
    summed = {one.name: one for one in parts.summed}
    nulls = {
        null.name: {
            "inside_share": _inside(null.found.rows) / len(null.found.rows),
            "levels_inside": _inside(_levels(null.found)),
            "gains_inside": _inside(_group(null.found, GAIN)),
            "cost": null.cost,
        }
        for null in parts.nulls
    }
    held = {name: _mean([pair.errors[name] for pair in parts.pairs]) for name in SETTLES}
    return {
        "simulated": True,
        "targets": len(found.rows),
        "inside_share": _inside(found.rows) / len(found.rows),
        "gains_inside": _inside(_group(found, GAIN)),
        "accuracy_mae": summed["mean error, PRD accuracies, Adversarial totals, Natural"].value,
        "table4_mae": summed["mean error, Table 4 discussed"].value,
        "prd_inside_share": _inside(prd) / len(prd),
        "null_inside_share": max(
            _inside(null.found.rows) / len(null.found.rows) for null in parts.nulls
        ),
        "heldout_mae": held[_SETTLE],
        "heldout_trivial_mae": _mean([pair.better for pair in parts.pairs]),
        "heldout_mae_by_settling": held,
        "heldout_gpt4_claude_strict_mae": parts.strict,
        "nulls": nulls,
        "summaries": {
            one.name: {
                "value": one.value,
                "of": one.rows,
                "floor": one.floor,
                "floor_low": one.floor_low,
                "floor_high": one.floor_high,
            }
            for one in parts.summed
        },
        "figures": [
            {
                "group": row.figure.group,
                "figure": row.figure.name,
                "published": row.figure.published,
                "simulated": row.mean,
                "low": row.low,
                "high": row.high,
                "z": row.deviations,
                "inside": row.inside,
            }
            for row in found.rows
        ],
        "contradictions": list(parts.calibration.published.notes.contradictions),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
