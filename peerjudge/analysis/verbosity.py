"""Whether a reviewer takes length for quality, with quality and place held constant."""

from __future__ import annotations

from math import exp, nan
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import (
    SHARE,
    Floats,
    bootstrap_mean,
    draws,
    percentiles,
)
from peerjudge.analysis.judged import Judged
from peerjudge.data import Measurement, Noun

__all__ = ["Verbosity", "logistic", "verbosity"]

Control = Literal["gold", "peers", "none"]

Bools: TypeAlias = npt.NDArray[np.bool_]

_METHOD = "logistic regression, bootstrap by question"
# With fewer choices than this for every author, authors tell too little of quality.
_CHOICES_PER_AUTHOR = 10
# Keeps the estimate finite where length or quality separate the choices without exception.
_RIDGE = 0.01
_STEPS = 50
# Steps shrink by their square: after one of a thousandth, a millionth is left to go.
_SETTLED = 1e-3
# How many (sample, review) weights are gone through at a time: few enough for the cache of a core,
# without which this takes ten times as long.
_BLOCK = 1 << 15


class Verbosity(Noun, frozen=True, kw_only=True):
    """How a reviewer's choices go with the answers' length.

    `longer` is the share of its choices that name the longer answer, `gold_longer` that of gold's
    on the same reviews. `odds` is by how much the odds of being chosen grow when an answer is twice
    as long, place, quality and authors being equal: 1 for a reviewer who does not look at length;
    `first_odds` the odds of the first place with all else equal. `control` says what quality was
    taken from besides the authors: gold, the other reviewers, or nothing.

    A verdict of gold is a coarse measure of quality. Where better answers are longer, length stands
    for what it leaves out, and `odds` is an upper bound of the taste for length. `over_gold` needs
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


def verbosity(reviews: Judged, *, seed: int = 0, samples: int = 500) -> tuple[Verbosity, ...]:
    """One row per reviewer: a logistic regression of its choices (ties aside) on length.

    `logit P(first) = place + b log2(length of first / length of second) + c quality + s_first -
    s_second`, where quality is gold's score of the pair where there is gold, else the mean score of
    the other reviewers where there are any, and the s are strengths of the authors, where these are
    known and few beside the choices (the form is that of length-controlled AlpacaEval, Dubois et
    al. 2024, arXiv:2404.04475). Length is in characters. Bounds resample questions; from a single
    question, and where all lengths are equal, nothing is measured.
    """
    control: Control = (
        "gold"
        if not np.isnan(reviews.gold).all()
        else "peers"
        if len(reviews.reviewers) > 1
        else "none"
    )
    return tuple(
        _row(reviews, number, control=control, seed=seed, samples=samples)
        for number in range(len(reviews.reviewers))
    )


def _row(reviews: Judged, number: int, *, control: Control, seed: int, samples: int) -> Verbosity:
    chose = (reviews.reviewer == number) & (reviews.score != 0)
    apart = chose & (reviews.longer != 0.0)
    both = chose & np.isin(reviews.shown_gold, (-1.0, 1.0))
    golden = both & apart

    def names_longer(score: Floats, rows: Bools) -> Measurement:
        hits = (score[rows] < 0) == (reviews.longer[rows] > 0)
        return bootstrap_mean(
            hits.astype(np.float64), reviews.question[rows], limits=SHARE, seed=seed
        )

    plain = [np.ones(len(reviews)), reviews.longer]
    quality = [] if control == "none" else [_quality(reviews, number, control)]
    given = np.column_stack([*plain, *quality, *_authors(reviews, int(chose.sum()))])
    known = chose & ~np.isnan(given).any(axis=1)
    found = _coefficients(reviews, given, reviews.score < 0, known, seed=seed, samples=samples)
    over: Floats | None = None
    if golden.any():
        alike = np.column_stack([*plain, *_authors(reviews, int(both.sum()))])
        ours, golds = (
            _coefficients(reviews, alike, score < 0, both, seed=seed, samples=samples)
            for score in (reviews.score, reviews.shown_gold)
        )
        over = ours - golds
    return Verbosity(
        reviewer=reviews.reviewers[number],
        longer=names_longer(reviews.score.astype(np.float64), apart),
        gold_longer=names_longer(reviews.shown_gold, golden) if golden.any() else None,
        odds=_odds(found[:, 1], int(known.sum())),
        over_gold=None if over is None else _odds(over[:, 1], int(both.sum())),
        first_odds=_odds(found[:, 0], int(known.sum())),
        control=control,
    )


def _quality(reviews: Judged, number: int, control: Control) -> Floats:
    """Of every review, how much better the first-shown answer is held to be, from -1 to 1."""
    if control == "gold":
        return -reviews.shown_gold
    others = reviews.reviewer != number
    size = len(reviews.gold)
    own_order = np.where(reviews.swapped, -reviews.score, reviews.score)[others]
    total = np.bincount(reviews.comparison[others], own_order, size)
    count = np.bincount(reviews.comparison[others], minlength=size)
    mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    return np.where(reviews.swapped, 1.0, -1.0) * mean[reviews.comparison]


def _authors(reviews: Judged, choices: int) -> list[Floats]:
    """A column per author: 1 where it wrote the first-shown answer, -1 where it wrote the second."""
    if choices < _CHOICES_PER_AUTHOR * len(reviews.authors):
        return []
    turned = np.where(reviews.swapped, -1.0, 1.0)
    one, other = reviews.one[reviews.comparison], reviews.other[reviews.comparison]
    return [
        turned * ((one == author) * 1.0 - (other == author) * 1.0)
        for author in range(len(reviews.authors))
    ]


def _coefficients(
    reviews: Judged, given: Floats, first: Bools, rows: Bools, *, seed: int, samples: int
) -> Floats:
    """`[1 + sample, column]`: of these rows, and of samples of their questions; NaN if there is one."""
    names, at = np.unique(reviews.question[rows], return_inverse=True)
    if len(names) < 2 or not np.ptp(reviews.longer[rows]):
        return np.full((1, given.shape[1]), np.nan)
    given, chosen = given[rows], first[rows].astype(np.float64)
    whole = logistic(given, chosen, np.ones((1, len(chosen))))
    times = draws(len(names), samples=samples, seed=seed)
    span = max(1, _BLOCK // len(chosen))
    drawn = [
        logistic(given, chosen, times[start : start + span][:, at], start=whole[0])
        for start in range(0, samples, span)
    ]
    return np.concatenate([whole, *drawn])


def _odds(coefficients: Floats, n: int) -> Measurement:
    """The odds of one coefficient, found on the data and then on every sample."""
    value, low, high = coefficients[0], *percentiles(coefficients[1:], level=0.95)
    if np.isnan(value):
        return Measurement(value=nan, low=nan, high=nan, n=0, method=_METHOD)
    return Measurement(value=exp(value), low=exp(low), high=exp(high), n=n, method=_METHOD)


def logistic(
    given: Floats, chosen: Floats, times: Floats, *, start: Floats | None = None
) -> Floats:
    """Coefficients `[sample, column]` of logistic regressions with weights `times[sample, row]`.

    Newton's method on all samples at once, with a ridge of 0.01 (a penalty of half that times the
    square of every coefficient) that keeps separable data finite.

    Args:
        given: the explaining columns `[row, column]`, the constant included.
        chosen: 1 or 0 by row.
        times: how often each sample counts each row.
        start: coefficients to begin with, near those that are looked for.
    """
    columns = given.shape[1]
    found = np.zeros((len(times), columns)) + (0.0 if start is None else start)
    products = (given[:, :, None] * given[:, None, :]).reshape(len(given), -1)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(found @ given.T, -35.0, 35.0)))
        slope = (times * (chosen - chance)) @ given - _RIDGE * found
        curve = ((times * chance * (1.0 - chance)) @ products).reshape(-1, columns, columns)
        step = np.linalg.solve(curve + _RIDGE * np.eye(columns), slope[..., None])[..., 0]
        # A Newton step from far away can overshoot; no true odds ratio needs a longer one.
        longest = np.abs(step).max(axis=1, keepdims=True)
        found = found + step * np.minimum(1.0, 2.0 / np.maximum(longest, 2.0))
        if longest.max() < _SETTLED:
            break
    return found
