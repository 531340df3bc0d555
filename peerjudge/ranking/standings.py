"""Ranking of the contestants of a tournament, and its JSON document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

import numpy as np
from msgspec.structs import asdict

from peerjudge.data import (
    LightPair,
    Ranking,
    ReviewerWeights,
    Scheme,
    Scoring,
    Standing,
    Tournament,
    replace,
)
from peerjudge.errors import DataError
from peerjudge.ranking.bounds import outranking_shares, rank_bounds, rank_scores
from peerjudge.ranking.elo_ratings import EloRatings, elo, elo_peer
from peerjudge.ranking.graphs import Members, find_groups, name_group
from peerjudge.ranking.resampling import Resamples, bootstrap as resample, questions_alike
from peerjudge.ranking.strengths import bradley_terry
from peerjudge.ranking.tally import Floats, Meetings, win_rates
from peerjudge.ranking.tournament import without_mute
from peerjudge.ranking.weights import (
    equal_weights,
    given_weights,
    light_pairs,
    peer_rank,
    weighted_scores,
)
from peerjudge.statistics.resampling import bound_resampled, share_unseen, widen

Weighting = Literal["equal", "peer"] | Mapping[str, float]

# A table of all pairs is not useful above this many contestants.
_MOST_OUTRANKS = 200
SHARE = (0.0, 1.0)


def rank(
    tournament: Tournament,
    *,
    scoring: Scoring = Scoring.WIN_RATE,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    orders: int = 1000,
    seed: int = 0,
    bootstrap: int = 1000,
    prior: float = 0.0,
) -> Ranking:
    """Score and rank the contestants, best first; equal scores share a rank.

    A win rate is the weighted mean of the reviewers' win rates (PRD Equations 1 and 2), which is
    taken by opponent where reviewers judged different pairs (`Ranking.by_opponent`); Elo is the
    mean over `orders` random orders (Algorithm 1); Bradley-Terry is on the Elo scale. Peer weights
    are computed from win rates (`peer_rank`), except that Elo with `prd` iterates on the Elo ratings
    (`elo_peer`), as in the paper.

    A reviewer without a readable battle has weight 0. A contestant without a counting battle has
    score NaN and comes last. Groups of contestants that no battles connect are ranked apart
    (`Ranking.groups`).

    Args:
        tournament: unreadable battles are counted and excluded.
        scoring: score of a contestant.
        weights: `equal`, `peer`, or a weight for each reviewer (rescaled to sum to 1).
        scheme: scheme of the peer weights.
        orders: number of random orders for Elo.
        seed: seed of the orders and of the bootstrap.
        bootstrap: number of resamples of the questions for the bounds of scores, ranks and peer
            weights, and (up to 200 contestants) for the shares in which one outranks another. With
            0, or if all battles are on one question, there are no bounds, except that Elo then has
            those of 95 % of the orders.
        prior: tied battles added to every pair (Bradley-Terry).

    Raises:
        DataError: no readable battles, weights that do not fit, or no finite Bradley-Terry estimate.
        UnconnectedError: peer weights of reviewers that no battles connect as contestants.
        ConvergenceError: the peer weights do not converge; with Elo, in more than half of the orders.
    """
    if not len(tournament):
        msg = (
            "no battles to rank: no review compares two answers by different, known authors; "
            "name the authors in the data (author_a and author_b in a table), and judge data that have no "
            "reviews (columns reviewer and verdict of a table) with `peerjudge run`"
        )
        raise DataError(msg)
    keep = tournament.readable
    if not keep.any():
        msg = f"no battles to rank: none of the {len(tournament)} has a readable verdict"
        raise DataError(msg)
    silent = int(np.count_nonzero(~keep))
    tournament, mute = without_mute(tournament)
    keep = tournament.readable
    held, scores, played = _weigh_and_score(
        tournament,
        scoring=Scoring(scoring),
        weights=weights,
        scheme=Scheme(scheme),
        orders=(orders, seed),
        prior=prior,
    )
    tally = win_rates(tournament)
    uneven, groups = tally.uneven, find_groups(tally.met)
    spread = None if played is None else played.ratings
    iterated = weights == "peer" and scheme == Scheme.PRD
    orders_only = None if spread is None else _Bounds(drawn=spread, questions=0, limits=None)
    contestants = _standings(tournament.contestants, scores, orders_only, groups)
    ranking = Ranking(
        scoring=Scoring(scoring),
        contestants=contestants,
        groups=_order_groups(tournament.contestants, groups, contestants),
        weights=_with_mute(held, mute),
        between_orders=None if spread is None else _deviations(tournament.contestants, spread),
        unsettled_orders=(
            int(np.count_nonzero(played.unsettled)) if played is not None and iterated else None
        ),
        mute=mute,
        contestant_of=tournament.contestant_of,
        reviews=int(np.count_nonzero(keep)),
        unreadable=silent,
        questions=len(np.unique(tournament.question[keep])),
        by_opponent=uneven is not None,
        light_pairs=() if uneven is None else _light_pairs(tournament, held, uneven),
    )
    asked = ranking.questions
    if not bootstrap or asked < 2:
        return ranking
    drawn = resample(
        tournament,
        scoring=scoring,
        weights=None if weights == "peer" else _values(held),
        scheme=scheme,
        samples=bootstrap,
        seed=seed,
        prior=prior,
    )
    return bound_ranking(ranking, tournament, drawn)


def bound_ranking(ranking: Ranking, tournament: Tournament, drawn: Resamples) -> Ranking:
    """Return a ranking of this tournament with the bounds that resampled questions give."""
    scores = np.array([ranking.contestants[name].score for name in tournament.contestants])
    groups = find_groups(win_rates(tournament).met)
    asked, limits = ranking.questions, SHARE if ranking.scoring == Scoring.WIN_RATE else None
    alike = questions_alike(tournament)
    # Samples of alike questions differ by the orders of Elo only, which say nothing about other questions.
    samples = np.broadcast_to(scores, drawn.scores.shape) if alike else drawn.scores
    open_order = alike and bool(share_unseen(asked) >= 0.5)
    bounds = _Bounds(drawn=samples, questions=asked, limits=limits, open_order=open_order)
    wide = widen(scores, samples, questions=asked)
    estimated = ranking.weights.scheme is not None
    return replace(
        ranking,
        contestants=_standings(tournament.contestants, scores, bounds, groups),
        resamples=len(drawn.scores),
        unsettled=drawn.unsettled,
        propped=drawn.propped,
        outranks=None if open_order else _outranks(tournament.contestants, wide, groups),
        weight_bounds=_bound_weights(ranking, drawn.weights, asked) if estimated else None,
    )


def ranking_document(ranking: Ranking) -> dict[str, object]:
    """Convert a ranking to the JSON document of `peerjudge rank --json`.

    `weighting` is `equal`, `peer` or `given`; `scheme` is null unless it is `peer`. A missing bound
    or score is null, and so are `outranks` (share of resamples in which the first name ranks above
    the second) and `weight_bounds` if no questions were resampled, and `between_orders` unless the
    scores are Elo ratings. `between_orders`, `unsettled_orders` (null unless peer weights are iterated
    within the orders of Elo), `by_opponent` and `light_pairs` are those of `Ranking`.
    """
    held = ranking.weights
    shares = {weight for name, weight in held.weights.items() if name not in ranking.mute}
    weighting = "peer" if held.scheme is not None else "equal" if len(shares) == 1 else "given"
    return {
        "scoring": ranking.scoring.value,
        "weighting": weighting,
        "scheme": None if held.scheme is None else held.scheme.value,
        "reviewers": list(held.weights),
        "contestants": document_standings(ranking.contestants),
        "groups": [list(group) for group in ranking.groups],
        "weights": dict(held.weights),
        "contestant_of": dict(ranking.contestant_of),
        "iterations": held.iterations,
        "residual": held.residual,
        "converged": held.converged,
        "reviews": ranking.reviews,
        "unreadable": ranking.unreadable,
        "outranks": ranking.outranks,
        "weight_bounds": ranking.weight_bounds,
        "between_orders": ranking.between_orders,
        "unsettled_orders": ranking.unsettled_orders,
        "questions": ranking.questions,
        "resamples": ranking.resamples,
        "unsettled": ranking.unsettled,
        "propped": ranking.propped,
        "by_opponent": ranking.by_opponent,
        "light_pairs": [
            {
                "one": pair.one,
                "other": pair.other,
                "reviewers": list(pair.reviewers),
                "weight": pair.weight,
            }
            for pair in ranking.light_pairs
        ],
    }


def document_standings(contestants: Mapping[str, Standing]) -> dict[str, dict[str, float | None]]:
    """Convert standings to plain values for JSON; a missing bound or score is null."""
    return {
        name: {**asdict(standing), "score": _known(standing.score)}
        for name, standing in contestants.items()
    }


def _weigh_and_score(
    tournament: Tournament,
    *,
    scoring: Scoring,
    weights: Weighting,
    scheme: Scheme,
    orders: tuple[int, int],
    prior: float,
) -> tuple[ReviewerWeights, Floats, EloRatings | None]:
    """Return the weights, the scores, and the Elo ratings by order if there are any."""
    count, seed = orders
    if weights == "peer" and scoring == Scoring.ELO and scheme == Scheme.PRD:
        played = elo_peer(tournament, orders=count, seed=seed)
        held = _elo_weights(tournament.reviewers, played)
        return held, played.ratings.mean(axis=0), played
    held = _weights(tournament, weights, scheme)
    share = _values(held)
    if scoring == Scoring.ELO:
        played = elo(tournament, weights=share, orders=count, seed=seed)
        return held, played.ratings.mean(axis=0), played
    if scoring == Scoring.BRADLEY_TERRY:
        return held, bradley_terry(tournament, weights=share, prior=prior), None
    rates = win_rates(tournament).comparable_rates
    return held, weighted_scores(share[None], rates[None])[0], None


def _weights(tournament: Tournament, weights: Weighting, scheme: Scheme) -> ReviewerWeights:
    if weights == "peer":
        return peer_rank(tournament, scheme=scheme)
    if weights == "equal":
        return equal_weights(tournament.reviewers)
    return given_weights(tournament.reviewers, weights)


def _elo_weights(reviewers: Sequence[str], played: EloRatings) -> ReviewerWeights:
    mean: list[float] = played.weights.mean(axis=0).tolist()
    return ReviewerWeights(
        weights=dict(zip(reviewers, mean, strict=True)),
        scheme=Scheme.PRD,
        iterations=played.iterations,
        residual=played.residual,
        converged=not played.unsettled.any(),
    )


def _deviations(contestants: Sequence[str], ratings: Floats) -> dict[str, float]:
    """Return the standard deviation between orders of the contestants that have a rating."""
    if len(ratings) < 2:
        return {}
    spread: list[float] = ratings.std(axis=0, ddof=1).tolist()
    return {name: x for name, x in zip(contestants, spread, strict=True) if not isnan(x)}


def _with_mute(held: ReviewerWeights, mute: Sequence[str]) -> ReviewerWeights:
    """Return the weights with 0 for reviewers without a readable battle."""
    weights = {**held.weights, **dict.fromkeys(mute, 0.0)}
    return replace(held, weights=dict(sorted(weights.items()))) if mute else held


def _values(held: ReviewerWeights) -> Floats:
    return np.array(list(held.weights.values()), dtype=np.float64)


def _light_pairs(
    tournament: Tournament, held: ReviewerWeights, uneven: Meetings
) -> tuple[LightPair, ...]:
    names = tournament.contestants
    return tuple(
        LightPair(
            one=names[one],
            other=names[other],
            reviewers=tuple(
                name
                for name, judged in zip(
                    tournament.reviewers, uneven.judged[:, one, other], strict=True
                )
                if judged
            ),
            weight=weight,
        )
        for one, other, weight in light_pairs(_values(held), uneven.judged)
    )


def _outranks(
    contestants: Sequence[str], scores: Floats, groups: Sequence[Members]
) -> dict[str, dict[str, float]] | None:
    if len(contestants) > _MOST_OUTRANKS:
        return None
    found: dict[str, dict[str, float]] = {name: {} for name in contestants}
    for group in groups:
        shares: list[list[float]] = outranking_shares(scores[:, group]).tolist()
        names = name_group(contestants, group)
        for one, row in zip(names, shares, strict=True):
            found[one] = {other: x for other, x in zip(names, row, strict=True) if other != one}
    return found


def _order_groups(
    contestants: Sequence[str], groups: Sequence[Members], standings: Mapping[str, Standing]
) -> tuple[tuple[str, ...], ...]:
    named = [set(name_group(contestants, group)) for group in groups]
    return tuple(tuple(name for name in standings if name in group) for group in named)


def _bound_weights(
    ranking: Ranking, drawn: Floats, questions: int
) -> dict[str, tuple[float, float]]:
    held = {name: x for name, x in ranking.weights.weights.items() if name not in ranking.mute}
    value = np.array([*held.values()], dtype=np.float64)
    low, high = bound_resampled(value, drawn, questions=questions, limits=SHARE)
    lows: list[float] = low.tolist()
    highs: list[float] = high.tolist()
    return dict(zip(held, zip(lows, highs, strict=True), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bounds:
    """Scores `[sample, contestant]` that bound a ranking, of resampled questions or of 0 (orders).

    With an open order the questions are alike, and so few that most others may show the reverse.
    """

    drawn: Floats
    questions: int
    limits: tuple[float, float] | None
    open_order: bool = False

    def list_of(self, scores: Floats, part: Members) -> list[dict[str, float | int | None]]:
        """Return the bounds of the scores and ranks of these contestants."""
        value, drawn, questions = scores[part], self.drawn[:, part], self.questions
        low, high = bound_resampled(value, drawn, questions=questions, limits=self.limits)
        rank_low, rank_high = rank_bounds(widen(value, drawn, questions=questions))
        if self.open_order:
            rank_low[:], rank_high[:] = 1, len(part)
        return [
            {
                "low": _known(low[k]),
                "high": _known(high[k]),
                "rank_low": int(rank_low[k]),
                "rank_high": int(rank_high[k]),
            }
            for k in range(len(part))
        ]


def _standings(
    contestants: Sequence[str],
    scores: Floats,
    spread: _Bounds | None,
    groups: Sequence[Members],
) -> dict[str, Standing]:
    """Return the standings of each group, best first, and then of contestants without a battle."""
    everyone = np.arange(len(contestants), dtype=np.intp)
    # One group and those without a battle, who rank last, are ranked together.
    parts = groups if len(groups) > 1 else [everyone]
    standings: dict[str, Standing] = {}
    for part in parts:
        names = name_group(contestants, part)
        place = rank_scores(scores[part])
        bounds = None if spread is None else spread.list_of(scores, part)
        order: list[int] = np.lexsort((part, place)).tolist()
        for k in order:
            standing = Standing(score=float(scores[part[k]]), rank=int(place[k]))
            standings[names[k]] = standing if bounds is None else replace(standing, **bounds[k])
    idle = [name for name in contestants if name not in standings]
    last = len(contestants) - len(idle) + 1
    return standings | {name: Standing(score=nan, rank=last) for name in idle}


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)
