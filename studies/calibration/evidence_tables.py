"""Tables and sentences on what the calibration shows: figures left out, equivalence, penalised criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from studies.calibration.assessment import count_inside, select_prd
from studies.calibration.evidence import LEVEL, MARGIN, Equivalence, Penalised, count_equivalent
from studies.calibration.holdout import FIT, GAINED
from studies.calibration.results import Results
from studies.outcome import Cell, Table

RULE = "better"
"""The rule that needs no model: the pair does as well as its better seat did alone."""


def write_evidence(results: Results) -> Iterator[str]:
    """Say what figures left out show, and what figures that were fitted do not."""
    rule = results.differ(RULE)
    yield (
        "Only figures that the fit did not see are evidence. Each pair of Table 4 left out in turn: the fit "
        f"predicts its gains within {results.average_error(FIT + GAINED):.4f} on average, "
        + ", ".join(
            f"{null.name} within {results.average_error(null.name + GAINED):.4f}"
            for null in results.nulls
        )
        + f", and the rule that a pair does as well as its better seat alone within "
        f"{results.average_error(RULE):.4f}. {_say_within(rule)}"
    )
    yield (
        f"The accuracy after discussing is predicted within {results.average_error(FIT):.4f}, by "
        f"{results.nulls[0].name} within {results.average_error(results.nulls[0].name):.4f}: levels tell "
        "no model from another."
    )
    rows, still = results.rows, results.nulls[0]
    levels = select_prd(rows, gains=False)
    shown = [one for one in count_equivalent(rows) if one.group.startswith("PRD")]
    yield (
        f"That {count_inside(levels)} of {len(levels)} levels of PRD lie inside is no evidence: a published "
        f"accuracy has a sampling error of about .04, so the intervals hold almost any level, also where "
        f"{still.name} ({count_inside(select_prd(still.rows, gains=False))}). Of PRD's "
        f"{sum(one.figures for one in shown)} shares {sum(one.equivalent for one in shown)} are shown to "
        f"be within {100 * MARGIN:.0f} points of the model. Errors below their noise floor mean that the "
        "fit has taken in noise."
    )
    best, *others = results.penalise_prd()
    yield (
        f"Penalised for parameters, and for figures that are not independent, the fit is at AIC "
        f"{best.aic:.0f}, BIC {best.bic:.0f} (less is better): "
        + ", ".join(f"{one.name} {one.aic:.0f}, {one.bic:.0f}" for one in others)
        + ". The models were compared on figures that all of them had seen."
    )


def _say_within(found: Equivalence) -> str:
    points = 100 * found.margin
    if not found.shown:
        return (
            f"The two are not shown to be within {points:.0f} points of each other "
            f"({found.n} pairs, p {found.p_value:.3f})."
        )
    return (
        f"The fit is equivalent to that rule within {points:.0f} points (difference "
        f"{found.difference:+.4f}, 90 % interval {found.low:+.4f} to {found.high:+.4f}, {found.n} pairs; any "
        f"margin above {found.least_margin:.4f} gives the same)."
    )


def build_heldout_table(results: Results) -> Table:
    """Return the errors of all predictions of pairs left out, and what the fit gains over each."""
    others = [*(null.name for null in results.nulls), RULE, "mean"]
    compared = {name: results.differ(name) for name in others}
    return Table(
        title="Evidence: pairs of Table 4 left out of the fit",
        columns=(
            "prediction",
            "error, accuracy",
            "error, gain",
            "fit minus it",
            "low",
            "high",
            f"p, within {MARGIN}",
            "",
        ),
        rows=(
            (
                "fit",
                results.average_error(FIT),
                results.average_error(FIT + GAINED),
                *("",) * 5,
            ),
            *(
                (
                    name,
                    results.average_error(name),
                    results.average_error(name + GAINED),
                    one.difference,
                    one.low,
                    one.high,
                    one.p_value,
                    _judge(one),
                )
                for name, one in compared.items()
            ),
        ),
        note=f"Mean absolute errors over {len(results.pairs)} pairs. `fit minus it`: the difference of the "
        "errors on gains with its 90 % interval. p: two one-sided t tests (TOST) that it lies within "
        f"{100 * MARGIN:.0f} points, a margin of half the sampling error of one accuracy. `better`: the "
        "better private accuracy; `mean`: no gain. The pairs share reviewers, so the tests are rough.",
    )


def _judge(one: Equivalence) -> str:
    if one.shown:
        return "equivalent"
    if one.high < 0.0:
        return "the fit is nearer"
    return "the fit is farther" if one.low > 0.0 else "undecided"


def build_equivalence_table(results: Results) -> Table:
    """Return how many shares of each group are shown to be near the model."""
    return Table(
        title=f"Published shares shown to be within {100 * MARGIN:.0f} points of the model",
        columns=("group", "figures", "inside", "shown within", "sampling error"),
        rows=tuple(
            (one.group, one.figures, one.inside, one.equivalent, one.error)
            for one in count_equivalent(results.rows)
        ),
        note=f"Two one-sided tests of each figure at {LEVEL}. To lie inside an interval shows nothing where "
        "its sampling error is greater than the margin. All these figures were fitted.",
    )


def build_penalised_table(results: Results) -> Table:
    """Return the penalised criteria of the models of PRD and of LLMBar."""
    tasks = {"PRD": results.penalise_prd(), "LLMBar": results.penalise_llmbar()}
    return Table(
        title="Models penalised for their parameters; less is better",
        columns=("task", "model", "parameters", "squares", "effective", "AIC", "BIC", "plain AIC"),
        rows=tuple(
            (task, *_list_criteria(one)) for task, models in tasks.items() for one in models
        ),
        note="Squares: of misses in sampling errors. The figures are not independent, so the squares are a "
        "composite likelihood: `effective` is its number of parameters (trace of H^-1 J), AIC adds two for "
        "each, BIC the logarithm of the number of questions. Plain AIC takes the figures as independent.",
    )


def _list_criteria(one: Penalised) -> tuple[Cell, ...]:
    values = (one.cost, one.effective, one.aic, one.bic, one.plain_aic)
    return (one.name, one.parameters, *(round(value, 1) for value in values))


def build_evidence_document(results: Results) -> Mapping[str, object]:
    """Return the evidence as plain values for JSON."""
    names = [*(null.name for null in results.nulls), RULE, "mean"]
    return {
        "margin": MARGIN,
        "heldout_gain_mae": {name: results.average_error(name + GAINED) for name in (FIT, *names)},
        "heldout_accuracy_mae": {name: results.average_error(name) for name in (FIT, *names)},
        "equivalence": {
            name: {**asdict(one), "least_margin": one.least_margin, "shown": one.shown}
            for name in names
            for one in [results.differ(name)]
        },
        "shares": [asdict(one) for one in count_equivalent(results.rows)],
        "penalised": {
            "prd": [asdict(one) for one in results.penalise_prd()],
            "llmbar": [asdict(one) for one in results.penalise_llmbar()],
        },
    }
