"""Penalised logistic regression, with how far its estimates move without each cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from peerjudge.analysis.ballots import Floats
from peerjudge.data import LEVEL, Measurement
from peerjudge.errors import ConvergenceError

Codes: TypeAlias = npt.NDArray[np.integer]

_METHOD = "jackknife by question"
_DEPENDENT = 1e-9
"""Share of the square of a column that the columns before it leave where they explain it."""
_STILL = 1e-5
"""Step without a cluster that counts as none."""
_MOST_STEPS = 200
_SETTLED = 1e-8
"""Greatest last step of a coefficient."""
_LONGEST = 2.0
"""Longest step of a coefficient: from far away a step of Newton's method can overshoot."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Observations of a logistic regression, as columns.

    `given` are the explaining columns `[row, column]`, `chosen` is 1, 0 or a share, `weight` how often
    a row counts. Clusters are independent of each other; rows of the cluster -1 are no data (such as tied
    battles that were added) and always stay.
    """

    given: Floats
    chosen: Floats
    weight: Floats
    cluster: Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Coefficients, and their covariance over clusters."""

    values: Floats
    covariance: Floats
    clusters: int

    @property
    def student(self) -> float:
        """The quantile of Student's distribution for intervals of 95 %."""
        return student(self.clusters)

    def measure(self, place: int, *, n: int) -> Measurement:
        """Return a coefficient with Student's interval over clusters."""
        value = float(self.values[place])
        reach = self.student * float(self.covariance[place, place]) ** 0.5
        return Measurement(
            value=value, low=value - reach, high=value + reach, n=n, level=LEVEL, method=_METHOD
        )


def student(clusters: int) -> float:
    """Return the quantile of Student's distribution for intervals of 95 % over so many clusters."""
    from scipy.special import stdtrit

    return float(stdtrit(max(clusters - 1, 1), (1.0 + LEVEL) / 2.0))


def fit_rows(rows: Rows, *, prior: Floats) -> Fit:
    """Return the penalised maximum-likelihood estimate of `logit P(chosen) = given @ b`.

    Every coefficient has a log-F prior, which is `prior` observations of which half are chosen and in which
    only this column is 1 (Greenland and Mansournia 2015, doi:10.1002/sim.6537): it keeps the estimate finite
    where a column separates the choices. A row with a share counts as that share of a choice.

    The covariance is the jackknife over clusters with one Newton step each (CR3), so that rows of a cluster
    may depend on each other. Where no two clusters move an estimate to opposite sides, as where all verdicts
    are right, the curvature bounds it if that is more.

    Args:
        rows: the observations.
        prior: by column, how many observations its prior counts.

    Raises:
        ConvergenceError: Newton's method did not settle.
    """
    # Matrices are small, and threads of the linear algebra wait for each other on a busy machine.
    with threadpool_limits(1, user_api="blas"):
        values = _climb(rows, prior)
        chance = _chance(rows.given @ values)
        pulled = _chance(values)
        moves = list_moves(
            rows.given,
            rows.weight * (rows.chosen - chance),
            rows.weight * chance * (1.0 - chance),
            rows.cluster,
            stiffness=prior * pulled * (1.0 - pulled),
        )
        count = len(moves.steps)
        if count < 2:
            return Fit(values=values, covariance=np.full_like(moves.curve, np.nan), clusters=count)
        covariance = (count - 1) / count * (moves.steps.T @ moves.steps)
        # Estimates that clusters move to one side at most rest on a symmetry or on the prior alone.
        low, high = moves.steps.min(axis=0), moves.steps.max(axis=0)
        lean = np.flatnonzero((low > -_STILL) | (high < _STILL))
        own = np.diag(np.linalg.inv(moves.curve))
        covariance[lean, lean] = np.maximum(covariance[lean, lean], own[lean])
    return Fit(values=values, covariance=covariance, clusters=count)


def _chance(level: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(level))


def _climb(rows: Rows, prior: Floats) -> Floats:
    """Return the place of the maximum, by Newton's method."""
    values = np.zeros(len(prior))
    for _ in range(_MOST_STEPS):
        chance, pulled = _chance(rows.given @ values), _chance(values)
        slope = rows.given.T @ (rows.weight * (rows.chosen - chance)) + prior * (0.5 - pulled)
        doubt = rows.weight * chance * (1.0 - chance)
        curve = rows.given.T @ (rows.given * doubt[:, None])
        curve += np.diag(prior * pulled * (1.0 - pulled))
        step = np.linalg.solve(curve, slope)
        longest = float(np.abs(step).max(initial=0.0))
        values = values + step * min(1.0, _LONGEST / max(longest, _LONGEST))
        if longest < _SETTLED:
            return values
    msg = f"the logistic regression did not settle in {_MOST_STEPS} steps; leave a style out of --control"
    raise ConvergenceError(msg)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moves:
    """How far the estimates move without each cluster, `[cluster, column]`, and the curvature of all."""

    steps: Floats
    curve: Floats


def list_moves(
    given: Floats, residual: Floats, doubt: Floats, cluster: Codes, *, stiffness: Floats
) -> Moves:
    """Return one Newton step from the estimates for each cluster that is left out (CR3).

    Args:
        given: the explaining columns `[row, column]`.
        residual: weight times what was chosen minus its chance, at the estimates.
        doubt: weight times chance times one minus chance.
        cluster: of each row, in the order of their numbers in the result; -1 always stays.
        stiffness: curvature of the penalty, by column.
    """
    curve = given.T @ (given * doubt[:, None]) + np.diag(stiffness)
    steps = [
        -np.linalg.solve(curve - own.T @ (own * doubt[at][:, None]), own.T @ residual[at])
        for at, own in ((at, given[at]) for at in _split(cluster))
    ]
    table = np.array(steps, dtype=np.float64).reshape(-1, given.shape[1])
    return Moves(steps=table, curve=curve)


def _split(cluster: Codes) -> Iterator[npt.NDArray[np.intp]]:
    """Yield the rows of each cluster of data."""
    order = np.argsort(cluster, kind="stable")
    edges = np.flatnonzero(np.diff(cluster[order])) + 1
    for rows in np.split(order, edges):
        if len(rows) and cluster[rows[0]] >= 0:
            yield rows


def find_independent(given: Floats) -> npt.NDArray[np.bool_]:
    """Return `True` for each column that is no combination of the columns before it."""
    length = np.sqrt((given**2).sum(axis=0))
    scaled = given / np.where(length > 0.0, length, 1.0)
    # What is left of the inner products without the columns so far: Gaussian elimination.
    left = scaled.T @ scaled
    independent = np.zeros(given.shape[1], dtype=np.bool_)
    for place in range(given.shape[1]):
        pivot = left[place, place]
        independent[place] = pivot > _DEPENDENT
        if independent[place]:
            left = left - np.outer(left[:, place], left[place]) / pivot
    return independent
