"""Measures verdicts against gold, for all judges at once: the same resamples serve all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.conditions import Consistency
from peerjudge.analysis.intervals import SHARE, Floats, bounds_of_mean, draws, percentiles
from peerjudge.analysis.scoring.columns import (
    OUTCOMES,
    Ints,
    Marks,
    Pairs,
    Read,
    Verdicts,
    lay_out,
)
from peerjudge.analysis.scoring.nouns import Cell, GoldRow, Judge, Judgement, OrderShares
from peerjudge.data import Comparison, Measurement, Outcome

__all__ = ["Resampling", "measure"]

_CHOICE, _TIE = OUTCOMES.index(Outcome.CHOICE), OUTCOMES.index(Outcome.TIE)
_EQUAL = 1e-12

# What is resampled, as pairs of sums whose ratio is wanted.
_RIGHT, _DECIDED, _SAME = 0, 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How intervals are drawn."""

    seed: int = 0
    samples: int = 2000
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class _Counts:
    """The sums of one group.

    `sums[question, judge, sum]` are those that are resampled, and `drawn[sample, judge, sum]` their
    totals in the samples. The rest is by judge; `orders` has (right, all) for the given order and
    the others.
    """

    sums: Floats
    drawn: Floats
    questions: Ints
    judged: Ints
    right: Ints
    outcomes: tuple[Ints, ...]
    orders: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
    paired: Ints
    right_in_all: Ints
    same_in_all: Ints
    items: Ints
    unreadable_items: Ints


def measure(
    judgements: Sequence[Judgement],
    read: Read,
    *,
    comparisons: Mapping[str, Comparison],
    rows: Sequence[GoldRow],
    groups: Sequence[str],
    resampling: Resampling,
) -> dict[Judge, dict[str, Cell]]:
    """By judge and group the cell of its verdicts; the group of everything is the empty name.

    Args:
        judgements: of any number of judges.
        read: which verdict of a judgement to take; `None` passes it over.
        comparisons: those judged, in the order in which the source shows their answers.
        rows: the gold, readable.
        groups: those that are wanted.
        resampling: how the intervals are drawn. A question that a judge gave no readable verdict on
            is resampled all the same where others judged it.
    """
    judges = {judge: n for n, judge in enumerate(dict.fromkeys(one.judge for one in judgements))}
    verdicts, pairs = lay_out(judgements, read, judges=judges, comparisons=comparisons, rows=rows)
    numbers: dict[str, int] = {}
    names = [comparisons[row.comparison].question.id for row in rows]
    question = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
    chosen = np.array([row.gold.choice is not None for row in rows], dtype=np.bool_)
    found: dict[Judge, dict[str, Cell]] = {judge: {} for judge in judges}
    for group in ("", *groups):
        member = np.array([not group or group in row.groups for row in rows], dtype=np.bool_)
        inside = _of_group(verdicts, pairs, member)
        if not len(inside[0].row):
            continue
        counts = _counts(inside, question, chosen, len(judges), resampling)
        for judge, number in judges.items():
            if counts.judged[number]:
                found[judge][group] = _cell(counts, number, resampling)
    return found


def _of_group(verdicts: Verdicts, pairs: Pairs, member: Marks) -> tuple[Verdicts, Pairs]:
    keep, kept = member[verdicts.row], member[pairs.row]
    return (
        Verdicts(
            verdicts.judge[keep],
            verdicts.row[keep],
            verdicts.outcome[keep],
            verdicts.right[keep],
            verdicts.given[keep],
        ),
        Pairs(
            pairs.judge[kept],
            pairs.row[kept],
            pairs.item[kept],
            pairs.right[kept],
            pairs.same[kept],
            pairs.readable[kept],
        ),
    )


def _counts(
    group: tuple[Verdicts, Pairs], question: Ints, chosen: Marks, judges: int, how: Resampling
) -> _Counts:
    verdicts, pairs = group
    judge, right, given = verdicts.judge, verdicts.right, verdicts.given
    lead = _leading(pairs)
    sums, questions = _sums(group, question, chosen, lead, judges)
    drawn = draws(len(sums), samples=how.samples, seed=how.seed) @ sums.reshape(len(sums), -1)

    def count(at: Ints, marks: Marks) -> Ints:
        return np.bincount(at[marks], minlength=judges)

    return _Counts(
        sums=sums,
        drawn=drawn.reshape(how.samples, judges, -1),
        questions=questions,
        judged=np.bincount(judge, minlength=judges),
        right=count(judge, right),
        outcomes=tuple(count(judge, verdicts.outcome == code) for code in range(len(OUTCOMES))),
        orders=(
            (count(judge, given & right), count(judge, given)),
            (count(judge, ~given & right), count(judge, ~given)),
        ),
        paired=np.bincount(pairs.judge, minlength=judges),
        right_in_all=count(pairs.judge, pairs.right),
        same_in_all=count(pairs.judge, pairs.same),
        items=count(pairs.judge, lead),
        unreadable_items=count(pairs.judge, lead & ~pairs.readable),
    )


def _sums(
    group: tuple[Verdicts, Pairs], question: Ints, chosen: Marks, lead: Marks, judges: int
) -> tuple[Floats, Ints]:
    """What is resampled, `[question, judge, sum]`, and how many questions each judge judged."""
    verdicts, pairs = group
    used, place = np.unique(question[verdicts.row], return_inverse=True)
    pair_place = np.searchsorted(used, question[pairs.row])
    decided = (verdicts.outcome == _CHOICE) & chosen[verdicts.row]
    readable = (verdicts.outcome == _CHOICE) | (verdicts.outcome == _TIE)
    settled = lead & pairs.readable

    def summed(at: Ints, of: Ints, marks: Marks) -> Floats:
        flat = np.bincount((at * judges + of)[marks], minlength=len(used) * judges)
        return flat.reshape(len(used), judges).astype(np.float64)

    own = (verdicts.right, readable, verdicts.right & decided, decided)
    sums = [summed(place, verdicts.judge, marks) for marks in own]
    sums += [summed(pair_place, pairs.judge, marks) for marks in (settled & pairs.same, settled)]
    touched = summed(place, verdicts.judge, np.ones_like(readable)) > 0
    return np.stack(sums, axis=2), touched.sum(axis=0)


def _leading(pairs: Pairs) -> Marks:
    """Marks one entry per judgement: consistency asks for no gold, so votes do not multiply it."""
    lead = np.zeros(len(pairs.item), dtype=np.bool_)
    lead[np.unique(pairs.item, return_index=True)[1]] = True
    return lead


def _cell(counts: _Counts, judge: int, how: Resampling) -> Cell:
    judged, right = int(counts.judged[judge]), int(counts.right[judge])
    outcomes = {
        outcome: int(count[judge]) for outcome, count in zip(OUTCOMES, counts.outcomes, strict=True)
    }
    unsettled = judged - outcomes[Outcome.CHOICE] - outcomes[Outcome.TIE]
    return Cell(
        judged=judged,
        questions=int(counts.questions[judge]),
        right=right,
        outcomes=outcomes,
        accuracy=_ratio(counts, judge, _RIGHT, how),
        worst_case=right / judged,
        best_case=(right + unsettled) / judged,
        decided=_ratio(counts, judge, _DECIDED, how),
        orders=_order_shares(counts, judge),
        consistency=_consistency(counts, judge, how),
    )


def _ratio(counts: _Counts, judge: int, first: int, how: Resampling) -> Measurement:
    """The ratio of two neighbouring sums, with bounds from the common resamples."""
    sums = counts.sums[:, judge, first : first + 2]
    sums = sums[sums[:, 1] > 0]
    n = int(sums[:, 1].sum())
    if n == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=how.level)
    if np.ptp(sums[:, 0] / sums[:, 1]) <= _EQUAL:
        low, high, method = bounds_of_mean(sums, limits=SHARE, seed=how.seed, level=how.level)
    else:
        above, below = counts.drawn[:, judge, first], counts.drawn[:, judge, first + 1]
        ratios: npt.NDArray[np.float64] = above[below > 0] / below[below > 0]
        low, high = percentiles(ratios, level=how.level)
        method = "bootstrap by question"
    value = float(sums[:, 0].sum()) / n
    return Measurement(value=value, low=low, high=high, n=n, level=how.level, method=method)


def _order_shares(counts: _Counts, judge: int) -> OrderShares:
    given, other = (_share(right, all_, judge) for right, all_ in counts.orders)
    known = [share for share in (given, other) if not isnan(share)]
    return OrderShares(
        given=given,
        other=other,
        average=sum(known) / len(known),
        both=_share(counts.right_in_all, counts.paired, judge),
        same=_share(counts.same_in_all, counts.paired, judge),
    )


def _consistency(counts: _Counts, judge: int, how: Resampling) -> Consistency:
    judged, unreadable = int(counts.items[judge]), int(counts.unreadable_items[judge])
    same = int(counts.sums[:, judge, _SAME].sum())
    return Consistency(
        judged=judged,
        same=same,
        inconsistent=judged - unreadable - same,
        unreadable=unreadable,
        rate=_ratio(counts, judge, _SAME, how) if judged > unreadable else None,
    )


def _share(part: Ints, whole: Ints, judge: int) -> float:
    return int(part[judge]) / int(whole[judge]) if whole[judge] else nan
