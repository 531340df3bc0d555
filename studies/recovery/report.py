"""Report of the recovery: the share of intervals that hold a planted effect, and the limits of studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from peerjudge.data import Measurement
from peerjudge.reporting.figures import Figure
from studies.outcome import Study, Table, draw_targets
from studies.recovery.claims import count_claims
from studies.recovery.contrasts import (
    SIZES as CONTRAST_SIZES,
    count_gain_claims,
    measure_contrast_coverage,
)
from studies.recovery.coverage import SIZES, measure_coverage
from studies.recovery.effects import EFFECTS, Effect, Planted
from studies.recovery.limits import Sensitivity, measure_sensitivities
from studies.recovery.rankings import measure_rank_coverage
from studies.recovery.ratings import measure_rating_coverage
from studies.recovery.reversals import count_reversals
from studies.recovery.tables import (
    build_claims_table,
    build_coverage_table,
    build_gains_table,
    build_rankings_table,
    build_ratings_table,
    list_coverage,
    list_reversals,
    say_claims,
    say_gains,
    say_rankings,
    say_ratings,
    say_reversals,
    say_stopping,
    write_coverage,
)
from studies.stopping.rules import NULLS, measure_decisions

_STUDIES = 500
_QUESTIONS = 140
_LEVEL = 0.95
_SURE = 0.999
"""Probability within which chance leaves the share of studies at the nominal rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """Recovery of an effect in many studies; the fields are the keys of the document.

    `expected` is the true size in the units of the analysis, `found` the mean over studies. `covered` is
    the share of 95 % intervals that hold the truth, `detected` the share that excludes the value of no
    effect, `false_positives` the same share where none was planted. `least_covered` and
    `most_false_positives` bound what chance allows; `nominal` is true within these bounds.
    """

    analysis: str
    planted: float
    expected: float
    found: float
    covered: float
    least_covered: float
    detected: float
    false_positives: float
    most_false_positives: float
    nominal: bool


def recover_effects(
    *,
    studies: int,
    questions: int = 140,
    seed: int = 0,
    effects: Sequence[Effect] = EFFECTS,
) -> Mapping[str, Recovered]:
    """Plant every effect in that many studies, and nothing in as many others; return them by name."""
    return {
        effect.name: _recover_effect(
            effect, studies, questions, np.random.default_rng([seed, number])
        )
        for number, effect in enumerate(effects)
    }


def _recover_effect(
    effect: Effect, studies: int, questions: int, random: np.random.Generator
) -> Recovered:
    from scipy.special import bdtr

    planted = [effect.measure(effect.planted, questions, random) for _ in range(studies)]
    nothing = [effect.measure(effect.nothing, questions, random) for _ in range(studies)]
    chance = np.asarray(bdtr(np.arange(studies + 1), studies, _LEVEL), dtype=np.float64)
    least = int(np.searchsorted(chance, 1 - _SURE)) / studies
    covered = float(np.mean([found.low <= truth <= found.high for found, truth in planted]))
    false = _share_excluding(effect.none, nothing)
    return Recovered(
        analysis=effect.analysis,
        planted=effect.planted,
        expected=planted[0][1],
        found=float(np.mean([found.value for found, _ in planted])),
        covered=covered,
        least_covered=least,
        detected=_share_excluding(effect.none, planted),
        false_positives=false,
        most_false_positives=1 - least,
        nominal=covered >= least and false <= 1 - least,
    )


def _share_excluding(value: float, studies: Sequence[Planted]) -> float:
    return float(np.mean([not found.low <= value <= found.high for found, _ in studies]))


def compute_recovery(*, seed: int, studies: int = _STUDIES) -> Study:
    """Plant five effects, measure them, and count how often intervals hold them.

    Args:
        seed: of the simulated studies.
        studies: number of studies of each effect, and of none.
    """
    found = recover_effects(studies=studies, questions=_QUESTIONS, seed=seed)
    covered = measure_coverage(studies=2 * studies, seed=seed)
    contrasts = measure_contrast_coverage(studies=studies, seed=seed)
    gains = count_gain_claims(studies=2 * studies, seed=seed)
    told = measure_sensitivities(questions=_QUESTIONS, seed=seed)
    claims = count_claims(studies=2 * studies, seed=seed)
    ranked = measure_rank_coverage(studies=max(2, 3 * studies // 5), seed=seed)
    rated = measure_rating_coverage(studies=studies, seed=seed)
    turned = count_reversals(tournaments=max(1, studies // 10), seed=seed)
    stopped = measure_decisions(NULLS, studies=2 * studies, seed=seed)
    false = max(one.better + one.worse for one in stopped)
    stop_error = float(np.sqrt(false * (1.0 - false) / (2 * studies)))
    return Study(
        title="Recovery of planted effects",
        summary=(
            *_write_summary(found, told, studies),
            write_coverage(covered, "intervals of accuracies and kappa"),
            write_coverage(contrasts, "printed intervals of contrasts"),
            say_gains(gains),
            say_claims(claims),
            say_rankings(ranked),
            say_ratings(rated),
            say_reversals(turned),
            say_stopping(stopped, stop_error),
        ),
        tables=(
            _build_table(found),
            build_coverage_table(covered, SIZES),
            build_coverage_table(contrasts, CONTRAST_SIZES),
            build_gains_table(gains),
            build_claims_table(claims),
            build_rankings_table(ranked),
            build_ratings_table(rated),
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
        figures=_draw_shares(found, studies),
        document={
            "simulated": True,
            "studies": studies,
            "questions": _QUESTIONS,
            "nominal": all(one.nominal for one in found.values()),
            "coverage_by_questions": list_coverage(covered),
            "contrasts_by_questions": list_coverage(contrasts),
            "gains": [asdict(one) for one in gains],
            "false_claims_by_conditions": {
                str(one.conditions): asdict(one) | {"studies": 2 * studies} for one in claims
            },
            "order_reversals": list_reversals(turned),
            "stopping": {
                "studies": 2 * studies,
                "false_decisions": false,
                "error": stop_error,
                "populations": {one.population: one.better + one.worse for one in stopped},
            },
            "rankings": [asdict(one) for one in ranked],
            "ratings": [asdict(one) for one in rated],
            "effects": {name: asdict(one) for name, one in found.items()},
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


def _write_summary(
    found: Mapping[str, Recovered], told: Sequence[Sensitivity], studies: int
) -> tuple[str, ...]:
    kept = sum(one.nominal for one in found.values())
    lost = "; ".join(f"{one.trait} by {one.figure}" for one in told if not one.told)
    recovered = (
        f"{kept} of {len(found)} effects are recovered at the nominal rate in {studies:,} studies of "
        f"{_QUESTIONS} questions: intervals of 95 % hold the truth as often as they promise, within "
        "chance, and where nothing was planted no more is found than 5 %, within chance. A reviewer "
        "that never alters cannot be found to alter, so altering rate and conformity have no false positives."
    )
    limits = (
        f"Hardly to be told in a study of this size: {lost}. Persuasiveness is told from the listeners "
        "only where the reviewer hears others too: in one pair it cannot be told from the other's "
        "susceptibility."
    )
    return recovered, limits


def _build_table(found: Mapping[str, Recovered]) -> Table:
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
                name,
                one.planted,
                round(one.expected, 3),
                round(one.found, 3),
                one.covered,
                one.least_covered,
                one.detected,
                one.false_positives,
                one.most_false_positives,
                "" if one.nominal else "off the nominal rate",
            )
            for name, one in found.items()
        ),
        note="`planted` is the trait, `expected` what the analysis should measure. `covered` is the "
        "share of 95 % intervals that hold it; `at least` and `at most` are what chance allows. Measured "
        f"by {'; '.join(one.analysis for one in found.values())}.",
    )


def _draw_shares(found: Mapping[str, Recovered], studies: int) -> Mapping[str, Figure]:
    def draw(name: str, title: str, shares: Mapping[str, tuple[float, float, float]]) -> Figure:
        rows = [
            (
                effect,
                Measurement(value=value, low=low, high=high, n=studies, level=_SURE),
                None,
            )
            for effect, (value, low, high) in shares.items()
        ]
        return draw_targets(name, rows, title=title, across="share of studies", series="share")

    return {
        "coverage": draw(
            "coverage",
            "Share of 95 % intervals that hold the planted effect, with what chance allows",
            {name: (one.covered, one.least_covered, 1.0) for name, one in found.items()},
        ),
        "false-positives": draw(
            "false-positives",
            "Share of 95 % intervals that leave out 'no effect' where none is planted, with what chance "
            "allows",
            {
                name: (one.false_positives, 0.0, one.most_false_positives)
                for name, one in found.items()
            },
        ),
    }
