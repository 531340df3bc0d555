"""Contestants and reviewers, weighed by what the reviewers said before they heard anybody."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import numpy as np

from peerjudge.analysis.findings.measures import Sampler
from peerjudge.analysis.findings.nouns import HeadToHead, PeerFindings, Trajectory
from peerjudge.analysis.findings.trajectory import trajectories
from peerjudge.analysis.findings.versus import versus
from peerjudge.analysis.intervals import SHARE, measured
from peerjudge.data import Measurement, Ranking, Scheme, Tournament
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import peer_rank, rank

__all__ = ["peer_findings"]

_FOLLOWED = 6
"""So many lines in one figure can be told apart."""
_MOST_BATTLES = 2000
"""Ratings have long settled by then, to where the order of the battles leaves them."""


def peer_findings(tournament: Tournament, *, sampler: Sampler) -> tuple[PeerFindings | None, str]:
    """The rankings under equal and under peer weights, or why there are none."""
    if not len(tournament):
        return None, "no private review compared the answers of two named contestants."
    if not tournament.readable.any():
        return None, f"none of the {len(tournament):,} private reviews could be read."
    own = [name for name in tournament.reviewers if name in tournament.contestants]
    outsiders = tuple(name for name in tournament.reviewers if name not in own)
    equal = rank(tournament, bootstrap=sampler.samples, seed=sampler.seed)
    if len(own) < 2:
        found = PeerFindings(
            equal=equal,
            weighted=None,
            weights={},
            prd={},
            outsiders=outsiders,
            reason=_alike(own),
            head_to_head=_versus(tournament, equal),
            trajectories=_trajectories(tournament, equal, sampler),
        )
        return found, ""
    weighted = rank(
        tournament,
        weights="peer",
        scheme=Scheme.DAMPED,
        bootstrap=sampler.samples,
        seed=sampler.seed,
    )
    found = PeerFindings(
        equal=equal,
        weighted=weighted,
        weights=_weights(weighted, sampler),
        prd=_prd(tournament),
        outsiders=outsiders,
        reason=_outside(outsiders),
        head_to_head=_versus(tournament, weighted),
        trajectories=_trajectories(tournament, weighted, sampler),
    )
    return found, ""


def _versus(tournament: Tournament, ranking: Ranking) -> HeadToHead:
    return versus(tournament, weights=ranking.weights.weights, order=list(ranking.contestants))


def _trajectories(
    tournament: Tournament, ranking: Ranking, sampler: Sampler
) -> tuple[Trajectory, ...]:
    ranked = [name for name, one in ranking.contestants.items() if not isnan(one.score)]
    return trajectories(
        tournament,
        weights=ranking.weights.weights,
        contestants=ranked[:_FOLLOWED],
        most=_MOST_BATTLES,
        seed=sampler.seed,
        level=sampler.level,
    )


def _alike(own: list[str]) -> str:
    contestants = f"only {own[0]} is a contestant" if own else "no reviewer is a contestant"
    return (
        f"All reviewers weigh the same: a reviewer's weight is its own score as a contestant, "
        f"and {contestants}."
    )


def _outside(outsiders: tuple[str, ...]) -> str:
    if not outsiders:
        return ""
    verb = "is no contestant and gets" if len(outsiders) == 1 else "are no contestants and get"
    return f"{', '.join(outsiders)} {verb} the mean weight."


def _prd(tournament: Tournament) -> Mapping[str, float]:
    try:
        return peer_rank(tournament, scheme=Scheme.PRD).weights
    except ConvergenceError:
        return {}


def _weights(ranking: Ranking, sampler: Sampler) -> dict[str, Measurement]:
    """The weights with the interval they have in tournaments of resampled questions."""
    weights, bounds, n = ranking.weights.weights, ranking.weight_bounds, ranking.reviews
    if bounds is None:
        # On a single question a weight is a share of which nothing else is known.
        return {
            name: measured(weight, np.full(1, weight), clusters=1, n=n, limits=SHARE)
            for name, weight in weights.items()
        }
    return {
        name: Measurement(
            value=weight,
            low=bounds[name][0],
            high=bounds[name][1],
            n=n,
            level=sampler.level,
            method="bootstrap by question",
        )
        for name, weight in weights.items()
    }
