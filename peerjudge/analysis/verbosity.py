"""Whether a reviewer takes length for quality, with quality and place held constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, nan
from typing import ClassVar, Literal

import numpy as np

from peerjudge.analysis.intervals import (
    SHARE,
    Floats,
    bootstrap_mean,
    percentiles,
    resampled,
)
from peerjudge.analysis.judged import Judged
from peerjudge.data import Measurement

__all__ = ["Verbosity", "logistic", "verbosity"]

Control = Literal["gold", "peers", "none"]

# Keeps the estimate finite where length or quality separate the choices without exception.
_RIDGE = 0.01
_STEPS = 50
# How many (sample, review) weights are held at a time: bounds the memory.
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbosity:
    """How a reviewer's choices go with the answers' length.

    `longer` is the share of its choices that name the longer answer, `gold_longer` that of gold's
    on the same reviews. `odds` is by how much the odds of being chosen grow when an answer is twice
    as long, place and quality being equal: 1 for a reviewer who does not look at length;
    `first_odds` the odds of the first place with length and quality equal. `control` says what
    quality was taken from: gold, the other reviewers, or nothing.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    reviewer: str
    longer: Measurement
    gold_longer: Measurement | None
    odds: Measurement
    first_odds: Measurement
    control: Control


def verbosity(reviews: Judged, *, seed: int = 0, samples: int = 500) -> tuple[Verbosity, ...]:
    """One row per reviewer: a logistic regression of its choices (ties aside) on length.

    `logit P(first) = place + b * log2(length of first / length of second) + c * quality`, where
    quality is gold's score of the pair where there is gold, else the mean score of the other
    reviewers where there are any. Length is in characters. Bounds resample questions.
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
    golden = apart & np.isin(reviews.shown_gold, (-1.0, 1.0))

    def names_longer(
        score: Floats, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]
    ) -> Measurement:
        hits = (score[rows] < 0) == (reviews.longer[rows] > 0)
        return bootstrap_mean(
            hits.astype(np.float64), reviews.question[rows], limits=SHARE, seed=seed
        )

    quality = _quality(reviews, number, control)
    known = chose & ~np.isnan(quality)
    columns = [np.ones(len(reviews)), reviews.longer]
    columns += [] if control == "none" else [quality]
    given = np.column_stack(columns)[known]
    first = (reviews.score[known] < 0).astype(np.float64)
    place, length = _odds(given, first, reviews.question[known], seed=seed, samples=samples)
    return Verbosity(
        reviewer=reviews.reviewers[number],
        longer=names_longer(reviews.score.astype(np.float64), apart),
        gold_longer=names_longer(reviews.shown_gold, golden) if golden.any() else None,
        odds=length,
        first_odds=place,
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


def _odds(
    given: Floats,
    chosen: Floats,
    questions: np.ndarray[tuple[int], np.dtype[np.int32]],
    *,
    seed: int,
    samples: int,
) -> tuple[Measurement, Measurement]:
    """The odds of place and of length, with their bounds."""
    n = len(chosen)
    if n == 0:
        nothing = Measurement(value=nan, low=nan, high=nan, n=0, method="logistic regression")
        return nothing, nothing
    names, at = np.unique(questions, return_inverse=True)
    whole = logistic(given, chosen, np.ones((1, n)))[0]
    times = resampled(np.eye(len(names)), samples=samples, seed=seed)
    span = max(1, _BLOCK // n)
    drawn = np.concatenate(
        [
            logistic(given, chosen, times[start : start + span][:, at])
            for start in range(0, samples, span)
        ]
    )

    def odds(column: int) -> Measurement:
        low, high = percentiles(drawn[:, column], level=0.95)
        return Measurement(
            value=exp(whole[column]),
            low=exp(low),
            high=exp(high),
            n=n,
            method="logistic regression, bootstrap by question",
        )

    return odds(0), odds(1)


def logistic(given: Floats, chosen: Floats, times: Floats) -> Floats:
    """Coefficients `[sample, column]` of logistic regressions with weights `times[sample, row]`.

    Newton's method on all samples at once, with a ridge of 0.01 (a penalty of half that times the
    square of every coefficient) that keeps separable data finite.

    Args:
        given: the explaining columns `[row, column]`, the constant included.
        chosen: 1 or 0 by row.
        times: how often each sample counts each row.
    """
    columns = given.shape[1]
    found = np.zeros((len(times), columns))
    products = (given[:, :, None] * given[:, None, :]).reshape(len(given), -1)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(found @ given.T, -35.0, 35.0)))
        slope = (times * (chosen - chance)) @ given - _RIDGE * found
        curve = ((times * chance * (1.0 - chance)) @ products).reshape(-1, columns, columns)
        step = np.linalg.solve(curve + _RIDGE * np.eye(columns), slope[..., None])[..., 0]
        # A Newton step from far away can overshoot; no true odds ratio needs a longer one.
        longest = np.abs(step).max(axis=1, keepdims=True)
        found = found + step * np.minimum(1.0, 2.0 / np.maximum(longest, 2.0))
        if longest.max() < 1e-8:
            break
    return found
