"""Counts the battles of many resampled tournaments at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament
from peerjudge.ranking.tally import Floats

__all__ = ["Rows", "pairs", "rates", "rows_of"]

Indices = npt.NDArray[np.int32]
Counts = npt.NDArray[np.float32]

# How many (question, reviewer, contestant, outcome) cells are counted at a time.
_MOST_CELLS = 1 << 23
_OUTCOMES = 3
# Where so few battles fall on so many cells, going through the battles of each sample is cheaper.
_SPARSE = 1 / 64
# Half points are counted double, as whole numbers: in single precision they are exact up to here.
_EXACT = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """The battles that count, as columns; `question` is renumbered to those that have any."""

    question: Indices
    reviewer: Indices
    first: Indices
    second: Indices
    score: npt.NDArray[np.int8]
    questions: int
    judges: int
    size: int

    def by_reviewer(self) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
        """Each reviewer with the places of its battles."""
        # Two-byte keys make the stable sort a radix sort, several times faster.
        keys = self.reviewer.astype(np.uint16) if self.judges < 1 << 16 else self.reviewer
        order = np.argsort(keys, kind="stable")
        ends = np.cumsum(np.bincount(self.reviewer, minlength=self.judges))
        yield from enumerate(np.split(order, ends[:-1]))


def rows_of(tournament: Tournament, keep: npt.NDArray[np.bool_]) -> Rows:
    """The battles of a tournament that are to be kept."""
    part = slice(None) if keep.all() else keep
    asked = tournament.question[part]
    present = np.bincount(asked, minlength=len(tournament.questions)) > 0
    renumbered = (np.cumsum(present) - 1).astype(np.int32)
    return Rows(
        question=renumbered[asked],
        reviewer=tournament.reviewer[part],
        first=tournament.first[part],
        second=tournament.second[part],
        score=tournament.score[part],
        questions=int(np.count_nonzero(present)),
        judges=len(tournament.reviewers),
        size=len(tournament.contestants),
    )


def rates(rows: Rows, draws: Floats) -> Floats:
    """`[sample, reviewer, contestant]`: the win rates where questions count `draws` times.

    `draws` is `[sample, question]`. NaN where a reviewer never saw a contestant in a sample.
    """
    result = np.full((len(draws), rows.judges, rows.size), np.nan)
    cells = rows.questions * rows.size * _OUTCOMES
    if len(rows.score) < _SPARSE * cells * rows.judges:
        for sample, times in zip(result, draws, strict=True):
            _divide(*_weighted(rows, times), out=sample)
        return result
    per_part = max(1, _MOST_CELLS // cells)
    for begin in range(0, rows.judges, per_part):
        judges = range(begin, min(begin + per_part, rows.judges))
        part = result[:, judges.start : judges.stop]
        points, battles = _by_question(rows, judges)
        exact = rows.questions * max(float(battles.max()), 1.0) * 2.0 < _EXACT
        times = draws.astype(np.float32) if exact else draws
        shape = (len(draws), len(judges), rows.size)
        drawn = [(times @ table).reshape(shape) for table in (points, battles)]
        _divide(drawn[0], drawn[1], out=part)
    return result


def pairs(rows: Rows, draws: Floats, weights: Floats) -> Floats:
    """`[sample, row, column]`: the points of row against column where questions count `draws` times.

    Each battle counts as much as `weights[sample, reviewer]` says, times the number of reviewers.
    """
    area = rows.size**2
    cells = rows.questions * area
    total = np.zeros((len(draws), area))
    for judge, part in rows.by_reviewer():
        row, lost = rows.question[part].astype(np.intp) * area, (rows.score[part] + 1) / 2.0
        first, second = rows.first[part], rows.second[part]
        points = np.bincount(row + first * rows.size + second, 1.0 - lost, cells)
        points = points + np.bincount(row + second * rows.size + first, lost, cells)
        total += weights[:, judge, None] * rows.judges * (draws @ points.reshape(-1, area))
    return total.reshape(len(draws), rows.size, rows.size)


def _by_question(rows: Rows, judges: range) -> tuple[Counts, Counts]:
    """Doubled points and battles `[question, (reviewer, contestant)]` of some reviewers."""
    part: slice | npt.NDArray[np.intp] = slice(None)
    if len(judges) < rows.judges:
        among = (rows.reviewer >= judges.start) & (rows.reviewer < judges.stop)
        part = np.flatnonzero(among)
    outcome = rows.score[part].astype(np.int32)
    outcome += 1
    cell = rows.question[part] * np.int32(len(judges))
    cell += rows.reviewer[part]
    cell -= np.int32(judges.start)
    cell *= np.int32(rows.size)
    shape = (rows.questions, len(judges) * rows.size, _OUTCOMES)
    cells = shape[0] * shape[1] * _OUTCOMES
    as_first, as_second = (
        np.bincount((cell + side) * np.int32(_OUTCOMES) + outcome, minlength=cells).reshape(shape)
        for side in (rows.first[part], rows.second[part])
    )
    points = 2 * (as_first[..., 0] + as_second[..., 2]) + as_first[..., 1] + as_second[..., 1]
    battles = as_first.sum(axis=2) + as_second.sum(axis=2)
    return points.astype(np.float32), battles.astype(np.float32)


def _weighted(rows: Rows, times: Floats) -> tuple[Floats, Floats]:
    """Doubled points and battles `[reviewer, contestant]`, each battle `times` its question."""
    shape, cells = (rows.judges, rows.size), rows.judges * rows.size
    weight = times[rows.question]
    row = rows.reviewer.astype(np.intp) * rows.size
    lost = weight * (rows.score + 1)
    first, second = row + rows.first, row + rows.second
    points = np.bincount(first, 2.0 * weight - lost, cells) + np.bincount(second, lost, cells)
    battles = np.bincount(first, weight, cells) + np.bincount(second, weight, cells)
    return points.astype(np.float64).reshape(shape), battles.astype(np.float64).reshape(shape)


def _divide(points: Floats | Counts, battles: Floats | Counts, *, out: Floats) -> None:
    """Win rates from doubled points, where there was a battle."""
    # The counts are exact in single precision; their quotient would not be.
    np.divide(points, 2 * battles, out=out, where=battles > 0, dtype=np.float64)
