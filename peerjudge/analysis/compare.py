"""Accuracy of conditions and reviewers comparison by comparison, and every two of them compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.ballots import NONE, Ballots, Bools, Floats, Numbers, Stage
from peerjudge.analysis.contrasts import VOTE
from peerjudge.analysis.grouping import average_by_group, group_rows, list_distinct
from peerjudge.analysis.margins import pool_orders
from peerjudge.analysis.selecting import explain_unjudged, name_people
from peerjudge.data import Measurement, Noun, replace as changed
from peerjudge.errors import DataError
from peerjudge.statistics.interval import MARGIN, PairedDifference
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import adjust_holm

ComparisonKey = tuple[str, str]
"""Ids of a question and of one of its comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyByComparison:
    """Accuracy of a condition or a reviewer on every comparison with gold that it judged.

    `right` is by question and comparison the share of right verdicts among the readable ones, of which
    there are `verdicts` (1 where it does not say). `margin` is the mean margin of the comparisons
    with log-probabilities; of those in `one_order`, a judgement was made in one order only. `vote` is true
    for a protocol in which no seat hears another; `turns` is the mean number of turns per verdict.
    """

    name: str
    reviewers: frozenset[str]
    vote: bool = False
    turns: float
    right: Mapping[ComparisonKey, float]
    verdicts: Mapping[ComparisonKey, int] = field(default_factory=dict[ComparisonKey, int])
    margin: Mapping[ComparisonKey, float] = field(default_factory=dict[ComparisonKey, float])
    one_order: frozenset[ComparisonKey] = frozenset()


def measure_mean_accuracy(row: AccuracyByComparison, *, sampler: Sampler) -> Measurement:
    """Return the share of readable verdicts that are right, as `measure_accuracy`.

    Comparisons with more readable verdicts count more; a difference of two rows is a mean over the
    comparisons that both judged.
    """
    every = [one for one in row.right.items() for _ in range(int(row.verdicts.get(one[0], 1)))]
    return _measure_mean(every, sampler)


def measure_mean_margin(row: AccuracyByComparison, *, sampler: Sampler) -> Measurement | None:
    """Return the mean margin over comparisons, with bounds from questions; `None` without any."""
    return _measure_mean([*row.margin.items()], sampler) if row.margin else None


def _measure_mean(values: Sequence[tuple[ComparisonKey, float]], sampler: Sampler) -> Measurement:
    codes = Vocabulary[str]()
    questions = np.array([codes[question] for (question, _), _ in values], dtype=np.int32)
    return sampler.mean(np.array([value for _, value in values], dtype=np.float64), questions)


def tabulate_by_condition(ballots: Ballots) -> tuple[AccuracyByComparison, ...]:
    """Return one row per condition, in order of appearance, from the conclusions of discussions."""
    discussions = ballots.discussions
    rows: list[AccuracyByComparison] = []
    concluded = ballots.where(ballots.stage == Stage.CONCLUDED)
    condition = discussions.condition[concluded.discussion]
    for code, name in enumerate(discussions.conditions):
        here = np.flatnonzero(discussions.condition == code)
        ended = concluded.where(condition == code)
        turns = discussions.turns[ended.discussion]
        margin, one_order = _find_margins(ended)
        row = _tabulate(name, (seat[0] for seat in discussions.list_seats(here)), ended)
        rows.append(
            replace(
                row,
                vote=discussions.protocols[discussions.protocol[here[0]]] == VOTE,
                turns=float(turns.sum()) / len(turns) if len(turns) else 0.0,
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
        raise DataError(explain_unjudged(ballots, "of pairs"))
    if missing or not wanted:
        msg = f"there are no reviews of pairs with gold by {', '.join(missing) or 'any reviewer'}"
        raise DataError(msg)
    codes = [(name, pairs.reviewers.index(name)) for name in sorted(wanted)]
    return tuple(
        _tabulate(name, [name], judged.where(judged.reviewer == code)) for name, code in codes
    )


def _tabulate(name: str, reviewers: Iterable[str], ballots: Ballots) -> AccuracyByComparison:
    """Return the row of these ballots, as if each were one turn."""
    judged = ballots.where(ballots.gold != NONE)
    known = judged.where(judged.readable)
    return AccuracyByComparison(
        name=name,
        reviewers=frozenset(reviewers),
        turns=1.0,
        right=_average(known, known.correct),
        verdicts=Counter(_name_comparisons(known)),
    )


def _find_margins(
    ballots: Ballots,
) -> tuple[dict[ComparisonKey, float], frozenset[ComparisonKey]]:
    """Return the mean margin of the conclusions by comparison, and those judged in one order only."""
    facts, at = ballots.discussions, ballots.discussion
    pooled = pool_orders(ballots, (ballots.comparison, facts.repetition[at], facts.seating[at]))
    margin = pooled.of_gold(ballots.gold[pooled.row], np.arange(len(pooled.row)))
    judged = ballots.where(pooled.row[~np.isnan(margin)])
    lone = judged.where(pooled.orders[~np.isnan(margin)] == 1)
    by_comparison = _average(judged, margin[~np.isnan(margin)])
    return by_comparison, frozenset(_name_comparisons(lone))


def _average(ballots: Ballots, values: Floats | Bools) -> dict[ComparisonKey, float]:
    """Return the mean of the values by comparison, in order of appearance."""
    group, first = group_rows(ballots.comparison)
    means: list[float] = average_by_group(group, values, len(first)).tolist()
    return dict(zip(_name_comparisons(ballots.where(first)), means, strict=True))


def _name_comparisons(ballots: Ballots) -> list[ComparisonKey]:
    """Return the comparison of each ballot."""
    numbers: list[int] = ballots.comparison.tolist()
    chosen = [ballots.comparisons[number] for number in numbers]
    return [(one.question.id, one.id) for one in chosen]


class Compared(Noun, frozen=True, kw_only=True):
    """The accuracy of `one` minus that of `other` on the comparisons that both judged.

    Where one of the two is a vote it is `other`, so that the difference is what discussing added
    to voting; `same_reviewers` is true where both had the same reviewers, and `turns` and
    `other_turns` are the mean turns per discussion. `difference` is the mean over comparisons, and `holm` its
    p-value adjusted for all pairs that are compared. `margin` is the difference of the mean margins on the
    comparisons where both have one, `None` without any; on `margin_one_order` of these, one of the two made
    a judgement in one shown order only.
    """

    one: str
    other: str
    vote: bool
    same_reviewers: bool
    comparisons: int
    turns: float
    other_turns: float
    difference: PairedDifference
    holm: float
    margin: PairedDifference | None = None
    margin_one_order: int = 0


def compare_all(
    rows: Sequence[AccuracyByComparison],
    *,
    baseline: str = "",
    sampler: Sampler,
) -> tuple[Compared, ...]:
    """Compare every two rows that judged the same comparisons with gold, in order of appearance.

    Args:
        rows: conditions or reviewers under different names.
        baseline: compare all others with this one only, which leaves fewer tests to correct for.
        sampler: settings of the resampling.

    Raises:
        DataError: no row has the name of the baseline.
    """
    names = [row.name for row in rows]
    if baseline and baseline not in names:
        msg = f"Unknown baseline {baseline!r}; choose one of {', '.join(map(repr, names))}."
        raise DataError(msg)
    pairs = [
        _last(one, other, baseline)
        for one, other in combinations(rows, 2)
        if not baseline or baseline in (one.name, other.name)
    ]
    tried = [_pair(one, other, sampler) for one, other in pairs]
    compared = [pair for pair in tried if pair is not None]
    adjusted = adjust_holm([pair.difference.p_value for pair in compared])
    return tuple(changed(pair, holm=holm) for pair, holm in zip(compared, adjusted, strict=True))


def _last(
    one: AccuracyByComparison, other: AccuracyByComparison, baseline: str
) -> tuple[AccuracyByComparison, AccuracyByComparison]:
    """Return the two with the baseline last, or else the vote."""
    swap = one.name == baseline if baseline else one.vote and not other.vote
    return (other, one) if swap else (one, other)


def _subtract(
    ours: Mapping[ComparisonKey, float], theirs: Mapping[ComparisonKey, float]
) -> tuple[Floats, Numbers]:
    """Return ours minus theirs on shared comparisons, and the codes of their questions."""
    shared = [key for key in ours if key in theirs]
    codes = Vocabulary[str]()
    questions = np.array([codes[question] for question, _ in shared], dtype=np.int32)
    return np.array([ours[key] - theirs[key] for key in shared], dtype=np.float64), questions


def _pair(
    one: AccuracyByComparison, other: AccuracyByComparison, sampler: Sampler
) -> Compared | None:
    differences, questions = _subtract(one.right, other.right)
    if not len(differences):
        return None
    both = one.margin.keys() & other.margin.keys()
    return Compared(
        one=one.name,
        other=other.name,
        vote=other.vote and not one.vote,
        same_reviewers=one.reviewers == other.reviewers,
        comparisons=len(differences),
        turns=one.turns,
        other_turns=other.turns,
        difference=sampler.difference(differences, questions),
        holm=1.0,
        margin=sampler.difference(*_subtract(one.margin, other.margin), added=MARGIN)
        if both
        else None,
        margin_one_order=len((one.one_order | other.one_order) & both),
    )
