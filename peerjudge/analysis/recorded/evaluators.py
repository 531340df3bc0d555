"""Juries as they rank the contestants: one reviewer, all, all by weight, and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.analysis.peers import follow_ratings, tally_head_to_head
from peerjudge.analysis.recorded.nouns import Evaluator, Jury
from peerjudge.data import Dataset, Measurement, Ranking, Scheme, Scoring, Tournament, replace
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import from_dataset, peer_rank, rank

__all__ = [
    "ALL",
    "HUMANS",
    "WEIGHTED",
    "Resampling",
    "awarded",
    "evaluators",
    "peer_weights",
    "settling_scheme",
]

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
    named = {answer.author for one in dataset.comparisons for answer in one.answers}
    own = named & set(reviewers)
    everybody = Jury(name=ALL if len(reviewers) > 1 else reviewers[0], reviewers=tuple(reviewers))
    juries = [everybody]
    if len(own) > 1:
        juries.append(replace(everybody, name=WEIGHTED, weights="peer"))
    if humans:
        juries.append(Jury(name=HUMANS, reviewers=tuple(humans)))
    ranked = [_ranked(dataset, jury, how=how) for jury in juries]
    best = next(iter(ranked[1 if len(own) > 1 else 0].win_rate.contestants))
    if best in own and len(reviewers) > 1:
        ranked.insert(0, _ranked(dataset, Jury(name=best, reviewers=(best,)), how=how))
    shortest = min(one.win_rate.reviews for one in ranked)
    return tuple(_evaluator(one, best, most=2 * shortest, how=how) for one in ranked)


def settling_scheme(tournament: Tournament) -> Scheme:
    """The paper's scheme of peer weights, or the damped one where the paper's does not settle."""
    try:
        peer_rank(tournament, scheme=Scheme.PRD)
    except ConvergenceError:
        return Scheme.DAMPED
    return Scheme.PRD


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    jury: Jury
    scheme: Scheme
    tournament: Tournament
    win_rate: Ranking


def _ranked(dataset: Dataset, jury: Jury, *, how: Resampling) -> _Ranked:
    tournament = from_dataset(dataset, reviewers=jury.reviewers)
    scheme = settling_scheme(tournament) if jury.weights == "peer" else Scheme.PRD
    win_rate = rank(
        tournament, weights=jury.weights, scheme=scheme, bootstrap=how.samples, seed=how.seed
    )
    return _Ranked(jury=jury, scheme=scheme, tournament=tournament, win_rate=win_rate)


def _evaluator(ranked: _Ranked, followed: str, *, most: int, how: Resampling) -> Evaluator:
    tournament, win_rate = ranked.tournament, ranked.win_rate
    elo, missing = _elo(ranked, how=how)
    trajectory = None
    if followed in tournament.contestants:
        (trajectory,) = follow_ratings(
            tournament,
            weights=(elo or win_rate).weights.weights,
            contestants=[followed],
            most=most,
            seed=how.seed,
            level=how.level,
        )
    return Evaluator(
        jury=ranked.jury,
        win_rate=win_rate,
        elo=elo,
        elo_missing=missing,
        head_to_head=tally_head_to_head(
            tournament, weights=win_rate.weights.weights, order=list(win_rate.contestants)
        ),
        trajectory=trajectory,
    )


def _elo(ranked: _Ranked, *, how: Resampling) -> tuple[Ranking | None, str]:
    try:
        ranking = rank(
            ranked.tournament,
            scoring=Scoring.ELO,
            weights=ranked.jury.weights,
            scheme=ranked.scheme,
            orders=how.orders,
            bootstrap=how.samples,
            seed=how.seed,
        )
    except ConvergenceError as failed:
        return None, str(failed)
    return ranking, ""
