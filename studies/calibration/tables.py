"""The tables and figures of a calibration."""

from __future__ import annotations

from collections.abc import Iterator

from peerjudge.data import Measurement
from peerjudge.reporting.drawing import Figure
from studies.calibration.assess import Summary
from studies.calibration.calibrate import Calibration
from studies.calibration.fitting import Fit
from studies.calibration.holdout import SETTLES
from studies.calibration.prd_figures import DISCUSSED, GAIN, PROMPT
from studies.calibration.results import (
    Results,
    found_in,
    inside,
    levels,
    mean_of,
)
from studies.outcome import Cell, Table, draw_targets

__all__ = ["tables", "target_figure"]


def tables(results: Results) -> Iterator[Table]:
    """Target by target, the misses, parameters, summaries and nulls, and what was left out."""
    yield from _target_tables(results)
    yield _misses(results)
    yield _parameters(results.calibration)
    yield _summary_table(results)
    yield _null_table(results)
    yield _pair_table(results)
    yield _row_table(results)


def target_figure(name: str, results: Results, group: str, *, title: str, across: str) -> Figure:
    """The published figures of a group, each beside what is simulated with its interval."""
    rows = [
        (
            row.figure.name,
            Measurement(
                value=row.mean,
                low=row.low,
                high=row.high,
                n=results.studies,
                level=0.95,
                method="simulated studies",
            ),
            row.figure.published,
        )
        for row in found_in(results.found, group)
    ]
    return draw_targets(name, rows, title=title, across=across, series="simulated")


def _target_tables(results: Results) -> Iterator[Table]:
    for group in dict.fromkeys(row.figure.group for row in results.found.rows):
        rows = found_in(results.found, group)
        yield Table(
            title=group,
            columns=("figure", "published", "simulated", "low", "high", "z", ""),
            rows=tuple(
                (
                    row.figure.name,
                    row.figure.published,
                    row.mean,
                    row.low,
                    row.high,
                    _signed(row.deviations),
                    "" if row.inside else "outside",
                )
                for row in rows
            ),
            note=f"{inside(rows)} of {len(rows)} inside the 95 % interval.",
        )


def _misses(results: Results) -> Table:
    return Table(
        title="Misses",
        columns=("where", "figure", "published", "low", "high", "z"),
        rows=tuple(
            (
                row.figure.group,
                row.figure.name,
                row.figure.published,
                row.low,
                row.high,
                _signed(row.deviations),
            )
            for row in results.missed
        ),
        note=f"Of {len(results.found.rows)} figures about one in twenty would lie outside even if the "
        "model were true.",
    )


def _signed(deviations: float) -> str:
    # Adding zero makes a negative zero positive.
    return f"{round(deviations, 1) + 0.0:+.1f}"


def _parameters(calibration: Calibration) -> Table:
    fits: list[tuple[str, Fit]] = [
        ("PRD on LFQA", calibration.prd_fit),
        ("PRePair on LLMBar", calibration.llmbar_fit),
        *((f"Vicuna80, {name}", fit) for name, fit in calibration.vicuna80.fits.items()),
        ("Vicuna80, errors in common", calibration.vicuna80.shared),
    ]
    return Table(
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


def _summary_table(results: Results) -> Table:
    models = (*results.nulls, results.untamed)
    return Table(
        title="Summaries beside their noise floor and the null models",
        columns=("summary", "of", "value", "noise floor", *(model.name for model in models)),
        rows=tuple(
            (
                one.name,
                one.rows,
                _plain(one.value, one),
                _floor(one),
                *(_plain(model.summed[number].value, one) for model in models),
            )
            for number, one in enumerate(results.summed)
        ),
        note="The floor is what the same summary comes to when the published figures are replaced "
        "by a study simulated from the fitted model: mean and 95 % of such studies. The null models "
        "are fitted to the same figures, events included; what they do not touch is as fitted.",
    )


def _plain(value: float, of: Summary) -> Cell:
    return int(value) if of.counts else value


def _floor(one: Summary) -> str:
    places = 4 if one.floor_high < 1 else 0
    return f"{one.floor:.{places or 1}f}, {one.floor_low:.{places}f} to {one.floor_high:.{places}f}"


def _null_table(results: Results) -> Table:
    models = [("fitted", results.calibration.prd_fit.cost, results.found)]
    models += [(null.name, null.cost, null.found) for null in results.nulls]
    rows: list[tuple[Cell, ...]] = []
    for name, cost, found in models:
        rows.append(
            (
                name,
                inside(levels(found)),
                inside(found_in(found, GAIN)),
                inside(found_in(found, DISCUSSED, PROMPT)),
                mean_of([row.miss for row in found_in(found, GAIN)]),
                cost,
            )
        )
    fitted = results.found
    return Table(
        title="Null models on PRD's figures",
        columns=(
            "model",
            f"levels inside, of {len(levels(fitted))}",
            f"gains inside, of {len(found_in(fitted, GAIN))}",
            f"Tables 4 and 9 discussed inside, of {len(found_in(fitted, DISCUSSED, PROMPT))}",
            "error, gains",
            "squares of misses",
        ),
        rows=tuple(rows),
    )


def _pair_table(results: Results) -> Table:
    columns = ("pair", *(f"fit, {name}" for name in SETTLES), "better", "mean", "leader")
    rows = [
        (pair.pair, *(pair.errors[name] for name in SETTLES), pair.better, pair.mean, pair.leader)
        for pair in results.pairs
    ]
    (prompts,) = (pair.prompts for pair in results.pairs if pair.prompts is not None)
    means = [mean_of([float(row[column]) for row in rows]) for column in range(1, len(columns))]
    return Table(
        title="Table 4, each pair left out in turn: mean errors",
        columns=columns,
        rows=(*rows, ("all", *means)),
        note="`better`, `mean` and `leader` predict by a private accuracy. GPT-4 with Claude is left "
        f"out together with Table 9, on which the fit then errs by {prompts[0]:.4f} and `better` by "
        f"{prompts[1]:.4f}. With nothing shown to the fit that GPT-4 with Claude enters, its error on "
        f"that pair is {results.strict:.4f}.",
    )


def _row_table(results: Results) -> Table:
    return Table(
        title="LLMBar, PRePair's row of each evaluator left out in turn: errors",
        columns=("evaluator", "published total", "fit, total", "fit, cells", "as pairwise, total"),
        rows=tuple(
            (row.model, row.total, row.error, row.cells, row.pairwise) for row in results.rows
        ),
        note="`as pairwise` predicts that explaining each answer alone changes nothing.",
    )
