"""Slopes of judges: how closely each follows the strengths on which all agree (BT-sigma, arXiv 2602.16610).

logit P(first) = g_j (s_a - s_b) + position_j, by maximum likelihood with ties half. A judge that decides by
what all see has a steep slope; one that draws lots has a slope of 0. No gold is used: where most judges
share an error, the slopes reward it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Ballots, Floats
from peerjudge.analysis.grouping import group_rows
from peerjudge.analysis.selecting import number_authors, number_judges

__all__ = ["Slopes", "fit_slopes"]

Indices: TypeAlias = npt.NDArray[np.intp]

# The scale of slopes against strengths is free, and answers on which all agree have no finite strength: a
# normal prior with this precision on all settles both, and hardly moves the rest.
_RIDGE = 0.1
_MOST_STEPS = 200
_SMALL = 1e-8
_HALVINGS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slopes:
    """Slopes and first-position effects by judge, in logits.

    `moves` is how much one more copy of each question moves the slopes, `[question, judge]`: the Newton step
    from the estimate, by which slopes of resampled questions are found without a new fit.
    """

    slopes: Floats
    positions: Floats
    moves: Floats

    def weigh(self) -> Floats:
        """Return the weights by judge, which sum to 1: max(g, 0)."""
        return _rescale(self.slopes[None])[0]

    def weigh_samples(self, draws: Floats) -> Floats:
        """Return the weights `[sample, judge]` with questions repeated `draws` times."""
        return _rescale(self.slopes + (draws - 1.0) @ self.moves)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Equal presentations to one judge of one question: `points` of the first shown of `count`.

    `first` and `second` are the strengths of the answers shown first and second. `size` is the number of
    strengths; the strength of that number is 0. Strengths are `shared` where they are those of more than one
    question; otherwise each cell has one of its own, and the 0.
    """

    question: Indices
    judge: Indices
    first: Indices
    second: Indices
    points: Floats
    count: Floats
    questions: int
    judges: int
    size: int
    shared: bool

    def subtract(self, strengths: Floats) -> Floats:
        """Return by cell the strength of the first shown minus that of the second."""
        known = np.append(strengths, 0.0)
        return known[self.first] - known[self.second]

    def gather(self, values: Floats, by: Indices, groups: int) -> Floats:
        """Return the sums `[strength, group]` of values by cell, + for the first, - for the second."""
        size = (self.size + 1) * groups
        sums = np.bincount(self.first * groups + by, values, size)
        sums = sums - np.bincount(self.second * groups + by, values, size)
        return np.asarray(sums.reshape(-1, groups)[:-1], dtype=np.float64)

    def gather_all(self, values: Floats) -> Floats:
        """Return the sums by strength of values by cell."""
        return self.gather(values, np.zeros_like(self.judge), 1)[:, 0]

    def sum_judges(self, values: Floats) -> Floats:
        """Return the sums by judge of values by cell."""
        return np.bincount(self.judge, values, self.judges).astype(np.float64)

    def build_solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        """Return the solver of the information of the strengths, given that by cell."""
        size = self.size + 1
        own = np.bincount(self.first, weight, size) + np.bincount(self.second, weight, size)
        own = own[:-1] + _RIDGE
        if not self.shared:
            return lambda right: (right.T / own).T
        both = np.bincount(self.first * size + self.second, weight, size**2).reshape(size, size)
        matrix = np.diag(own) - (both + both.T)[:-1, :-1]
        return lambda right: np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def fit_slopes(ballots: Ballots, *, by_author: bool) -> Slopes | None:
    """Return the slopes of judges on pairs; `None` where the fit does not settle.

    Args:
        ballots: Of the judges on pairs; questions are numbered as `np.unique` numbers them.
        by_author: Whether strengths are those of the authors; otherwise those of the answers of each pair.
    """
    cells = _count_cells(ballots, by_author=by_author)
    theta = np.concatenate([np.ones(cells.judges), np.zeros(cells.judges)])
    strengths = np.zeros(cells.size)
    # All slopes at 1 first: the strengths on which the judges agree as equals.
    best = _score(cells, theta, strengths)
    for step in range(_MOST_STEPS):
        judged, seen = _find_step(cells, theta, strengths, fixed=step == 0)
        size = 1.0
        for _ in range(_HALVINGS):
            moved = theta + size * judged, strengths + size * seen
            now = _score(cells, *moved)
            if now >= best:
                break
            size /= 2.0
        else:
            moved, now = (theta, strengths), best
        gain, (theta, strengths), best = now - best, moved, now
        if step > 1 and gain < _SMALL:
            break
    else:
        return None
    slopes = theta[: cells.judges]
    turn = -1.0 if slopes.sum() < 0.0 else 1.0
    moves = _find_moves(cells, theta, strengths)
    return Slopes(slopes=turn * slopes, positions=theta[cells.judges :], moves=turn * moves)


def _count_cells(ballots: Ballots, *, by_author: bool) -> _Cells:
    asked = np.unique(ballots.question)
    read = ballots.where(ballots.readable)
    turned = read.first == 1
    if by_author:
        names, authors = number_authors(read)
        one, other = authors[read.comparison].T
        size = len(names)
    else:
        # The strength of a pair's own first answer over the other, which is 0.
        known, pair = np.unique(read.comparison, return_inverse=True)
        one, other, size = pair, np.full_like(pair, len(known)), len(known)
    first, second = np.where(turned, other, one), np.where(turned, one, other)
    group, at = group_rows(read.question, read.reviewer, first, second)
    codes = [code for _, code in number_judges(ballots)]
    place = np.zeros(len(ballots.reviewers), dtype=np.intp)
    place[codes] = np.arange(len(codes))
    return _Cells(
        question=np.searchsorted(asked, read.question[at]),
        judge=place[read.reviewer[at]],
        first=first[at].astype(np.intp),
        second=second[at].astype(np.intp),
        points=np.bincount(group, (1.0 - read.score) / 2.0, len(at)).astype(np.float64),
        count=np.bincount(group, minlength=len(at)).astype(np.float64),
        questions=len(asked),
        judges=len(codes),
        size=size,
        shared=by_author,
    )


def _predict(cells: _Cells, theta: Floats, strengths: Floats) -> tuple[Floats, Floats]:
    """Return by cell the difference of strengths and the logit of the first shown."""
    delta = cells.subtract(strengths)
    return delta, theta[cells.judge] * delta + theta[cells.judges + cells.judge]


def _score(cells: _Cells, theta: Floats, strengths: Floats) -> float:
    """Return the penalised log-likelihood."""
    _, logit = _predict(cells, theta, strengths)
    fit = cells.points * logit - cells.count * np.logaddexp(0.0, logit)
    return float(fit.sum()) - _RIDGE / 2.0 * float(theta @ theta + strengths @ strengths)


class _Information(NamedTuple):
    """Differences of strengths and residuals by cell, and the blocks of the information.

    `judges` is that of slopes and positions, `mixed` `[strength, (slope, position)]`; `solve` solves that of
    the strengths.
    """

    delta: Floats
    left: Floats
    judges: Floats
    mixed: Floats
    solve: Callable[[Floats], Floats]

    def reduce(self) -> Floats:
        """Return the information of the judges where the strengths follow them."""
        return self.judges - self.mixed.T @ self.solve(self.mixed)


def _inform(cells: _Cells, theta: Floats, strengths: Floats, *, observed: bool) -> _Information:
    """Return the information; the observed one has the curvature of slope times strength."""
    delta, logit = _predict(cells, theta, strengths)
    chance = 1.0 / (1.0 + np.exp(-logit))
    left, weight = cells.points - cells.count * chance, cells.count * chance * (1.0 - chance)
    steep = weight * theta[cells.judge]
    sloped = steep * delta - left if observed else steep * delta
    both = np.diag(cells.sum_judges(weight * delta))
    slopes = np.diag(cells.sum_judges(weight * delta**2))
    judges = np.block([[slopes, both], [both, np.diag(cells.sum_judges(weight))]])
    return _Information(
        delta=delta,
        left=left,
        judges=judges + _RIDGE * np.eye(2 * cells.judges),
        mixed=np.hstack([cells.gather(one, cells.judge, cells.judges) for one in (sloped, steep)]),
        solve=cells.build_solver(steep * theta[cells.judge]),
    )


def _find_step(
    cells: _Cells, theta: Floats, strengths: Floats, *, fixed: bool
) -> tuple[Floats, Floats]:
    """Return the step of the judges and of the strengths; of the strengths alone where `fixed`."""
    known = _inform(cells, theta, strengths, observed=False)
    seen = cells.gather_all(known.left * theta[cells.judge]) - _RIDGE * strengths
    if fixed:
        return np.zeros_like(theta), known.solve(seen)
    pulls = [cells.sum_judges(one) for one in (known.left * known.delta, known.left)]
    pull = np.concatenate(pulls) - _RIDGE * theta - known.mixed.T @ known.solve(seen)
    step = np.asarray(np.linalg.solve(known.reduce(), pull), dtype=np.float64)
    return step, known.solve(seen - known.mixed @ step)


def _find_moves(cells: _Cells, theta: Floats, strengths: Floats) -> Floats:
    """Return how much one more copy of each question moves the slopes, `[question, judge]`."""
    known = _inform(cells, theta, strengths, observed=True)
    place, shape = cells.question * cells.judges + cells.judge, (cells.questions, cells.judges)
    size = cells.questions * cells.judges
    pulls = np.hstack(
        [
            np.bincount(place, one, size).reshape(shape)
            for one in (known.left * known.delta, known.left)
        ]
    )
    if cells.shared:
        # Strengths of answers to one question alone are what they are in each of its copies.
        seen = cells.gather(known.left * theta[cells.judge], cells.question, cells.questions)
        pulls = pulls - seen.T @ known.solve(known.mixed)
    moves = np.linalg.solve(known.reduce(), pulls.T)
    return np.asarray(moves[: cells.judges].T, dtype=np.float64)


def _rescale(slopes: Floats) -> Floats:
    """Return max(g, 0) by sample, with the sum 1; all 0 where no slope is above 0."""
    above = np.maximum(slopes, 0.0)
    total = above.sum(axis=1, keepdims=True)
    return np.divide(above, total, out=np.zeros_like(above), where=total > 0.0)
