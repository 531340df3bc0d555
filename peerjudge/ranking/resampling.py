"""Scores and weights in tournaments of resampled questions: the bootstrap by question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.errors import DataError
from peerjudge.ranking.elo_ratings import elo, elo_peer
from peerjudge.ranking.recount import Rows, pairs, rates, rows_of
from peerjudge.ranking.strengths import comparable, strengths
from peerjudge.ranking.tally import Floats, counted
from peerjudge.ranking.weights import Settling, peer_weights, places, scores_under

__all__ = ["Resampled", "bootstrap"]

# How many (sample, reviewer, contestant) win rates are held at a time: bounds the memory.
_MOST_RATES = 1 << 25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resampled:
    """Scores `[sample, contestant]` and the reviewer weights `[sample, reviewer]` behind them."""

    scores: Floats
    weights: Floats


def bootstrap(
    tournament: Tournament,
    *,
    scoring: Scoring,
    weights: Floats | None,
    scheme: Scheme = Scheme.PRD,
    samples: int = 1000,
    seed: int = 0,
    prior: float = 0.0,
    exclude_self: bool = False,
    settling: Settling | None = None,
) -> Resampled:
    """Scores and weights of tournaments made of resampled questions.

    Reviews of one question share its difficulty, so a question is drawn with all its reviews. For
    win rates and Bradley-Terry all samples are one matrix product of multiplicities and counts.
    Peer weights are found anew in every sample (from win rates; with Elo and `prd`, from Elo). An
    Elo sample is played in one random order, so its spread holds both sources of uncertainty. Where
    a sample has no finite Bradley-Terry estimate, one tied battle is added to every pair.

    Args:
        tournament: unreadable battles are left out.
        scoring: how contestants are scored.
        weights: by reviewer, summing to 1; `None` finds peer weights in each sample.
        scheme: of the peer weights.
        samples: how many.
        seed: of the draws.
        prior: of Bradley-Terry: so many tied battles are added to every pair of every sample.
        exclude_self: leave out battles in which the reviewer is a contestant.
        settling: of the peer weights; samples that do not settle go half the way each pass, and stay
            where they are in the end, because only the tournament itself has to settle.
    """
    keep = counted(tournament, exclude_self=exclude_self)
    if not keep.any() or samples < 1:
        msg = f"cannot draw {samples} samples of {np.count_nonzero(keep)} readable battles"
        raise DataError(msg)
    rows = rows_of(tournament, keep)
    draws = _draws(rows.questions, samples, seed)
    if scoring == Scoring.ELO and scheme == Scheme.PRD and weights is None:
        orders = _orders(rows, draws, seed)
        played = elo_peer(tournament, orders=orders, exclude_self=exclude_self, insist=False)
        return Resampled(scores=played.ratings, weights=played.weights)
    at = places(tournament.reviewers, tournament.contestants)
    scores = np.empty((samples, rows.size))
    held = np.empty((samples, rows.judges))
    if weights is not None:
        held[:] = weights
    if scoring == Scoring.WIN_RATE or weights is None:
        for part, given in _rates_in_parts(rows, draws):
            if weights is None:
                how = settling or Settling()
                held[part] = peer_weights(given, at, scheme=scheme, settling=how, relax=True)[0]
            scores[part] = scores_under(held[part], given)
    if scoring == Scoring.BRADLEY_TERRY:
        scores = _strengths(pairs(rows, draws, held), prior)
    elif scoring == Scoring.ELO:
        orders = _orders(rows, draws, seed)
        scores = elo(tournament, weights=held, orders=orders, exclude_self=exclude_self).ratings
    return Resampled(scores=scores, weights=held)


def _draws(questions: int, samples: int, seed: int) -> Floats:
    """How often each sample `[sample, question]` draws each question."""
    chances = np.full(questions, 1.0 / questions)
    drawn = np.random.default_rng(seed).multinomial(questions, chances, size=samples)
    return drawn.astype(np.float64)


def _rates_in_parts(rows: Rows, draws: Floats) -> Iterator[tuple[slice, Floats]]:
    span = max(1, _MOST_RATES // (rows.judges * rows.size))
    for start in range(0, len(draws), span):
        part = slice(start, start + span)
        yield part, rates(rows, draws[part])


def _strengths(points: Floats, prior: float) -> Floats:
    points = points + prior / 2.0 * (1.0 - np.eye(points.shape[1]))
    judged = np.flatnonzero((points + points.transpose(0, 2, 1)).any(axis=(0, 2)))
    among = points[:, judged[:, None], judged]
    lost = ~comparable(among)
    among[lost] += 0.5 * (1.0 - np.eye(len(judged)))
    levels = np.full(points.shape[:2], np.nan)
    levels[:, judged] = strengths(among)
    return levels


def _orders(rows: Rows, draws: Floats, seed: int) -> npt.NDArray[np.int32]:
    """Each sample's battles in a random order, padded with one past the last to equal length."""
    random = np.random.default_rng([seed, 1])
    battles = np.arange(len(rows.question), dtype=np.int32)
    times = draws.astype(np.int64)
    drawn = [random.permutation(np.repeat(battles, time[rows.question])) for time in times]
    padded = np.full((len(draws), max(map(len, drawn))), len(battles), dtype=np.int32)
    for row, order in zip(padded, drawn, strict=True):
        row[: len(order)] = order
    return padded
