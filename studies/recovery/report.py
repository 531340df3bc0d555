"""Report of the recovery: the share of intervals that hold a planted effect, and the limits of studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.data import Measurement
from peerjudge.reporting.drawing import Figure
from studies.outcome import Study, Table, draw_targets
from studies.recovery.effects import EFFECTS, Effect, Planted
from studies.recovery.limits import Sensitivity, measure_sensitivities

_STUDIES = 500
_QUESTIONS = 140
_LEVEL = 0.95
_SURE = 0.999
"""Probability within which chance leaves the share of studies at the nominal rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """Recovery of an effect in many studies.

    `covered` is the share of 95 % intervals that hold the truth, `detected` the share that excludes the
    value of no effect, `false` the same share where none was planted. `estimate` is the mean over
    studies. `least_covered` and `most_false` bound what chance allows at the nominal rates.
    """

    effect: Effect
    studies: int
    questions: int
    truth: float
    estimate: float
    covered: float
    detected: float
    false: float
    least_covered: float
    most_false: float

    @property
    def nominal(self) -> bool:
        """True if both shares are at the nominal rates, within chance."""
        return self.covered >= self.least_covered and self.false <= self.most_false


def recover_effects(
    *,
    studies: int,
    questions: int = 140,
    seed: int = 0,
    effects: Sequence[Effect] = EFFECTS,
) -> tuple[Recovered, ...]:
    """Plant every effect in that many studies, and nothing in as many others."""
    return tuple(
        _recover_effect(effect, studies, questions, np.random.default_rng([seed, number]))
        for number, effect in enumerate(effects)
    )


def _recover_effect(
    effect: Effect, studies: int, questions: int, random: np.random.Generator
) -> Recovered:
    from scipy.special import bdtr

    planted = [effect.measure(effect.planted, questions, random) for _ in range(studies)]
    nothing = [effect.measure(effect.nothing, questions, random) for _ in range(studies)]
    shares = np.arange(studies + 1)
    chance = np.asarray(bdtr(shares, studies, _LEVEL), dtype=np.float64)
    least = int(np.searchsorted(chance, 1 - _SURE)) / studies
    return Recovered(
        effect=effect,
        studies=studies,
        questions=questions,
        truth=planted[0][1],
        estimate=float(np.mean([found.value for found, _ in planted])),
        covered=float(np.mean([found.low <= truth <= found.high for found, truth in planted])),
        detected=_share_excluding(effect.none, planted),
        false=_share_excluding(effect.none, nothing),
        least_covered=least,
        most_false=1 - least,
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
    told = measure_sensitivities(questions=_QUESTIONS, seed=seed)
    return Study(
        title="Recovery of planted effects",
        summary=_write_summary(found, told, studies),
        tables=(
            _build_table(found),
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
        figures=_draw_shares(found),
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


def _write_summary(
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


def _build_table(found: tuple[Recovered, ...]) -> Table:
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


def _draw_shares(found: Sequence[Recovered]) -> Mapping[str, Figure]:
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
