"""The calibration as a study: what was found in sentences, tables, figures and one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studies.calibration.llmbar import TOTAL
from studies.calibration.prd_figures import DISCUSSED, GAIN
from studies.calibration.results import (
    Results,
    found_in,
    inside,
    levels,
    of_prd,
    results,
)
from studies.calibration.tables import tables, target_figure
from studies.outcome import Study

__all__ = ["calibration_study", "study_of"]

_STUDIES = 4000


def calibration_study(*, seed: int, studies: int = _STUDIES) -> Study:
    """Fit, simulate, and set all of it beside what was published.

    Args:
        seed: of the simulated studies; the fit has no chance in it.
        studies: how many are simulated for the intervals.
    """
    return study_of(results(seed=seed, studies=studies))


def study_of(found: Results) -> Study:
    """The results in sentences, tables, figures and one document."""
    return Study(
        title="Calibration of the simulated reviewers",
        summary=tuple(_sentences(found)),
        tables=tuple(tables(found)),
        figures={
            "gains": target_figure(
                "gains",
                found,
                GAIN,
                title="What discussing gains over the pair's private mean, PRD Table 4",
                across="gain in accuracy over the pair's mean private accuracy",
            ),
            "discussed": target_figure(
                "discussed",
                found,
                DISCUSSED,
                title="Accuracy after discussing, PRD Table 4",
                across="accuracy after discussing",
            ),
            "llmbar": target_figure(
                "llmbar",
                found,
                TOTAL,
                title="Accuracy on LLMBar Adversarial, PRePair Table 4",
                across="accuracy on LLMBar Adversarial",
            ),
        },
        document=_document(found),
    )


def _sentences(results: Results) -> Iterator[str]:
    found, fit = results.found, results.calibration.prd_fit
    still = results.nulls[0]
    yield (
        f"{inside(found.rows)} of {len(found.rows)} published figures lie where 95 % of simulated "
        f"studies lie. Of PRD's {len(levels(found))} levels it is {inside(levels(found))}, but where "
        f"{still.name} it still is {inside(levels(still.found))}: the paired gains, "
        "the events and LLMBar's methods carry the evidence."
    )
    yield (
        f"PRD: {len(fit.values)} parameters for {fit.figures} figures, of which about 8 are "
        f"independent; squares of misses {fit.cost:.0f}, and "
        + ", ".join(f"{null.cost:.0f} ({null.name})" for null in results.nulls)
        + ". Errors below their noise floor mean that the fit has taken in noise."
    )
    yield (
        f"LLMBar: {len(results.calibration.llmbar_fit.values)} parameters for "
        f"{results.calibration.llmbar_fit.figures} cells; squares of misses "
        f"{results.calibration.llmbar_fit.cost:.0f}, and {results.untamed.cost:.0f} where "
        f"{results.untamed.name}."
    )
    errors = results.held_out
    yield (
        f"Each pair of Table 4 left out in turn: predicted within {errors['coin']:.4f} on average; the "
        "better private accuracy, which needs no model, within "
        f"{results.held_out_trivial:.4f}. That holds where a coin "
        "settles splits, which was chosen because PRD does not say whose verdict counts then, but after "
        f"a first study had seen all three: with the last verdict it is {errors['last']:.4f}, with the "
        f"leader's {errors['leader']:.4f}."
    )
    yield (
        "truth_pull looks at gold: with it, a simulated discussion helps by construction. Fitted to PRD "
        f"without it, the squares of misses are {results.unguided:.0f} instead of {fit.cost:.0f}."
    )
    for contradiction in results.calibration.published.notes.contradictions:
        yield f"Contradiction: {contradiction}"


def _document(results: Results) -> Mapping[str, object]:
    """What `--json` prints.

    `inside_share` is over all targets; `prd_inside_share` and `null_inside_share` (of the best null
    model) over PRD's levels and gains, which alone the null models are about.
    """
    found, prd = results.found, of_prd(results.found)
    summed = {one.name: one.value for one in results.summed}
    (prompts,) = (pair.prompts for pair in results.pairs if pair.prompts is not None)
    return {
        "simulated": True,
        "targets": len(found.rows),
        "inside_share": inside(found.rows) / len(found.rows),
        "gains_inside": inside(found_in(found, GAIN)),
        "accuracy_mae": summed["mean error, PRD accuracies, Adversarial totals, Natural"],
        "table4_mae": summed["mean error, Table 4 discussed"],
        "prd_inside_share": inside(prd) / len(prd),
        "null_inside_share": max(inside(of_prd(null.found)) / len(prd) for null in results.nulls),
        "unguided_cost": results.unguided,
        "heldout_mae": results.held_out["coin"],
        "heldout_trivial_mae": results.held_out_trivial,
        "heldout_mae_by_settling": results.held_out,
        "heldout_gpt4_claude_strict_mae": results.strict,
        "heldout_table9_mae": prompts[0],
        "heldout_table9_trivial_mae": prompts[1],
        "heldout_pairs": {
            pair.pair: {**pair.errors, "better private accuracy": pair.better}
            for pair in results.pairs
        },
        "nulls": _nulls(results),
        "summaries": _summaries(results),
        "figures": _figures(results),
        "misses": [row.figure.id for row in results.missed],
        "contradictions": list(results.calibration.published.notes.contradictions),
    }


def _summaries(results: Results) -> Mapping[str, object]:
    models = (*results.nulls, results.untamed)
    return {
        one.name: {
            "value": one.value,
            "of": one.rows,
            "floor": one.floor,
            "floor_low": one.floor_low,
            "floor_high": one.floor_high,
            "nulls": {model.name: model.summed[number].value for model in models},
        }
        for number, one in enumerate(results.summed)
    }


def _nulls(results: Results) -> Mapping[str, object]:
    return {
        null.name: {
            "inside_share": inside(of_prd(null.found)) / len(of_prd(null.found)),
            "levels_inside": inside(levels(null.found)),
            "gains_inside": inside(found_in(null.found, GAIN)),
            "cost": null.cost,
        }
        for null in results.nulls
    }


def _figures(results: Results) -> list[Mapping[str, object]]:
    return [
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
        for row in results.found.rows
    ]
