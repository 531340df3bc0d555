"""Coverage of the bounds of rankings.

Contestants have Bradley-Terry strengths, each comparison is one draw, and the ranking is that of
`peerjudge rank` with its resamples of questions. All pairs of a question are played before the next question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from peerjudge.data import Ranking, Scoring, Tournament
from peerjudge.ranking import rank
from peerjudge.ranking.bounds import rank_scores
from peerjudge.ranking.strengths import MIDDLE, UNIT
from studies.analytic import Floats

QUESTIONS = 80
_MOST = 750
"""Most comparisons of a ranking."""
_SAMPLES = 300
_PRIOR = 0.1
"""Tied battles between every two: where one always wins, strengths have no finite estimate without."""

Strengths = Callable[[np.random.Generator], Floats]

FIELDS: Mapping[str, Strengths] = {
    "5 as in PRD": lambda _random: np.array([1.5, 0.9, -0.6, -0.7, -1.1]),
    "12, far apart": lambda random: random.normal(0.0, 2.5, 12),
    "12, usual": lambda random: random.normal(0.0, 1.0, 12),
    "20, usual": lambda random: random.normal(0.0, 1.0, 20),
    "12, nearly equal": lambda random: random.normal(0.0, 0.15, 12),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsCoverage:
    """Shares of contestants whose 95 % bounds hold the true score and the true rank.

    `all_ranks` is the share of rankings in which the bounds of every contestant hold its rank. Errors are
    standard errors, with rankings as the unit. Win rates have no true score here; theirs is `None`.
    """

    field: str
    scoring: str
    rankings: int
    scores: float | None
    scores_error: float | None
    ranks: float
    ranks_error: float
    all_ranks: float
    ranks_wide: float


def measure_rank_bounds(
    fields: Mapping[str, Strengths] = FIELDS, *, rankings: int, seed: int = 0
) -> tuple[BoundsCoverage, ...]:
    """Return the coverage of Bradley-Terry strengths and win rates, by field."""
    found: list[BoundsCoverage] = []
    for name, draw in fields.items():
        held: dict[Scoring, list[Floats]] = {Scoring.BRADLEY_TERRY: [], Scoring.WIN_RATE: []}
        for number in range(rankings):
            random = np.random.default_rng([seed, number])
            strengths = draw(random)
            tournament = _play(strengths, random=random)
            for scoring, rows in held.items():
                ranking = rank(tournament, scoring=scoring, prior=_PRIOR, bootstrap=_SAMPLES)
                rows.append(_check(ranking, tournament, strengths))
        found += [_summarize(name, scoring, np.array(rows)) for scoring, rows in held.items()]
    return tuple(found)


def _play(strengths: Floats, *, random: np.random.Generator) -> Tournament:
    """Return the comparisons of a ranking, each with the chance that its contestants have."""
    chance = 1.0 / (1.0 + np.exp(strengths - strengths[:, None]))
    pairs = np.array([*combinations(range(len(strengths)), 2)])
    budget = min(_MOST, len(pairs) * QUESTIONS // 2)
    order = np.concatenate([random.permutation(len(pairs)) for _ in range(QUESTIONS)])[:budget]
    first, second = pairs[order].T.astype(np.int32)
    lost = random.random(budget) >= chance[first, second]
    return Tournament(
        questions=tuple(f"{number:02}" for number in range(QUESTIONS)),
        reviewers=("judge",),
        contestants=tuple(f"{number:02}" for number in range(len(strengths))),
        question=(np.arange(budget) // len(pairs)).astype(np.int32),
        reviewer=np.zeros(budget, dtype=np.int32),
        first=first,
        second=second,
        score=(2 * lost - 1).astype(np.int8),
        readable=np.ones(budget, dtype=np.bool_),
    )


def _check(ranking: Ranking, tournament: Tournament, strengths: Floats) -> Floats:
    """Return for each contestant if its bounds hold score and rank, and how many ranks they span."""
    truth = MIDDLE + UNIT * (strengths - strengths.mean())
    places = rank_scores(strengths)
    rows: list[tuple[float, float, float]] = []
    for name, score, place in zip(tournament.contestants, truth, places, strict=True):
        one = ranking.contestants[name]
        low, high = one.rank_low or 0, one.rank_high or 0
        inside = (one.low or 0.0) <= score <= (one.high or 0.0)
        rows.append((float(inside), float(low <= place <= high), high - low + 1.0))
    return np.array(rows)


def _summarize(field: str, scoring: Scoring, held: Floats) -> BoundsCoverage:
    """Summarize checks `[ranking, contestant, (score, rank, ranks)]`."""
    by_ranking: Floats = held.mean(axis=1)
    errors = by_ranking.std(axis=0, ddof=1) / np.sqrt(len(held))
    rated = scoring is Scoring.BRADLEY_TERRY
    return BoundsCoverage(
        field=field,
        scoring=scoring.value,
        rankings=len(held),
        scores=float(by_ranking[:, 0].mean()) if rated else None,
        scores_error=float(errors[0]) if rated else None,
        ranks=float(by_ranking[:, 1].mean()),
        ranks_error=float(errors[1]),
        all_ranks=float(held[:, :, 1].all(axis=1).mean()),
        ranks_wide=float(by_ranking[:, 2].mean()),
    )
