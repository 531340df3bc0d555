"""Whether a reviewer judges the place instead of the answer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.analysis.judged import Judged
from peerjudge.data import Measurement, Noun

__all__ = ["OrderConsistency", "Position", "order_consistency", "position"]


class Position(Noun, frozen=True, kw_only=True):
    """What a reviewer chose, by place.

    `share` is the share of its choices (ties aside) that name the first-shown answer: one half for
    a reviewer who judges every pair in both orders and does not look at the place.
    """

    reviewer: str
    first: int
    tie: int
    second: int
    unreadable: int
    share: Measurement


class OrderConsistency(Noun, frozen=True, kw_only=True):
    """What became of pairs that a reviewer judged in both orders.

    `same` verdicts stand by an answer (or tie) in both orders; `first` and `second` stand by a
    place; `mixed` tie in one order only. `rate` is the share of `same`.
    """

    reviewer: str
    same: int
    first: int
    second: int
    mixed: int
    rate: Measurement


def position(reviews: Judged, *, seed: int = 0, samples: int = 2000) -> tuple[Position, ...]:
    """One row per reviewer, in the order of `reviews.reviewers`. Bounds resample questions."""
    rows: list[Position] = []
    for number, name in enumerate(reviews.reviewers):
        here = reviews.reviewer == number
        counts = np.bincount(reviews.score[here] + 1, minlength=3)
        chose = here & (reviews.score != 0)
        rows.append(
            Position(
                reviewer=name,
                first=int(counts[0]),
                tie=int(counts[1]),
                second=int(counts[2]),
                unreadable=reviews.unreadable[number],
                share=bootstrap_mean(
                    (reviews.score[chose] < 0).astype(np.float64),
                    reviews.question[chose],
                    limits=SHARE,
                    seed=seed,
                    samples=samples,
                ),
            )
        )
    return tuple(rows)


def order_consistency(
    reviews: Judged, *, seed: int = 0, samples: int = 2000
) -> tuple[OrderConsistency, ...]:
    """One row per reviewer. Where it judged a pair several times in an order, times are matched.

    A pair of which one verdict could not be read is left out.
    """
    rows: list[OrderConsistency] = []
    for number, name in enumerate(reviews.reviewers):
        given, swapped, question = _both_orders(reviews, number)
        # Scores speak of places: the same answer in both orders has opposite scores.
        same = given == -swapped
        stood = ~same & (given == swapped)
        rows.append(
            OrderConsistency(
                reviewer=name,
                same=int(same.sum()),
                first=int((stood & (given < 0)).sum()),
                second=int((stood & (given > 0)).sum()),
                mixed=int((~same & ~stood).sum()),
                rate=bootstrap_mean(
                    same.astype(np.float64), question, limits=SHARE, seed=seed, samples=samples
                ),
            )
        )
    return tuple(rows)


def _both_orders(
    reviews: Judged, reviewer: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Scores in the given and in the reverse order, and the questions, pair by pair."""
    here = np.flatnonzero(reviews.reviewer == reviewer)
    given, swapped = here[~reviews.swapped[here]], here[reviews.swapped[here]]
    keys = [_numbered(reviews.comparison[rows], len(reviews)) for rows in (given, swapped)]
    _, at_given, at_swapped = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    one, other = given[at_given], swapped[at_swapped]
    return reviews.score[one], reviews.score[other], reviews.question[one]


def _numbered(comparisons: npt.NDArray[np.int32], most: int) -> npt.NDArray[np.int64]:
    """Every review's comparison together with how many reviews of it (up to `most`) came before."""
    order = np.argsort(comparisons, kind="stable")
    ascending = comparisons[order]
    starts = np.searchsorted(ascending, ascending, side="left")
    times = np.empty(len(comparisons), dtype=np.int64)
    times[order] = np.arange(len(comparisons)) - starts
    return comparisons.astype(np.int64) * most + times
