"""Ratings of single answers: their level and scatter, their correlation with gold, and their kinds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan, sqrt
from typing import TypeAlias

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Floats
from peerjudge.analysis.coefficients import COEFFICIENTS, measure_cases, resample_coefficients
from peerjudge.analysis.grouping import average_by_group, group_rows, list_distinct
from peerjudge.analysis.judges import Judge
from peerjudge.data import (
    LEVEL,
    Comparison,
    Expects,
    Measurement,
    Noun,
    StopReason,
    Transcript,
    replace,
)
from peerjudge.statistics.interval import measure_mean
from peerjudge.statistics.sampler import Sampler

RatingKind: TypeAlias = tuple[str, str, str]
"""Condition, reviewer, and `weighted`, `stated` or `unreadable`."""

PREFIX = "gold_"
"""Keys of `meta` with gold ratings begin with this, before the aspect."""

_SCALE = re.compile(r"\bscale=(\d+)-(\d+)\b")

_Pair = tuple[float, float, Comparison]
"""A rating, its gold, and the comparison of the rated answer."""


class RatingLevel(Noun, frozen=True, kw_only=True):
    """Ratings of answers by one condition or reviewer, on one aspect (`""`: none named).

    An item is an answer, and its trials are the discussions in which it was rated. `mean` is the mean of
    the items' mean ratings, with questions as the unit of its interval. `sd` is the standard deviation
    of all ratings, `sd_items` that of the items' means, `sd_trials` that of the trials of one item
    (pooled over the items; NaN where no item has two readable ratings). `unreadable` ratings are in
    none of these. `distribution` counts the ratings, to the nearest whole number, on each point of the scale
    from `scale[0]` to `scale[1]`: the scale that was asked for, or else the range of the ratings.
    """

    name: str
    aspect: str
    items: int
    ratings: int
    unreadable: int
    mean: Measurement
    sd: float
    sd_items: float
    sd_trials: float
    scale: tuple[int, int]
    distribution: Mapping[int, int]

    @property
    def trials(self) -> float:
        """The mean number of trials of an item, unreadable ones included."""
        return (self.ratings + self.unreadable) / self.items if self.items else nan


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


def measure_levels(
    name: str, ballots: Ballots, *, aspect: str = "", level: float = LEVEL
) -> RatingLevel:
    """Return the level and the scatter of these ratings.

    Args:
        name: of the condition or reviewer.
        ballots: of its ratings of single answers on one aspect, NaN where a rating is unreadable.
        aspect: what was rated.
        level: of the interval.
    """
    known = ballots.where(~np.isnan(ballots.rating))
    ratings = known.rating
    item, first = group_rows(known.comparison)
    means = average_by_group(item, ratings, len(first))
    within = float(((ratings - means[item]) ** 2).sum())
    spare = len(ratings) - len(first)
    scale = _find_scale(ballots, ratings)
    limits = (float(scale[0]), float(scale[1])) if scale[0] < scale[1] else None
    mean = measure_mean(means, known.question[first], limits=limits, level=level)
    if known.count_questions() < 2:
        # A single question does not show how much questions differ.
        mean = replace(mean, low=nan, high=nan)
    whole = np.floor(ratings + 0.5).astype(np.int64)
    return RatingLevel(
        name=name,
        aspect=aspect,
        items=len(list_distinct(ballots.comparison)),
        ratings=len(known),
        unreadable=len(ballots) - len(known),
        mean=mean,
        sd=_deviate(ratings),
        sd_items=_deviate(means),
        sd_trials=sqrt(within / spare) if spare else nan,
        scale=scale,
        distribution={
            point: int((whole == point).sum()) for point in range(scale[0], scale[1] + 1)
        },
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
    for judge in list_distinct(lone.reviewer):
        own = lone.where(lone.reviewer == judge)
        for aspect in aspects:
            named = [code for code, name in enumerate(own.aspects) if name in ("", aspect)]
            about = own.where(np.isin(own.aspect, [-1, *named]))
            if len(about):
                rated = _pair_with_gold(about, aspect)
                unrated = int(np.isnan(about.rating).sum())
                correlations.append(_correlate(judges[judge], aspect, rated, unrated, sampler))
    return tuple(correlations)


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
    coefficients = resample_coefficients(
        x, y, np.zeros(len(x), np.int32), sampler=Sampler(samples=0)
    )
    return {name: float(cases[0]) for name, cases in coefficients.items()}


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


def _average(coefficients: Iterable[Mapping[str, float]]) -> dict[str, float]:
    kept = [one for one in coefficients if not isnan(one["pearson"])]
    if not kept:
        return dict.fromkeys(COEFFICIENTS, nan)
    return {name: sum(one[name] for one in kept) / len(kept) for name in COEFFICIENTS}


def _deviate(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else nan


def _find_scale(ballots: Ballots, ratings: Floats) -> tuple[int, int]:
    """Return the scale that the settings of the discussions name, widened to hold all ratings."""
    facts = ballots.discussions
    codes = list_distinct(facts.setting[ballots.discussion]) if len(facts) else []
    named = [found for code in codes if (found := _SCALE.search(facts.settings[code]))]
    ends = [int(end) for found in named for end in found.groups()]
    ends += (
        [int(np.floor(end + 0.5)) for end in (ratings.min(), ratings.max())] if len(ratings) else []
    )
    return (min(ends), max(ends)) if ends else (0, 0)
