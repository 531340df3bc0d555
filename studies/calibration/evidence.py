"""What the figures can decide: penalised comparisons, errors on figures left out, tests of equivalence.

The published figures are far from independent: 76 of PRD come from 140 questions, and many are sums or
differences of others. The sum of squared misses is therefore a *composite* likelihood, which counts the same
noise several times. Its penalty is the effective number of parameters, the trace of H^-1 J (Varin and Vidoni
2005; Gao and Song 2010), with H the curvature of the squares (priors included) and J the variance of their
slope over simulated studies. It is the number of parameters if figures are independent, and larger otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, nan, sqrt

import numpy as np

from studies.analytic import Floats
from studies.calibration import prd
from studies.calibration.assessment import Row
from studies.calibration.fitting import Fit

MARGIN = 0.02
"""Differences of accuracies within two points count as none: half the sampling error of one accuracy on 140
questions (.039). `Equivalence.least_margin` tells what another margin would give."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalised:
    """A model with its sum of squared misses and what is added to it for its parameters; less is better.

    `aic` and `bic` are the composite criteria. `plain_aic` adds two for
    each parameter, as if all figures were independent.
    """

    name: str
    parameters: int
    cost: float
    effective: float
    aic: float
    bic: float
    plain_aic: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests (Schuirmann 1987) of whether a mean difference is within `margin` of 0.

    `low` and `high` are its 90 % interval, which lies within the margin exactly where `p_value` is below .05.
    `least_margin` is the smallest margin for which that holds.
    """

    difference: float
    error: float
    low: float
    high: float
    n: int
    margin: float
    p_value: float

    @property
    def least_margin(self) -> float:
        """The greater bound of the interval, without sign."""
        return max(abs(self.low), abs(self.high))

    @property
    def shown(self) -> bool:
        """True where the difference is shown to be within the margin."""
        return self.p_value < LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Figures of a group that lie inside, and those shown to be within the margin of the expectation.

    `error` is the mean sampling error of a figure.
    """

    group: str
    figures: int
    inside: int
    equivalent: int
    error: float


def penalise(
    fits: Mapping[str, Fit], rows: Sequence[Row], *, questions: int
) -> tuple[Penalised, ...]:
    """Return the criteria of models that were fitted to the same figures.

    Args:
        fits: by name of the model.
        rows: the figures in the order of the fits, with studies simulated from the best model.
        questions: number of questions behind the figures, the sample of BIC.
    """
    drawn = np.stack([row.simulated / row.figure.spread for row in rows], axis=-1)
    covariance = np.cov(drawn, rowvar=False)
    return tuple(_penalise(name, fit, covariance, questions) for name, fit in fits.items())


def _penalise(name: str, fit: Fit, covariance: Floats, questions: int) -> Penalised:
    slopes, prior = fit.slopes[: fit.figures], fit.slopes[fit.figures :]
    curvature = slopes.T @ slopes + prior.T @ prior
    effective = float(np.trace(np.linalg.solve(curvature, slopes.T @ covariance @ slopes)))
    return Penalised(
        name=name,
        parameters=len(fit.values),
        cost=fit.cost,
        effective=effective,
        aic=fit.cost + 2.0 * effective,
        bic=fit.cost + log(questions) * effective,
        plain_aic=fit.cost + 2.0 * len(fit.values),
    )


def compare_within(differences: Sequence[float], *, margin: float = MARGIN) -> Equivalence:
    """Test whether the mean of paired differences is within the margin, by Student's t.

    NaN where there are fewer than two differences.
    """
    from scipy.special import stdtr, stdtrit

    values = np.array(differences, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    if n < 2:
        return Equivalence(
            difference=mean, error=nan, low=nan, high=nan, n=n, margin=margin, p_value=nan
        )
    error = float(values.std(ddof=1)) / sqrt(n)
    reach = float(stdtrit(n - 1, 1.0 - LEVEL)) * error
    sides = [(margin - mean) / error, (margin + mean) / error]
    return Equivalence(
        difference=mean,
        error=error,
        low=mean - reach,
        high=mean + reach,
        n=n,
        margin=margin,
        p_value=max(1.0 - float(stdtr(n - 1, side)) for side in sides),
    )


def count_equivalent(rows: Iterable[Row], *, margin: float = MARGIN) -> tuple[Shown, ...]:
    """Count by group the shares that are shown to be within the margin of their expectation.

    Two one-sided normal tests of each figure, with its scatter over simulated studies as the error. Counts of
    events are left out.
    """
    from scipy.special import ndtr

    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.figure.group not in (prd.HELD, prd.ALTERED):
            groups.setdefault(row.figure.group, []).append(row)
    found: list[Shown] = []
    for group, members in groups.items():
        errors = [float(row.simulated.std()) for row in members]
        far = [
            1.0 - float(ndtr((margin - row.miss) / error)) if error else float(row.miss > margin)
            for row, error in zip(members, errors, strict=True)
        ]
        found.append(
            Shown(
                group=group,
                figures=len(members),
                inside=sum(row.inside for row in members),
                equivalent=sum(p < LEVEL for p in far),
                error=sum(errors) / len(errors),
            )
        )
    return tuple(found)
