"""Contestants and reviewers, weighed by what the reviewers said before they heard anybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.findings.measures import Sampler
from peerjudge.analysis.findings.nouns import PeerFindings
from peerjudge.analysis.intervals import percentiles
from peerjudge.data import Measurement, Ranking, Scheme, Tournament
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import peer_rank, rank

__all__ = ["peer_findings"]

_WEIGHT_DRAWS = 500


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
            equal=equal, weighted=None, weights={}, prd={}, outsiders=outsiders, reason=_alike(own)
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
        weights=_weights(tournament, weighted, sampler),
        prd=_prd(tournament),
        outsiders=outsiders,
        reason=_outside(outsiders),
    )
    return found, ""


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


def _weights(tournament: Tournament, ranking: Ranking, sampler: Sampler) -> dict[str, Measurement]:
    """The weights with the interval they have in tournaments of resampled questions."""
    random = np.random.default_rng(sampler.seed)
    order = np.argsort(tournament.question, kind="stable")
    ends = np.flatnonzero(np.diff(tournament.question[order])) + 1
    rows: list[npt.NDArray[np.intp]] = np.split(order, ends)
    drawn = np.empty((_WEIGHT_DRAWS, len(tournament.reviewers)))
    for number in range(_WEIGHT_DRAWS):
        picks: list[int] = random.integers(len(rows), size=len(rows)).tolist()
        picked = np.concatenate([rows[pick] for pick in picks])
        sample = peer_rank(_taken(tournament, picked), scheme=Scheme.DAMPED)
        drawn[number] = list(sample.weights.values())
    bounds = [percentiles(column, level=sampler.level) for column in drawn.T]
    return {
        name: Measurement(
            value=weight,
            low=low,
            high=high,
            n=len(rows),
            level=sampler.level,
            method="bootstrap by question",
        )
        for (name, weight), (low, high) in zip(ranking.weights.weights.items(), bounds, strict=True)
    }


def _taken(tournament: Tournament, rows: npt.NDArray[np.intp]) -> Tournament:
    return replace(
        tournament,
        question=tournament.question[rows],
        reviewer=tournament.reviewer[rows],
        first=tournament.first[rows],
        second=tournament.second[rows],
        score=tournament.score[rows],
        readable=tournament.readable[rows],
    )
