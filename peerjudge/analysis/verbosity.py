"""Verbosity bias: a preference for longer answers, at equal quality and place."""

from __future__ import annotations

from math import exp, log, log2, nan
from typing import Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from peerjudge.analysis.ballots import Ballots, Bools, Floats, score_of
from peerjudge.analysis.grouping import average_by_group
from peerjudge.analysis.logistic import list_moves, student
from peerjudge.analysis.selecting import build_author_columns, number_judges, score_unswapped
from peerjudge.data import LEVEL, Measurement, Noun, replace
from peerjudge.statistics.clusters import draw_clusters
from peerjudge.statistics.interval import SHARE, measure_mean
from peerjudge.statistics.resampling import make_measurement

Control = Literal["gold", "peers", "none"]

_METHOD = "logistic regression, bootstrap by question"
_JACKKNIFE = "logistic regression, jackknife by question"
_MANY = 200
"""Questions from which bounds are a jackknife, which needs one regression in place of hundreds.

With 36 questions resampling reaches higher, [1.34, 1.87] for [1.29, 1.76]; with 10,000 both are the same."""
# Keeps the estimate finite where length or quality separate the choices without exception.
_RIDGE = 0.01
_STEPS = 50
# Steps shrink by their square: after one of a thousandth, a millionth is left.
_SETTLED = 1e-3
# Number of (sample, review) weights processed at a time: few enough for the cache of a core.
_BLOCK = 1 << 15


class Verbosity(Noun, frozen=True, kw_only=True):
    """The relation between the choices of a reviewer and the length of the answers.

    `longer` is the share of its choices that name the longer answer, `gold_longer` that of gold's
    on the same reviews. `odds` is the factor by which the odds of being chosen grow when an answer
    is twice as long, place, quality and authors being equal: 1 for a reviewer that ignores length;
    `first_odds` the odds of the first place with all else equal. `control` names the measure of
    quality besides the authors: gold, the other reviewers, or none.

    A verdict of gold is a coarse measure of quality. Where better answers are longer, length stands
    for the rest of it, and `odds` is an upper bound of the preference for length. `over_gold` needs
    no measure of quality: it is the reviewer's odds over gold's on the same pairs, both with place
    and authors held equal only; 1 where length counts for the reviewer as much as for gold. Chance
    in verdicts draws odds to 1, so a reviewer less sure than gold comes out below 1 where the better
    answers are the longer ones, and above where they are the shorter: look at both figures.
    """

    reviewer: str
    longer: Measurement
    gold_longer: Measurement | None
    odds: Measurement
    over_gold: Measurement | None
    first_odds: Measurement
    control: Control


def measure_verbosity(
    ballots: Ballots, *, seed: int = 0, samples: int = 500
) -> tuple[Verbosity, ...]:
    """Return a logistic regression of the choices (ties aside) on length, one row per reviewer.

    `logit P(first) = place + b log2(length of first / length of second) + c quality + s_first -
    s_second`, where quality is gold's score of the pair where there is gold, else the mean score of
    the other reviewers where there are any, and the s are strengths of the authors, where these are
    known and few beside the choices (the form is that of length-controlled AlpacaEval, Dubois et
    al. 2024, arXiv:2404.04475). Length is in characters. Bounds resample questions; with a single
    question, or if all lengths are equal, nothing is measured.

    Args:
        ballots: on pairs, see `select_judges`.
        seed: of the resampling.
        samples: number of resamples.
    """
    judges = number_judges(ballots)
    golden = not np.isnan(score_unswapped(ballots.gold_of)).all()
    control: Control = "gold" if golden else "peers" if len(judges) > 1 else "none"
    readable = ballots.where(ballots.readable)
    longer = log_length_ratios(readable)
    # Matrices are small, and threads of the linear algebra wait for each other on a busy machine.
    with threadpool_limits(1, user_api="blas"):
        return tuple(
            _measure_judge(readable, longer, judge, control=control, seed=seed, samples=samples)
            for judge in judges
        )


def log_length_ratios(ballots: Ballots) -> Floats:
    """Return log2 of the length of the first-shown answer over that of the second.

    The length of an answer is its number of characters plus 1.
    """
    pairs: list[list[int]] = ballots.lengths[:, :2].tolist()
    ratios = np.array([log2((one + 1) / (other + 1)) for one, other in pairs], dtype=np.float64)
    return np.where(ballots.swapped, -1.0, 1.0) * ratios[ballots.comparison]


def _measure_judge(
    ballots: Ballots,
    longer: Floats,
    judge: tuple[str, int],
    *,
    control: Control,
    seed: int,
    samples: int,
) -> Verbosity:
    name, code = judge
    score, gold = ballots.score, score_of(ballots.gold, ballots.first)
    chose = (ballots.reviewer == code) & (score != 0.0)
    apart = chose & (longer != 0.0)
    both = chose & np.isin(gold, (-1.0, 1.0))
    golden = both & apart

    def share_longer(chosen: Floats, rows: Bools) -> Measurement:
        hits = (chosen[rows] < 0) == (longer[rows] > 0)
        return measure_mean(hits.astype(np.float64), ballots.question[rows], limits=SHARE)

    def fit(given: Floats, chosen: Floats, rows: Bools) -> Floats:
        questions, at = np.unique(ballots.question[rows], return_inverse=True)
        if len(questions) < 2 or not np.ptp(longer[rows]):
            return np.full((1, given.shape[1]), np.nan)
        hits = (chosen[rows] < 0).astype(np.float64)
        if len(questions) >= _MANY:
            return _fit_moves(given[rows], hits, at)
        times = draw_clusters(len(questions), samples=samples, seed=seed)
        return _fit_samples(given[rows], hits, times, at)

    plain = [np.ones(len(ballots)), longer]
    quality = [] if control == "none" else [_quality(ballots, code, control)]
    given = np.column_stack([*plain, *quality, *build_author_columns(ballots, int(chose.sum()))])
    known = chose & ~np.isnan(given).any(axis=1)
    coefficients = fit(given, score, known)
    over: Floats | None = None
    if golden.any():
        alike = np.column_stack([*plain, *build_author_columns(ballots, int(both.sum()))])
        over = fit(alike, score, both) - fit(alike, gold, both)
    asked = [len(np.unique(ballots.question[rows])) for rows in (known, both)]
    return Verbosity(
        reviewer=name,
        longer=share_longer(score, apart),
        gold_longer=share_longer(gold, golden) if golden.any() else None,
        odds=_measure_odds(coefficients[:, 1], int(known.sum()), asked[0]),
        over_gold=None if over is None else _measure_odds(over[:, 1], int(both.sum()), asked[1]),
        first_odds=_measure_odds(coefficients[:, 0], int(known.sum()), asked[0]),
        control=control,
    )


def _quality(ballots: Ballots, judge: int, control: Control) -> Floats:
    """Return by how much the first-shown answer is rated better, from -1 to 1, by ballot."""
    if control == "gold":
        return -score_of(ballots.gold, ballots.first)
    others = ballots.where(ballots.reviewer != judge)
    score = score_unswapped(others.verdict)
    mean = average_by_group(others.comparison, score, len(ballots.comparisons))
    return np.where(ballots.swapped, 1.0, -1.0) * mean[ballots.comparison]


def _fit_samples(given: Floats, chosen: Floats, times: Floats, at: npt.NDArray[np.intp]) -> Floats:
    """Return the coefficients `[1 + sample, column]`: of all rows, and of the samples."""
    whole = fit_logistic(given, chosen, np.ones((1, len(chosen))))
    span = max(1, _BLOCK // len(chosen))
    drawn = [
        fit_logistic(given, chosen, times[start : start + span][:, at], start=whole[0])
        for start in range(0, len(times), span)
    ]
    return np.concatenate([whole, *drawn])


def _fit_moves(given: Floats, chosen: Floats, at: npt.NDArray[np.intp]) -> Floats:
    """Return the coefficients `[1 + question, column]`: of all rows, and how far each question moves them."""
    whole = fit_logistic(given, chosen, np.ones((1, len(chosen))))
    chance = 1.0 / (1.0 + np.exp(-(given @ whole[0])))
    stiffness = np.full(given.shape[1], _RIDGE)
    moves = list_moves(given, chosen - chance, chance * (1.0 - chance), at, stiffness=stiffness)
    return np.concatenate([whole, moves.steps])


MOST_ODDS = 100.0
"""Odds, and one over them, beyond which an interval says nothing."""


def _measure_odds(coefficients: Floats, n: int, questions: int) -> Measurement:
    """Return the odds of one coefficient: its value on the data, then on every sample or its moves.

    They are unknown where the samples leave them open: on data that an answer's length separates, only the
    ridge of the regression bounds a coefficient.
    """
    unknown = Measurement(value=nan, low=nan, high=nan, n=0, method=_METHOD)
    if np.isnan(coefficients[0]):
        return unknown
    value = float(coefficients[0])
    if questions >= _MANY:
        moves = coefficients[1:]
        error = ((questions - 1) / questions * float(moves @ moves)) ** 0.5
        reach = student(questions) * error
        measurement = Measurement(
            value=value, low=value - reach, high=value + reach, n=n, level=LEVEL, method=_JACKKNIFE
        )
    else:
        measurement = make_measurement(
            value, coefficients[1:], clusters=questions, n=n, limits=None
        )
    if max(-measurement.low, measurement.high) > log(MOST_ODDS):
        return unknown
    return replace(
        measurement,
        value=exp(measurement.value),
        low=exp(measurement.low),
        high=exp(measurement.high),
    )


def fit_logistic(
    given: Floats, chosen: Floats, times: Floats, *, start: Floats | None = None
) -> Floats:
    """Return coefficients `[sample, column]` of logistic regressions, weighted `times[sample, row]`.

    Newton's method on all samples at once, with a ridge of 0.01 (a penalty of half that times the
    square of every coefficient) that keeps separable data finite.

    Args:
        given: the explaining columns `[row, column]`, the constant included.
        chosen: 1 or 0 by row.
        times: number of times that each sample counts each row.
        start: initial coefficients, near the solution.
    """
    columns = given.shape[1]
    coefficients = np.zeros((len(times), columns)) + (0.0 if start is None else start)
    products = (given[:, :, None] * given[:, None, :]).reshape(len(given), -1)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(coefficients @ given.T, -35.0, 35.0)))
        slope = (times * (chosen - chance)) @ given - _RIDGE * coefficients
        curve = ((times * chance * (1.0 - chance)) @ products).reshape(-1, columns, columns)
        step = np.linalg.solve(curve + _RIDGE * np.eye(columns), slope[..., None])[..., 0]
        # A Newton step from far away can overshoot; no true odds ratio needs a longer one.
        longest = np.abs(step).max(axis=1, keepdims=True)
        coefficients = coefficients + step * np.minimum(1.0, 2.0 / np.maximum(longest, 2.0))
        if longest.max() < _SETTLED:
            break
    return coefficients
