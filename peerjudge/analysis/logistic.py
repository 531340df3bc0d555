"""Logistic regression with a random effect of each group, and its covariance over clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from peerjudge.analysis.ballots import Floats
from peerjudge.data import LEVEL, Measurement
from peerjudge.errors import ConvergenceError

Codes: TypeAlias = npt.NDArray[np.integer]

_METHOD = "jackknife by question"
_WIDEST_SPREAD = 3.0
"""Standard deviation of the normal prior of the spread, which keeps it finite."""
_NO_SPREAD = 0.05
_REACH = 5.0
"""Standard deviations on either side over which a random effect is integrated."""
_FINEST, _COARSEST = 0.08, 0.25
_PER_WIDTH = 1.2
_MOST_STEPS = 200
_DEPENDENT = 1e-9
"""Share of the square of a column that the columns before it leave where they explain it."""
_STILL = 1e-5
"""Step without a cluster that counts as none."""
_STEEPEST = 1e-5
"""Slope of the log likelihood per observation at which the search has ended."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Observations of a logistic regression, as columns.

    `given` are the explaining columns `[row, column]`, `chosen` is 1, 0 or a share, `weight` how often
    a row counts. `sign` is the factor of the random effect of its `group`; all rows of a group belong
    to one `cluster`. Clusters are independent of each other; rows of the cluster -1 are no data (such
    as a prior) and always stay.
    """

    given: Floats
    chosen: Floats
    weight: Floats
    sign: Floats
    group: Codes
    cluster: Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Coefficients, then the spread where it was estimated, and their covariance over clusters."""

    values: Floats
    covariance: Floats
    clusters: int
    spread: bool

    def measure(self, places: Sequence[int], *, n: int) -> Measurement:
        """Return the mean of these values with Student's interval over clusters."""
        value = float(self.values[places].mean())
        deviation = float(self.covariance[np.ix_(places, places)].mean()) ** 0.5
        reach = self.student * deviation
        return Measurement(
            value=value, low=value - reach, high=value + reach, n=n, level=LEVEL, method=_METHOD
        )

    @property
    def student(self) -> float:
        """The quantile of Student's distribution for intervals of 95 %."""
        from scipy.special import stdtrit

        return float(stdtrit(max(self.clusters - 1, 1), (1.0 + LEVEL) / 2.0))


def fit_mixed(rows: Rows, *, prior: Floats, spread: bool) -> Fit:
    """Return the penalised maximum-likelihood estimate of a logistic regression with random effects.

    `logit P(chosen) = given @ b + sign * u[group]` with `u ~ N(0, spread^2)`. The likelihood of a group
    is integrated over u on a grid of equal steps over five standard deviations on either side, fine
    enough for the largest group; a row with a share counts as that share of a choice.
    `scipy.optimize` finds the maximum from analytic slopes and curvature (trust region).

    Every coefficient has a log-F prior, which is `prior` observations of which half are chosen and
    in which only this column is 1 (Greenland and Mansournia 2015, doi:10.1002/sim.6537): it keeps the
    estimate finite where a column separates the choices. The spread has a normal prior with standard
    deviation 3; a spread below 0.05 is taken as none.

    The covariance is the jackknife over clusters with one Newton step each (CR3), so that neither the
    random effects nor the independence of rows needs to be true for the intervals. Where no two clusters
    move an estimate to opposite sides, as where all verdicts are right, the curvature bounds it if that
    is more.

    Args:
        rows: the observations.
        prior: by column, how many observations its prior counts.
        spread: estimate random effects; otherwise there are none.

    Raises:
        ConvergenceError: the search for the maximum did not end.
    """
    order = np.lexsort((rows.group, rows.cluster))
    columns = {field.name: getattr(rows, field.name)[order] for field in fields(rows)}
    problem = _Problem(Rows(**columns), prior=prior, spread=spread)
    start = np.zeros(len(prior) + spread)
    start[len(prior) :] = 1.0
    count = float(rows.weight.sum())
    # Matrices are small, and threads of the linear algebra wait for each other on a busy machine.
    with threadpool_limits(1, user_api="blas"):
        values = _climb(problem, start, count)
    steep = float(np.abs(problem.slope(values)).max()) / count
    if steep > 10 * _STEEPEST:
        msg = f"the model of verdicts did not converge: {steep:.2g} of slope is left"
        raise ConvergenceError(msg)
    if spread:
        values[-1] = abs(values[-1])
        if values[-1] < _NO_SPREAD:
            return fit_mixed(rows, prior=prior, spread=False)
    with threadpool_limits(1, user_api="blas"):
        covariance, clusters = problem.jackknife(values)
    return Fit(values=values, covariance=covariance, clusters=clusters, spread=spread)


def _climb(problem: _Problem, start: Floats, count: float) -> Floats:
    """Return the place of the maximum."""
    from scipy.optimize import minimize  # pyright: ignore[reportUnknownVariableType]  no stubs

    def height(at: Floats) -> float:
        return -problem.height(at) / count

    def slope(at: Floats) -> Floats:
        return -problem.slope(at) / count

    def curve(at: Floats) -> Floats:
        return problem.curve(at) / count

    options = {"gtol": _STEEPEST, "maxiter": _MOST_STEPS}
    maximum = minimize(  # pyright: ignore[reportUnknownVariableType]
        height, start, jac=slope, hess=curve, method="trust-exact", options=options
    )
    return np.asarray(maximum.x, dtype=np.float64)  # pyright: ignore[reportUnknownMemberType]


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


class _Problem:
    """The penalised log likelihood of rows by cluster and group: height, slope and curvature."""

    def __init__(self, rows: Rows, *, prior: Floats, spread: bool) -> None:
        self._rows, self._prior, self._spread = rows, prior, spread
        edges = (np.diff(rows.group) != 0) | (np.diff(rows.cluster) != 0)
        self._starts = np.concatenate([[0], np.flatnonzero(edges) + 1]).astype(np.intp)
        self._sizes = np.diff(np.append(self._starts, len(rows.chosen)))
        self._cluster = rows.cluster[self._starts]
        self._nodes, self._log_weights = _build_grid(int(self._sizes.max())) if spread else _POINT
        self._at: Floats | None = None

    def height(self, at: Floats) -> float:
        """Return the penalised log likelihood."""
        self._move(at)
        beta = at[: len(self._prior)]
        penalty = (self._prior * (beta / 2.0 - np.logaddexp(0.0, beta))).sum()
        if self._spread:
            penalty -= at[-1] ** 2 / (2.0 * _WIDEST_SPREAD**2)
        return float(self._likelihood.sum() + penalty)

    def slope(self, at: Floats) -> Floats:
        """Return the first derivatives."""
        self._move(at)
        rows, share = self._rows, np.repeat(self._share, self._sizes, axis=0)
        held = share * self._residual
        slope = rows.given.T @ held.sum(axis=1) + self._pull(at)[: len(self._prior)]
        if not self._spread:
            return np.asarray(slope)
        own = (rows.sign @ held) @ self._nodes + self._pull(at)[-1]
        return np.append(slope, own)

    def curve(self, at: Floats) -> Floats:
        """Return the second derivatives with the opposite sign."""
        return sum((curve for _, _, curve in self._clusters(at)), start=self._stiffness(at))

    def jackknife(self, at: Floats) -> tuple[Floats, int]:
        """Return the covariance over clusters, and their number; NaN for a single cluster."""
        whole = self.curve(at)
        # The prior keeps the curvature regular where a cluster alone tells of a column.
        steps = [
            np.linalg.solve(whole - curve, -slope)
            for cluster, slope, curve in self._clusters(at)
            if cluster >= 0
        ]
        count = len(steps)
        if count < 2:
            return np.full_like(whole, np.nan), count
        moved = np.stack(steps)
        covariance = (count - 1) / count * (moved.T @ moved)
        # Estimates that clusters move to one side at most rest on a symmetry or on the prior alone.
        lean = np.flatnonzero((moved > -_STILL).all(axis=0) | (moved < _STILL).all(axis=0))
        own = np.diag(np.linalg.inv(whole))
        covariance[lean, lean] = np.maximum(covariance[lean, lean], own[lean])
        return covariance, count

    def _move(self, at: Floats) -> None:
        """Compute what height, slope and curvature share."""
        if self._at is not None and np.array_equal(at, self._at):
            return
        from scipy.special import expit

        rows = self._rows
        level = (rows.given @ at[: len(self._prior)])[:, None]
        if self._spread:
            level = level + (rows.sign * at[-1])[:, None] * self._nodes
        likelihood = rows.weight[:, None] * (
            rows.chosen[:, None] * level - np.logaddexp(0.0, level)
        )
        joint = np.add.reduceat(likelihood, self._starts, axis=0) + self._log_weights
        likely = np.logaddexp.reduce(joint, axis=1)
        self._likelihood: Floats = likely
        self._share = np.exp(joint - likely[:, None])
        chance = np.asarray(expit(level))
        self._residual = rows.weight[:, None] * (rows.chosen[:, None] - chance)
        self._doubt = rows.weight[:, None] * chance * (1.0 - chance)
        self._at = at.copy()

    def _clusters(self, at: Floats) -> Iterator[tuple[int, Floats, Floats]]:
        """Yield the clusters, with slope and curvature of their log likelihood (Louis 1982)."""
        self._move(at)
        size = len(at)
        last, slope, curve = int(self._cluster[0]), np.zeros(size), np.zeros((size, size))
        for group, start in enumerate(self._starts.tolist()):
            if int(self._cluster[group]) != last:
                yield last, slope, curve
                slope, curve = np.zeros(size), np.zeros((size, size))
            last = int(self._cluster[group])
            own, bend = self._group(group, slice(start, start + int(self._sizes[group])))
            slope, curve = slope + own, curve + bend
        yield last, slope, curve

    def _group(self, group: int, rows: slice) -> tuple[Floats, Floats]:
        """Return slope and curvature of one group: expectations over its random effect."""
        given, sign = self._rows.given[rows], self._rows.sign[rows]
        residual, doubt, share = self._residual[rows], self._doubt[rows], self._share[group]
        slopes = given.T @ residual
        curve = given.T @ (given * (doubt @ share)[:, None])
        if self._spread:
            slopes = np.vstack([slopes, (sign @ residual) * self._nodes])
            tilted = given.T @ (sign * (doubt @ (share * self._nodes)))
            own = float(sign**2 @ (doubt @ (share * self._nodes**2)))
            curve = np.block([[curve, tilted[:, None]], [tilted[None], np.full((1, 1), own)]])
        slope = slopes @ share
        return slope, curve - (slopes * share) @ slopes.T + np.outer(slope, slope)

    def _pull(self, at: Floats) -> Floats:
        """Return the slope of the penalty."""
        from scipy.special import expit

        pull = self._prior * (0.5 - np.asarray(expit(at[: len(self._prior)])))
        return np.append(pull, -at[-1] / _WIDEST_SPREAD**2) if self._spread else pull

    def _stiffness(self, at: Floats) -> Floats:
        """Return the curvature of the penalty."""
        from scipy.special import expit

        chance = np.asarray(expit(at[: len(self._prior)]))
        stiff = self._prior * chance * (1.0 - chance)
        return np.diag(np.append(stiff, _WIDEST_SPREAD**-2) if self._spread else stiff)


_POINT = (np.zeros(1), np.zeros(1))
"""The grid without a random effect."""


def _build_grid(largest: int) -> tuple[Floats, Floats]:
    """Return nodes of a standard normal variable and the logarithms of their weights.

    The effect of a group of n rows is known to about 2 / sqrt(n); steps must not be longer than that
    for spreads up to 2.
    """
    step = min(max(_PER_WIDTH / max(largest, 1) ** 0.5, _FINEST), _COARSEST)
    reach = int(np.ceil(_REACH / step))
    nodes = np.arange(-reach, reach + 1) * step
    density = np.exp(-(nodes**2) / 2.0)
    return nodes, np.log(density / density.sum())
