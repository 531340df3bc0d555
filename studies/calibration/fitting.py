"""Least squares with weak priors: parameters by name, their values and standard errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from studies.calibration.targets import Figure

Floats = npt.NDArray[np.float64]
Values = Mapping[str, float]

_AT_BOUND = 1e-3
"""Distance from a bound, as a share of the range, within which a value lies on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """Number to be found within bounds; its prior is normal, and the search begins at its mean."""

    name: str
    low: float
    high: float
    prior: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Fitted values with standard errors; `cost` is the sum of squares without the priors'.

    `at_bound` names parameters on a bound: their data ask for a value beyond it. `slopes` are the derivatives
    of all residuals, `[figure or prior, parameter]`: those of the figures first.
    """

    values: Values = field(hash=False)
    errors: Values = field(hash=False)
    cost: float
    figures: int
    at_bound: tuple[str, ...]
    slopes: Floats = field(hash=False, repr=False)


def fit_parameters(
    parameters: Sequence[Parameter], compute_misses: Callable[[Values], Floats]
) -> Fit:
    """Minimize the squares of the misses and of the departures from the priors.

    Args:
        parameters: the unknowns.
        compute_misses: differences of expected and published figures in units of their spread.
    """
    # scipy is slow to import, and only a fit needs it.
    from scipy.optimize import least_squares  # pyright: ignore[reportUnknownVariableType]

    names = [parameter.name for parameter in parameters]
    low, high, prior, spread = (
        np.array([getattr(parameter, side) for parameter in parameters])
        for side in ("low", "high", "prior", "spread")
    )

    def compute_residuals(found: Floats) -> Floats:
        values = dict(zip(names, found.tolist(), strict=True))
        return np.concatenate([compute_misses(values), (found - prior) / spread])

    room = 1e-6 * (high - low)
    start = np.clip(prior, low + room, high - room)
    result = cast(
        "Any", least_squares(compute_residuals, start, bounds=(low, high), x_scale=spread)
    )
    found, slopes = cast("Floats", result.x), cast("Floats", result.jac)
    errors = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    left = cast("Floats", result.fun)[: -len(parameters)]
    near = _AT_BOUND * (high - low)
    bound = (found - low < near) | (high - found < near)
    return Fit(
        values=dict(zip(names, found.tolist(), strict=True)),
        errors=dict(zip(names, errors.tolist(), strict=True)),
        cost=float(left @ left),
        figures=len(left),
        at_bound=tuple(name for name, on in zip(names, bound, strict=True) if on),
        slopes=slopes,
    )


def fit_figures(
    parameters: Sequence[Parameter],
    figures: Sequence[Figure],
    expect: Callable[[Values], Mapping[str, float]],
) -> Fit:
    """Fit parameters to published figures; `expect` returns expectations by the id of the figure."""
    values = np.array([figure.published for figure in figures])
    spread = np.array([figure.spread for figure in figures])

    def compute_misses(found: Values) -> Floats:
        expected = expect(found)
        return (np.array([expected[figure.id] for figure in figures]) - values) / spread

    return fit_parameters(parameters, compute_misses)
