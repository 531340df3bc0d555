"""Accuracy, bounds and consistency of verdicts against gold, by judge and group of comparisons.

All judges are measured at once: the same resamples of questions serve all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
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
from peerjudge.analysis.conditions import Consistency
from peerjudge.analysis.grouping import Column, Ints, group_rows, match_orders
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.intervals import SCORE, SHARE, bound_mean
from peerjudge.analysis.margins import Margin, pool_orders
from peerjudge.data import Measurement, Noun, Outcome, Undecided
from peerjudge.data import replace as changed


class Golds(NamedTuple):
    """Gold verdicts: their comparisons, their codes, and by group its members; "" is all of them.

    `voters` gave them, where each is one vote.
    """

    comparison: Numbers
    verdict: Codes
    groups: Mapping[str, Bools]
    voters: tuple[str, ...] = ()


_Entries: TypeAlias = tuple[Numbers, Ints, dict[str, Bools]]
"""Judges, questions, and by name which entries count."""

_EQUAL = 1e-12
_RATIOS = (
    "right",
    "readable",
    "decided_right",
    "decided",
    "settled_same",
    "settled",
    "tied",
    "judged",
)
"""Marks that are summed by question: four pairs of which the ratio is measured."""


class OrderShares(Noun, frozen=True, kw_only=True):
    """Right verdicts by shown order, as shares of **all** verdicts: the unreadable count as wrong.

    `given` is the order in which the source shows a comparison, `other` every other one; `average`
    is their mean. Of the judgements made in several orders, `both` is the share that is right in
    every order and `same` the share with the same verdict in every order; NaN without any. These
    are LLMBar's `correct_False`, `correct_True`, `correct_average`, `correct_both` and `equal`.
    """

    given: float
    other: float
    average: float
    both: float
    same: float


class Cell(Noun, frozen=True, kw_only=True):
    """The verdicts of one judge on one group of comparisons against gold, all orders pooled.

    `judged` verdicts have a gold; `outcomes` counts their kinds. `accuracy` is over the readable
    ones, a tie being right only if gold is a tie. `worst_case` and `best_case` are the shares
    if all others (unreadable, refused, inconsistent) were wrong or right. `decided` is the
    accuracy where both the verdict and gold choose. `as_tie` and `as_half` are the accuracy over all
    `judged`, with the others counted as `Undecided` says. `margin` is that of the judgements with
    log-probabilities, `None` without any. Intervals resample `questions`.
    """

    judged: int
    questions: int
    right: int
    outcomes: Mapping[Outcome, int]
    accuracy: Measurement
    worst_case: float
    best_case: float
    decided: Measurement
    as_tie: Measurement
    as_half: Measurement
    orders: OrderShares
    consistency: Consistency
    margin: Margin | None = None

    @property
    def undecided(self) -> int:
        """Number of verdicts that are inconsistent, unreadable or refused."""
        return self.judged - self.outcomes[Outcome.CHOICE] - self.outcomes[Outcome.TIE]

    def counting(self, undecided: Undecided) -> Measurement:
        """Return the accuracy with undecided verdicts counted in this way."""
        return self.accuracy if undecided is Undecided.LEFT_OUT else getattr(self, undecided)


def measure_cells(
    ballots: Ballots, key: Sequence[Column], golds: Golds, *, sampler: Sampler
) -> dict[int, dict[str, Cell]]:
    """Return the cells by judge (the code in `reviewer`) and group; "" is the group of all.

    Args:
        ballots: of the judges. A question without a readable verdict by one judge is resampled if
            others judged it. A verdict counts once for every gold of its comparison.
        key: columns with equal values for judgements that differ in the shown order only.
        golds: gold verdicts and their groups.
        sampler: settings of the resampling.
    """
    question, _ = group_rows(ballots.question_of[golds.comparison])
    entry, row, gold = _join(ballots, np.arange(len(ballots)), golds)
    matches = match_orders(ballots, *key)
    pair, pair_row, pair_gold = _join(ballots, matches.row, golds)
    verdicts: _Entries = (
        ballots.reviewer[entry],
        question[row],
        _mark_verdicts(ballots.where(entry), gold),
    )
    pairs: _Entries = (
        ballots.reviewer[matches.row][pair],
        question[pair_row],
        {
            "paired": np.ones(len(pair), dtype=np.bool_),
            "paired_right": matches.same[pair] & (matches.verdict[pair] == pair_gold),
            "paired_same": matches.same[pair],
            "paired_readable": matches.readable[pair],
        },
    )
    found: dict[int, dict[str, Cell]] = {}
    for group, members in golds.groups.items():
        inside, paired = members[row], members[pair_row]
        if inside.any():
            judge, place, marks = _take(pairs, paired)
            marks = {**marks, **_mark_judgements(pair[paired], marks)}
            judged = (judge, place, marks)
            cells = _measure_group(_take(verdicts, inside), judged, len(ballots.reviewers), sampler)
            for number, cell in cells.items():
                found.setdefault(number, {})[group] = cell
    _add_margins(found, ballots, key, golds, sampler)
    return found


def _add_margins(
    cells: dict[int, dict[str, Cell]],
    ballots: Ballots,
    key: Sequence[Column],
    golds: Golds,
    sampler: Sampler,
) -> None:
    """Add the margins to the cells of judges and groups that have any."""
    pooled = pool_orders(ballots, key)
    if not len(pooled.row):
        return
    entry, row, gold = _join(ballots, pooled.row, golds)
    margin = pooled.take(entry).of_gold(gold)
    judge = ballots.reviewer[pooled.row[entry]]
    question = ballots.question[pooled.row[entry]]
    for group, members in golds.groups.items():
        inside = members[row] & ~np.isnan(margin)
        for number in np.unique(judge[inside]).tolist():
            here = inside & (judge == number)
            measured = Margin(
                measured=sampler.mean(margin[here], question[here]),
                one_order=int((pooled.orders[entry[here]] == 1).sum()),
            )
            cells[number][group] = changed(cells[number][group], margin=measured)


def _take(entries: _Entries, rows: Bools) -> _Entries:
    judge, question, marks = entries
    return judge[rows], question[rows], {name: marked[rows] for name, marked in marks.items()}


def _measure_group(
    verdicts: _Entries, pairs: _Entries, judges: int, sampler: Sampler
) -> dict[int, Cell]:
    """Return the cells of one group by judge, from verdicts and from judgements in several orders."""
    questions = np.unique(verdicts[1])
    shape = (len(questions), judges)
    counts: dict[str, Ints] = {}
    sums = np.zeros((*shape, len(_RATIOS)))
    for judge, question, marks in (verdicts, pairs):
        cell = np.searchsorted(questions, question) * judges + judge
        for name, marked in marks.items():
            table = np.bincount(cell[marked], minlength=shape[0] * judges).reshape(shape)
            counts[name] = table.sum(axis=0)
            if name == "judged":
                counts["questions"] = (table > 0).sum(axis=0)
            if name in _RATIOS:
                sums[:, :, _RATIOS.index(name)] = table
    return {
        number: _build_cell(
            {name: int(count[number]) for name, count in counts.items()},
            sums[:, number],
            sampler,
        )
        for number in np.flatnonzero(counts["judged"]).tolist()
    }


def _join(ballots: Ballots, rows: Ints, golds: Golds) -> tuple[Ints, Ints, Codes]:
    """Return the numbers of every entry and gold that have the same comparison, and the verdict of gold.

    The entries are these rows. A person is not held against gold made of an own vote.
    """
    entry, row = _match(ballots.comparison[rows], golds.comparison, len(ballots.comparisons))
    gold, own = golds.verdict[row], ballots.voter_gold[rows[entry]]
    if golds.voters:
        judges = np.array(ballots.reviewers)[ballots.reviewer[rows[entry]]]
        known = judges != np.array(golds.voters)[row]
    else:
        gold = np.where(own == SHARED, gold, own)
        known = gold != NONE
    return entry[known], row[known], gold[known]


def _match(comparisons: Numbers, golds: Numbers, size: int) -> tuple[Ints, Ints]:
    """Return the numbers of every entry and gold that have the same comparison."""
    ordered = np.argsort(golds, kind="stable")
    count = np.bincount(golds, minlength=size)
    start = np.cumsum(count) - count
    each = count[comparisons]
    entry = np.repeat(np.arange(len(comparisons)), each)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(each) - each, each)
    return entry, ordered[start[comparisons][entry] + within]


def _mark_verdicts(ballots: Ballots, gold: Codes) -> dict[str, Bools]:
    """Return which verdicts count for what, by name; `gold` has one entry per ballot."""
    right = ballots.readable & (ballots.verdict == gold)
    choice, given = ballots.verdict >= 0, ~ballots.swapped
    decided = choice & (gold >= 0)
    return {
        "judged": np.ones(len(ballots), dtype=np.bool_),
        Outcome.CHOICE: choice,
        **{outcome: ballots.verdict == code for outcome, code in OUTCOME_CODES.items()},
        "readable": ballots.readable,
        "right": right,
        "tied": right | ((ballots.verdict == INCONSISTENT) & (gold == TIE)),
        "decided": decided,
        "decided_right": right & decided,
        "given": given,
        "given_right": given & right,
        "other": ~given,
        "other_right": ~given & right,
    }


def _mark_judgements(item: Ints, marks: Mapping[str, Bools]) -> dict[str, Bools]:
    """Mark one entry per judgement: consistency needs no gold, so votes do not multiply it."""
    lead = np.zeros(len(item), dtype=np.bool_)
    lead[np.unique(item, return_index=True)[1]] = True
    settled = lead & marks["paired_readable"]
    return {
        "items": lead,
        "items_unreadable": lead & ~marks["paired_readable"],
        "settled": settled,
        "settled_same": settled & marks["paired_same"],
    }


def _build_cell(counts: Mapping[str, int], sums: Floats, sampler: Sampler) -> Cell:
    """Build a cell from the counts of one judge, its `[question, sum]` and `[sample, sum]`."""
    judged, right = counts["judged"], counts["right"]
    unsettled = judged - counts[Outcome.CHOICE] - counts[Outcome.TIE]

    def ratio(name: str) -> Measurement:
        at = _RATIOS.index(name)
        return _measure_ratio(sums[:, at : at + 2], sampler)

    rights, readable, *_, all_judged = sums.T
    halves = np.stack([rights + (all_judged - readable) / 2, all_judged], axis=1)

    same, unreadable = counts["settled_same"], counts["items_unreadable"]
    return Cell(
        judged=judged,
        questions=counts["questions"],
        right=right,
        outcomes={outcome: counts[outcome] for outcome in Outcome},
        accuracy=ratio("right"),
        worst_case=right / judged,
        best_case=(right + unsettled) / judged,
        decided=ratio("decided_right"),
        as_tie=ratio("tied"),
        as_half=_measure_ratio(halves, sampler),
        orders=_share_orders(counts),
        consistency=Consistency(
            judged=counts["items"],
            same=same,
            inconsistent=counts["items"] - unreadable - same,
            unreadable=unreadable,
            rate=ratio("settled_same") if counts["items"] > unreadable else None,
        ),
    )


def _measure_ratio(sums: Floats, sampler: Sampler) -> Measurement:
    """Return the ratio of two sums with its bounds."""
    sums = sums[sums[:, 1] > 0]
    n = int(sums[:, 1].sum())
    if n == 0:
        return Measurement(value=nan, low=nan, high=nan, n=0, level=sampler.level)
    low, high = bound_mean(sums, limits=SHARE, level=sampler.level)
    value = float(sums[:, 0].sum()) / n
    return Measurement(value=value, low=low, high=high, n=n, level=sampler.level, method=SCORE)


def _share_orders(counts: Mapping[str, int]) -> OrderShares:
    def share(part: str, whole: str) -> float:
        return counts[part] / counts[whole] if counts[whole] else nan

    given, other = share("given_right", "given"), share("other_right", "other")
    known = [one for one in (given, other) if not isnan(one)]
    return OrderShares(
        given=given,
        other=other,
        average=sum(known) / len(known),
        both=share("paired_right", "paired"),
        same=share("paired_same", "paired"),
    )
