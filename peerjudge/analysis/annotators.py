"""Uncertain gold: what people's votes say under an annotator model, and the accuracies that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from peerjudge.analysis.annotator_model import (
    AnnotatorFit,
    Ints,
    Votes,
    draw_reliabilities,
    fit_annotators,
    rate_verdicts,
)
from peerjudge.analysis.ballots import NONE, TIE, Ballots, Floats, Numbers
from peerjudge.analysis.golds import align_comparisons, find_votes
from peerjudge.analysis.grouping import group_rows, list_distinct
from peerjudge.analysis.intervals import SHARE, draw_clusters, make_measurement
from peerjudge.analysis.judges import Judge, group_judges
from peerjudge.analysis.scoring import find_source
from peerjudge.analysis.selecting import find_pairs
from peerjudge.analysis.signflips import SPAN
from peerjudge.data import LEVEL, Dataset, Measurement, Noun
from peerjudge.errors import DataError

_EVEN = 1e-6
_STRENGTH, _LEAST = 4.0, 1.2
"""Pseudo-votes of each annotator on each true label, at the rates of all together: of many, and of few.

Between them it is the factor of James and Stein: few annotators hardly show how much they differ.
"""
_WEAK = np.eye(3) * 0.5 + 0.5
"""Pseudo-votes of all annotators together: on each true label one that is right, and half of each other."""
_FAINT = _WEAK / 100.0
"""Pseudo-verdicts of a reviewer: few, because they make one that is always right look worse."""
_CLASS = 1.0
_SETTLED, _RESAMPLED = 1e-6, 1e-4
"""Tolerances of a fit, and of one to a resample, whose scatter is far greater."""


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


class VotedComparison(Noun, frozen=True, kw_only=True):
    """A pair with votes: its gold, the label of the model, and the probability of each true label.

    Verdicts are ids of answers, or `tie`. The label is the most probable verdict; where the two answers
    are equally probable, and more so than a tie, it is `tie`.
    """

    id: str
    votes: int
    gold: str
    label: str
    probabilities: Mapping[str, float]


class ModelAccuracy(Noun, frozen=True, kw_only=True):
    """The accuracy of a judge against gold, against the model's labels, and its expectation.

    All are over the same readable verdicts. `expected` is the mean probability that a verdict is the true
    label, see `rate_verdicts`. `label_change` and `expected_change` are the differences from the accuracy
    against gold.
    """

    judge: Judge
    gold: Measurement
    label: Measurement
    expected: Measurement
    label_change: Measurement
    expected_change: Measurement


class AnnotatedGold(Noun, frozen=True, kw_only=True):
    """The annotator model of the votes on the pairs of a source.

    `told_apart` is false where the votes name no annotators, so that all have the same rates. `ties` is
    the share of true ties, `None` where the `tie_votes` (a count) are no evidence of any: the model then
    has no such class, and a tie is never right. `changed` counts comparisons of which label and
    gold differ. Intervals resample questions and fit the model again in each of `samples` resamples;
    those of reliability are of a beta distribution, see `Annotator`. In `unsettled` resamples the
    fit did not settle, and its last step is used.
    """

    source: str
    simulated: bool
    annotators: tuple[Annotator, ...]
    comparisons: tuple[VotedComparison, ...]
    accuracies: tuple[ModelAccuracy, ...]
    questions: int
    told_apart: bool
    ties: Measurement | None
    tie_votes: int
    changed: int
    iterations: int
    samples: int
    unsettled: int
    seed: int
    level: float


def measure_annotators(
    ballots: Ballots,
    *,
    gold: Dataset | None = None,
    reviewers: Sequence[str] | None = None,
    seed: int = 0,
    samples: int = 200,
    level: float = LEVEL,
) -> AnnotatedGold:
    """Fit the annotator model to people's votes on pairs, and judge reviewers by it.

    The model is that of `annotator_model`, the same in both orders of the answers: an annotator has one
    rate for right and one for wrong choices, whichever answer comes first. Reviewers that are models
    have no vote. The rates of an annotator have a prior of 4 votes on each true label, at the rates of
    all annotators together.

    Args:
        ballots: of a dataset or a run.
        gold: a dataset whose comparisons, gold and votes replace those of the source; a run has none of
            its own.
        reviewers: names or patterns of those to judge; `None` judges all but the humans.
        seed: of the resampling of questions.
        samples: number of resamples.
        level: of the intervals.

    Raises:
        DataError: there are no votes, or no comparison has two, so that nothing tells how often they err.
    """
    source, _ = find_source(ballots, gold)
    voted, numbers = _collect_votes(source)
    votes, names = _number_votes(voted, numbers)
    models = _Models.prepare(votes)
    fit = models.best
    questions = group_rows(source.question_of[numbers])[0]
    draws = draw_clusters(int(questions.max()) + 1, samples=samples, seed=seed)
    drawn = [models.refit(times[questions]) for times in draws]
    chances = _average_posteriors(drawn)
    labelled = label_posterior(chances)
    golds = source.gold_of[numbers]
    ties = None
    if len(fit.shares) > 2:
        shares = np.array([one.shares[2:].sum() for one in drawn])
        ties = make_measurement(
            float(fit.shares[2]),
            shares,
            clusters=draws.shape[1],
            n=votes.items,
            limits=SHARE,
            level=level,
        )
    return AnnotatedGold(
        source=ballots.name,
        simulated=ballots.simulated,
        annotators=tuple(
            _describe_annotators(
                votes, names, fit, drawn, models.draw_reliabilities(seed), level=level
            )
        ),
        comparisons=tuple(_describe_comparisons(source, numbers, votes, chances, labelled)),
        accuracies=tuple(
            _judge(
                ballots,
                source,
                numbers,
                [chances, *(one.posterior for one in drawn)],
                draws,
                questions,
                reviewers,
                level,
            )
        ),
        questions=draws.shape[1],
        told_apart=votes.annotators > 1,
        ties=ties,
        tie_votes=int((votes.label == 2).sum()),
        changed=int((labelled != golds).sum()),
        iterations=fit.iterations,
        samples=samples,
        unsettled=sum(not one.settled for one in drawn),
        seed=seed,
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Models:
    """The models of the votes, over one item for each set of equal votes (`pattern` numbers it).

    `candidates` are the models without and with a class of true ties: the prior, and the fit to all items.
    """

    votes: Votes
    pattern: Ints
    candidates: tuple[tuple[Floats, AnnotatorFit], ...]

    @classmethod
    def prepare(cls, votes: Votes) -> _Models:
        """Fit a model with each possible number of classes, under the rates of all annotators together."""
        small, pattern = votes.collapse()
        times = np.bincount(pattern, minlength=small.items).astype(np.float64)
        candidates: list[tuple[Floats, AnnotatorFit]] = []
        for classes in range(2, votes.labels + 1):
            prior = _WEAK[None, :classes, : votes.labels]
            if votes.annotators > 1:
                strength = _STRENGTH * (votes.annotators - 3) / (votes.annotators - 1)
                pooled = _fit(small.pool(), prior, times, None, _SETTLED)
                prior = max(_LEAST, strength) * pooled.confusions
            candidates.append((prior, _fit(small, prior, times, None, _SETTLED)))
        return cls(votes=small, pattern=pattern, candidates=tuple(candidates))

    @property
    def best(self) -> AnnotatorFit:
        """The fit to the votes as they are."""
        return self._spread(_choose([fit for _, fit in self.candidates]))

    def refit(self, weights: Floats) -> AnnotatorFit:
        """Return the model fitted again to items that count as often as given."""
        times = np.bincount(self.pattern, weights, self.votes.items).astype(np.float64)
        fits = [
            _fit(self.votes, prior, times, fit.posterior, _RESAMPLED)
            for prior, fit in self.candidates
        ]
        return self._spread(_choose(fits))

    def draw_reliabilities(self, seed: int) -> Floats:
        """Return draws `[draw, annotator]` of the posterior of the model that is the best."""
        best = _choose([fit for _, fit in self.candidates])
        (prior,) = (prior for prior, fit in self.candidates if fit is best)
        return draw_reliabilities(
            self.votes,
            prior=prior,
            mirror=_mirror(self.votes.labels),
            share_prior=_CLASS,
            weights=np.bincount(self.pattern, minlength=self.votes.items),
            start=best.posterior,
            seed=seed,
        )

    def _spread(self, fit: AnnotatorFit) -> AnnotatorFit:
        """Return the fit with the posterior of every item."""
        return replace(fit, posterior=fit.posterior[self.pattern])


def _fit(
    votes: Votes, prior: Floats, times: Floats, start: Floats | None, tolerance: float
) -> AnnotatorFit:
    return fit_annotators(
        votes,
        prior=prior,
        mirror=_mirror(votes.labels),
        share_prior=_CLASS,
        weights=times,
        start=start,
        tolerance=tolerance,
    )


def _choose(fits: Sequence[AnnotatorFit]) -> AnnotatorFit:
    """Return the fit with true ties where the votes show them, otherwise that without.

    They do where the votes are more probable with such ties, and where a tie is the most frequent vote
    on them: pairs on which people choose at random may only be hard.
    """
    plain, *_ = fits
    best = max(fits, key=lambda one: one.evidence)
    shown = best is not plain and best.rates[:, 2:, 2].sum() > best.rates[:, 2:, 0].sum()
    return best if shown else plain


def _mirror(labels: int) -> tuple[int, ...]:
    """Return the label that each label becomes when the answers swap places."""
    return (1, 0, *range(2, labels))


def _average_posteriors(fits: Sequence[AnnotatorFit]) -> Floats:
    """Return the mean posterior `[item, label]` of models that may differ in their classes.

    The posterior of one fit takes its rates and shares as known, and so is too sure of the labels where
    few votes determine them; that of many resamples is not ("BayesBag", Huggins and Miller 2023).
    """
    classes = max(len(fit.shares) for fit in fits)
    total = np.zeros((len(fits[0].posterior), classes))
    for fit in fits:
        total[:, : len(fit.shares)] += fit.posterior
    return total / len(fits)


def label_posterior(posterior: Floats) -> Numbers:
    """Return the label of each item of `[item, (first, second, tie)]`, coded like `Ballots.verdict`.

    Two answers that are equally probable are a tie: any other rule would depend on their order.
    """
    best = posterior.argmax(axis=1)
    even = np.abs(posterior[:, 0] - posterior[:, 1]) <= _EVEN
    return np.where((best == 2) | even, TIE, best).astype(np.int32)


def _collect_votes(source: Ballots) -> tuple[Ballots, Ints]:
    """Return the votes on pairs with gold, and the numbers of these comparisons."""
    usable = find_pairs(source) & (source.gold_of != NONE)
    voted = find_votes(source)
    voted = voted.where(usable[voted.comparison])
    numbers, count = np.unique(voted.comparison, return_counts=True)
    if not len(numbers):
        msg = (
            f"{source.name} has no votes of people on pairs; name a dataset that has them with "
            "--gold NAME:PATH (vicuna80, mtbench, lfqa)"
        )
        raise DataError(msg)
    if count.max() < 2:
        msg = (
            f"{source.name} has one vote on each comparison; an annotator model learns from votes that "
            "differ, so it needs comparisons with two or more"
        )
        raise DataError(msg)
    return voted, numbers.astype(np.intp)


def _number_votes(voted: Ballots, numbers: Ints) -> tuple[Votes, tuple[str, ...]]:
    """Return the votes with items in the order of `numbers`, and the names of the annotators."""
    codes, annotator = np.unique(voted.reviewer, return_inverse=True)
    label = np.where(voted.verdict == TIE, 2, voted.verdict).astype(np.intp)
    votes = Votes(
        item=np.searchsorted(numbers, voted.comparison).astype(np.intp),
        annotator=annotator.astype(np.intp),
        label=label,
        items=len(numbers),
        annotators=len(codes),
        labels=3 if (label == 2).any() else 2,
    )
    return votes, tuple(voted.reviewers[int(code)] for code in codes)


def _describe_comparisons(
    source: Ballots, numbers: Ints, votes: Votes, chances: Floats, labelled: Numbers
) -> list[VotedComparison]:
    counts = np.bincount(votes.item, minlength=votes.items)
    comparisons: list[VotedComparison] = []
    chosen: list[int] = numbers.tolist()
    for item, number in enumerate(chosen):
        one = source.comparisons[number]
        verdicts = (*one.shown, "tie")
        comparisons.append(
            VotedComparison(
                id=one.id,
                votes=int(counts[item]),
                gold=verdicts[int(source.gold_of[number])],
                label=verdicts[int(labelled[item])],
                probabilities=dict(zip(verdicts, chances[item].tolist(), strict=False)),
            )
        )
    return comparisons


def _judge(
    ballots: Ballots,
    source: Ballots,
    numbers: Ints,
    posteriors: Sequence[Floats],
    draws: Floats,
    questions: Ints,
    reviewers: Sequence[str] | None,
    level: float,
) -> list[ModelAccuracy]:
    """Return the accuracies of every judge; none where a dataset has people's votes alone."""
    if not len(ballots.discussions) and set(ballots.reviewers) <= set(ballots.humans):
        return []
    recorded, judges, _ = group_judges(ballots, reviewers)
    voters = sorted({judge.reviewer for judge in judges} & set(source.humans))
    if voters:
        msg = (
            f"the labels of the model are made of the votes of {', '.join(voters)}; the table of annotators "
            "has how often each errs, so leave these out of --reviewers"
        )
        raise DataError(msg)
    if source is not ballots:
        recorded = align_comparisons(recorded, source)
    recorded = recorded.where(recorded.readable & np.isin(recorded.comparison, numbers))
    accuracies: list[ModelAccuracy] = []
    for code in list_distinct(recorded.reviewer):
        own = recorded.where(recorded.reviewer == code)
        item = np.searchsorted(numbers, own.comparison)
        accuracies.append(
            _measure_judge(judges[code], own, item, posteriors, draws, questions, level)
        )
    return accuracies


def _measure_judge(
    judge: Judge,
    own: Ballots,
    item: Ints,
    posteriors: Sequence[Floats],
    draws: Floats,
    questions: Ints,
    level: float,
) -> ModelAccuracy:
    """Return the accuracies of the ballots of one judge on these items."""
    right = (own.verdict == own.gold).astype(np.float64)
    column = np.where(own.verdict == TIE, 2, own.verdict).astype(np.intp)
    # A judge may call a tie where people did not; no comparison is one then.
    columns = max(*(one.shape[1] for one in posteriors), int(column.max(initial=0)) + 1)
    every = np.ones((1, draws.shape[1]))
    rows: list[tuple[float, float, float]] = []
    for posterior, times in zip(posteriors, np.vstack([every, draws]), strict=True):
        weight = times[questions[item]]
        total = float(weight.sum()) or np.nan
        chances = np.pad(posterior, ((0, 0), (0, columns - posterior.shape[1])))[item]
        likely = rate_verdicts(
            chances,
            column,
            prior=_FAINT[:columns, :columns],
            mirror=_mirror(columns),
            weights=weight,
            tolerance=_RESAMPLED,
        )
        labelled = label_posterior(posterior)[item] == own.verdict
        rows.append(
            (
                float(weight @ right) / total,
                float(weight @ labelled) / total,
                float(weight @ likely) / total,
            )
        )
    values = np.array(rows)
    changes = values[:, 1:] - values[:, :1]
    clusters = len(np.unique(questions[item]))

    def measure(column: Floats, limits: tuple[float, float] = SHARE) -> Measurement:
        return make_measurement(
            float(column[0]), column[1:], clusters=clusters, n=len(own), limits=limits, level=level
        )

    return ModelAccuracy(
        judge=judge,
        gold=measure(values[:, 0]),
        label=measure(values[:, 1]),
        expected=measure(values[:, 2]),
        label_change=measure(changes[:, 0], SPAN),
        expected_change=measure(changes[:, 1], SPAN),
    )


def _describe_annotators(
    votes: Votes,
    names: Sequence[str],
    fit: AnnotatorFit,
    drawn: Sequence[AnnotatorFit],
    posterior: Floats,
    *,
    level: float,
) -> list[Annotator]:
    """Return the annotators, those with the most votes first.

    Bounds are from the model fitted to resampled questions (`drawn`) and from draws of the reliabilities
    (`posterior`, `[draw, annotator]`).
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
