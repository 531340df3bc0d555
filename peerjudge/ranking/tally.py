"""Win rates: points and battles of a tournament by reviewer and contestant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament

Floats: TypeAlias = npt.NDArray[np.float64]
Cells: TypeAlias = npt.NDArray[np.intp]

# One integer bincount over (outcome, reviewer, first, second) is fastest while its table is small
# compared with the battles; above this many cells four weighted bincounts are faster.
_MOST_CELLS = 1 << 22
_OUTCOMES = 3
LEAST = 1e-3
"""Added to every weight where weights are shared on a pair.

A pair that only reviewers of weight 0 judged then still counts, and the weight of its judges does not
jump when one of theirs becomes 0, which would keep an iteration from settling.
"""
_BLOCK = 1 << 15
# Battles counted at a time, which bounds the memory.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Meetings:
    """Points of contestant against opponent and their battles, `[reviewer, contestant, opponent]`."""

    points: Floats
    battles: npt.NDArray[np.int64]

    @property
    def rates(self) -> Floats:
        """Win rates of every reviewer by opponent; NaN for pairs that a reviewer never judged."""
        return divide_known(self.points, self.battles)

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """True where this reviewer judged this pair."""
        return self.battles > 0

    @property
    def met(self) -> npt.NDArray[np.bool_]:
        """True where a contestant met an opponent."""
        return np.asarray(self.judged.any(axis=0), dtype=np.bool_)

    @property
    def comparable_rates(self) -> Floats:
        """As `Tally.comparable_rates`, of the same reviews."""
        if self.differ():
            return self.rates
        return divide_known(self.points.sum(axis=2), self.battles.sum(axis=2))

    def differ(self) -> bool:
        """Return `True` if some reviewers judged a pair that others did not.

        A reviewer without a readable battle judged nothing, and misses no pair.
        """
        judged = self.judged[self.battles.any(axis=(1, 2))]
        return bool((judged != judged.any(axis=0)).any())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Points and battles by reviewer (row) and contestant (column).

    A win is one point, a tie half a point; unreadable battles are left out. `met` is true where a
    contestant met an opponent in a readable battle. `uneven` has points and battles by opponent where
    some reviewers judged a pair that others did not, as after the exclusion of self-reviews, and is
    `None` where all judged the same pairs (or the table of reviewers and pairs is too large to count).
    """

    points: Floats
    battles: npt.NDArray[np.int64]
    met: npt.NDArray[np.bool_]
    uneven: Meetings | None

    @property
    def rates(self) -> Floats:
        """Win rates of PRD Equation 1, `[reviewer, contestant]`; NaN for contestants a reviewer never saw."""
        return divide_known(self.points, self.battles)

    @property
    def comparable_rates(self) -> Floats:
        """Win rates from which reviewers can be combined.

        `rates`, but `[reviewer, contestant, opponent]` where reviewers judged different pairs: the
        rates of one reviewer are then against other opponents than those of another.
        """
        return self.rates if self.uneven is None else self.uneven.rates


def win_rates(tournament: Tournament) -> Tally:
    """Count points and battles; `rates` is W of PRD Equation 1.

    Equation 1 divides by the battles of a full tournament, this by the readable battles that took
    place. Both are equal if every pair was judged in both orders on every question.
    """
    judges, size = len(tournament.reviewers), len(tournament.contestants)
    uneven: Meetings | None = None
    if judges * size * size * _OUTCOMES > _MOST_CELLS:
        points, battles = _tally_sparse(tournament)
        met = _met(tournament)
    else:
        cells = _cells(tournament)
        won, tied, lost = range(_OUTCOMES)
        as_first, as_second = cells.sum(axis=3), cells.sum(axis=2)
        wins = as_first[won] + as_second[lost]
        ties = as_first[tied] + as_second[tied]
        points = wins + ties / 2.0
        battles = wins + ties + as_first[lost] + as_second[won]
        by_pair = cells.sum(axis=0)
        by_pair = by_pair + by_pair.transpose(0, 2, 1)
        met = by_pair.any(axis=0)
        gained = cells[won] + cells[tied] / 2.0
        conceded = cells[lost] + cells[tied] / 2.0
        meetings = Meetings(points=gained + conceded.transpose(0, 2, 1), battles=by_pair)
        uneven = meetings if meetings.differ() else None
    return Tally(points=points, battles=battles, met=met, uneven=uneven)


def share_pairs(weights: Floats, judged: npt.NDArray[np.bool_]) -> Floats:
    """Return the weights `[case, reviewer, contestant, opponent]` of the reviewers that judged a pair.

    On each pair they sum to 1: a reviewer that did not judge it counts as if it had judged it as the
    others did. Without this, a pair that the reviewers of most weight left out, such as the two best
    contestants after the exclusion of self-reviews, would hardly count. 0.001 is added to every
    weight, so where all that judged a pair weigh 0 they count alike.
    """
    share = (weights + LEAST)[:, :, None] * judged.reshape(len(judged), -1)
    present = share.sum(axis=1, keepdims=True)
    shared = np.divide(share, present, out=share, where=present > 0.0)
    return shared.reshape(len(weights), *judged.shape)


def head_to_head(tournament: Tournament, weights: Floats) -> Floats:
    """Return the points of row against column, each battle times its reviewer's weight.

    `weights` are `[reviewer]`, or by pair `[reviewer, contestant, opponent]` (`share_pairs`).
    """
    size = len(tournament.contestants)
    keep = tournament.readable
    cell = tournament.first[keep].astype(np.intp) * size + tournament.second[keep]
    judge = tournament.reviewer[keep]
    share = weights[judge] if weights.ndim == 1 else weights.reshape(len(weights), -1)[judge, cell]
    lost = (tournament.score[keep] + 1) / 2.0
    turned = tournament.second[keep].astype(np.intp) * size + tournament.first[keep]
    points = add_sides(cell, turned, share * (1.0 - lost), share * lost, size * size)
    return points.reshape(size, size)


def add_sides(
    first: Cells, second: Cells, to_first: Floats, to_second: Floats, cells: int
) -> Floats:
    """Return the sums by cell of what each battle adds to the cells of its two sides."""
    total = np.bincount(first, to_first, cells) + np.bincount(second, to_second, cells)
    return total.astype(np.float64, copy=False)


def _cells(tournament: Tournament) -> npt.NDArray[np.int64]:
    """Count the readable battles as `[outcome, reviewer, first, second]`."""
    judges, size = len(tournament.reviewers), len(tournament.contestants)
    cells = _OUTCOMES * judges * size * size
    index = np.empty(min(len(tournament), _CHUNK), dtype=np.int32)
    flat = np.zeros(cells + 1, dtype=np.int64)
    for start in range(0, len(tournament), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        counted = np.bincount(_index(tournament, chunk, index), minlength=cells + 1)
        flat = flat + counted if start else counted
    # The last cell counts unreadable battles.
    return flat[:-1].reshape(_OUTCOMES, judges, size, size)


def _index(
    tournament: Tournament, chunk: slice, index: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Write the cell of every battle of a chunk to the front of `index`."""
    judges, size = len(tournament.reviewers), len(tournament.contestants)
    readable = tournament.readable[chunk]
    filled = index[: len(readable)]
    # In blocks, so that intermediate products stay in the CPU cache.
    for start in range(0, len(filled), _BLOCK):
        part = slice(chunk.start + start, min(chunk.start + start + _BLOCK, chunk.stop))
        cell = filled[start : start + _BLOCK]
        np.add(tournament.score[part], 1, out=cell)
        cell *= judges
        cell += tournament.reviewer[part]
        cell *= size
        cell += tournament.first[part]
        cell *= size
        cell += tournament.second[part]
    if not readable.all():
        filled[~readable] = _OUTCOMES * judges * size * size
    return filled


def _tally_sparse(tournament: Tournament) -> tuple[Floats, npt.NDArray[np.int64]]:
    keep = tournament.readable
    judges, size = len(tournament.reviewers), len(tournament.contestants)
    shape, cells = (judges, size), judges * size
    row = tournament.reviewer[keep].astype(np.intp) * size
    first, second = row + tournament.first[keep], row + tournament.second[keep]
    lost = (tournament.score[keep] + 1) / 2.0
    points = add_sides(first, second, 1.0 - lost, lost, cells)
    battles = np.bincount(first, minlength=cells) + np.bincount(second, minlength=cells)
    return points.reshape(shape), battles.astype(np.int64).reshape(shape)


def _met(tournament: Tournament) -> npt.NDArray[np.bool_]:
    size, keep = len(tournament.contestants), tournament.readable
    met = np.zeros((size, size), dtype=np.bool_)
    met[tournament.first[keep], tournament.second[keep]] = True
    return met | met.T


def divide_known(points: Floats, battles: Floats | npt.NDArray[np.int64]) -> Floats:
    """Return the points per battle, NaN without a battle."""
    return np.divide(points, battles, out=np.full(points.shape, np.nan), where=battles > 0)
