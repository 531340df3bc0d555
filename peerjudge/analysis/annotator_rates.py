"""How reliable each annotator is, with intervals, from a fitted annotator model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peerjudge.analysis.annotator_model import AnnotatorFit, Floats, Votes
from peerjudge.data import Measurement, Noun


class Annotator(Noun, frozen=True, kw_only=True):
    """The estimated reliability of an annotator, from its `votes` on `comparisons`.

    `reliability` is the probability that a vote is the true label. Its interval is that of the beta
    distribution with its variance: of the posterior or over resamples, whichever is greater. `right`,
    `opposite` and `undecided` are the probabilities of each vote where one answer is better; they sum
    to 1. `tie` is that of a tie where the answers are equally good, `None` where no vote in the data is
    a tie.
    """

    name: str
    votes: int
    comparisons: int
    reliability: Measurement
    right: float
    opposite: float
    undecided: float
    tie: float | None


def describe_annotators(
    votes: Votes,
    names: Sequence[str],
    fit: AnnotatorFit,
    drawn: Sequence[AnnotatorFit],
    level: float,
) -> list[Annotator]:
    """Return the annotators, those with the most votes first."""
    value = _find_reliability(fit)
    # Of the rates given the labels, or over resampled questions: either alone can be too small.
    spread = np.maximum(
        _vary_reliability(votes, fit), np.var([_find_reliability(one) for one in drawn], axis=0)
    )
    found: list[Annotator] = []
    for number, name in enumerate(names):
        item = votes.item[votes.annotator == number]
        rates = fit.confusions[number]
        found.append(
            Annotator(
                name=name,
                votes=len(item),
                comparisons=len(np.unique(item)),
                reliability=_bound_beta(value[number], spread[number], n=len(item), level=level),
                right=float(rates[0, 0]),
                opposite=float(rates[0, 1]),
                undecided=float(rates[0, 2:].sum()),
                tie=float(rates[2, 2]) if len(rates) > 2 else None,
            )
        )
    return sorted(found, key=lambda one: (-one.votes, one.name))


def _find_reliability(fit: AnnotatorFit) -> Floats:
    """Return by annotator the probability that a vote is the true label."""
    return np.diagonal(fit.confusions, axis1=1, axis2=2) @ fit.shares


def _vary_reliability(votes: Votes, fit: AnnotatorFit) -> Floats:
    """Return the posterior variance of each reliability.

    That of the rates, which are Dirichlet given the true labels, and that of the labels of the votes.
    """
    # The first two labels mirror each other: each has half of the votes, and both have one rate.
    classes = len(fit.shares)
    rates = fit.rates[:, [0, *range(2, classes)]]
    share = np.array([fit.shares[:2].sum(), *fit.shares[2:]])
    total = rates.sum(axis=2)
    total[:, 0] *= 2.0
    mean = np.diagonal(fit.confusions, axis1=1, axis2=2)[:, [0, *range(2, classes)]]
    known = (mean * (1.0 - mean) / (total + 1.0)) @ share**2
    chances = np.pad(fit.posterior, ((0, 0), (0, votes.labels - classes)))
    right = chances[votes.item, votes.label]
    doubt = np.bincount(votes.annotator, right * (1.0 - right), votes.annotators)
    return known + doubt / total.sum(axis=1) ** 2


def _bound_beta(value: float, variance: float, *, n: int, level: float) -> Measurement:
    """Return a share with the interval of the beta distribution of this mean and variance."""
    from scipy.special import betaincinv

    size = value * (1.0 - value) / variance - 1.0
    tails = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    low, high = (float(betaincinv(value * size, (1.0 - value) * size, tail)) for tail in tails)
    return Measurement(value=value, low=low, high=high, n=n, level=level, method="posterior")
