"""Win rates: points and battles of a tournament by reviewer and contestant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament

Floats: TypeAlias = npt.NDArray[np.float64]

# One integer bincount over (outcome, reviewer, first, second) is fastest while its table is small
# compared with the battles; above this many cells four weighted bincounts are faster.
_MOST_CELLS = 1 << 22
_OUTCOMES = 3
_BLOCK = 1 << 15
# Battles counted at a time, which bounds the memory.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Points and battles by reviewer (row) and contestant (column).

    A win is one point, a tie half a point. `unreadable` counts the excluded unreadable battles.
    """

    points: Floats
    battles: npt.NDArray[np.int64]
    unreadable: int

    @property
    def rates(self) -> Floats:
        """Win rates of PRD Equation 1, `[reviewer, contestant]`; NaN for contestants a reviewer never saw."""
        unseen = np.full_like(self.points, np.nan)
        return np.divide(self.points, self.battles, out=unseen, where=self.battles > 0)


def win_rates(tournament: Tournament) -> Tally:
    """Count points and battles; `rates` is W of PRD Equation 1.

    Equation 1 divides by the battles of a full tournament, this by the readable battles that took
    place. Both are equal if every pair was judged in both orders on every question.
    """
    judges, size = len(tournament.reviewers), len(tournament.contestants)
    unreadable = len(tournament) - int(np.count_nonzero(tournament.readable))
    if judges * size * size * _OUTCOMES > _MOST_CELLS:
        points, battles = _tally_sparse(tournament)
    else:
        cells = _cells(tournament)
        won, tied, lost = range(_OUTCOMES)
        as_first, as_second = cells.sum(axis=3), cells.sum(axis=2)
        wins = as_first[won] + as_second[lost]
        ties = as_first[tied] + as_second[tied]
        points = wins + ties / 2.0
        battles = wins + ties + as_first[lost] + as_second[won]
    return Tally(points=points, battles=battles, unreadable=unreadable)


def head_to_head(tournament: Tournament, weights: Floats) -> Floats:
    """Return the points of row against column, each battle times its reviewer's weight."""
    size = len(tournament.contestants)
    keep = tournament.readable
    cell = tournament.first[keep].astype(np.intp) * size + tournament.second[keep]
    share = weights[tournament.reviewer[keep]]
    lost = (tournament.score[keep] + 1) / 2.0
    first = np.bincount(cell, share * (1.0 - lost), size * size).reshape(size, size)
    second = np.bincount(cell, share * lost, size * size).reshape(size, size)
    return np.asarray(first + second.T, dtype=np.float64)


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
    points = np.bincount(first, 1.0 - lost, cells) + np.bincount(second, lost, cells)
    battles = np.bincount(first, minlength=cells) + np.bincount(second, minlength=cells)
    return points.astype(np.float64).reshape(shape), battles.astype(np.int64).reshape(shape)
