"""Elo ratings (PRD Algorithm 1), as a mean over many seeded orders of the battles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.ranking.tally import LEAST, Floats, win_rates
from peerjudge.ranking.tournament import contestant_columns
from peerjudge.ranking.weights import check_connected, min_max

_START = 1000.0
_STEP = 32.0
# In natural units, 400 points are ln 10, and the logistic function needs a single exp.
_UNIT = log(10.0) / 400.0

# (order, position) entries processed at a time, which bounds the memory.
_BLOCK = 1 << 20
_PLAIN_PASSES = 6
_PASSES_PER_SHARE = 14
_MOST_PASSES = 100
# Maximum change of a weight of an order that has settled.
_TOLERANCE = 1e-3
# Largest share of orders that may not settle.
_MOST_UNSETTLED = 0.5

Orders = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EloRatings:
    """Ratings `[order, contestant]` and reviewer weights `[order, reviewer]`.

    `iterations` counts the passes over the battles; `residual` is the last change of a weight,
    averaged over the orders (0 for given weights). `unsettled` marks orders whose weights still
    change by more than 0.001 after 100 passes.
    """

    ratings: Floats
    weights: Floats
    iterations: int
    residual: float
    unsettled: npt.NDArray[np.bool_]


def elo(
    tournament: Tournament,
    *,
    weights: Floats | None = None,
    orders: int | Orders = 1000,
    seed: int = 0,
) -> EloRatings:
    """Compute Elo ratings over many random orders of the battles.

    Every contestant starts at 1000. A battle moves both ratings by 32 times the reviewer's weight
    (scaled to mean 1, as in Algorithm 1) times the difference between score and expectation; on a
    pair that only some reviewers judged, these share the weight (`share_pairs`). The
    result depends mostly on the last few dozen battles: on Vicuna80 the standard deviation of a
    rating between orders is 35 to 46 points. A contestant without a counting battle is NaN.

    Args:
        tournament: unreadable battles are excluded.
        weights: weight by reviewer, in the order of `tournament.reviewers`, summing to 1: one row
            for all orders or one for each; `None` weights all equally.
        orders: number of random orders, or the orders as indices of the counting battles,
            `[order, position]`; the index after the last battle is padding.
        seed: seed of the random orders.
    """
    rows, held, sequence = _set_up(tournament, weights, orders, seed)
    ratings = _play(rows, held, sequence)
    settled = np.zeros(len(sequence), dtype=np.bool_)
    return EloRatings(ratings=ratings, weights=held, iterations=1, residual=0.0, unsettled=settled)


def elo_trajectory(
    tournament: Tournament,
    *,
    every: int,
    weights: Floats | None = None,
    orders: int | Orders = 1000,
    seed: int = 0,
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Compute the ratings of `elo` after every `every` battles (PRD Figure 4).

    The last step is after all battles and equals `elo`. A single order is mostly noise; use the mean
    over the orders and their spread.

    Returns:
        The number of battles at each step, from 0, and the ratings `[step, order, contestant]`.
    """
    if every < 1:
        msg = f"every must be at least 1 battle, not {every}"
        raise DataError(msg)
    rows, held, sequence = _set_up(tournament, weights, orders, seed)
    steps: list[Floats] = []
    last = _play(rows, held, sequence, every, steps)
    length = sequence.shape[1]
    if length % every:
        steps.append(last)
    start = np.full_like(last, _START)
    start[:, rows.idle] = np.nan
    battles = np.minimum(np.arange(len(steps) + 1, dtype=np.int64) * every, length)
    return battles, np.stack([start, *steps])


def elo_peer(
    tournament: Tournament,
    *,
    orders: int | Orders = 1000,
    seed: int = 0,
    insist: bool = True,
) -> EloRatings:
    """Compute Elo ratings with the peer weights of PRD section 3.1.2.

    The weights are `Normalize(MinMax(ratings))`, iterated **within each order**; ratings and weights
    are then averaged over the orders. This reproduces the published numbers; iterating on the mean
    ratings puts GPT-4 about 12 points higher. In some orders the plain iteration oscillates, so after
    a few passes each step is halved, and halved again later, which has the same fixed points.

    An order has settled when no weight changes by more than 0.001. Orders that still change after 100
    passes (1 of 1,000 on Vicuna80, 19 of 1,000 on the quickstart) are marked in `unsettled` and count
    with their last weights. Against ten times as many, smaller steps, this moves a mean weight of the
    quickstart by at most 0.0003; leaving these orders out moves it by 0.004, as much as its standard
    error over 1,000 orders (0.005), because orders that settle are not a random choice. With 12 % of
    the orders unsettled (3 questions of the quickstart), the last weights are off by 0.002. Where more
    than half of the orders do not settle, there is no result.

    Args:
        tournament: see `elo`.
        orders: see `elo`.
        seed: see `elo`.
        insist: raise if most orders do not settle; otherwise return the last pass.

    Raises:
        ConvergenceError: more than half of the orders do not settle within 100 passes.
        UnconnectedError: no battles connect the reviewers as contestants.
    """
    at = contestant_columns(tournament.own, tournament.contestants)
    check_connected(win_rates(tournament).met, at, tournament.contestants)
    own = np.where(at >= 0, 0.0, np.nan)
    rows, equal, sequence = _set_up(tournament, None, orders, seed)
    weights = equal.copy()
    ratings = np.full((len(sequence), rows.size), _START)
    change = np.full(len(sequence), np.inf)
    passes = 0
    while (change > _TOLERANCE).any() and passes < _MOST_PASSES:
        passes += 1
        active = np.flatnonzero(change > _TOLERANCE)
        held = weights[active]
        ratings[active] = _play(rows, held, sequence[active])
        wanted = min_max(ratings[active][:, at] + own)
        change[active] = np.abs(wanted - held).max(axis=1)
        weights[active] = held + _step_share(passes) * (wanted - held)
    residual, unsettled = float(change.mean()), change > _TOLERANCE
    if insist and unsettled.mean() > _MOST_UNSETTLED:
        msg = (
            f"Elo peer weights did not converge: in {np.count_nonzero(unsettled):,} of "
            f"{len(sequence):,} orders of the battles a weight still changes by more than "
            f"{_TOLERANCE:.3g} after {passes} passes (on average over all orders by {residual:.3g}); "
            "this scheme may oscillate; use scheme 'damped'"
        )
        raise ConvergenceError(msg)
    return EloRatings(
        ratings=ratings,
        weights=weights,
        iterations=passes,
        residual=residual,
        unsettled=unsettled,
    )


def _step_share(passes: int) -> float:
    """Return the share of a step that is taken: all at first, then less, which damps oscillations."""
    if passes <= _PLAIN_PASSES:
        return 1.0
    return 0.5 ** (1 + (passes - _PLAIN_PASSES) // _PASSES_PER_SHARE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    # `value` is the first contestant's score; `idle` marks contestants without a battle. `judged` is
    # `[reviewer, (contestant, opponent)]` where reviewers judged different pairs. The last row is
    # padding: its reviewer has weight 0.
    reviewer: Orders
    judged: Floats | None
    first: Orders
    second: Orders
    value: Floats
    size: int
    idle: npt.NDArray[np.bool_]


def _rows(tournament: Tournament) -> _Rows:
    keep = tournament.readable
    if not keep.any():
        msg = "no readable battles to rate"
        raise DataError(msg)
    first, second = tournament.first[keep], tournament.second[keep]
    size, judges = len(tournament.contestants), len(tournament.reviewers)
    uneven = win_rates(tournament).uneven
    return _Rows(
        reviewer=np.append(tournament.reviewer[keep], np.int32(judges)),
        judged=None if uneven is None else uneven.judged.reshape(judges, -1).astype(np.float64),
        first=np.append(first, np.int32(0)),
        second=np.append(second, np.int32(1)),
        value=np.append((1.0 - tournament.score[keep]) / 2.0, 0.5),
        size=size,
        idle=np.bincount(np.concatenate([first, second]), minlength=size) == 0,
    )


def _set_up(
    tournament: Tournament, weights: Floats | None, orders: int | Orders, seed: int
) -> tuple[_Rows, Floats, Orders]:
    """Return the battles, the weights `[order, reviewer]`, and the orders `[order, position]`."""
    rows, judges = _rows(tournament), len(tournament.reviewers)
    share = np.full(judges, 1.0 / judges) if weights is None else weights
    sequence = _orders(orders, len(rows.value) - 1, seed)
    return rows, np.broadcast_to(share, (len(sequence), judges)), sequence


def _orders(orders: int | Orders, length: int, seed: int) -> Orders:
    if not isinstance(orders, int):
        return orders
    if orders < 1:
        msg = f"Elo needs at least one order of the battles, not {orders}"
        raise DataError(msg)
    positions = np.tile(np.arange(length, dtype=np.int32), (orders, 1))
    return np.random.default_rng(seed).permuted(positions, axis=1, out=positions)


def _play(
    rows: _Rows,
    weights: Floats,
    sequence: Orders,
    every: int = 0,
    steps: list[Floats] | None = None,
) -> Floats:
    """Update ratings along all sequences in parallel; weights `[order, reviewer]` sum to 1.

    Appends the ratings after every `every` battles to `steps`.
    """
    orders, length = sequence.shape
    judges = weights.shape[1]
    moves = np.zeros((orders, judges + 1))
    held = weights if rows.judged is None else weights + LEAST
    moves[:, :judges] = held * (judges * _STEP * _UNIT)
    # The weight of the reviewers that judged a pair: these share the weight of all (`share_pairs`).
    present = None if rows.judged is None else np.maximum(held @ rows.judged, LEAST)
    flat, ratings = moves.ravel(), np.zeros(orders * rows.size)
    lane = np.arange(orders, dtype=np.intp)
    row, judge_row = lane * rows.size, lane * (judges + 1)
    span = max(1, _BLOCK // orders)
    # Blocks end at steps.
    ends = sorted({*range(span, length, span), *range(every or length, length, every or length)})
    for start, end in pairwise([0, *ends, length]):
        block = sequence[:, start:end].T
        first, second = rows.first[block] + row, rows.second[block] + row
        step, value = flat[rows.reviewer[block] + judge_row], rows.value[block]
        if present is not None:
            step /= present[lane, rows.first[block] * rows.size + rows.second[block]]
        for one, other, weight, won in zip(first, second, step, value, strict=True):
            left, right = ratings[one], ratings[other]
            move = weight * (won - 1.0 / (1.0 + np.exp(right - left)))
            ratings[one] = left + move
            ratings[other] = right - move
        if steps is not None and end % every == 0:
            steps.append(_played(rows, ratings, orders))
    return _played(rows, ratings, orders)


def _played(rows: _Rows, ratings: Floats, orders: int) -> Floats:
    played = _START + ratings.reshape(orders, rows.size) / _UNIT
    played[:, rows.idle] = np.nan
    return played
