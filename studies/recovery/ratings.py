"""Recovery of agreement between ratings: intervals of correlations, false claims, and power.

Two conditions and gold rate four answers of every question from 1 to 5. Answers share the difficulty of their
question, and a condition errs alike on all answers of a question. Where nothing is planted, both conditions
err alike; otherwise the second errs more, and agrees less with gold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from peerjudge.analysis.rating_pairs import RatedAnswers, RatingPair, compare_ratings
from peerjudge.statistics.sampler import Sampler
from studies.analytic import Floats

SIZES = (8, 12, 20, 40, 80)
COEFFICIENTS = ("pearson", "spearman", "kendall")
_ANSWERS = 4
_ERROR, _MORE = 0.8, 1.3
"""Standard deviations of the errors of the better and of the worse condition."""
_TRUE_QUESTIONS, _TRUE_STUDIES = 100, 100
_SAMPLES = 400
_LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCoverage:
    """Shares of studies whose 95 % intervals hold the truth, by coefficient, and of claims by test.

    `covered` is of the coefficient of both conditions, `difference_covered` of the difference of their
    coefficients with gold. `claimed` has the share of studies in which a test claims that one condition
    agrees more with gold: the intervals of the three differences, `williams` (Pearson's, by question), and
    `mean_error` (t by question). It is the share of false claims where nothing is planted, else the power.
    """

    planted: bool
    questions: int
    studies: int
    covered: Mapping[str, float]
    difference_covered: Mapping[str, float]
    claimed: Mapping[str, float]
    error: float


def measure_rating_coverage(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[RatingCoverage, ...]:
    """Return coverage, false claims and power by number of questions; `error` is for a share of .95."""
    found: list[RatingCoverage] = []
    for planted in (False, True):
        for size in sizes:
            pairs = [
                _compare(
                    size, np.random.default_rng([seed, size, number, int(planted)]), planted=planted
                )
                for number in range(studies)
            ]
            found.append(_summarize(pairs, planted=planted, questions=size))
    return tuple(found)


def _compare(
    questions: int, random: np.random.Generator, *, planted: bool, samples: int = _SAMPLES
) -> RatingPair:
    """Simulate a study and compare its two conditions."""
    shape = (questions, _ANSWERS)
    quality = random.normal(0.0, 0.6, (questions, 1)) + random.normal(0.0, 1.0, shape)
    golds = _rate(quality + random.normal(0.0, 0.3, shape))
    given = [
        _rate(
            quality
            + error * (0.5 * random.normal(size=(questions, 1)) + 0.87 * random.normal(size=shape))
        )
        for error in (_ERROR, _MORE if planted else _ERROR)
    ]
    keys = [(f"{q}", f"{q}-{a}") for q in range(questions) for a in range(_ANSWERS)]
    gold = {"": dict(zip(keys, golds.ravel().tolist(), strict=True))}
    rows = [
        RatedAnswers(
            name=name,
            levels=(),
            ratings={"": dict(zip(keys, ratings.ravel().tolist(), strict=True))},
            gold=gold,
        )
        for name, ratings in zip(("first", "second"), given, strict=True)
    ]
    (pair,) = compare_ratings(rows, sampler=Sampler(samples=samples))
    return pair


def _rate(felt: Floats) -> Floats:
    """Return ratings from 1 to 5."""
    return np.clip(np.rint(3.0 + felt), 1.0, 5.0)


@cache
def _find_truth(*, planted: bool) -> Mapping[tuple[str, bool], float]:
    """Return by coefficient its value for both conditions, and its difference with gold (`True`).

    Means over studies of 100 questions, in which the coefficients are nearly unbiased.
    """
    random = np.random.default_rng([11, int(planted)])
    pairs = [
        _compare(_TRUE_QUESTIONS, random, planted=planted, samples=2) for _ in range(_TRUE_STUDIES)
    ]
    return {
        (name, against): float(
            np.mean([getattr(one.against_gold[0] if against else one, name).value for one in pairs])
        )
        for name in COEFFICIENTS
        for against in (False, True)
    }


def _summarize(pairs: Sequence[RatingPair], *, planted: bool, questions: int) -> RatingCoverage:
    def cover(name: str, *, against: bool) -> float:
        true = 0.0 if against and not planted else _find_truth(planted=planted)[name, against]
        owns = [getattr(pair.against_gold[0] if against else pair, name) for pair in pairs]
        return float(np.mean([own.low <= true <= own.high for own in owns]))

    golds = [pair.against_gold[0] for pair in pairs]
    claims = {
        name: float(
            np.mean([not getattr(one, name).low <= 0.0 <= getattr(one, name).high for one in golds])
        )
        for name in COEFFICIENTS
    }
    tested = [1.0 if one.williams is None else one.williams.p_value for one in golds]
    claims["williams"] = float(np.mean(np.array(tested) < _LEVEL))
    errors = np.array([one.mean_error.p_value for one in golds])
    claims["mean_error"] = float(np.mean(errors < _LEVEL))
    return RatingCoverage(
        planted=planted,
        questions=questions,
        studies=len(pairs),
        covered={name: cover(name, against=False) for name in COEFFICIENTS},
        difference_covered={name: cover(name, against=True) for name in COEFFICIENTS},
        claimed=claims,
        error=float(np.sqrt(_LEVEL * (1.0 - _LEVEL) / len(pairs))),
    )
