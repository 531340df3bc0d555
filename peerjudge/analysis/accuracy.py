"""Accuracy against gold: one record, for all verdicts of a judge and for each group of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, isnan, nan
from typing import NamedTuple, TypeAlias

import numpy as np

from peerjudge.analysis.ballots import (
    INCONSISTENT,
    NONE,
    OUTCOME_CODES,
    SHARED,
    TIE,
    Ballots,
    Bools,
    Codes,
    Floats,
    Numbers,
)
from peerjudge.analysis.grouping import Column, Ints, group_rows, match_orders
from peerjudge.analysis.margins import Margin, pool_orders
from peerjudge.data import Measurement, Noun, Outcome, Undecided, replace
from peerjudge.statistics.interval import METHOD, SHARE, measure_ratios
from peerjudge.statistics.sampler import Sampler


class Golds(NamedTuple):
    """Gold verdicts: their comparisons, their codes, and by group its members; "" is all of them.

    `voters` gave them, where each is one vote.
    """

    comparison: Numbers
    verdict: Codes
    groups: Mapping[str, Bools]
    voters: tuple[str, ...] = ()


class OrderShares(Noun, frozen=True, kw_only=True):
    """Right verdicts by shown order, as shares of **all** verdicts: the unreadable count as wrong.

    `given` is the order in which a dataset shows a comparison, `other` every other one; of
    discussions, which do not know that order, both are `None`. `average` is the mean over the two
    orders. Of the judgements made in several orders, `both` is the share that is right in
    every order and `same` the share with the same verdict in every order; NaN without any. These
    are LLMBar's `correct_False`, `correct_True`, `correct_average`, `correct_both` and `equal`.
    """

    given: float | None
    other: float | None
    average: float
    both: float
    same: float


class Consistency(Noun, frozen=True, kw_only=True):
    """Judgements that were made in several orders of the answers.

    `same` and `inconsistent` add up, with the `unreadable` (a refusal included), to `judged`.
    `rate` is the share of `same` among the readable.
    """

    judged: int
    same: int
    inconsistent: int
    unreadable: int
    rate: Measurement | None


class Accuracy(Noun, frozen=True, kw_only=True):
    """Verdicts against gold, all shown orders pooled. The names are those of `peerjudge score --json`.

    `n` verdicts have a gold; `ties`, `inconsistent`, `unreadable` and `refused` count their kinds.
    `accuracy` is over the readable ones, a tie being right only if gold is a tie. `worst_case` and
    `best_case` are the shares if all others were wrong or right. `as_tie` is over all verdicts, with the
    others counted as published figures do (`Undecided.AS_TIE`), where that was asked for. Intervals have
    `questions` as the unit. The last three are of a judge: `margin` is `None` without log-probabilities.
    """

    n: int
    questions: int
    right: int
    ties: int
    inconsistent: int
    unreadable: int
    refused: int
    accuracy: Measurement
    worst_case: float
    best_case: float
    as_tie: Measurement | None = None
    orders: OrderShares | None = None
    consistency: Consistency | None = None
    margin: Margin | None = None

    @property
    def undecided(self) -> int:
        """Number of verdicts that are inconsistent, unreadable or refused."""
        return self.inconsistent + self.unreadable + self.refused

    def counting(self, undecided: Undecided) -> Measurement:
        """Return the accuracy with undecided verdicts counted in this way, if that was measured."""
        return (
            self.accuracy if undecided is Undecided.LEFT_OUT or self.as_tie is None else self.as_tie
        )


_Marks: TypeAlias = Mapping[str, Bools]
"""By name, which entries have it."""


def measure_accuracy(ballots: Ballots, *, sampler: Sampler) -> Accuracy | None:
    """Return the accuracy of the ballots with gold; `None` without any."""
    known = ballots.where(ballots.gold != NONE)
    if not len(known):
        return None
    return _measure(_mark_verdicts(known, known.gold), known.question, sampler.level)


def measure_groups(
    ballots: Ballots,
    key: Sequence[Column],
    golds: Golds,
    *,
    sampler: Sampler,
    undecided: Undecided = Undecided.LEFT_OUT,
) -> dict[int, dict[str, Accuracy]]:
    """Return the accuracies by judge (the code in `reviewer`) and group; "" is the group of all.

    Args:
        ballots: of the judges. A verdict counts once for every gold of its comparison.
        key: columns with equal values for judgements that differ in the shown order only.
        golds: gold verdicts and their groups.
        sampler: settings of the resampling.
        undecided: how published figures count undecided verdicts, to do the same in `as_tie`.
    """
    question, _ = group_rows(ballots.question_of[golds.comparison])
    entry, row, gold = _join(ballots, np.arange(len(ballots)), golds)
    judge, marks = ballots.reviewer[entry], _mark_verdicts(ballots.where(entry), gold)
    matches = match_orders(ballots, *key)
    pair, pair_row, pair_gold = _join(ballots, matches.row, golds)
    pair_judge = ballots.reviewer[matches.row][pair]
    paired_right = matches.same[pair] & (matches.verdict[pair] == pair_gold)
    pooled = pool_orders(ballots, key)
    margin_entry, margin_row, margin_gold = _join(ballots, pooled.row, golds)
    margins = pooled.of_gold(margin_gold, margin_entry)
    margin_ballot = pooled.row[margin_entry]

    def measure_margin(code: int, members: Bools) -> Margin | None:
        own = (ballots.reviewer[margin_ballot] == code) & members[margin_row] & ~np.isnan(margins)
        if not own.any():
            return None
        return Margin(
            measured=sampler.mean(margins[own], ballots.question[margin_ballot[own]]),
            one_order=int((pooled.orders[margin_entry[own]] == 1).sum()),
        )

    accuracies: dict[int, dict[str, Accuracy]] = {}
    for code in np.unique(judge).tolist():
        own, pairs = np.flatnonzero(judge == code), np.flatnonzero(pair_judge == code)
        for group, members in golds.groups.items():
            rows, both = own[members[row[own]]], pairs[members[pair_row[pairs]]]
            if not len(rows):
                continue
            held = {name: marked[rows] for name, marked in marks.items()}
            asked_of = question[row[rows]]
            one = _measure(held, asked_of, sampler.level)
            if undecided is Undecided.AS_TIE:
                every = np.ones(len(rows), dtype=np.bool_)
                one = replace(
                    one, as_tie=_measure_ratio(held["tied"], every, asked_of, sampler.level)
                )
            # Consistency needs no gold, so several votes on a comparison do not multiply it.
            items, first = np.unique(pair[both], return_index=True)
            asked = question[pair_row[both[first]]]
            consistency = _measure_consistency(
                matches.same[items], matches.readable[items], asked, sampler.level
            )
            accuracies.setdefault(code, {})[group] = replace(
                one,
                orders=_share_orders(
                    held, paired_right[both], matches.same[pair[both]], own_order=ballots.own_order
                ),
                consistency=consistency,
                margin=measure_margin(code, members),
            )
    return accuracies


def measure_consistency(
    ballots: Ballots, key: Sequence[Column], *, sampler: Sampler
) -> Consistency:
    """Return how consistent the judgements are that were made in several orders, with gold or without."""
    orders = match_orders(ballots, *key)
    return _measure_consistency(
        orders.same, orders.readable, ballots.question[orders.row], sampler.level
    )


def _measure_consistency(
    same: Bools, readable: Bools, question: Numbers | Ints, level: float
) -> Consistency:
    settled = int(readable.sum())
    return Consistency(
        judged=len(same),
        same=int(same[readable].sum()),
        inconsistent=int((~same[readable]).sum()),
        unreadable=len(same) - settled,
        rate=_measure_ratio(same & readable, readable, question, level) if settled else None,
    )


def _join(ballots: Ballots, rows: Ints, golds: Golds) -> tuple[Ints, Ints, Codes]:
    """Return the numbers of every entry and gold that have the same comparison, and the verdict of gold.

    The entries are these rows. A person is not held against gold made of an own vote.
    """
    entry, row = _match_golds(ballots.comparison[rows], golds.comparison, len(ballots.comparisons))
    gold, own = golds.verdict[row], ballots.voter_gold[rows[entry]]
    if golds.voters:
        judges = np.array(ballots.reviewers)[ballots.reviewer[rows[entry]]]
        known = judges != np.array(golds.voters)[row]
    else:
        gold = np.where(own == SHARED, gold, own)
        known = gold != NONE
    return entry[known], row[known], gold[known]


def _match_golds(comparisons: Numbers, golds: Numbers, size: int) -> tuple[Ints, Ints]:
    """Return the numbers of every entry and gold that have the same comparison."""
    ordered = np.argsort(golds, kind="stable")
    count = np.bincount(golds, minlength=size)
    start = np.cumsum(count) - count
    each = count[comparisons]
    entry = np.repeat(np.arange(len(comparisons)), each)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(each) - each, each)
    return entry, ordered[start[comparisons][entry] + within]


def _mark_verdicts(ballots: Ballots, gold: Codes) -> dict[str, Bools]:
    """Return which verdicts count for what; `gold` has one entry per ballot."""
    right = ballots.readable & (ballots.verdict == gold)
    return {
        **{outcome: ballots.verdict == code for outcome, code in OUTCOME_CODES.items()},
        "readable": ballots.readable,
        "right": right,
        "tied": right | ((ballots.verdict == INCONSISTENT) & (gold == TIE)),
        "given": ~ballots.swapped,
    }


def _measure(marks: _Marks, question: Numbers | Ints, level: float) -> Accuracy:
    """Return the accuracy of verdicts with these marks; of a judge, the rest is added later."""
    right, readable = marks["right"], marks["readable"]
    n = len(right)
    lost = n - int(readable.sum())
    number = int(right.sum())
    asked, place = np.unique(question, return_inverse=True)
    return Accuracy(
        n=n,
        questions=len(asked),
        right=number,
        ties=int(marks[Outcome.TIE].sum()),
        inconsistent=int(marks[Outcome.INCONSISTENT].sum()),
        unreadable=int(marks[Outcome.UNREADABLE].sum()),
        refused=int(marks[Outcome.REFUSED].sum()),
        accuracy=_measure_ratio(right, readable, place, level),
        worst_case=number / n,
        best_case=(number + lost) / n,
    )


def _measure_ratio(
    above: Bools | Floats, below: Bools, question: Numbers | Ints, level: float
) -> Measurement:
    """Return the share of `above` among `below`, with questions (codes from 0) as the unit of its bounds."""
    n = int(below.sum())
    if n == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=METHOD)
    place = question[below]
    total: Floats = np.bincount(place, above[below]).astype(np.float64)
    count: Floats = np.bincount(place).astype(np.float64)
    ratios = measure_ratios(total[:, None], count[:, None], limits=SHARE)
    low, high = (float(one[0]) for one in ratios.bound(level))
    value = float(total.sum()) / n
    return Measurement(value=value, low=low, high=high, n=n, level=level, method=METHOD)


def _share_orders(
    marks: _Marks, paired_right: Bools, paired_same: Bools, *, own_order: bool
) -> OrderShares:
    def share(part: Bools) -> float:
        return int(part.sum()) / len(part) if len(part) else nan

    given, right = marks["given"], marks["right"]
    shares = share(right[given]), share(right[~given])
    known = [one for one in shares if not isnan(one)]
    return OrderShares(
        given=shares[0] if own_order else None,
        other=shares[1] if own_order else None,
        average=sum(known) / len(known),
        both=share(paired_right),
        same=share(paired_same),
    )


MOVER = "mean of groups"
"""Method of the bounds: see `average_groups`."""


class GroupMean(Noun, frozen=True, kw_only=True):
    """The mean accuracy of the groups `of`, as published figures count the undecided verdicts."""

    of: tuple[str, ...]
    accuracy: Measurement


Parts = dict[str, tuple[tuple[str, ...], bool]]
"""By total (`""` is that of all): its groups, and whether none of these share a question."""


def find_parts(groups: Mapping[str, Bools], question: Numbers) -> Parts:
    """Return the totals that consist of several groups.

    Args:
        groups: by name its gold verdicts, as in `Golds`; a group that contains another is a total.
        question: of every gold verdict.
    """

    def contains(whole: Bools, part: Bools) -> bool:
        return bool(not (part & ~whole).any() and (whole & ~part).any())

    totals = {
        name
        for name, members in groups.items()
        if not name or any(contains(members, other) for other in groups.values())
    }
    composed = Parts()
    for total in sorted(totals):
        parts = tuple(
            name
            for name, members in groups.items()
            if name not in totals and not (members & ~groups[total]).any()
        )
        if len(parts) > 1:
            asked = [np.unique(question[groups[name]]) for name in parts]
            apart = sum(map(len, asked)) == len(np.unique(np.concatenate(asked)))
            composed[total] = (parts, apart)
    return composed


def average_parts(
    by_group: Mapping[str, Accuracy], parts: Parts, undecided: Undecided
) -> dict[str, GroupMean]:
    """Return the means by total, of those with a verdict in each of their groups."""
    return {
        total: GroupMean(
            of=names,
            accuracy=average_groups(
                [by_group[name].counting(undecided) for name in names], apart=apart
            ),
        )
        for total, (names, apart) in parts.items()
        if all(name in by_group for name in names)
    }


def average_groups(measured: Sequence[Measurement], *, apart: bool) -> Measurement:
    """Return the mean of several measurements, with bounds from theirs.

    The distances of the bounds from the mean are those of the parts, added as independent errors
    (MOVER, Zou and Donner 2008). Where groups share questions (`apart` is false) their errors may
    depend on one another, and the distances are added as if they always went together: the bounds
    are at most too wide.
    """
    k = len(measured)
    value = sum(one.value for one in measured) / k

    def add(distances: list[float]) -> float:
        return (hypot(*distances) if apart else sum(distances)) / k

    return Measurement(
        value=value,
        low=value - add([one.value - one.low for one in measured]),
        high=value + add([one.high - one.value for one in measured]),
        n=sum(one.n for one in measured) if value == value else 0,
        level=measured[0].level,
        method=MOVER,
    )
