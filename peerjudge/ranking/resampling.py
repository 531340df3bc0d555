"""How sure a ranking is: the bootstrap that resamples questions, not reviews."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.errors import DataError
from peerjudge.ranking.elo_ratings import elo, elo_peer
from peerjudge.ranking.strengths import comparable, strengths
from peerjudge.ranking.tally import Floats, counted
from peerjudge.ranking.weights import Settling, peer_weights, places, scores_under

__all__ = ["Bounds", "bootstrap", "bounds", "ranks"]

# How many (question, reviewer, contestant) counts enter one matrix product: bounds the memory.
_PRODUCT = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds:
    """By contestant: the bounds of its score and of its rank."""

    low: Floats
    high: Floats
    rank_low: npt.NDArray[np.int64]
    rank_high: npt.NDArray[np.int64]


def bootstrap(
    tournament: Tournament,
    *,
    scoring: Scoring,
    weights: Floats | None,
    scheme: Scheme = Scheme.PRD,
    samples: int = 1000,
    seed: int = 0,
    exclude_self: bool = False,
    settling: Settling | None = None,
) -> Floats:
    """Scores `[sample, contestant]` of tournaments made of resampled questions.

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
        exclude_self: leave out battles in which the reviewer is a contestant.
        settling: of the peer weights; samples that do not settle go half the way each pass.
    """
    keep = counted(tournament, exclude_self=exclude_self)
    if not keep.any() or samples < 1:
        msg = f"cannot draw {samples} samples of {np.count_nonzero(keep)} readable battles"
        raise DataError(msg)
    rows = _rows(tournament, keep)
    draws = _draws(rows.questions, samples, seed)
    at = places(tournament.reviewers, tournament.contestants)
    within_elo = scoring == Scoring.ELO and scheme == Scheme.PRD and weights is None
    needs_rates = scoring == Scoring.WIN_RATE or (weights is None and not within_elo)
    rates = _rates(rows, draws) if needs_rates else np.empty(0)
    if weights is not None:
        held = np.tile(weights, (samples, 1))
    elif not within_elo:
        held = peer_weights(rates, at, scheme=scheme, settling=settling or Settling(), relax=True)[
            0
        ]
    else:
        held = np.empty(0)
    if scoring == Scoring.WIN_RATE:
        return scores_under(held, rates)
    if scoring == Scoring.BRADLEY_TERRY:
        return _strengths(_pairs(rows, draws, held))
    orders = _orders(rows, draws, seed)
    if within_elo:
        return elo_peer(tournament, orders=orders, exclude_self=exclude_self).ratings
    return elo(tournament, weights=held, orders=orders, exclude_self=exclude_self).ratings


def bounds(scores: Floats, *, level: float = 0.95) -> Bounds:
    """The percentile bounds of scores `[sample, contestant]`, and of the ranks they make."""
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    low, high = np.full((2, scores.shape[1]), np.nan)
    known = ~np.all(np.isnan(scores), axis=0)
    low[known], high[known] = np.nanquantile(scores[:, known], tails, axis=0)
    place = ranks(scores)
    best = np.quantile(place, tails[0], axis=0, method="lower")
    worst = np.quantile(place, tails[1], axis=0, method="higher")
    return Bounds(
        low=low,
        high=high,
        rank_low=best.astype(np.int64),
        rank_high=worst.astype(np.int64),
    )


def ranks(scores: Floats) -> npt.NDArray[np.int64]:
    """1 for the best along the last axis; equal scores share the better rank; NaN comes last."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    better = known[..., None, :] > known[..., :, None] + 1e-9
    return 1 + better.sum(axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    # The battles that count; `question` is renumbered to those that have any.
    question: npt.NDArray[np.intp]
    reviewer: npt.NDArray[np.int32]
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    lost: Floats
    questions: int
    judges: int
    size: int

    def by_reviewer(self) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
        """Each reviewer with the places of its battles."""
        # Two-byte keys make the stable sort a radix sort, several times faster.
        keys = self.reviewer.astype(np.uint16) if self.judges < 1 << 16 else self.reviewer
        order = np.argsort(keys, kind="stable")
        ends = np.cumsum(np.bincount(self.reviewer, minlength=self.judges))
        yield from enumerate(np.split(order, ends[:-1]))


def _rows(tournament: Tournament, keep: npt.NDArray[np.bool_]) -> _Rows:
    asked = tournament.question[keep]
    present = np.bincount(asked, minlength=len(tournament.questions)) > 0
    renumbered = np.cumsum(present, dtype=np.intp) - 1
    return _Rows(
        question=renumbered[asked],
        reviewer=tournament.reviewer[keep],
        first=tournament.first[keep].astype(np.intp),
        second=tournament.second[keep].astype(np.intp),
        lost=(tournament.score[keep] + 1) / 2.0,
        questions=int(np.count_nonzero(present)),
        judges=len(tournament.reviewers),
        size=len(tournament.contestants),
    )


def _draws(questions: int, samples: int, seed: int) -> Floats:
    """How often each sample `[sample, question]` draws each question."""
    chances = np.full(questions, 1.0 / questions)
    drawn = np.random.default_rng(seed).multinomial(questions, chances, size=samples)
    return drawn.astype(np.float64)


def _rates(rows: _Rows, draws: Floats) -> Floats:
    """`[sample, reviewer, contestant]`: the win rates of each sample."""
    rates = np.full((len(draws), rows.judges, rows.size), np.nan)
    cells = rows.questions * rows.size
    per_product = max(1, _PRODUCT // (2 * cells))
    tables: list[Floats] = []
    for judge, part in rows.by_reviewer():
        row, lost = rows.question[part] * rows.size, rows.lost[part]
        first, second = row + rows.first[part], row + rows.second[part]
        points = np.bincount(first, 1.0 - lost, cells) + np.bincount(second, lost, cells)
        battles = np.bincount(first, minlength=cells) + np.bincount(second, minlength=cells)
        both = np.stack([points, battles]).astype(np.float64)
        tables.append(both.reshape(2, rows.questions, rows.size))
        if len(tables) == per_product or judge == rows.judges - 1:
            block = np.stack(tables).transpose(2, 0, 1, 3).reshape(rows.questions, -1)
            drawn = (draws @ block).reshape(len(draws), len(tables), 2, rows.size)
            won, fought = drawn[:, :, 0], drawn[:, :, 1]
            begun = judge + 1 - len(tables)
            np.divide(won, fought, out=rates[:, begun : judge + 1], where=fought > 0)
            tables.clear()
    return rates


def _pairs(rows: _Rows, draws: Floats, weights: Floats) -> Floats:
    """`[sample, row, column]`: the weighted points of row against column in each sample."""
    area = rows.size**2
    total = np.zeros((len(draws), area))
    for judge, part in rows.by_reviewer():
        row, lost = rows.question[part] * area, rows.lost[part]
        first, second = rows.first[part], rows.second[part]
        cells = rows.questions * area
        points = np.bincount(row + first * rows.size + second, 1.0 - lost, cells)
        points = points + np.bincount(row + second * rows.size + first, lost, cells)
        total += weights[:, judge, None] * rows.judges * (draws @ points.reshape(-1, area))
    return total.reshape(len(draws), rows.size, rows.size)


def _strengths(points: Floats) -> Floats:
    judged = np.flatnonzero((points + points.transpose(0, 2, 1)).any(axis=(0, 2)))
    among = points[:, judged[:, None], judged]
    lost = ~comparable(among)
    among[lost] += 0.5 * (1.0 - np.eye(len(judged)))
    levels = np.full(points.shape[:2], np.nan)
    levels[:, judged] = strengths(among)
    return levels


def _orders(rows: _Rows, draws: Floats, seed: int) -> npt.NDArray[np.int32]:
    """Each sample's battles in a random order, padded with one past the last to equal length."""
    random = np.random.default_rng([seed, 1])
    battles = np.arange(len(rows.question), dtype=np.int32)
    times = draws.astype(np.int64)
    drawn = [random.permutation(np.repeat(battles, time[rows.question])) for time in times]
    padded = np.full((len(draws), max(map(len, drawn))), len(battles), dtype=np.int32)
    for row, order in zip(padded, drawn, strict=True):
        row[: len(order)] = order
    return padded
