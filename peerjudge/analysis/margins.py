"""Margins: the probability of the gold answer, from log-odds averaged over the shown orders.

A preference for a place or a label adds the same amount to the log-odds of the answer shown there, in
whichever order. For two answers judged in both orders it cancels out in

    margin = logistic(mean over orders of log(p_gold / p_other))

and for more answers in the softmax of the mean log-probabilities. A margin of one half (of one in k,
for k answers) is chance. Where verdicts are always the same label, accuracy is one half as well, but
margins still move with the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import Ballots, Codes, Floats, Stage
from peerjudge.analysis.grouping import Column, Ints, group_rows
from peerjudge.data import Measurement, Noun


class Margin(Noun, frozen=True, kw_only=True):
    """The mean margin over judgements with a gold answer; bounds resample questions.

    A judgement in several shown orders is one. `one_order` counts those in one order only, in whose
    margins a preference for a place remains.
    """

    measured: Measurement
    one_order: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PooledOrders:
    """Judgements with probabilities, their shown orders pooled, one entry each.

    `row` is the first ballot of the judgement, `probabilities` is `[judgement, answer]` in the
    comparison's own order, and `orders` is the number of orders pooled.
    """

    row: Ints
    probabilities: Floats
    orders: Ints

    def of_gold(self, gold: Codes, entries: Ints) -> Floats:
        """Return the margins of these judgements for these golds; NaN where gold is no answer."""
        return np.where(gold >= 0, self.probabilities[entries, np.maximum(gold, 0)], np.nan)


def pool_orders(ballots: Ballots, key: Sequence[Column]) -> PooledOrders:
    """Pool the probabilities of ballots that differ in the shown order only.

    Of several ballots in the same order the last one counts; ballots without probabilities are left
    out.

    Args:
        ballots: with or without probabilities.
        key: columns with equal values for ballots that are one judgement.
    """
    rows = np.flatnonzero(~np.isnan(ballots.probabilities).all(axis=1))
    if not ballots.probabilities.shape[1] or not len(rows):
        none = np.empty(0, dtype=np.int64)
        return PooledOrders(row=none, probabilities=np.empty((0, 1)), orders=none)
    group, first = group_rows(*(column[rows] for column in key))
    cell, _ = group_rows(group, ballots.order[rows])
    last = np.full(int(cell.max()) + 1, -1, dtype=np.int64)
    last[cell] = np.arange(len(rows))
    judgement = group[last]
    logs = np.log(ballots.probabilities[rows[last]].astype(np.float64))
    orders = np.bincount(judgement, minlength=len(first))
    sums = [np.bincount(judgement, column, len(first)) for column in logs.T]
    means = np.stack(sums, axis=1) / orders[:, None]
    # An answer that is missing in one order is missing in all: NaN marks it in the sum.
    weights = np.exp(means - np.nanmax(means, axis=1, keepdims=True))
    weights /= np.nansum(weights, axis=1, keepdims=True)
    return PooledOrders(
        row=rows[first],
        probabilities=weights,
        orders=np.maximum(orders, _count_own_orders(ballots.where(rows[first]))),
    )


def _count_own_orders(ballots: Ballots) -> Ints:
    """Return 2 for a conclusion that already pools verdicts in several orders, else 1."""
    facts = ballots.discussions
    several = np.zeros(len(ballots), dtype=np.bool_)
    if len(facts):
        several = (ballots.stage == Stage.CONCLUDED) & ~facts.one_order[ballots.discussion]
    return np.where(several, 2, 1)
