"""How reliable each annotator is, with intervals, from a fitted annotator model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peerjudge.analysis.annotator_model import AnnotatorFit, Floats, Votes
from peerjudge.data import Measurement, Noun


class Annotator(Noun, frozen=True, kw_only=True):
    """The estimated reliability of an annotator, from its `votes` on `comparisons`.

    `reliability` is the probability that a vote is the true label. Its interval holds the percentiles of
    draws from the posterior and those over resampled questions: either alone can be too narrow. `right`,
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
    posterior: Floats,
    *,
    level: float,
) -> list[Annotator]:
    """Return the annotators, those with the most votes first.

    Args:
        votes: of the annotators.
        names: of the annotators.
        fit: the model.
        drawn: the model fitted to resampled questions.
        posterior: draws of the reliabilities, `[draw, annotator]`.
        level: of the intervals.
    """
    value = _find_reliability(fit)
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    # Resamples show where votes on one question are alike, draws what few votes leave open.
    bounds = [
        np.quantile(draws, tails, axis=0)
        for draws in (posterior, np.array([_find_reliability(one) for one in drawn]))
    ]
    lows = np.minimum(value, np.minimum(*(low for low, _ in bounds)))
    highs = np.maximum(value, np.maximum(*(high for _, high in bounds)))
    annotators: list[Annotator] = []
    for number, name in enumerate(names):
        item = votes.item[votes.annotator == number]
        rates = fit.confusions[number]
        reliability = Measurement(
            value=float(value[number]),
            low=float(lows[number]),
            high=float(highs[number]),
            n=len(item),
            level=level,
            method="posterior",
        )
        annotators.append(
            Annotator(
                name=name,
                votes=len(item),
                comparisons=len(np.unique(item)),
                reliability=reliability,
                right=float(rates[0, 0]),
                opposite=float(rates[0, 1]),
                undecided=float(rates[0, 2:].sum()),
                tie=float(rates[2, 2]) if len(rates) > 2 else None,
            )
        )
    return sorted(annotators, key=lambda one: (-one.votes, one.name))


def _find_reliability(fit: AnnotatorFit) -> Floats:
    """Return by annotator the probability that a vote is the true label."""
    return np.diagonal(fit.confusions, axis1=1, axis2=2) @ fit.shares
