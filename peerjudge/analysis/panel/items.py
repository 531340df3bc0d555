"""What a panel judged: one row per comparison and shown order, one column per reviewer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import Floats, Numbers
from peerjudge.analysis.judged import Judged

__all__ = ["Items", "items_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """By item and reviewer the sign of its mean score, NaN where it gave none.

    By item also gold's score in the same order (NaN where it is not known), the question, the
    comparison, and whether the order is the reverse of the comparison's own.
    """

    ratings: Floats
    gold: Floats
    question: Numbers
    comparison: Numbers
    swapped: npt.NDArray[np.bool_]

    @property
    def errors(self) -> Floats:
        """1 where a rating is not gold's, 0 where it is, NaN where either is missing."""
        known = ~np.isnan(self.ratings) & ~np.isnan(self.gold)[:, None]
        return np.where(known, self.ratings != self.gold[:, None], np.nan)


def items_of(reviews: Judged) -> Items:
    """The items of these reviews, in the order of comparison and shown order."""
    key = reviews.comparison.astype(np.int64) * 2 + reviews.swapped
    names, first, at = np.unique(key, return_index=True, return_inverse=True)
    shape = (len(names), len(reviews.reviewers))
    cell = at * shape[1] + reviews.reviewer
    cells = shape[0] * shape[1]
    total = np.bincount(cell, reviews.score, cells).reshape(shape)
    count = np.bincount(cell, minlength=cells).reshape(shape)
    return Items(
        ratings=np.where(count > 0, np.sign(total), np.nan),
        gold=reviews.shown_gold[first],
        question=reviews.question[first],
        comparison=reviews.comparison[first],
        swapped=reviews.swapped[first],
    )
