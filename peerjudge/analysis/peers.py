"""Contestants and reviewers ranked by the private reviews, as the report shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from math import isnan

import numpy as np
import numpy.typing as npt

from peerjudge.data import LEVEL, Measurement, Noun, Ranking, Scheme, Tournament
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import elo_trajectory, peer_rank, rank
from peerjudge.ranking.resampling import head_to_head_by_sample, select_rows, weigh_samples
from peerjudge.ranking.tally import divide_known, head_to_head
from peerjudge.statistics.clusters import draw_clusters
from peerjudge.statistics.interval import SHARE
from peerjudge.statistics.resampling import make_measurement
from peerjudge.statistics.sampler import Sampler

_FOLLOWED = 6
"""Lines that can be told apart in one figure."""
_MOST_BATTLES = 2000
"""Ratings have settled by then, as far as the order of the battles lets them."""
_MOST_SHOWN = 30
"""A grid of more contestants than this cannot be read."""
_ORDERS = 500
_POINTS = 20


class HeadToHead(Noun, frozen=True, kw_only=True):
    """Win shares between contestants: `shares[row][column]` of the battles of the two, by weight.

    A tie is half a win for both. `None` on the diagonal and where two have no battle of any
    weight; `battles` counts their readable battles, of any weight. `left_out` counts the contestants
    further down the ranking.
    """

    contestants: tuple[str, ...]
    shares: tuple[tuple[float | None, ...], ...]
    battles: tuple[tuple[int, ...], ...]
    left_out: int


class Trajectory(Noun, frozen=True, kw_only=True):
    """A contestant's Elo rating after so many `battles`, as the mean over many orders.

    `low` and `high` bound the orders. The first point is the start, before any battle.
    """

    contestant: str
    battles: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class PeerFindings(Noun, frozen=True, kw_only=True):
    """Rankings of contestants and weights of reviewers, from the private reviews.

    `equal` counts all reviewers alike; `weighted` uses the damped peer weights, `weights` has these
    with their intervals, and `prd` the weights of PRD Equation 2 (empty where they do not settle).
    A reviewer's weight is its own score as a contestant, so with fewer than two reviewers among the
    contestants there are none (`None`, empty) and `reason` says so. `outsiders` are the reviewers
    that are no contestants; they get the mean weight. `head_to_head` and `trajectories` (of the
    leading contestants) are under the peer weights where there are any.
    """

    equal: Ranking
    weighted: Ranking | None
    weights: Mapping[str, Measurement]
    prd: Mapping[str, float]
    outsiders: tuple[str, ...]
    reason: str
    head_to_head: HeadToHead
    trajectories: tuple[Trajectory, ...]


class Standings(Noun, frozen=True, kw_only=True):
    """The rankings and weights of recorded reviews; without `peers`, `peers_missing` says why."""

    level: float
    questions: int
    peers: PeerFindings | None
    peers_missing: str


def rank_peers(tournament: Tournament, *, sampler: Sampler) -> tuple[PeerFindings | None, str]:
    """Return the rankings under equal and under peer weights, or the reason why there are none."""
    if not len(tournament):
        return None, "no private review compared the answers of two named contestants."
    if not tournament.readable.any():
        return None, f"none of the {len(tournament):,} private reviews could be read."
    equal = rank(tournament, seed=sampler.seed)
    own = [name for name in tournament.reviewers if equal.is_contestant(name)]
    outsiders = tuple(name for name in tournament.reviewers if name not in own)
    weighted: Ranking | None = None
    apart = [group for group in equal.groups if set(group) & set(tournament.own)]
    if len(own) > 1 and len(apart) < 2:
        weighted = rank(tournament, weights="peer", scheme=Scheme.DAMPED, seed=sampler.seed)
    best = weighted or equal
    ranked = [name for name, one in best.contestants.items() if not isnan(one.score)]
    prd: Mapping[str, float] = {}
    if weighted is None:
        reason = _explain_same_weights(own, len(apart))
    else:
        verb = "is no contestant and gets" if len(outsiders) == 1 else "are no contestants and get"
        reason = f"{', '.join(outsiders)} {verb} the mean weight." if outsiders else ""
        with suppress(ConvergenceError):
            prd = peer_rank(tournament, scheme=Scheme.PRD).weights
    findings = PeerFindings(
        equal=equal,
        weighted=weighted,
        weights={} if weighted is None else _weights(weighted, sampler),
        prd=prd,
        outsiders=outsiders,
        reason=reason,
        head_to_head=tally_head_to_head(
            tournament, weights=best.weights.weights, order=list(best.contestants)
        ),
        trajectories=follow_ratings(
            tournament,
            weights=best.weights.weights,
            contestants=ranked[:_FOLLOWED],
            most=_MOST_BATTLES,
            seed=sampler.seed,
            level=sampler.level,
        ),
    )
    return findings, ""


def _explain_same_weights(own: Sequence[str], groups: int) -> str:
    contestants = "no battles connect the reviewers as contestants"
    if groups < 2:
        contestants = f"only {own[0]} is a contestant" if own else "no reviewer is a contestant"
    return (
        f"All reviewers weigh the same: a reviewer's weight is its own score as a contestant, "
        f"and {contestants}."
    )


def _weights(ranking: Ranking, sampler: Sampler) -> dict[str, Measurement]:
    """Return the weights with their intervals over tournaments of resampled questions."""
    weights, bounds, n = ranking.weights.weights, ranking.weight_bounds, ranking.reviews
    if bounds is None:
        # On a single question a weight is a share of which no spread is known.
        return {
            name: make_measurement(weight, np.full(1, weight), clusters=1, n=n, limits=SHARE)
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


def tally_head_to_head(
    tournament: Tournament, *, weights: Mapping[str, float], order: Sequence[str]
) -> HeadToHead:
    """Return the shares of the leading contestants against each other (PRD Figure 7).

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer.
        order: all contestants, best first.
    """
    shown = order[:_MOST_SHOWN]
    place = {name: index for index, name in enumerate(tournament.contestants)}
    chosen = np.ix_(*[[place[name] for name in shown]] * 2)
    share = np.array([weights[name] for name in tournament.reviewers])
    points = head_to_head(tournament, share)[chosen]
    counts = head_to_head(tournament, np.ones_like(share))[chosen]
    won: list[list[float]] = points.tolist()
    met: list[list[int]] = (counts + counts.T).round().astype(np.int64).tolist()
    size = range(len(shown))

    def share_of(one: int, two: int) -> float | None:
        fought = won[one][two] + won[two][one]
        return won[one][two] / fought if fought > 0.0 else None

    return HeadToHead(
        contestants=tuple(shown),
        shares=tuple(tuple(share_of(one, two) for two in size) for one in size),
        battles=tuple(map(tuple, met)),
        left_out=len(order) - len(shown),
    )


def measure_head_to_head(
    tournament: Tournament, *, weighted: bool, samples: int = 1000, seed: int = 0
) -> Mapping[tuple[str, str], Measurement]:
    """Return the share of the battles that a contestant wins against another, by the two names.

    Bounds resample questions; peer weights are computed again in every sample.

    Args:
        tournament: unreadable battles are left out.
        weighted: weigh reviewers by PRD Equation 2, instead of all the same.
        samples: number of resamples.
        seed: of the resampling.
    """
    rows = select_rows(tournament)
    questions = len(tournament.questions)
    drawn = draw_clusters(questions, samples=samples, seed=seed)
    draws = np.vstack([np.ones(questions), drawn])
    weights = np.full((len(draws), len(tournament.reviewers)), 1.0 / len(tournament.reviewers))
    if weighted:
        weights, _ = weigh_samples(tournament, draws, scheme=Scheme.PRD)
    present = np.unique(tournament.question[tournament.readable])
    points = head_to_head_by_sample(rows, draws[:, present], weights)
    battles = points + points.transpose(0, 2, 1)
    shares = divide_known(points, battles)
    names = tournament.contestants
    return {
        (one, other): make_measurement(
            float(shares[0, i, j]),
            shares[1:, i, j],
            clusters=len(present),
            n=len(tournament),
            limits=SHARE,
        )
        for i, one in enumerate(names)
        for j, other in enumerate(names)
        if i != j
    }


def follow_ratings(
    tournament: Tournament,
    *,
    weights: Mapping[str, float],
    contestants: Sequence[str],
    most: int,
    seed: int = 0,
    level: float = LEVEL,
) -> tuple[Trajectory, ...]:
    """Return the mean rating of each contestant after so many battles, with bounds over the orders.

    Elo depends on the order of the battles, so each point is over 500 random orders of all battles,
    of which the first so many have been played (PRD Figure 4).

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer, the same throughout.
        contestants: names to follow.
        most: battles to follow; there may be fewer.
        seed: of the orders.
        level: of the bounds.
    """
    battles = int(np.count_nonzero(tournament.readable))
    last = min(most, battles)
    step = _step(most)
    random = np.random.default_rng(seed)
    orders = np.array([random.permutation(battles)[:last] for _ in range(_ORDERS)], dtype=np.int32)
    share = np.array([weights[name] for name in tournament.reviewers])
    counts, ratings = elo_trajectory(tournament, every=step, weights=share, orders=orders)
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    every = bound_ratings(tournament.contestants, counts, ratings, tails=tails)
    by_name = {one.contestant: one for one in every}
    return tuple(by_name[name] for name in contestants)


def bound_ratings(
    names: Sequence[str],
    battles: npt.NDArray[np.integer],
    ratings: npt.NDArray[np.float64],
    *,
    tails: tuple[float, float],
) -> tuple[Trajectory, ...]:
    """Return the trajectory of each contestant from ratings `[point, order, contestant]`.

    `tails` are the quantiles over the orders that bound it.
    """
    mean, (low, high) = ratings.mean(axis=1), np.quantile(ratings, tails, axis=1)
    return tuple(
        Trajectory(
            contestant=name,
            battles=tuple(battles.tolist()),
            mean=tuple(mean[:, place].tolist()),
            low=tuple(low[:, place].tolist()),
            high=tuple(high[:, place].tolist()),
        )
        for place, name in enumerate(names)
    )


def _step(battles: int) -> int:
    """Return a round number of battles that makes at most 20 points."""
    sizes = (size * 10**power for power in count() for size in (1, 2, 5))
    return next(size for size in sizes if battles <= size * _POINTS)
