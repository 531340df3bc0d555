"""Order reversals: rankings of reviewers in perfect agreement, under every ranking option.

All reviewers give the same verdicts, so no weights, no exclusion of reviews and no kind of score may
change the order of the contestants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from peerjudge.data import Ranking, Scheme, Scoring, Tournament
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import rank, without_family
from studies.analytic import Floats

_NAMES = ("ann", "bob", "cat", "dan")
_QUESTIONS = 20
_CLEAR = 0.05
"""Least difference of win rates between neighbours: smaller ones may be ordered otherwise by Elo."""
_ORDERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to rank; `excluded` leaves out reviews of the reviewer's own answers."""

    scoring: Scoring
    weights: str
    scheme: Scheme
    excluded: bool
    prior: float

    @property
    def name(self) -> str:
        """The option in words."""
        parts = [self.scoring.value, "equal" if self.weights == "equal" else self.scheme.value]
        parts += ["without self-reviews"] * self.excluded
        return ", ".join(parts + [f"prior {self.prior:g}"] * bool(self.prior))


OPTIONS: Sequence[Option] = tuple(
    Option(
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        excluded=excluded,
        prior=prior,
    )
    for scoring, (weights, scheme), excluded in product(
        Scoring,
        (("equal", Scheme.PRD), ("peer", Scheme.PRD), ("peer", Scheme.DAMPED)),
        (False, True),
    )
    for prior in ((0.0, 1.0) if scoring is Scoring.BRADLEY_TERRY else (0.0,))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversals:
    """Tournaments that an option ranks in another order than the planted one.

    `refused` counts those without a ranking, because the peer weights oscillate (Elo with `prd`).
    """

    option: str
    reversed: int
    refused: int
    ranked: int


def count_reversals(*, tournaments: int, seed: int = 0) -> tuple[Reversals, ...]:
    """Rank so many tournaments by every option, and count rankings in another order."""
    reversed_by = Counter[str]()
    refused_by = Counter[str]()
    random = np.random.default_rng([seed, 7])
    for _ in range(tournaments):
        wins = _draw_wins(random)
        best: list[int] = np.argsort(-wins.sum(axis=1)).tolist()
        order = [_NAMES[place] for place in best]
        whole = _build_tournament(wins, random)
        without = without_family(whole, {})
        for option in OPTIONS:
            try:
                ranking = _rank(without if option.excluded else whole, option)
            except ConvergenceError:
                refused_by[option.name] += 1
            else:
                reversed_by[option.name] += list(ranking.contestants) != order
    return tuple(
        Reversals(
            option=option.name,
            reversed=reversed_by[option.name],
            refused=refused_by[option.name],
            ranked=tournaments - refused_by[option.name],
        )
        for option in OPTIONS
    )


def _draw_wins(random: np.random.Generator) -> Floats:
    """Return the questions that row wins against column, with contestants clearly apart."""
    size = len(_NAMES)
    while True:
        wins = np.zeros((size, size))
        levels = random.normal(0.0, 1.0, size)
        for one, other in combinations(range(size), 2):
            chance = 1.0 / (1.0 + np.exp(levels[other] - levels[one] + random.normal(0.0, 0.5)))
            wins[one, other] = np.clip(round(_QUESTIONS * chance), 1, _QUESTIONS - 1)
            wins[other, one] = _QUESTIONS - wins[one, other]
        rates = np.sort(wins.sum(axis=1)) / (_QUESTIONS * (size - 1))
        if np.diff(rates).min() >= _CLEAR:
            return wins


def _build_tournament(wins: Floats, random: np.random.Generator) -> Tournament:
    """Return the tournament in which every reviewer gives these verdicts, in random shown order."""
    size, count = len(_NAMES), _QUESTIONS
    rows: list[tuple[int, int, int, int]] = []
    for one, other in combinations(range(size), 2):
        won = random.permutation(count) < wins[one, other]
        turned = random.random(count) < 0.5
        rows += [
            (question, other, one, 1 if wins_it else -1)
            if turn
            else (question, one, other, -1 if wins_it else 1)
            for question, (wins_it, turn) in enumerate(zip(won, turned, strict=True))
        ]
    question, first, second, score = (np.tile(column, size) for column in np.array(rows).T)
    return Tournament(
        questions=tuple(f"{number:02}" for number in range(count)),
        reviewers=_NAMES,
        contestants=_NAMES,
        question=question.astype(np.int32),
        reviewer=np.repeat(np.arange(size), len(rows)).astype(np.int32),
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        score=score.astype(np.int8),
        readable=np.ones(len(question), dtype=np.bool_),
    )


def _rank(tournament: Tournament, option: Option) -> Ranking:
    given = "peer" if option.weights == "peer" else "equal"
    return rank(
        tournament,
        scoring=option.scoring,
        weights=given,
        scheme=option.scheme,
        orders=_ORDERS,
        bootstrap=0,
        prior=option.prior,
    )
