"""Confidence sequences: bounds of a mean that hold at all numbers of questions at once.

A gambler who starts with 1 bets on every question, at even odds, that the mean lies above a tested value.
If the mean is at most this value, the capital reaches 1/alpha at any time with a probability of at most
alpha (Ville's inequality), so a study may look after any question and stop when it likes. The bounds are
the hedged capital sequence of Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables
by betting" (Journal of the Royal Statistical Society B 86, section 4): half of the capital bets upwards,
half downwards. The bets are their diversified Kelly bets: the capital is shared among constant fractions
of the largest bet that cannot lose everything. Such a mixture is a martingale as well, needs no estimate
of the variance, and depends on the set of questions seen but not on their order.
"""

from __future__ import annotations

from math import log

import numpy as np

from peerjudge.analysis.intervals import Floats
from peerjudge.analysis.signflips import SPAN, compute_over_best
from peerjudge.data import Measurement

METHOD = "betting confidence sequence by question"
FRACTIONS = tuple(0.95 * 0.7**step for step in range(8))
"""Fractions of the largest bet, from 0.95 to 0.08. Equal shares of the capital start with each one.

In simulated studies of single and of graded verdicts, these need no more questions than finer grids.
"""

_STEPS = 50
"""Bisections of a bound: more than a double can tell apart."""


def measure_sequence(differences: Floats, values: Floats, *, level: float = 0.95) -> Measurement:
    """Return the mean over the best alternative with anytime-valid bounds.

    In `level` of all studies the bounds hold the true mean at every number of questions. As for
    `measure_over_best`, the lower bound is the least of those over the alternatives, the upper bound
    the least of theirs at a level corrected for their number, and both are widened to hold the value.

    Args:
        differences: ours minus each alternative's, `[question, alternative]`, from -1 to 1; NaN where
            missing. Questions must be in random order, or a random sample.
        values: what the choice of the best alternative maximises, `[question, alternative]`.
        level: of the bounds.
    """
    known = ~np.isnan(differences)
    alpha, several = (1.0 - level) / 2.0, differences.shape[1]
    low, high, value = *SPAN, float("nan")
    if several and known.any(axis=0).all():
        columns = [column[seen] for column, seen in zip(differences.T, known.T, strict=True)]
        low = min(bound_below(column, alpha=alpha) for column in columns)
        high = min(-bound_below(-column, alpha=alpha / several) for column in columns)
        value = compute_over_best(differences, values, np.arange(len(differences)))
        low, high = min(low, value), max(high, value)
    n = int(known.any(axis=1).sum())
    return Measurement(value=value, low=low, high=high, n=n, level=level, method=METHOD)


def bound_below(values: Floats, *, alpha: float) -> float:
    """Return the least mean that the bets on these values, from -1 to 1, do not reject at `alpha`.

    The capital falls as the tested mean grows, so that the means that are not rejected are an interval.
    """
    low, high = SPAN[0], float(values.mean())
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if low < middle < high and compute_log_capital(values, middle)[-1] >= log(1.0 / alpha):
            low = middle
        else:
            high = middle
    return low


def compute_log_capital(values: Floats, tested: float) -> Floats:
    """Return the logarithm of the capital after every question, for bets that the mean is above `tested`.

    Args:
        values: `[..., question]`, from -1 to 1; NaN places no bet.
        tested: the mean under test, above -1.
    """
    gains = (values - tested) / (tested - SPAN[0])
    gains = np.where(np.isnan(gains), 0.0, gains)
    grown = np.full(gains.shape, -np.inf)
    for fraction in FRACTIONS:
        np.logaddexp(grown, np.cumsum(np.log1p(fraction * gains), axis=-1), out=grown)
    capital: Floats = grown - log(len(FRACTIONS))
    return capital
