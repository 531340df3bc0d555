"""The recovery of planted effects as a study: what the analysis finds, and what no study could."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from peerjudge.data import Measurement
from peerjudge.reporting.drawing import Figure
from studies.outcome import Study, Table, draw_targets
from studies.recovery.limits import Sensitivity, sensitivities
from studies.recovery.rates import Recovered, recover

__all__ = ["recovery_study"]

_STUDIES = 500
_QUESTIONS = 140


def recovery_study(*, seed: int, studies: int = _STUDIES) -> Study:
    """Plant five effects in so many studies each, nothing in as many, and count.

    Args:
        seed: of the simulated studies.
        studies: how many of each.
    """
    found = recover(studies=studies, questions=_QUESTIONS, seed=seed)
    told = sensitivities(questions=_QUESTIONS, seed=seed)
    return Study(
        title="Recovery of planted effects",
        summary=_sentences(found, told, studies),
        tables=(
            _table(found),
            Table(
                title=f"How far the most telling figure moves, {_QUESTIONS} questions in both orders",
                columns=("trait", "from", "to", "figure", "standard deviations", ""),
                rows=tuple(
                    (
                        one.trait,
                        one.one,
                        one.other,
                        one.figure,
                        round(one.deviations, 1),
                        "" if one.told else "not told",
                    )
                    for one in told
                ),
            ),
        ),
        figures=_figures(found),
        document={
            "simulated": True,
            "studies": studies,
            "questions": _QUESTIONS,
            "nominal": all(one.nominal for one in found),
            "effects": {
                one.effect.name: {
                    "analysis": one.effect.analysis,
                    "planted": one.effect.planted,
                    "expected": one.truth,
                    "found": one.estimate,
                    "covered": one.covered,
                    "least_covered": one.least_covered,
                    "detected": one.detected,
                    "false_positives": one.false,
                    "most_false_positives": one.most_false,
                    "nominal": one.nominal,
                }
                for one in found
            },
            "sensitivities": [
                {
                    "trait": one.trait,
                    "from": one.one,
                    "to": one.other,
                    "figure": one.figure,
                    "deviations": one.deviations,
                    "told": one.told,
                }
                for one in told
            ],
        },
    )


def _sentences(
    found: Sequence[Recovered], told: Sequence[Sensitivity], studies: int
) -> tuple[str, ...]:
    kept = sum(one.nominal for one in found)
    lost = "; ".join(f"{one.trait} by {one.figure}" for one in told if not one.told)
    recovered = (
        f"{kept} of {len(found)} effects are recovered at the nominal rate in {studies:,} studies of "
        f"{_QUESTIONS} questions: intervals of 95 % hold the truth as often as they promise, within "
        "chance, and where nothing was planted no more is found than 5 %, within chance. Who never "
        "alters cannot be found to alter, so the altering rate has no false positives by its nature."
    )
    limits = (
        f"Hardly to be told in a study of this size: {lost}. Persuasiveness is told from who hears it "
        "only where that reviewer hears others too: in one pair it cannot be told from the other's "
        "susceptibility."
    )
    return recovered, limits


def _table(found: tuple[Recovered, ...]) -> Table:
    return Table(
        title="Planted effects",
        columns=(
            "effect",
            "planted",
            "expected",
            "found",
            "covered",
            "at least",
            "detected",
            "false positives",
            "at most",
            "",
        ),
        rows=tuple(
            (
                one.effect.name,
                one.effect.planted,
                round(one.truth, 3),
                round(one.estimate, 3),
                one.covered,
                one.least_covered,
                one.detected,
                one.false,
                one.most_false,
                "" if one.nominal else "off the nominal rate",
            )
            for one in found
        ),
        note="`planted` is the trait, `expected` what the analysis should measure. `covered` is the "
        "share of 95 % intervals that hold it; `at least` and `at most` are what chance allows. Measured "
        f"by {'; '.join(one.effect.analysis for one in found)}.",
    )


def _figures(found: Sequence[Recovered]) -> Mapping[str, Figure]:
    covered = {
        one.effect.name: Measurement(
            value=one.covered, low=one.least_covered, high=1.0, n=one.studies, level=0.999
        )
        for one in found
    }
    false = {
        one.effect.name: Measurement(
            value=one.false, low=0.0, high=one.most_false, n=one.studies, level=0.999
        )
        for one in found
    }
    titles = {
        "coverage": "Share of 95 % intervals that hold the planted effect, with what chance allows",
        "false-positives": "Share of 95 % intervals that leave out 'no effect' where none is planted, "
        "with what chance allows",
    }
    return {
        name: draw_targets(
            name,
            [(effect, share, None) for effect, share in shares.items()],
            title=titles[name],
            across="share of studies",
            series="share",
        )
        for name, shares in {"coverage": covered, "false-positives": false}.items()
    }
