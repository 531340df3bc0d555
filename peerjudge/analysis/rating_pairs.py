"""Ratings of two conditions or reviewers on the same answers, and which of them is closer to gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np

from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.coefficients import (
    COEFFICIENTS,
    Cases,
    measure_cases,
    resample_coefficients,
)
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.judges import group_judges
from peerjudge.analysis.ratings import PREFIX, RatingLevel, measure_errors, measure_levels
from peerjudge.data import LEVEL, Measurement, Noun, replace
from peerjudge.statistics.clusters import Floats
from peerjudge.statistics.interval import PairedDifference, measure_difference
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import CorrelationTest, adjust_holm, compare_correlations

AnswerKey = tuple[str, str]
"""Ids of a question and of a comparison with one answer."""

_DIFFERENCE = (-2.0, 2.0)
"""The least and the greatest difference of two coefficients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedAnswers:
    """The mean rating of every answer by a condition or reviewer, by aspect (`""`: none named).

    `gold` has the gold ratings of these answers by aspect. `levels` describe the ratings themselves, one
    for each aspect.
    """

    name: str
    levels: tuple[RatingLevel, ...]
    ratings: Mapping[str, Mapping[AnswerKey, float]]
    gold: Mapping[str, Mapping[AnswerKey, float]]

    def on(self, aspect: str) -> Mapping[AnswerKey, float]:
        """Return the ratings of an aspect; those of no named aspect where there are none of it."""
        return self.ratings.get(aspect) or self.ratings.get("", {})


class GoldDifference(Noun, frozen=True, kw_only=True):
    """The agreement with gold of the first minus that of the second, on answers that both rated.

    Coefficients are with gold; their bounds resample questions. `mean_error` is the difference of the
    mean absolute errors, with its test. `williams` is Williams' test of Pearson's coefficients
    that respects questions, `None` with too few answers. The p-values ending in `_holm` are adjusted
    for all pairs and aspects.
    """

    aspect: str
    answers: int
    pearson: Measurement
    spearman: Measurement
    kendall: Measurement
    williams: CorrelationTest | None
    williams_holm: float | None
    mean_error: PairedDifference
    mean_error_holm: float


class RatingShift(Noun, frozen=True, kw_only=True):
    """Mean ratings of two conditions or reviewers on the answers that both rated.

    `shift` is the mean rating of the first minus that of the second. Its unit is the question: the trials
    of an answer, and the answers to a question, stay together.
    """

    one: str
    other: str
    aspect: str
    answers: int
    questions: int
    mean: float
    other_mean: float
    shift: PairedDifference
    shift_holm: float


class RatingPair(RatingShift, frozen=True, kw_only=True):
    """Two conditions or reviewers on the answers that both rated, and each against gold.

    `mean_error` is the mean absolute difference. Bounds have questions as the unit.
    """

    mean_error: Measurement
    pearson: Measurement
    spearman: Measurement
    kendall: Measurement
    against_gold: tuple[GoldDifference, ...]


def tabulate_ratings(
    ballots: Ballots, *, reviewers: Sequence[str] | None = None, level: float = LEVEL
) -> tuple[RatedAnswers, ...]:
    """Return one row for each condition of a run, or for each reviewer of recorded ratings.

    A condition whose discussions were concluded by different reviewers has a row for each. Empty
    where no answer was judged alone in a complete discussion.

    Args:
        ballots: of a run or a dataset.
        reviewers: names or patterns; `None` takes all but the humans.
        level: of the intervals of means.

    Raises:
        DataError: a pattern matches no reviewer.
    """
    settled = (ballots.stage == Stage.CONCLUDED) | (ballots.stage == Stage.RECORDED)
    lone = ballots.where(settled & (ballots.answers == 1))
    # A review on record without a rating was not asked for one; a reply of a run was unreadable.
    if not len(lone.discussions):
        lone = lone.where(np.isin(lone.reviewer, lone.reviewer[~np.isnan(lone.rating)]))
    if not len(lone):
        return ()
    judged, judges, _ = group_judges(lone, reviewers)
    conditions = [one.condition for one in judges]
    rows: list[RatedAnswers] = []
    for number, judge in enumerate(judges):
        own = judged.where(judged.reviewer == number)
        if len(own):
            name = judge.condition or judge.reviewer
            if judge.condition and conditions.count(judge.condition) > 1:
                name = f"{name}: {judge.reviewer}"
            known = own.where(~np.isnan(own.rating))
            rows.append(
                RatedAnswers(
                    name=name,
                    levels=tuple(
                        measure_levels(
                            name,
                            own.where(own.aspect == code),
                            aspect=own.aspects[code] if code >= 0 else "",
                            level=level,
                        )
                        for code in list_distinct(own.aspect)
                    ),
                    ratings=_average(known),
                    gold=_find_gold(known),
                )
            )
    return tuple(rows)


def compare_ratings(
    rows: Sequence[RatedAnswers], *, baseline: str = "", sampler: Sampler
) -> tuple[RatingPair, ...]:
    """Compare every two rows that rated the same answers, by aspect; with the baseline last.

    Args:
        rows: conditions or reviewers under different names.
        baseline: compare all others with this one only.
        sampler: settings of the resampling.
    """
    return _adjust([_compare(*both, sampler) for both in _pair_rows(rows, baseline)])


def measure_shifts(rows: Sequence[RatedAnswers], *, sampler: Sampler) -> tuple[RatingShift, ...]:
    """Return the difference of the mean ratings of every two rows, by aspect.

    Args:
        rows: conditions or reviewers under different names.
        sampler: settings of the resampling.
    """
    shifts = [_shift(*both, sampler) for both in _pair_rows(rows, "")]
    return tuple(
        replace(one, shift_holm=holm)
        for one, holm in zip(
            shifts, adjust_holm([one.shift.p_value for one in shifts]), strict=True
        )
    )


def _pair_rows(
    rows: Sequence[RatedAnswers], baseline: str
) -> Iterator[tuple[RatedAnswers, RatedAnswers, str, list[AnswerKey]]]:
    """Yield every two rows with an aspect, and the answers that both rated on it."""
    for one, other in combinations(rows, 2):
        if baseline and baseline not in (one.name, other.name):
            continue
        first, second = (other, one) if baseline == one.name else (one, other)
        aspects = dict.fromkeys(name for row in (first, second) for name in row.ratings if name)
        for aspect in aspects or ("",):
            shared = [key for key in first.on(aspect) if key in second.on(aspect)]
            if shared:
                yield first, second, aspect, shared


def _average(ballots: Ballots) -> dict[str, dict[AnswerKey, float]]:
    given: defaultdict[str, defaultdict[AnswerKey, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    numbers: list[int] = ballots.comparison.tolist()
    aspects: list[int] = ballots.aspect.tolist()
    values: list[float] = ballots.rating.tolist()
    for comparison, aspect, rating in zip(numbers, aspects, values, strict=True):
        one = ballots.comparisons[comparison]
        name = ballots.aspects[aspect] if aspect >= 0 else ""
        given[name][one.question.id, one.id].append(rating)
    return {
        aspect: {key: sum(own) / len(own) for key, own in ratings.items()}
        for aspect, ratings in given.items()
    }


def _find_gold(ballots: Ballots) -> dict[str, dict[AnswerKey, float]]:
    gold: defaultdict[str, dict[AnswerKey, float]] = defaultdict(dict)
    numbers: list[int] = np.unique(ballots.comparison).tolist()
    for number in numbers:
        one = ballots.comparisons[number]
        for key, value in one.meta.items():
            if key.startswith(PREFIX) and isinstance(value, int | float):
                gold[key.removeprefix(PREFIX)][one.question.id, one.id] = float(value)
    return dict(gold)


def _shift(
    one: RatedAnswers,
    other: RatedAnswers,
    aspect: str,
    shared: Sequence[AnswerKey],
    sampler: Sampler,
) -> RatingShift:
    x, y = (_list(row.on(aspect), shared) for row in (one, other))
    questions = [question for question, _ in shared]
    return RatingShift(
        one=one.name,
        other=other.name,
        aspect=aspect,
        answers=len(shared),
        questions=len(set(questions)),
        mean=float(x.mean()),
        other_mean=float(y.mean()),
        shift=_subtract_means(x, y, questions, sampler),
        shift_holm=nan,
    )


def _compare(
    one: RatedAnswers,
    other: RatedAnswers,
    aspect: str,
    shared: Sequence[AnswerKey],
    sampler: Sampler,
) -> RatingPair:
    x, y = (_list(row.on(aspect), shared) for row in (one, other))
    questions = [question for question, _ in shared]
    cases = resample_coefficients(x, y, questions, sampler=sampler)
    golds = {**other.gold, **one.gold}
    wanted = [aspect] if aspect else list(golds)
    shift = _shift(one, other, aspect, shared, sampler)
    pearson, spearman, kendall = (
        measure_cases(cases[name], questions, sampler=sampler) for name in COEFFICIENTS
    )
    return RatingPair(
        **{name: getattr(shift, name) for name in shift.__struct_fields__},
        mean_error=measure_errors(x, y, questions, sampler=sampler),
        pearson=pearson,
        spearman=spearman,
        kendall=kendall,
        against_gold=tuple(
            _hold_against(one, other, aspect, name, golds[name], sampler)
            for name in wanted
            if any(key in golds.get(name, {}) for key in shared)
        ),
    )


def _hold_against(
    one: RatedAnswers,
    other: RatedAnswers,
    aspect: str,
    name: str,
    gold: Mapping[AnswerKey, float],
    sampler: Sampler,
) -> GoldDifference:
    """Return how much closer to gold the first one is; `name` is the aspect of gold."""
    ours, theirs = one.on(aspect), other.on(aspect)
    shared = [key for key in ours if key in theirs and key in gold]
    x, y, z = (_list(values, shared) for values in (ours, theirs, gold))
    questions = [question for question, _ in shared]
    first: Cases = resample_coefficients(x, z, questions, sampler=sampler)
    second: Cases = resample_coefficients(y, z, questions, sampler=sampler)
    return GoldDifference(
        aspect=name,
        answers=len(shared),
        **{
            key: measure_cases(
                first[key] - second[key], questions, limits=_DIFFERENCE, sampler=sampler
            )
            for key in COEFFICIENTS
        },
        williams=compare_correlations(z.tolist(), x.tolist(), y.tolist(), questions),
        williams_holm=None,
        mean_error=_subtract_means(np.abs(x - z), np.abs(y - z), questions, sampler),
        mean_error_holm=nan,
    )


def _list(values: Mapping[AnswerKey, float], keys: Sequence[AnswerKey]) -> Floats:
    return np.array([values[key] for key in keys], dtype=np.float64)


def _subtract_means(
    x: Floats, y: Floats, questions: Sequence[str], sampler: Sampler
) -> PairedDifference:
    """Return the mean of x - y with its test; no difference exceeds the range of all values."""
    span = float(np.ptp(np.concatenate([x, y]))) or 1.0
    return measure_difference(x - y, questions, limits=(-span, span), level=sampler.level)


def _adjust(pairs: Sequence[RatingPair]) -> tuple[RatingPair, ...]:
    """Return the pairs with the p-values of each kind of test adjusted for their number (Holm)."""
    golds = [gold for pair in pairs for gold in pair.against_gold]
    shifts = adjust_holm([pair.shift.p_value for pair in pairs])
    errors = iter(adjust_holm([gold.mean_error.p_value for gold in golds]))
    williams = iter(
        adjust_holm([nan if gold.williams is None else gold.williams.p_value for gold in golds])
    )
    return tuple(
        replace(
            pair,
            shift_holm=shift,
            against_gold=tuple(
                replace(
                    gold,
                    mean_error_holm=next(errors),
                    williams_holm=None if isnan(strict := next(williams)) else strict,
                )
                for gold in pair.against_gold
            ),
        )
        for pair, shift in zip(pairs, shifts, strict=True)
    )
