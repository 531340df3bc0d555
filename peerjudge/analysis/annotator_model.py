"""The annotator model of Dawid and Skene: true labels and error rates from votes that disagree.

Each item has a true label, drawn with the class shares, and each annotator gives label `l` to an item of
true label `k` with its own probability `confusions[annotator, k, l]`, independently of all other votes on
the item. Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM
algorithm", Applied Statistics 28 (1979). Here the rates have a prior, because many annotators give a
few votes only, and they may be tied so that the order of two answers has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]

_MOST = 5000
_LEAST = 1e-12
_CHAINS, _DROPPED, _KEPT = 16, 30, 60
"""Chains of draws, steps at the start of each that are left out, and steps that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """Votes as columns, one entry per vote; items, annotators and labels are numbered from 0.

    An annotator may vote several times on an item, as people do who are not told apart.
    """

    item: Ints
    annotator: Ints
    label: Ints
    items: int
    annotators: int
    labels: int

    def pool(self) -> Votes:
        """Return the same votes as if one annotator had given them all."""
        return replace(self, annotator=np.zeros_like(self.annotator), annotators=1)

    def collapse(self) -> tuple[Votes, Ints]:
        """Return one item for each set of equal votes, and the number of that item for every item.

        Items with equal votes have equal posteriors, so a model of few annotators is far smaller.
        """
        cell = self.annotator * self.labels + self.label
        table = np.zeros((self.items, self.annotators * self.labels), dtype=np.int32)
        np.add.at(table, (self.item, cell), 1)
        patterns, first, pattern = np.unique(table, axis=0, return_index=True, return_inverse=True)
        kept = np.isin(self.item, first)
        small = replace(
            self,
            item=pattern[self.item[kept]],
            annotator=self.annotator[kept],
            label=self.label[kept],
            items=len(patterns),
        )
        return small, pattern

    def share(self, classes: int) -> Floats:
        """Return the shares of votes `[item, class]`; a vote for a label that is no class is one for each."""
        cells = np.bincount(
            self.item * self.labels + self.label, minlength=self.items * self.labels
        )
        counts = cells.reshape(self.items, self.labels).astype(np.float64)
        counts = counts[:, :classes] + counts[:, classes:].sum(axis=1, keepdims=True)
        return counts / counts.sum(axis=1, keepdims=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnnotatorFit:
    """The estimated model.

    `posterior` is `[item, label]`: the probability of each true label, given the votes. `shares` are
    the class shares, `confusions` are `[annotator, true label, given label]`, and `rates` the expected
    numbers of votes behind them, with the prior. `evidence` is the log probability of the votes,
    integrated over rates and shares, by its variational lower bound; NaN without a prior of both. By it
    models with other true labels are compared: one more has to be worth its rates. After `iterations`
    steps no posterior probability changed by more than the tolerance, unless `settled` is false.
    """

    posterior: Floats
    shares: Floats
    confusions: Floats
    rates: Floats
    evidence: float
    iterations: int
    settled: bool


def fit_annotators(
    votes: Votes,
    *,
    prior: Floats,
    mirror: Sequence[int],
    share_prior: float = 0.0,
    weights: Floats | None = None,
    start: Floats | None = None,
    tolerance: float = 1e-6,
    most: int = _MOST,
) -> AnnotatorFit:
    """Return the model that expectation maximisation finds.

    Args:
        votes: every item needs one or more.
        prior: pseudo-votes that are added to the expected counts, `[annotator, true label, given
            label]` with 1 or all annotators. Zeros give maximum likelihood. There may be fewer true
            labels than labels: the last ones are then never true.
        mirror: the label that each label becomes when the answers of an item swap places. The rates
            are then the same for a label and its mirror image. Labels that are their own images
            (0, 1, 2, ...) give the general model.
        share_prior: pseudo-items of each class.
        weights: how often each item counts; `None` counts each once.
        start: posterior `[item, label]` to start from; `None` starts from the shares of votes.
        tolerance: of the largest change of a posterior probability.
        most: number of steps after which the search ends.
    """
    from scipy.special import entr

    image = np.asarray(mirror, dtype=np.intp)
    times = np.ones(votes.items) if weights is None else weights
    by_item = _Sums.over(votes.item, votes.items)
    by_cell = _Sums.over(
        votes.annotator * votes.labels + votes.label, votes.annotators * votes.labels
    )
    classes = prior.shape[1]
    own = image[:classes]
    shape = (votes.annotators, votes.labels, classes)
    posterior: Floats = votes.share(classes) if start is None else start
    iterations, settled = 0, False
    while True:
        weighted = posterior * times[:, None]
        counts = by_cell.add(weighted[votes.item]).reshape(shape).transpose(0, 2, 1)
        counts = (counts + counts[:, own][:, :, image]) / 2.0
        rates = counts + prior
        confusions = rates / np.maximum(rates.sum(axis=2, keepdims=True), _LEAST)
        total: Floats = weighted.sum(axis=0) + share_prior
        shares = (total + total[own]) / (2.0 * total.sum())
        if settled or iterations == most:
            break
        surprise = np.log(np.maximum(confusions, _LEAST))
        density = by_item.add(surprise[votes.annotator, :, votes.label])
        density += np.log(np.maximum(shares, _LEAST))
        density = np.exp(density - density.max(axis=1, keepdims=True))
        density /= density.sum(axis=1, keepdims=True)
        settled = float(np.abs(density - posterior).max(initial=0.0)) <= tolerance
        posterior, iterations = density, iterations + 1
    evidence = nan
    if share_prior > 0.0 and (prior > 0.0).all():
        among = np.full((1, 1, classes), share_prior)
        evidence = _integrate(rates, np.broadcast_to(prior, rates.shape), image)
        evidence += _integrate((total + total[own])[None, None] / 2.0, among, image)
        evidence += float((entr(posterior) * times[:, None]).sum())
    return AnnotatorFit(
        posterior=posterior,
        shares=shares,
        confusions=confusions,
        rates=rates,
        evidence=evidence,
        iterations=iterations,
        settled=settled,
    )


def _integrate(rates: Floats, prior: Floats, image: Ints) -> float:
    """Return the log probability of counts `rates - prior`, integrated over their rates.

    Both are `[annotator, class, label]`; shares of classes are one row of labels.
    """
    from scipy.special import gammaln

    classes, labels = int(rates.shape[1]), int(rates.shape[2])
    mirrored = image[:labels] != np.arange(labels)
    paired: Floats = np.where(mirrored[:classes] & (classes > 1), 2.0, 1.0)
    # How many cells have one rate, and how many of these are in one row.
    cells: Floats = np.where(mirrored, 2.0, paired[:, None])

    def normalise(size: Floats) -> float:
        parts = float((gammaln(cells * size) / cells).sum())
        return parts - float((gammaln(paired * size.sum(axis=2)) / paired).sum())

    within = (rates - prior) * np.log(cells / paired[:, None])
    return normalise(rates) - normalise(prior) - float(within.sum())


def draw_reliabilities(
    votes: Votes,
    *,
    prior: Floats,
    mirror: Sequence[int],
    share_prior: float,
    weights: Ints,
    start: Floats,
    seed: int,
) -> Floats:
    """Return draws `[draw, annotator]` of the reliabilities: the probability that a vote is the true label.

    They are drawn from the posterior of the rates given the votes (Gibbs sampling: true labels given
    rates, then rates given labels), so their spread contains what is not known about the labels.

    Args:
        votes: as for `fit_annotators`, and so are `prior`, `mirror` and `share_prior`.
        prior: above 0 everywhere, the same for a label and its mirror image.
        mirror: the label that each label becomes when the answers of an item swap places.
        share_prior: pseudo-items of each class, above 0.
        weights: how often each item counts.
        start: posterior `[item, label]` from which all chains start.
        seed: of the draws.
    """
    random = np.random.default_rng(seed)
    image = np.asarray(mirror, dtype=np.intp)
    labels, classes = votes.labels, int(prior.shape[1])
    cells = _Cells.over(image, classes)
    by_item = _Sums.over(votes.item, votes.items)
    by_cell = _Sums.over(votes.annotator * labels + votes.label, votes.annotators * labels)
    chances = np.broadcast_to(start, (_CHAINS, *start.shape))
    kept: list[Floats] = []
    for step in range(_DROPPED + _KEPT):
        drawn = random.multinomial(weights, chances).astype(np.float64)
        rows = drawn.transpose(1, 0, 2)[votes.item].reshape(len(votes.item), -1)
        counts = by_cell.add(rows).reshape(votes.annotators, labels, _CHAINS, classes)
        rates = cells.draw_rates(counts.transpose(2, 0, 3, 1) + prior, random)
        shares = cells.draw_shares(drawn.sum(axis=1) + share_prior, random)
        if step >= _DROPPED:
            right = np.diagonal(rates, axis1=2, axis2=3)
            kept.append(np.einsum("dak,dk->da", right, shares))
        surprise = np.log(np.maximum(rates, _LEAST)).transpose(1, 3, 0, 2)
        density = by_item.add(surprise[votes.annotator, votes.label].reshape(len(votes.item), -1))
        density = density.reshape(votes.items, _CHAINS, classes).transpose(1, 0, 2)
        density = density + np.log(shares)[:, None]
        density = np.exp(density - density.max(axis=2, keepdims=True))
        chances = density / density.sum(axis=2, keepdims=True)
    return np.concatenate(kept)


def rate_verdicts(
    chances: Floats,
    label: Ints,
    *,
    prior: Floats,
    mirror: Sequence[int],
    weights: Floats | None = None,
    tolerance: float = 1e-6,
    most: int = _MOST,
) -> Floats:
    """Return the probability of each verdict of one reviewer to be the true label.

    Given the votes of the annotators and the verdict itself. The rates of the reviewer are estimated
    here, by expectation maximisation, and do not change those of the annotators. Without the verdict
    itself these probabilities would be too low wherever votes leave doubt: a reviewer that is always
    right would seem to err as often as the votes are doubtful.

    Args:
        chances: `[verdict, label]`, the posterior of the item of each verdict (`fit_annotators`).
        label: the label that each verdict gives.
        prior: pseudo-verdicts `[true label, given label]`.
        mirror: the label that each label becomes when the answers swap places.
        weights: how often each verdict counts; `None` counts each once.
        tolerance: of the largest change of a rate.
        most: number of steps after which the search ends.
    """
    image = np.asarray(mirror, dtype=np.intp)
    given = np.eye(chances.shape[1])[label]
    times = np.ones(len(label)) if weights is None else weights
    share = chances
    rates = np.full_like(prior, np.inf)
    for _ in range(most):
        counts = (share * times[:, None]).T @ given
        counts = (counts + counts[image][:, image]) / 2.0 + prior
        before, rates = rates, counts / np.maximum(counts.sum(axis=1, keepdims=True), _LEAST)
        if float(np.abs(rates - before).max()) <= tolerance:
            break
        share = chances * rates[:, label].T
        share = share / np.maximum(share.sum(axis=1, keepdims=True), _LEAST)
    return share[np.arange(len(label)), label]


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums of rows by group; sorted once, which is faster than a scattered sum in every step."""

    order: Ints
    starts: Ints
    present: Ints
    size: int

    @classmethod
    def over(cls, group: Ints, size: int) -> _Sums:
        order = np.argsort(group, kind="stable")
        present, starts = np.unique(group[order], return_index=True)
        return cls(order, starts, present, size)

    def add(self, rows: Floats) -> Floats:
        total = np.zeros((self.size, rows.shape[1]))
        if len(self.order):
            total[self.present] = np.add.reduceat(rows[self.order], self.starts, axis=0)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Cells of a table of rates that have one rate, because the order of answers has no effect.

    The cell of a class and a label has the rate of their mirror images, `own` and `image`. `row` and
    `column` name the cell that stands for both; `within` is the number of both in its own row.
    """

    own: Ints
    image: Ints
    row: Ints
    column: Ints
    within: Floats

    @classmethod
    def over(cls, image: Ints, classes: int) -> _Cells:
        own, every = image[:classes], np.arange(len(image))
        swaps = (own != every[:classes])[:, None]
        first = (every[:classes] <= own)[:, None]
        column = np.where(first, every, image)
        return cls(
            own=own,
            image=image,
            row=np.broadcast_to(np.minimum(every[:classes], own)[:, None], column.shape),
            column=np.where(swaps, column, np.minimum(every, image)),
            within=np.where(swaps | (image == every), 1.0, 2.0),
        )

    def draw_rates(self, counts: Floats, random: np.random.Generator) -> Floats:
        """Return rates from their Dirichlet distributions, given counts `[..., class, label]`."""
        alone = (self.own[:, None] == np.arange(len(self.own))[:, None]) & (
            self.image == np.arange(len(self.image))
        )
        total = counts + np.where(alone, 0.0, counts[..., self.own, :][..., self.image])
        drawn = np.maximum(random.standard_gamma(total), _LEAST)
        drawn = drawn[..., self.row, self.column] / self.within
        return drawn / drawn.sum(axis=-1, keepdims=True)

    def draw_shares(self, counts: Floats, random: np.random.Generator) -> Floats:
        """Return class shares from their Dirichlet distribution, given counts `[..., class]`."""
        every = np.arange(len(self.own))
        total = counts + np.where(self.own == every, 0.0, counts[..., self.own])
        drawn = random.standard_gamma(total)[..., np.minimum(every, self.own)]
        drawn = drawn / np.where(self.own == every, 1.0, 2.0)
        return drawn / drawn.sum(axis=-1, keepdims=True)
