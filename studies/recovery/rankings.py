"""Coverage of rankings whose reviewers are weighted: bounds of scores, ranks and weights.

Four models answer questions and review one another, each with its own reliability. The true score, rank
and weight are those of a tournament of very many questions under the same options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import numpy as np

from peerjudge.data import Ranking, Scheme, Scoring, Tournament
from peerjudge.ranking import rank
from studies.analytic import Floats

SIZES = (20, 40, 80)
_NAMES = ("ann", "bob", "cat", "dan")
_STRENGTHS = np.array([0.5, 0.2, -0.2, -0.5])
_SPREAD = 0.8
"""Standard deviation over questions of the quality of one contestant's answers."""
_RELIABILITY = (1.6, 1.0, 0.6, 0.3)
"""Worth of a unit of quality to each reviewer, in standard deviations of its error."""
_TRUE_QUESTIONS = 60_000
_SAMPLES = 300
_WEIGHTS = (("equal", Scheme.PRD), ("peer", Scheme.PRD), ("peer", Scheme.DAMPED))
_SCORINGS = (Scoring.WIN_RATE, Scoring.BRADLEY_TERRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCoverage:
    """Shares of 95 % bounds that hold the true score, rank and weight, of all contestants together.

    `weight_covered` is `None` for equal weights. `error` is the standard error of `score_covered`, with
    studies as the unit.
    """

    scoring: str
    weights: str
    questions: int
    score_covered: float
    rank_covered: float
    weight_covered: float | None
    error: float


def measure_rank_coverage(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[RankCoverage, ...]:
    """Return the coverage under each scoring and weighting, by number of questions."""
    endless = draw_tournament(_TRUE_QUESTIONS, np.random.default_rng([seed, 1]))
    found: list[RankCoverage] = []
    for scoring, (weights, scheme) in product(_SCORINGS, _WEIGHTS):
        play = partial(_rank, scoring=scoring, weights=weights, scheme=scheme)
        truth = play(endless, bootstrap=0)
        for size in sizes:
            held = np.array(
                [
                    _check(play(draw_tournament(size, random), bootstrap=_SAMPLES), truth)
                    for random in (np.random.default_rng([seed, size, k]) for k in range(studies))
                ]
            )
            scores, ranks, weighed = held.mean(axis=(0, 2)).tolist()
            found.append(
                RankCoverage(
                    scoring=scoring.value,
                    weights=weights if weights == "equal" else f"peer, {scheme.value}",
                    questions=size,
                    score_covered=scores,
                    rank_covered=ranks,
                    weight_covered=weighed if weights == "peer" else None,
                    error=float(held[:, 0].mean(axis=1).std() / np.sqrt(studies)),
                )
            )
    return tuple(found)


def draw_tournament(questions: int, random: np.random.Generator) -> Tournament:
    """Return the reviews of four models of each pair of their answers."""
    quality = _STRENGTHS + random.normal(0.0, _SPREAD, (questions, len(_NAMES)))
    pairs = [*combinations(range(len(_NAMES)), 2)]
    gaps: Floats = np.stack([quality[:, one] - quality[:, other] for one, other in pairs])
    worth = np.array(_RELIABILITY)[:, None, None]
    felt = worth * gaps + random.normal(size=(len(_NAMES), len(pairs), questions))
    judge, pair, question = (place.ravel().astype(np.int32) for place in np.indices(felt.shape))
    first, second = np.array(pairs, dtype=np.int32).T
    return Tournament(
        questions=tuple(f"{number:06}" for number in range(questions)),
        reviewers=_NAMES,
        contestants=_NAMES,
        question=question,
        reviewer=judge,
        first=first[pair],
        second=second[pair],
        score=np.where(felt.ravel() > 0.0, -1, 1).astype(np.int8),
        readable=np.ones(felt.size, dtype=np.bool_),
    )


def _rank(
    tournament: Tournament,
    *,
    scoring: Scoring,
    weights: str,
    scheme: Scheme,
    bootstrap: int,
) -> Ranking:
    given = "peer" if weights == "peer" else "equal"
    return rank(tournament, scoring=scoring, weights=given, scheme=scheme, bootstrap=bootstrap)


def _check(found: Ranking, truth: Ranking) -> list[list[bool]]:
    """Return which bounds hold the true score, rank and weight, `[kind, contestant]`."""
    pairs = [(found.contestants[name], truth.contestants[name]) for name in _NAMES]
    bounds = found.weight_bounds or dict.fromkeys(_NAMES, (0.0, 1.0))
    weights = truth.weights.weights
    return [
        [(one.low or 0.0) <= true.score <= (one.high or 0.0) for one, true in pairs],
        [(one.rank_low or 0) <= true.rank <= (one.rank_high or 0) for one, true in pairs],
        [bounds[name][0] - 1e-12 <= weights[name] <= bounds[name][1] + 1e-12 for name in _NAMES],
    ]
