"""Report of the calibration: sentences, tables, figures and one JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from peerjudge.data import Measurement
from peerjudge.reporting.figures import Figure
from studies.calibration.assessment import Row, Summary, count_inside, select_prd, select_rows
from studies.calibration.evidence_tables import (
    build_equivalence_table,
    build_evidence_document,
    build_heldout_table,
    build_penalised_table,
    write_evidence,
)
from studies.calibration.holdout import RULES, SETTLES
from studies.calibration.llmbar import TOTAL
from studies.calibration.prd import DISCUSSED, GAIN, PROMPT
from studies.calibration.results import LLMBAR, PRD, Results, compute_results
from studies.outcome import Cell, Study, Table, draw_targets

_STUDIES = 4000
_DRAWN = (
    (
        "gains",
        GAIN,
        "What discussing gains over the pair's private mean, PRD Table 4",
        "gain in accuracy over the pair's mean private accuracy",
    ),
    (
        "discussed",
        DISCUSSED,
        "Accuracy after discussing, PRD Table 4",
        "accuracy after discussing",
    ),
    (
        "llmbar",
        TOTAL,
        "Accuracy on LLMBar Adversarial, PRePair Table 4",
        "accuracy on LLMBar Adversarial",
    ),
)
"""Figures: name, group of published figures, title, axis."""


def compute_calibration(*, seed: int, studies: int = _STUDIES) -> Study:
    """Fit, simulate, and set all of it beside the published figures.

    Args:
        seed: of the simulated studies; the fit is deterministic.
        studies: number of simulated studies for the intervals.
    """
    return build_report(compute_results(seed=seed, studies=studies))


def build_report(results: Results) -> Study:
    """Build sentences, tables, figures and the document."""
    return Study(
        title="Calibration of the simulated reviewers",
        summary=tuple(_write_summary(results)),
        tables=(
            build_heldout_table(results),
            build_equivalence_table(results),
            build_penalised_table(results),
            *_build_target_tables(results),
            _build_misses(results),
            _build_parameters(results),
            _build_summaries(results),
            _build_nulls(results),
            _build_pairs(results),
            _build_methods(results),
        ),
        figures={name: _draw(results, name, *how) for name, *how in _DRAWN},
        document=_build_document(results),
    )


def _draw(results: Results, name: str, group: str, title: str, across: str) -> Figure:
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
        for row in select_rows(results.rows, group)
    ]
    return draw_targets(name, rows, title=title, across=across, series="simulated")


def _list_models(results: Results) -> tuple[tuple[str, Sequence[Row], float], ...]:
    """Return the fitted model and those without discussion: name, rows, sum of squares."""
    return (
        ("fitted", results.rows, results.calibration.fits[PRD].cost),
        *((null.name, null.rows, null.cost) for null in results.nulls),
    )


def _write_summary(results: Results) -> Iterator[str]:
    rows, fits = results.rows, results.calibration.fits
    yield from write_evidence(results)
    yield (
        f"PRD: {len(fits[PRD].values)} parameters for {fits[PRD].figures} figures, of which about 8 are "
        f"independent; squares of misses {fits[PRD].cost:.0f}, and "
        + ", ".join(f"{null.cost:.0f} ({null.name})" for null in results.nulls)
        + f". Of all {len(rows)} figures {count_inside(rows)} lie inside; about one in twenty would not if "
        "the models were true."
    )
    yield (
        f"LLMBar: {len(fits[LLMBAR].values)} parameters for {fits[LLMBAR].figures} cells; squares of "
        f"misses {fits[LLMBAR].cost:.0f}, and {results.untamed.cost:.0f} where {results.untamed.name}."
    )
    coin, last, leader = (results.average_error(settle) for settle in SETTLES)
    yield (
        f"What was left out is predicted within {coin:.4f} where a coin "
        "settles splits, which was chosen because PRD does not say whose verdict counts then, but after "
        f"a first study had seen all three: with the last verdict it is {last:.4f}, with the "
        f"leader's {leader:.4f}."
    )
    yield (
        "truth_pull looks at gold: with it, a simulated discussion helps by construction. Fitted to PRD "
        f"without it, the squares of misses are {results.unguided.cost:.0f} instead of "
        f"{fits[PRD].cost:.0f}."
    )
    for contradiction in results.calibration.published.notes["contradictions"]:
        yield f"Contradiction: {contradiction}"


def _build_target_tables(results: Results) -> Iterator[Table]:
    for group in dict.fromkeys(row.figure.group for row in results.rows):
        rows = select_rows(results.rows, group)
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
                    _sign(row.deviations),
                    "" if row.inside else "outside",
                )
                for row in rows
            ),
            note=f"{count_inside(rows)} of {len(rows)} inside the 95 % interval.",
        )


def _build_misses(results: Results) -> Table:
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
                _sign(row.deviations),
            )
            for row in results.rows
            if not row.inside
        ),
        note=f"Of {len(results.rows)} figures about one in twenty would lie outside even if the "
        "model were true.",
    )


def _sign(deviations: float) -> str:
    # Adding zero makes a negative zero positive.
    return f"{round(deviations, 1) + 0.0:+.1f}"


def _build_parameters(results: Results) -> Table:
    return Table(
        title="Parameters",
        columns=("fit", "parameter", "value", "standard error", ""),
        rows=tuple(
            (title, name, value, fit.errors[name], "on a bound" if name in fit.at_bound else "")
            for title, fit in results.calibration.fits.items()
            for name, value in fit.values.items()
        ),
        note="Standard errors include the weak priors; where they equal the prior's, nothing was "
        "learnt. `steady` is the error that stays when the answers are swapped less that which "
        "turns round.",
    )


def _build_summaries(results: Results) -> Table:
    models = (*results.nulls, results.untamed)
    return Table(
        title="Summaries beside their noise floor and the null models",
        columns=("summary", "of", "value", "noise floor", *(model.name for model in models)),
        rows=tuple(
            (
                one.name,
                one.rows,
                _as_cell(one.value, one),
                _format_floor(one),
                *(_as_cell(model.summaries[number].value, one) for model in models),
            )
            for number, one in enumerate(results.summaries)
        ),
        note="The floor is what the same summary comes to when the published figures are replaced "
        "by a study simulated from the fitted model: mean and 95 % of such studies. The null models "
        "are fitted to the same figures, events included; what they do not touch is as fitted.",
    )


def _as_cell(value: float, of: Summary) -> Cell:
    return int(value) if of.counts else value


def _format_floor(one: Summary) -> str:
    places = 4 if one.floor_high < 1 else 0
    return f"{one.floor:.{places or 1}f}, {one.floor_low:.{places}f} to {one.floor_high:.{places}f}"


def _build_nulls(results: Results) -> Table:
    groups: dict[str, Callable[[Sequence[Row]], list[Row]]] = {
        "levels inside": lambda rows: select_prd(rows, gains=False),
        "gains inside": lambda rows: select_rows(rows, GAIN),
        "Tables 4 and 9 discussed inside": lambda rows: select_rows(rows, DISCUSSED, PROMPT),
    }
    return Table(
        title="Null models on PRD's figures",
        columns=(
            "model",
            *(f"{name}, of {len(select(results.rows))}" for name, select in groups.items()),
            "error, gains",
            "squares of misses",
        ),
        rows=tuple(
            (
                name,
                *(count_inside(select(rows)) for select in groups.values()),
                _average([row.miss for row in select_rows(rows, GAIN)]),
                cost,
            )
            for name, rows, cost in _list_models(results)
        ),
    )


def _build_pairs(results: Results) -> Table:
    predictions = (*SETTLES, *RULES)
    return Table(
        title="Table 4, each pair left out in turn: mean errors",
        columns=("pair", *(f"fit, {name}" for name in SETTLES), "better", "mean", "leader"),
        rows=(
            *((pair, *errors.values()) for pair, errors in results.pairs.items()),
            ("all", *map(results.average_error, predictions)),
        ),
        note="`better`, `mean` and `leader` predict by a private accuracy. GPT-4 with Claude is left "
        f"out together with Table 9, on which the fit then errs by {results.prompts[0]:.4f} and `better` "
        f"by {results.prompts[1]:.4f}. With nothing shown to the fit that GPT-4 with Claude enters, its "
        f"error on that pair is {results.strict:.4f}.",
    )


def _build_methods(results: Results) -> Table:
    return Table(
        title="LLMBar, PRePair's row of each evaluator left out in turn: errors",
        columns=("evaluator", "published total", "fit, total", "fit, cells", "as pairwise, total"),
        rows=tuple(results.methods),
        note="`as pairwise` predicts that explaining each answer alone changes nothing.",
    )


def _build_document(results: Results) -> Mapping[str, object]:
    """Return the document of `--json`.

    `inside_share` is over all targets; `prd_inside_share` and `null_inside_share` (of the best null
    model) over PRD's levels and gains, the subject of the null models.
    """
    rows = results.rows
    summed = {one.name: one.value for one in results.summaries}
    return {
        "simulated": True,
        "targets": len(rows),
        "inside_share": count_inside(rows) / len(rows),
        "gains_inside": count_inside(select_rows(rows, GAIN)),
        "accuracy_mae": summed["mean error, PRD accuracies, Adversarial totals, Natural"],
        "table4_mae": summed["mean error, Table 4 discussed"],
        "prd_inside_share": _share_inside(rows),
        "null_inside_share": max(_share_inside(null.rows) for null in results.nulls),
        "evidence": build_evidence_document(results),
        "unguided_cost": results.unguided.cost,
        "heldout_mae": results.average_error("coin"),
        "heldout_trivial_mae": results.average_error("better"),
        "heldout_mae_by_settling": {name: results.average_error(name) for name in SETTLES},
        "heldout_gpt4_claude_strict_mae": results.strict,
        "heldout_table9_mae": results.prompts[0],
        "heldout_table9_trivial_mae": results.prompts[1],
        "heldout_pairs": {
            pair: {
                **{name: errors[name] for name in SETTLES},
                "better private accuracy": errors["better"],
            }
            for pair, errors in results.pairs.items()
        },
        "nulls": {
            null.name: {
                "inside_share": _share_inside(null.rows),
                "levels_inside": count_inside(select_prd(null.rows, gains=False)),
                "gains_inside": count_inside(select_rows(null.rows, GAIN)),
                "cost": null.cost,
            }
            for null in results.nulls
        },
        "summaries": {
            one.name: {
                "value": one.value,
                "of": one.rows,
                "floor": one.floor,
                "floor_low": one.floor_low,
                "floor_high": one.floor_high,
                "nulls": {
                    model.name: model.summaries[number].value
                    for model in (*results.nulls, results.untamed)
                },
            }
            for number, one in enumerate(results.summaries)
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
            for row in rows
        ],
        "misses": [row.figure.id for row in rows if not row.inside],
        "contradictions": list(results.calibration.published.notes["contradictions"]),
    }


def _share_inside(rows: Sequence[Row]) -> float:
    """Return the share of PRD's figures, levels and gains, that lie inside."""
    kept = select_prd(rows)
    return count_inside(kept) / len(kept)


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)
