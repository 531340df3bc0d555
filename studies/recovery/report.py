"""Report of the recovery: the share of intervals that hold a planted effect, and the limits of studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from peerjudge.data import Measurement
from peerjudge.reporting.drawing import Figure
from studies.outcome import Study, Table, draw_targets
from studies.recovery.annotators import RIGHT, Recovery, recover_accuracy
from studies.recovery.claims import Claims, count_claims
from studies.recovery.coverage import LEAST, SIZES, Coverage, is_honest, measure_coverage
from studies.recovery.effects import EFFECTS, Effect, Planted
from studies.recovery.limits import Sensitivity, measure_sensitivities
from studies.recovery.verdicts import SIZES as MODEL_SIZES
from studies.recovery.verdicts import measure_model_coverage

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
    modelled = measure_model_coverage(studies=studies, seed=seed)
    told = measure_sensitivities(questions=_QUESTIONS, seed=seed)
    claims = count_claims(studies=studies, seed=seed)
    voted = recover_accuracy(studies=max(1, studies // 5), seed=seed)
    return Study(
        title="Recovery of planted effects",
        summary=(
            *_write_summary(found, told, studies),
            _write_coverage(covered),
            _write_model_coverage(modelled),
            _say_claims(claims),
            _say_annotators(voted),
        ),
        tables=(
            _build_table(found),
            _build_coverage_table(covered, SIZES),
            _build_coverage_table(modelled, MODEL_SIZES),
            _build_claims_table(claims),
            _build_annotators_table(voted),
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
            "coverage": [asdict(one) | {"honest": is_honest(one)} for one in covered],
            "model": [asdict(one) | {"honest": is_honest(one)} for one in modelled],
            "effects": {name: asdict(one) for name, one in found.items()},
            "false_claims": {str(one.conditions): asdict(one) for one in claims},
            "annotators": [asdict(one) for one in voted],
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


def _say_claims(claims: Sequence[Claims]) -> str:
    kept = all(one.any <= one.at_most for one in claims)
    named = ", ".join(f"{one.any:.1%} of studies with {one.conditions}" for one in claims)
    return (
        f"Where discussing changes nothing, the headline of a report claims a gain or a loss against the "
        f"better seat in {named} conditions, {'which is' if kept else 'MORE THAN'} at most 5 % within chance."
    )


def _build_claims_table(claims: Sequence[Claims]) -> Table:
    return Table(
        title="False claims of the headline, where discussing changes nothing",
        columns=("conditions", "better", "worse", "any", "without adjusting", "at most"),
        rows=tuple(
            (one.conditions, one.better, one.worse, one.any, one.unadjusted, one.at_most)
            for one in claims
        ),
        note="Shares of studies of 24 questions. `without adjusting` is the share in which some "
        "condition's own 95 % interval leaves out 0; `at most` is what chance allows for 5 %.",
    )


def _say_annotators(voted: Sequence[Recovery]) -> str:
    least, most = (
        (min(one.found[kind] for one in voted), max(one.found[kind] for one in voted))
        for kind in ("majority", "expected")
    )
    return (
        f"Where gold comes from people who err, a reviewer that is right in {RIGHT:.0%} seems right in "
        f"{least[0]:.0%} to {least[1]:.0%} against a majority; under the annotator model it is "
        f"{most[0]:.0%} to {most[1]:.0%}."
    )


def _build_annotators_table(voted: Sequence[Recovery]) -> Table:
    kinds = ("majority", "label", "expected")
    return Table(
        title=f"A reviewer right in {RIGHT:.0%}, measured against people who err",
        columns=(
            "votes",
            *kinds,
            *(f"{kind}, covered" for kind in kinds),
            "right labels, majority",
            "model",
            "reliability, covered",
        ),
        rows=tuple(
            (
                one.design,
                *(one.found[kind] for kind in kinds),
                *(one.covered[kind] for kind in kinds),
                one.labels_right["majority"],
                one.labels_right["model"],
                one.reliability_covered,
            )
            for one in voted
        ),
        note=f"Means over {voted[0].studies} studies of 160 or 80 comparisons. `label`: against the most "
        "probable label of the annotator model; `expected`: its expected accuracy. `covered`: shares of "
        "95 % intervals that hold the truth.",
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
        "that never alters cannot be found to alter, so the altering rate has no false positives."
    )
    limits = (
        f"Hardly to be told in a study of this size: {lost}. Persuasiveness is told from the listeners "
        "only where the reviewer hears others too: in one pair it cannot be told from the other's "
        "susceptibility."
    )
    return recovered, limits


def _write_coverage(covered: Sequence[Coverage]) -> str:
    least = min(covered, key=lambda one: one.covered)
    kept = sum(map(is_honest, covered))
    return (
        f"From {SIZES[0]} to {SIZES[-1]} questions, 95 % intervals hold the truth in at least "
        f"{least.covered:.3f} of the studies ({least.population}, {least.questions} questions, standard "
        f"error {least.error:.3f}); {kept} of {len(covered)} coverages are at least {LEAST}, within "
        "two standard errors."
    )


def _write_model_coverage(modelled: Sequence[Coverage]) -> str:
    least = min(modelled, key=lambda one: one.covered)
    honest = sum(map(is_honest, modelled))
    return (
        f"The model of verdicts holds planted abilities, position, length and own answers in at least "
        f"{least.covered:.3f} of the studies ({least.population}, {least.questions} questions, standard "
        f"error {least.error:.3f}); {honest} of {len(modelled)} coverages are at least {LEAST} within chance."
    )


def _build_coverage_table(covered: Sequence[Coverage], sizes: Sequence[int]) -> Table:
    cells = {(one.population, one.questions): one for one in covered}
    return Table(
        title="Share of 95 % intervals that hold the truth, by number of questions",
        columns=("population", *map(str, sizes)),
        rows=tuple(
            (name, *(cells[name, size].covered for size in sizes))
            for name in dict.fromkeys(one.population for one in covered)
        ),
        note=f"The standard error of a share is at most {max(one.error for one in covered):.3f}.",
    )


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
