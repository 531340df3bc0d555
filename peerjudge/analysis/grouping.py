"""Rows that belong together: groups by value, and the same judgement in several orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Ballots, Bools, Codes, Floats, Numbers
from peerjudge.ranking.tally import divide_known

Ints = npt.NDArray[np.int64]
Column = npt.NDArray[np.integer] | Bools


def group_rows(*columns: Column) -> tuple[Ints, Ints]:
    """Return the group of every row, and the first row of every group.

    Rows with equal values in all columns form a group; groups are numbered from 0 in the order in
    which they first appear.
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values = column.astype(np.int64)
        if len(values):
            values = values - values.min()
            key = key * (int(values.max()) + 1) + values
            # Renumbering keeps the key small for any number of columns.
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[group], np.sort(first)


def list_distinct(column: Column) -> list[int]:
    """Return the distinct values of a column in the order in which they first appear."""
    values, first = np.unique(column, return_index=True)
    ordered: list[int] = values[np.argsort(first)].tolist()
    return ordered


def average_by_group(group: Ints | Numbers, values: Floats | Bools, size: int) -> Floats:
    """Return the mean of the values by group, numbered from 0; NaN for a group without any."""
    total: Floats = np.bincount(group, values, size).astype(np.float64, copy=False)
    return divide_known(total, np.bincount(group, minlength=size))


def count_earlier(*columns: Column) -> Ints:
    """Return for every row the number of earlier rows with equal values in all columns."""
    group, _ = group_rows(*columns)
    order = np.argsort(group, kind="stable")
    ascending = group[order]
    earlier = np.empty(len(group), dtype=np.int64)
    earlier[order] = np.arange(len(group)) - np.searchsorted(ascending, ascending, side="left")
    return earlier


@dataclass(frozen=True, slots=True, eq=False)
class OrderMatches:
    """Judgements made in two or more shown orders, one entry each, in order of appearance.

    `row` is the first ballot of the judgement, `verdict` the verdict in one of the orders. `same` is
    true where all its verdicts are equal, `readable` where all are readable; `first` and `second`
    where the first-shown, or the second-shown, of two answers is chosen in every order.
    """

    row: Ints
    verdict: Codes
    same: Bools
    readable: Bools
    first: Bools
    second: Bools


def match_orders(ballots: Ballots, *key: Column) -> OrderMatches:
    """Match the ballots that differ in the shown order only.

    Ballots with equal values in all `key` columns (one value per ballot) are one judgement; of
    several in the same order the last one counts. A judgement made in one order only is left out.
    """
    group, first_row = group_rows(*key)
    cell, _ = group_rows(group, ballots.order)
    last = np.full(int(cell.max(initial=-1)) + 1, -1, dtype=np.int64)
    last[cell] = np.arange(len(ballots))
    row, count = group[last], len(first_row)
    verdict = ballots.verdict[last]
    # The verdict of any one order: where all are equal, it is that of all.
    any_of = np.zeros(count, dtype=np.int8)
    any_of[row] = verdict
    score = ballots.score[last]

    def every(holds: Bools) -> Bools:
        return np.bincount(row[~holds], minlength=count) == 0

    several = np.bincount(row, minlength=count) > 1
    return OrderMatches(
        row=first_row[several],
        verdict=any_of[several],
        same=every(verdict == any_of[row])[several],
        readable=every(ballots.readable[last])[several],
        first=every(score == -1.0)[several],
        second=every(score == 1.0)[several],
    )
