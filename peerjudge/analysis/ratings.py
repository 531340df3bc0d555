"""Ratings of single answers: their correlation with gold, and their kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import TypeAlias

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Floats
from peerjudge.analysis.coefficients import COEFFICIENTS, measure_cases, resample_coefficients
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.intervals import measure_mean
from peerjudge.analysis.judges import Judge, order_judges
from peerjudge.data import Comparison, Expects, Measurement, Noun, StopReason, Transcript, replace

RatingKind: TypeAlias = tuple[str, str, str]
"""Condition, reviewer, and `weighted`, `stated` or `unreadable`."""

PREFIX = "gold_"
"""Keys of `meta` with gold ratings begin with this, before the aspect."""

_Pair = tuple[float, float, Comparison]
"""A rating, its gold, and the comparison of the rated answer."""


class Correlation(Noun, frozen=True, kw_only=True):
    """Ratings of single answers against the mean rating that is gold, on one aspect.

    `pearson`, `spearman`, `kendall` (tau-b) and `mean_error` (absolute) pool all answers; their bounds
    have questions as the unit. `by_question` are the same three coefficients within
    each question, averaged over the questions that have one; `by_author` those of the authors'
    means. NaN where a coefficient does not exist: fewer than two answers, or ratings that never
    vary; the bounds are NaN for a single question. `constant` is the median of gold, and `constant_error`
    the error of a judge that gives every answer this rating: the least error of one that reads nothing.
    """

    judge: Judge
    aspect: str
    answers: int
    unrated: int
    mean: float
    mean_gold: float
    mean_error: Measurement
    pearson: Measurement
    spearman: Measurement
    kendall: Measurement
    by_question: Mapping[str, float]
    by_author: Mapping[str, float]
    constant: float = nan
    constant_error: Measurement | None = None


class Ratings(Noun, frozen=True, kw_only=True):
    """Number of ratings of a reviewer under a condition, by kind.

    `weighted` are expectations from log-probabilities; `stated`, without these, are the numbers in
    the replies. `unreadable` are missing, those that were declined included.
    """

    condition: str
    reviewer: str
    weighted: int
    stated: int
    unreadable: int


def find_ratings(transcript: Transcript) -> Iterator[RatingKind]:
    """Yield the kind of every rating of a complete discussion, as the rule that read it says."""
    if transcript.stop is not StopReason.COMPLETE:
        return
    condition = transcript.condition or transcript.protocol
    for turn in transcript.turns:
        if turn.cue.expects is Expects.RATING:
            weighted = "weighted" if turn.review.rule.endswith("weighted") else "stated"
            kind = "unreadable" if turn.review.score is None else weighted
            yield condition, transcript.seat(turn.cue.seat).reviewer, kind


def sum_ratings(counts: Mapping[RatingKind, int], reviewers: Iterable[str]) -> tuple[Ratings, ...]:
    """Return the numbers of ratings of these reviewers, one row per condition and reviewer."""
    chosen = set(reviewers)
    keys = dict.fromkeys((condition, name) for condition, name, _ in counts if name in chosen)
    return tuple(
        Ratings(
            condition=condition,
            reviewer=name,
            weighted=counts.get((condition, name, "weighted"), 0),
            stated=counts.get((condition, name, "stated"), 0),
            unreadable=counts.get((condition, name, "unreadable"), 0),
        )
        for condition, name in keys
    )


def correlate_ratings(
    ballots: Ballots,
    judges: Sequence[Judge],
    used: Bools,
    *,
    sampler: Sampler,
) -> tuple[Correlation, ...]:
    """Return the correlations of ratings with gold (`meta["gold_ASPECT"]`), by judge and aspect.

    Ratings without an aspect, such as those of a run, are compared with every aspect. Where an
    answer was rated several times, the ratings are averaged.

    Args:
        ballots: `reviewer` is the number of the judge.
        judges: by number.
        used: by comparison, true for those whose aspects are used.
        sampler: settings of the resampling.
    """
    aspects = dict.fromkeys(
        key.removeprefix(PREFIX)
        for one, use in zip(ballots.comparisons, used, strict=True)
        if use
        for key, value in one.meta.items()
        if key.startswith(PREFIX) and isinstance(value, int | float)
    )
    lone = ballots.where(ballots.answers == 1)
    correlations: list[Correlation] = []
    for judge in order_judges(lone):
        own = lone.where(lone.reviewer == judge)
        for aspect in aspects:
            about = own.where(_rates(own, ("", aspect)))
            if len(about):
                rated = _pair_with_gold(about, aspect)
                unrated = int(np.isnan(about.rating).sum())
                correlations.append(_correlate(judges[judge], aspect, rated, unrated, sampler))
    return tuple(correlations)


def _rates(ballots: Ballots, aspects: Sequence[str]) -> Bools:
    codes = [code for code, name in enumerate(ballots.aspects) if name in aspects]
    return np.isin(ballots.aspect, [-1, *codes])


def _correlate(
    judge: Judge,
    aspect: str,
    rated: Sequence[_Pair],
    unrated: int,
    sampler: Sampler,
) -> Correlation:
    x = np.array([rating for rating, _, _ in rated], dtype=np.float64)
    y = np.array([gold for _, gold, _ in rated], dtype=np.float64)
    questions = [one.question.id for _, _, one in rated]
    pooled = resample_coefficients(x, y, questions, sampler=sampler)
    return Correlation(
        judge=judge,
        aspect=aspect,
        answers=len(rated),
        unrated=unrated,
        mean=float(x.mean()) if rated else nan,
        mean_gold=float(y.mean()) if rated else nan,
        mean_error=measure_errors(x, y, questions, sampler=sampler),
        **{name: measure_cases(pooled[name], questions, sampler=sampler) for name in COEFFICIENTS},
        by_question=_average(_find_coefficients(*part) for part in _split_questions(rated)),
        by_author=_find_coefficients(*_average_authors(rated)),
        constant=float(np.median(y)) if rated else nan,
        constant_error=measure_errors(
            np.full_like(y, np.median(y)) if rated else y, y, questions, sampler=sampler
        ),
    )


def _pair_with_gold(ballots: Ballots, aspect: str) -> list[_Pair]:
    """Return the mean rating of every answer that has a gold, with that."""
    given: defaultdict[int, list[float]] = defaultdict(list)
    for comparison, rating in zip(
        ballots.comparison.tolist(), ballots.rating.tolist(), strict=True
    ):
        if not isnan(rating):
            given[comparison].append(rating)
    rated: list[_Pair] = []
    for number, ratings in given.items():
        gold = ballots.comparisons[number].meta.get(PREFIX + aspect)
        if isinstance(gold, int | float):
            mean = sum(ratings) / len(ratings)
            rated.append((mean, float(gold), ballots.comparisons[number]))
    return rated


def measure_errors(
    x: Floats, y: Floats, questions: Sequence[str], *, sampler: Sampler
) -> Measurement:
    """Return the mean absolute difference; `n` is 0 without values."""
    if not len(x):
        return Measurement(value=nan, low=nan, high=nan, n=0, level=sampler.level)
    span = float(np.ptp(np.concatenate([x, y]))) or 1.0
    limits = None if len(set(questions)) < 2 else (0.0, span)
    mean = measure_mean(np.abs(x - y), questions, limits=limits, level=sampler.level)
    return mean if limits else replace(mean, low=nan, high=nan)


def _find_coefficients(x: Floats, y: Floats) -> dict[str, float]:
    """Return the coefficients without bounds; NaN where they do not exist."""
    found = resample_coefficients(x, y, np.zeros(len(x), np.int32), sampler=Sampler(samples=0))
    return {name: float(cases[0]) for name, cases in found.items()}


def _split_questions(rated: Sequence[_Pair]) -> Iterator[tuple[Floats, Floats]]:
    parts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating, gold, one in rated:
        parts[one.question.id].append((rating, gold))
    for part in parts.values():
        x, y = np.array(part, dtype=np.float64).T
        yield x, y


def _average_authors(rated: Sequence[_Pair]) -> tuple[Floats, Floats]:
    parts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating, gold, one in rated:
        if one.answers[0].author:
            parts[one.answers[0].author].append((rating, gold))
    means = np.array([np.mean(part, axis=0) for part in parts.values()], dtype=np.float64)
    x, y = means.reshape(-1, 2).T
    return x, y


def _average(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    kept = [one for one in found if not isnan(one["pearson"])]
    if not kept:
        return dict.fromkeys(COEFFICIENTS, nan)
    return {name: sum(one[name] for one in kept) / len(kept) for name in COEFFICIENTS}
