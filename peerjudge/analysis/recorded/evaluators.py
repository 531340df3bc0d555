"""Juries as they rank the contestants: one reviewer, all, all by weight, and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.analysis.findings.versus import versus
from peerjudge.analysis.recorded.nouns import Evaluator, Jury
from peerjudge.data import Dataset, Measurement, Ranking, Scheme, Scoring, Tournament
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import rank
from peerjudge.tournament import from_dataset

__all__ = ["ALL", "HUMANS", "WEIGHTED", "Resampling", "awarded", "evaluators", "peer_weights"]

ALL, WEIGHTED, HUMANS = "All", "All (weighted)", "Human"
"""What the juries of everybody are called, as in PRD Table 2."""

_MOST_ALONE = 12
"""So many reviewers are told apart; the rankings of more are a table nobody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How intervals are drawn, and over how many orders Elo is averaged."""

    seed: int = 0
    samples: int = 1000
    orders: int = 1000
    level: float = 0.95


def evaluators(
    dataset: Dataset, reviewers: Sequence[str], humans: Sequence[str], *, how: Resampling
) -> tuple[Evaluator, ...]:
    """The evaluators of PRD Table 2, as far as the dataset has them.

    That is the best contestant as the only reviewer, if it reviewed; all reviewers alike; all by
    peer weight, if at least two of them are contestants; and people.
    """
    named = sorted({answer.author for one in dataset.comparisons for answer in one.answers})
    own = [name for name in reviewers if name in named]
    juries: list[Jury] = []
    if len(reviewers) > 1:
        juries.append(Jury(name=ALL, reviewers=tuple(reviewers)))
    elif reviewers:
        juries.append(Jury(name=reviewers[0], reviewers=tuple(reviewers)))
    if len(own) > 1:
        juries.append(Jury(name=WEIGHTED, reviewers=tuple(reviewers), weights="peer"))
    if humans:
        juries.append(Jury(name=HUMANS, reviewers=tuple(humans)))
    found = [_evaluator(dataset, jury, how=how) for jury in juries]
    if len(own) > 1:
        best = next(iter(found[1].win_rate.contestants))
        if best in own:
            alone = Jury(name=best, reviewers=(best,))
            found.insert(0, _evaluator(dataset, alone, how=how))
    return tuple(found)


def awarded(dataset: Dataset, reviewers: Sequence[str], *, how: Resampling) -> dict[str, Ranking]:
    """The ranking by win rate in the eyes of each reviewer alone; empty for a great many."""
    if not 1 < len(reviewers) <= _MOST_ALONE:
        return {}
    return {
        name: rank(from_dataset(dataset, reviewers=[name]), bootstrap=how.samples, seed=how.seed)
        for name in reviewers
    }


def peer_weights(tournament: Tournament, *, how: Resampling) -> dict[str, dict[str, Measurement]]:
    """The reviewers' weights by scheme (PRD Figure 3); none for a scheme that does not settle.

    Empty where fewer than two reviewers are contestants: all weigh the same then.
    """
    if len(set(tournament.reviewers) & set(tournament.contestants)) < 2:
        return {}
    found: dict[str, dict[str, Measurement]] = {}
    for scheme in Scheme:
        try:
            ranking = rank(
                tournament, weights="peer", scheme=scheme, bootstrap=how.samples, seed=how.seed
            )
        except ConvergenceError:
            continue
        found[scheme.value] = _weights(ranking, how)
    return found


def _weights(ranking: Ranking, how: Resampling) -> dict[str, Measurement]:
    bounds = ranking.weight_bounds or {}
    return {
        name: Measurement(
            value=weight,
            low=bounds[name][0],
            high=bounds[name][1],
            n=ranking.reviews,
            level=how.level,
            method="bootstrap by question",
        )
        for name, weight in ranking.weights.weights.items()
    }


def _evaluator(dataset: Dataset, jury: Jury, *, how: Resampling) -> Evaluator:
    tournament = from_dataset(dataset, reviewers=jury.reviewers)
    win_rate = rank(tournament, weights=jury.weights, bootstrap=how.samples, seed=how.seed)
    elo, missing = _elo(tournament, jury, how=how)
    return Evaluator(
        jury=jury,
        win_rate=win_rate,
        elo=elo,
        elo_missing=missing,
        head_to_head=versus(
            tournament, weights=win_rate.weights.weights, order=list(win_rate.contestants)
        ),
    )


def _elo(tournament: Tournament, jury: Jury, *, how: Resampling) -> tuple[Ranking | None, str]:
    try:
        ranking = rank(
            tournament,
            scoring=Scoring.ELO,
            weights=jury.weights,
            orders=how.orders,
            bootstrap=how.samples,
            seed=how.seed,
        )
    except ConvergenceError as failed:
        return None, str(failed)
    return ranking, ""
