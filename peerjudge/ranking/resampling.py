"""Bootstrap over questions: scores and weights of resampled tournaments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.errors import DataError
from peerjudge.ranking.elo_ratings import elo, elo_peer
from peerjudge.ranking.graphs import Members, find_groups
from peerjudge.ranking.strengths import are_connected, estimate_strengths
from peerjudge.ranking.tally import Floats, add_sides, divide_known, share_pairs, win_rates
from peerjudge.ranking.tournament import contestant_columns, without_mute
from peerjudge.ranking.weights import Convergence, peer_weights, weighted_scores

Indices = npt.NDArray[np.int32]
Counts = npt.NDArray[np.float32]

# (question, reviewer, contestant, outcome) cells counted at a time, which bounds the memory.
_MOST_CELLS = 1 << 23
_OUTCOMES = 3
# Below this ratio of battles to cells, counting the battles of each sample is faster.
_SPARSE = 1 / 64
# Points are doubled to be whole numbers; in single precision these are exact up to this value.
_EXACT = 1 << 24
# Directions in which samples spread less than this share of the most are exact sums of others.
_SINGULAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Counting battles as columns; `question` is renumbered without gaps.

    `judged` is `[reviewer, contestant, opponent]` where reviewers judged different pairs; `groups`
    are those of `find_groups`.
    """

    question: Indices
    reviewer: Indices
    first: Indices
    second: Indices
    score: npt.NDArray[np.int8]
    questions: int
    judges: int
    size: int
    judged: npt.NDArray[np.bool_] | None
    groups: Sequence[Members]


def select_rows(tournament: Tournament) -> Rows:
    """Select the readable battles of a tournament."""
    keep = tournament.readable
    part = slice(None) if keep.all() else keep
    asked = tournament.question[part]
    present = np.bincount(asked, minlength=len(tournament.questions)) > 0
    tally = win_rates(tournament)
    renumbered = (np.cumsum(present) - 1).astype(np.int32)
    return Rows(
        question=renumbered[asked],
        reviewer=tournament.reviewer[part],
        first=tournament.first[part],
        second=tournament.second[part],
        score=tournament.score[part],
        questions=int(np.count_nonzero(present)),
        judges=len(tournament.reviewers),
        size=len(tournament.contestants),
        judged=None if tally.uneven is None else tally.uneven.judged,
        groups=find_groups(tally.met),
    )


def rates_by_sample(rows: Rows, draws: Floats) -> Floats:
    """Return `Tally.comparable_rates` of every sample, with questions repeated `draws` times."""
    if rows.judged is None:
        return win_rates_by_sample(rows, draws)
    points = np.stack([draws @ table for table in _points_by_judge(rows)], axis=1)
    points = points.reshape(len(draws), rows.judges, rows.size, rows.size)
    battles = points + points.transpose(0, 1, 3, 2)
    return divide_known(points, battles)


def win_rates_by_sample(rows: Rows, draws: Floats) -> Floats:
    """Return win rates `[sample, reviewer, contestant]` with questions repeated `draws` times.

    `draws` is `[sample, question]`. NaN if a reviewer never saw a contestant in a sample.
    """
    result = np.full((len(draws), rows.judges, rows.size), np.nan)
    cells = rows.questions * rows.size * _OUTCOMES
    if len(rows.score) < _SPARSE * cells * rows.judges:
        for sample, times in zip(result, draws, strict=True):
            _divide(*_weighted(rows, times), out=sample)
        return result
    per_part = max(1, _MOST_CELLS // cells)
    for begin in range(0, rows.judges, per_part):
        judges = range(begin, min(begin + per_part, rows.judges))
        part = result[:, judges.start : judges.stop]
        points, battles = _by_question(rows, judges)
        exact = rows.questions * max(float(battles.max()), 1.0) * 2.0 < _EXACT
        times = draws.astype(np.float32) if exact else draws
        shape = (len(draws), len(judges), rows.size)
        drawn = [(times @ table).reshape(shape) for table in (points, battles)]
        _divide(drawn[0], drawn[1], out=part)
    return result


def head_to_head_by_sample(rows: Rows, draws: Floats, weights: Floats) -> Floats:
    """Return the points of row against column, `[sample, row, column]`.

    Questions are repeated `draws` times; each battle counts `weights[sample, reviewer]` times the
    number of reviewers.
    """
    shape = (len(draws), rows.size, rows.size)
    total = np.zeros((len(draws), rows.size**2))
    share = None if rows.judged is None else share_pairs(weights, rows.judged)
    for judge, points in enumerate(_points_by_judge(rows)):
        worth = (
            weights[:, judge, None] if share is None else share[:, judge].reshape(len(draws), -1)
        )
        total += worth * rows.judges * (draws @ points)
    return total.reshape(shape)


def _points_by_judge(rows: Rows) -> Iterator[Floats]:
    """Yield the points of row against column, `[question, (row, column)]`, of every reviewer."""
    area = rows.size**2
    cells = rows.questions * area
    for judge in range(rows.judges):
        part = np.flatnonzero(rows.reviewer == judge)
        row, lost = rows.question[part].astype(np.intp) * area, (rows.score[part] + 1) / 2.0
        first, second = rows.first[part], rows.second[part]
        one, other = row + first * rows.size + second, row + second * rows.size + first
        yield add_sides(one, other, 1.0 - lost, lost, cells).reshape(-1, area)


def _by_question(rows: Rows, judges: range) -> tuple[Counts, Counts]:
    """Count doubled points and battles `[question, (reviewer, contestant)]` of some reviewers."""
    part: slice | npt.NDArray[np.intp] = slice(None)
    if len(judges) < rows.judges:
        among = (rows.reviewer >= judges.start) & (rows.reviewer < judges.stop)
        part = np.flatnonzero(among)
    outcome = rows.score[part].astype(np.int32)
    outcome += 1
    cell = rows.question[part] * np.int32(len(judges))
    cell += rows.reviewer[part]
    cell -= np.int32(judges.start)
    cell *= np.int32(rows.size)
    shape = (rows.questions, len(judges) * rows.size, _OUTCOMES)
    cells = shape[0] * shape[1] * _OUTCOMES
    as_first, as_second = (
        np.bincount((cell + side) * np.int32(_OUTCOMES) + outcome, minlength=cells).reshape(shape)
        for side in (rows.first[part], rows.second[part])
    )
    points = 2 * (as_first[..., 0] + as_second[..., 2]) + as_first[..., 1] + as_second[..., 1]
    battles = as_first.sum(axis=2) + as_second.sum(axis=2)
    return points.astype(np.float32), battles.astype(np.float32)


def _weighted(rows: Rows, times: Floats) -> tuple[Floats, Floats]:
    """Count doubled points and battles `[reviewer, contestant]` with questions repeated `times`."""
    shape, cells = (rows.judges, rows.size), rows.judges * rows.size
    weight = times[rows.question]
    row = rows.reviewer.astype(np.intp) * rows.size
    lost = weight * (rows.score + 1)
    first, second = row + rows.first, row + rows.second
    points = add_sides(first, second, 2.0 * weight - lost, lost, cells)
    battles = add_sides(first, second, weight, weight, cells)
    return points.reshape(shape), battles.reshape(shape)


def _divide(points: Floats | Counts, battles: Floats | Counts, *, out: Floats) -> None:
    """Compute win rates from doubled points where there was a battle."""
    # The counts are exact in single precision; their quotient is not.
    np.divide(points, 2 * battles, out=out, where=battles > 0, dtype=np.float64)


# (sample, reviewer, contestant) win rates held at a time, which bounds the memory.
_MOST_RATES = 1 << 25
# Orders of the battles in each sample: two or more show how much of its spread is due to the orders.
_ORDERS = 4
# (order, battle) entries at a time, which bounds the memory.
_MOST_BATTLES = 1 << 25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resamples:
    """Scores `[sample, contestant]` and weights `[sample, reviewer]` of resampled tournaments.

    In `unsettled` samples the peer weights did not converge, and the last ones are used; in `propped`
    samples Bradley-Terry had no finite estimate, and got one tied battle between every pair.
    """

    scores: Floats
    weights: Floats
    unsettled: int
    propped: int


def bootstrap(
    tournament: Tournament,
    *,
    scoring: Scoring,
    weights: Floats | None,
    scheme: Scheme = Scheme.PRD,
    samples: int = 1000,
    seed: int = 0,
    prior: float = 0.0,
) -> Resamples:
    """Compute scores and weights of tournaments of resampled questions.

    Reviews of one question share its difficulty, so a question is drawn with all its reviews. For
    win rates and Bradley-Terry, all samples are one matrix product of multiplicities and counts.
    Peer weights are iterated in every sample (from win rates; with Elo and `prd`, from Elo). Steps
    that oscillate are halved.

    Elo is the mean over orders of the battles, and so are its samples: each has four random orders,
    and the spread that is left to the orders is taken out (`_settle_orders`).

    Args:
        tournament: unreadable battles are excluded.
        scoring: score of a contestant.
        weights: weight by reviewer, summing to 1; `None` computes peer weights in each sample.
        scheme: scheme of the peer weights.
        samples: number of resamples.
        seed: seed of the resamples.
        prior: tied battles added to every pair of every sample (Bradley-Terry).
    """
    readable = np.count_nonzero(tournament.readable)
    if not readable or samples < 1:
        msg = f"cannot draw {samples} resamples of {readable} readable battles"
        raise DataError(msg)
    draws = draw_questions(tournament, samples=samples, seed=seed)
    return score_samples(
        tournament, draws, scoring=scoring, weights=weights, scheme=scheme, seed=seed, prior=prior
    )


def score_samples(
    tournament: Tournament,
    draws: Floats,
    *,
    scoring: Scoring,
    weights: Floats | None,
    scheme: Scheme = Scheme.PRD,
    seed: int = 0,
    prior: float = 0.0,
) -> Resamples:
    """Compute what `bootstrap` does for given samples, `[sample, question with a readable battle]`."""
    rows = select_rows(tournament)
    if scoring == Scoring.ELO and scheme == Scheme.PRD and weights is None:
        return _play_samples(tournament, rows, draws, None, seed)
    scores = np.empty((len(draws), rows.size))
    held, unsettled, propped = np.empty((len(draws), rows.judges)), 0, 0
    if weights is not None:
        held[:] = weights
    if scoring == Scoring.WIN_RATE or weights is None:
        at = contestant_columns(tournament.own, tournament.contestants)
        for part, given in _rates_in_parts(rows, draws):
            if weights is None:
                held[part], lost = _settle(given, at, scheme)
                unsettled += lost
            scores[part] = weighted_scores(held[part], given)
    if scoring == Scoring.BRADLEY_TERRY:
        points = head_to_head_by_sample(rows, draws, held)
        scores, propped = _strengths(points, prior, rows.groups)
    elif scoring == Scoring.ELO:
        scores = _play_samples(tournament, rows, draws, held, seed).scores
    return Resamples(scores=scores, weights=held, unsettled=unsettled, propped=propped)


def questions_alike(tournament: Tournament) -> bool:
    """Return whether all questions have the same battles with the same results, by reviewer.

    Resamples of such questions are all alike, apart from the orders of an Elo rating.
    """
    rows = select_rows(tournament)
    turn = rows.first > rows.second
    battles = np.stack(
        [
            rows.question,
            rows.reviewer,
            np.where(turn, rows.second, rows.first),
            np.where(turn, rows.first, rows.second),
            np.where(turn, -rows.score, rows.score),
        ]
    )
    each, left_over = divmod(battles.shape[1], rows.questions)
    if left_over or np.any(np.bincount(rows.question) != each):
        return False
    by_question = battles[1:, np.lexsort(battles[::-1])].reshape(4, rows.questions, each)
    return bool(np.all(by_question == by_question[:, :1]))


def weigh_samples(tournament: Tournament, draws: Floats, *, scheme: Scheme) -> tuple[Floats, int]:
    """Return peer weights `[sample, reviewer]`, and the number of samples that did not settle.

    Args:
        tournament: unreadable battles are excluded.
        draws: how often each sample draws each question of the tournament, `[sample, question]`.
        scheme: scheme of the peer weights.
    """
    names = tournament.reviewers
    tournament, mute = without_mute(tournament)
    rows = select_rows(tournament)
    present = np.unique(tournament.question[tournament.readable])
    at = contestant_columns(tournament.own, tournament.contestants)
    held, unsettled = np.zeros((len(draws), len(names))), 0
    read = [column for column, name in enumerate(names) if name not in mute]
    for part, given in _rates_in_parts(rows, draws[:, present]):
        weights, lost = _settle(given, at, scheme)
        held[part.start : part.stop, read] = weights
        unsettled += lost
    return held, unsettled


def _settle(rates: Floats, at: npt.NDArray[np.int64], scheme: Scheme) -> tuple[Floats, int]:
    criteria = Convergence()
    held, _, change = peer_weights(rates, at, scheme=scheme, criteria=criteria, relax=True)
    return held, int(np.count_nonzero(change > criteria.tolerance))


def _play_samples(
    tournament: Tournament, rows: Rows, draws: Floats, held: Floats | None, seed: int
) -> Resamples:
    """Return Elo ratings of the samples, with these weights or with those of PRD."""
    ratings = np.empty((len(draws), _ORDERS, rows.size))
    weights = np.empty((len(draws), _ORDERS, rows.judges))
    unsettled, span = 0, max(1, _MOST_BATTLES // (_ORDERS * max(len(rows.question), 1)))
    random = np.random.default_rng([seed, 1])
    for start in range(0, len(draws), span):
        part = slice(start, start + span)
        orders = _orders(rows, np.repeat(draws[part], _ORDERS, axis=0), random)
        if held is None:
            played = elo_peer(tournament, orders=orders, insist=False)
            unsettled += int(played.unsettled.reshape(-1, _ORDERS).any(axis=1).sum())
        else:
            played = elo(tournament, weights=np.repeat(held[part], _ORDERS, axis=0), orders=orders)
        ratings[part] = played.ratings.reshape(-1, _ORDERS, rows.size)
        weights[part] = played.weights.reshape(-1, _ORDERS, rows.judges)
    return Resamples(
        scores=_settle_orders(ratings),
        weights=_settle_orders(weights),
        unsettled=unsettled,
        propped=0,
    )


def _settle_orders(values: Floats) -> Floats:
    """Return the means over orders of `[sample, order, column]` without the spread due to the orders.

    The covariance of these means over samples is that of the questions plus, for k orders, 1/k of
    that of the orders. The second part is estimated within the samples and taken out by the linear
    map that leaves the first.
    """
    mean = values.mean(axis=1)
    known = ~np.isnan(mean).any(axis=0)
    if len(values) < 2 or not known.any():
        return mean
    within = (values - mean[:, None])[:, :, known]
    count = values.shape[1]
    among = np.einsum("sok,sol->kl", within, within) / (len(values) * (count - 1) * count)
    centre = mean[:, known].mean(axis=0)
    total = np.cov(mean[:, known], rowvar=False).reshape(among.shape)
    lengths, axes = np.linalg.eigh(total)
    firm = lengths > lengths.max() * _SINGULAR
    white = axes[:, firm] / np.sqrt(lengths[firm])
    kept, turns = np.linalg.eigh(np.eye(int(firm.sum())) - white.T @ among @ white)
    shrink = (turns * np.sqrt(np.maximum(kept, 0.0))) @ turns.T
    colour = (axes[:, firm] * np.sqrt(lengths[firm])).T
    result = mean.copy()
    result[:, known] = centre + (mean[:, known] - centre) @ white @ shrink @ colour
    return result


def draw_questions(tournament: Tournament, *, samples: int, seed: int) -> Floats:
    """Draw how often each question with a readable battle occurs in each sample, `[sample, question]`."""
    questions = len(np.unique(tournament.question[tournament.readable]))
    chances = np.full(questions, 1.0 / questions)
    drawn = np.random.default_rng(seed).multinomial(questions, chances, size=samples)
    return drawn.astype(np.float64)


def _rates_in_parts(rows: Rows, draws: Floats) -> Iterator[tuple[slice, Floats]]:
    rates = rows.judges * rows.size * (1 if rows.judged is None else rows.size)
    span = max(1, _MOST_RATES // rates)
    for start in range(0, len(draws), span):
        part = slice(start, start + span)
        yield part, rates_by_sample(rows, draws[part])


def _strengths(points: Floats, prior: float, groups: Sequence[Members]) -> tuple[Floats, int]:
    """Return the strengths, and the number of samples that needed a tied battle between all pairs."""
    levels = np.full(points.shape[:2], np.nan)
    propped = np.zeros(len(points), dtype=np.bool_)
    for group in groups:
        even = 1.0 - np.eye(len(group))
        among = points[:, group[:, None], group] + prior / 2.0 * even
        lost = ~are_connected(among)
        among[lost] += 0.5 * even
        propped |= lost
        levels[:, group] = estimate_strengths(among)
    return levels, int(propped.sum())


def _orders(rows: Rows, draws: Floats, random: np.random.Generator) -> npt.NDArray[np.int32]:
    """Return the battles of each sample in random order, padded with the index after the last."""
    battles = np.arange(len(rows.question), dtype=np.int32)
    times = draws.astype(np.int64)
    drawn = [random.permutation(np.repeat(battles, time[rows.question])) for time in times]
    padded = np.full((len(draws), max(map(len, drawn))), len(battles), dtype=np.int32)
    for row, order in zip(padded, drawn, strict=True):
        row[: len(order)] = order
    return padded
