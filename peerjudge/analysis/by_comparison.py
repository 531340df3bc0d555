"""Accuracy of conditions and reviewers comparison by comparison, for paired differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from peerjudge.analysis.ballots import INCONSISTENT, NONE, TIE, Ballots, Floats, Stage
from peerjudge.analysis.contrasts import VOTE
from peerjudge.analysis.grouping import group_rows, list_distinct
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.margins import pool_orders
from peerjudge.analysis.selecting import name_people
from peerjudge.data import Measurement, Undecided
from peerjudge.errors import DataError

ComparisonKey = tuple[str, str]
"""Ids of a question and of one of its comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyByComparison:
    """Accuracy of a condition or a reviewer on every comparison with gold that it judged.

    `right` is by question and comparison the share of right verdicts among the readable ones, of which
    there are `verdicts` (1 where it does not say); `counted` has the shares of all verdicts, with the
    undecided ones as ties, or as half right (`Undecided`). `margin` is the mean margin of the comparisons
    with log-probabilities; of those in `one_order`, a judgement was made in one order only. `vote` is true
    for a protocol in which no seat hears another; `turns` is the mean number of turns per verdict.
    """

    name: str
    reviewers: frozenset[str]
    vote: bool
    turns: float
    right: Mapping[ComparisonKey, float]
    verdicts: Mapping[ComparisonKey, float] = field(default_factory=dict[ComparisonKey, float])
    counted: Mapping[Undecided, Mapping[ComparisonKey, float]] = field(
        default_factory=dict[Undecided, Mapping[ComparisonKey, float]]
    )
    margin: Mapping[ComparisonKey, float] = field(default_factory=dict[ComparisonKey, float])
    one_order: frozenset[ComparisonKey] = frozenset()


def measure_mean_accuracy(row: AccuracyByComparison, *, sampler: Sampler) -> Measurement:
    """Return the share of readable verdicts that are right, as `measure_accuracy`.

    Comparisons with more readable verdicts count more; a difference of two rows is a mean over the
    comparisons that both judged.
    """
    every = [one for one in row.right.items() for _ in range(int(row.verdicts.get(one[0], 1)))]
    return _measure_mean(every, sampler)


def measure_counted(
    row: AccuracyByComparison, *, sampler: Sampler
) -> Mapping[Undecided, Measurement]:
    """Return the mean over comparisons with undecided verdicts as ties, and as half right."""
    return {kind: _measure_mean([*values.items()], sampler) for kind, values in row.counted.items()}


def measure_mean_margin(row: AccuracyByComparison, *, sampler: Sampler) -> Measurement | None:
    """Return the mean margin over comparisons, with bounds from questions; `None` without any."""
    return _measure_mean([*row.margin.items()], sampler) if row.margin else None


def _measure_mean(values: Sequence[tuple[ComparisonKey, float]], sampler: Sampler) -> Measurement:
    codes: dict[str, int] = {}
    questions = [codes.setdefault(question, len(codes)) for (question, _), _ in values]
    known = np.array([value for _, value in values], dtype=np.float64)
    return sampler.mean(known, np.array(questions, dtype=np.int32))


def tabulate_by_condition(ballots: Ballots) -> tuple[AccuracyByComparison, ...]:
    """Return one row per condition, in order of appearance, from the conclusions of discussions."""
    discussions = ballots.discussions
    rows: list[AccuracyByComparison] = []
    concluded = ballots.where(ballots.stage == Stage.CONCLUDED)
    condition = discussions.condition[concluded.discussion]
    for code, name in enumerate(discussions.conditions):
        here = np.flatnonzero(discussions.condition == code)
        ended = concluded.where(condition == code)
        seatings = [discussions.seatings[n] for n in list_distinct(discussions.seating[here])]
        turns = discussions.turns[ended.discussion]
        margin, one_order = _find_margins(ended)
        rows.append(
            AccuracyByComparison(
                name=name,
                reviewers=frozenset(reviewer for seats in seatings for reviewer, _, _ in seats),
                vote=discussions.protocols[discussions.protocol[here[0]]] == VOTE,
                turns=float(turns.sum()) / len(turns) if len(turns) else 0.0,
                right=_shares(ended),
                verdicts=_count_readable(ended),
                counted=_count_undecided(ended),
                margin=margin,
                one_order=one_order,
            )
        )
    return tuple(rows)


def tabulate_by_reviewer(
    ballots: Ballots, *, reviewers: Sequence[str] | None = None
) -> tuple[AccuracyByComparison, ...]:
    """Return one row per reviewer of pairs, sorted by name.

    Args:
        ballots: recorded reviews, or the opening or closing stances of a run.
        reviewers: names of the reviewers to take; `None` takes all but the humans.

    Raises:
        DataError: a reviewer gave no readable verdict on a pair with gold, or none did.
    """
    judged = ballots.where((ballots.gold != NONE) & (ballots.answers == 2))
    pairs = judged.where(judged.readable)
    present = {pairs.reviewers[code] for code in list_distinct(pairs.reviewer)}
    wanted = present - set(pairs.humans)
    if reviewers is not None:
        wanted = set(name_people(pairs, reviewers))
    missing = sorted(wanted - present)
    if not ballots.reviewers:
        msg = f"{ballots.name} has no reviews of pairs; run it, or name data with reviews"
        raise DataError(msg)
    if missing or not wanted:
        msg = f"there are no reviews of pairs with gold by {', '.join(missing) or 'any reviewer'}"
        raise DataError(msg)
    found = ((name, pairs.reviewers.index(name)) for name in sorted(wanted))
    return tuple(
        AccuracyByComparison(
            name=name,
            reviewers=frozenset({name}),
            vote=False,
            turns=1.0,
            right=_shares(pairs.where(pairs.reviewer == code)),
            verdicts=_count_readable(pairs.where(pairs.reviewer == code)),
            counted=_count_undecided(judged.where(judged.reviewer == code)),
        )
        for name, code in found
    )


def _shares(ballots: Ballots) -> dict[ComparisonKey, float]:
    known = ballots.where(ballots.readable & (ballots.gold != NONE))
    return dict(_means(known, known.correct.astype(np.float64)))


def _count_readable(ballots: Ballots) -> dict[ComparisonKey, float]:
    """Return the number of readable verdicts with gold by comparison."""
    known = ballots.where(ballots.readable & (ballots.gold != NONE))
    _, count = np.unique(group_rows(known.comparison)[0], return_counts=True)
    keys = (key for key, _ in _means(known, np.ones(len(known))))
    return dict(zip(keys, count.astype(np.float64).tolist(), strict=True))


def _count_undecided(ballots: Ballots) -> dict[Undecided, dict[ComparisonKey, float]]:
    """Return the share of all verdicts that is right, by comparison; empty if all are readable."""
    known = ballots.where(ballots.gold != NONE)
    if known.readable.all():
        return {}
    kinds = (Undecided.AS_TIE, Undecided.AS_HALF)
    return {kind: dict(_means(known, _credit(known, kind))) for kind in kinds}


def _credit(ballots: Ballots, undecided: Undecided) -> Floats:
    """Return 1 for a right verdict and 0 for a wrong one; undecided ones as ties or as half right."""
    if undecided is Undecided.AS_HALF:
        return np.where(ballots.readable, ballots.correct.astype(np.float64), 0.5)
    tied = (ballots.verdict == INCONSISTENT) & (ballots.gold == TIE)
    return (ballots.correct | tied).astype(np.float64)


def _find_margins(
    ballots: Ballots,
) -> tuple[dict[ComparisonKey, float], frozenset[ComparisonKey]]:
    """Return the mean margin of the conclusions by comparison, and those judged in one order only."""
    facts, at = ballots.discussions, ballots.discussion
    pooled = pool_orders(ballots, (ballots.comparison, facts.repetition[at], facts.seating[at]))
    margin = pooled.of_gold(ballots.gold[pooled.row])
    judged = ballots.where(pooled.row[~np.isnan(margin)])
    lone = judged.where(pooled.orders[~np.isnan(margin)] == 1)
    by_comparison = dict(_means(judged, margin[~np.isnan(margin)]))
    return by_comparison, frozenset(key for key, _ in _means(lone, np.ones(len(lone))))


def _means(ballots: Ballots, values: Floats) -> Iterator[tuple[ComparisonKey, float]]:
    """Yield the mean of the values by comparison, in order of appearance."""
    group, first = group_rows(ballots.comparison)
    count = np.bincount(group, minlength=len(first))
    means: list[float] = (np.bincount(group, values, len(first)) / np.maximum(count, 1)).tolist()
    for number, mean in zip(list_distinct(ballots.comparison), means, strict=True):
        one = ballots.comparisons[number]
        yield (one.question.id, one.id), mean
