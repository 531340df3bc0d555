"""Least squares with weak priors: parameters by name, their values and standard errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

__all__ = ["Fit", "Parameter", "fit"]

Floats = npt.NDArray[np.float64]
Values = Mapping[str, float]

_AT_BOUND = 1e-3
"""A value this near to a bound, as a share of the distance of the bounds, lies on it."""


class _Solution(Protocol):
    """What scipy's least squares return."""

    x: Floats
    jac: Floats
    fun: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number to be found, where it may lie, and what is known of it beforehand.

    Beforehand it is normal about `prior` with standard deviation `spread`.
    """

    name: str
    low: float
    high: float
    prior: float
    spread: float
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The values found, with standard errors; `cost` is the sum of squares without the priors'.

    `at_bound` names parameters that lie on a bound: there the value says "as far as it goes".
    """

    values: Values = field(hash=False)
    errors: Values = field(hash=False)
    cost: float
    figures: int
    at_bound: tuple[str, ...]


def fit(parameters: Sequence[Parameter], misses: Callable[[Values], Floats]) -> Fit:
    """The values that make the squares of the misses, and of the departures from the priors, least.

    Args:
        parameters: what is to be found.
        misses: what published and expected figures differ by, in units of their spread.
    """
    # scipy takes a while to import, which nothing but a fit need wait for.
    from scipy.optimize import (
        least_squares,  # pyright: ignore[reportUnknownVariableType]  scipy states no types
    )

    names = [parameter.name for parameter in parameters]
    low = np.array([parameter.low for parameter in parameters])
    high = np.array([parameter.high for parameter in parameters])
    prior = np.array([parameter.prior for parameter in parameters])
    spread = np.array([parameter.spread for parameter in parameters])
    start = np.array([parameter.start for parameter in parameters])

    def residuals(found: Floats) -> Floats:
        values = dict(zip(names, found.tolist(), strict=True))
        return np.concatenate([misses(values), (found - prior) / spread])

    room = 1e-6 * (high - low)
    result = cast(
        "_Solution",
        least_squares(
            residuals, np.clip(start, low + room, high - room), bounds=(low, high), x_scale=spread
        ),
    )
    found, slopes = result.x, result.jac
    errors = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    left = result.fun[: -len(parameters)]
    near = _AT_BOUND * (high - low)
    bound = (found - low < near) | (high - found < near)
    return Fit(
        values=dict(zip(names, found.tolist(), strict=True)),
        errors=dict(zip(names, errors.tolist(), strict=True)),
        cost=float(left @ left),
        figures=len(left),
        at_bound=tuple(name for name, on in zip(names, bound, strict=True) if on),
    )
