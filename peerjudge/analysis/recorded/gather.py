"""Reads the recorded reviews of a dataset and lays out what they say."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.analysis.agreement import agreement
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.panel import measure_panel
from peerjudge.analysis.position import measure_consistency, measure_position
from peerjudge.analysis.recorded.evaluators import (
    ALL,
    WEIGHTED,
    Resampling,
    awarded,
    evaluators,
    peer_weights,
    settling_scheme,
)
from peerjudge.analysis.recorded.nouns import Jury, JuryAgreement, RecordedFindings
from peerjudge.analysis.scoring import Score, score_ballots
from peerjudge.analysis.selecting import find_pairs, number_judges, select_judges
from peerjudge.analysis.self_enhancement import measure_self_enhancement
from peerjudge.analysis.verbosity import Verbosity, log_length_ratios, measure_verbosity
from peerjudge.data import Dataset, Scheme
from peerjudge.errors import DataError
from peerjudge.ranking import from_dataset

__all__ = ["recorded_findings"]

_MOST_ALONE = 12
"""So many reviewers get an agreement each; of more, the table of accuracies tells them apart."""


def recorded_findings(
    dataset: Dataset, *, juries: Sequence[Jury] = (), seed: int = 0
) -> RecordedFindings:
    """Everything that a dataset's recorded reviews of pairs say, with intervals by question.

    Args:
        dataset: its `humans` are gold and an evaluator of their own, not reviewers.
        juries: further juries whose agreement with gold is wanted; passed over where one of their
            members gave no reviews.
        seed: of the resampling and of the orders of Elo.

    Raises:
        DataError: there is no review of a pair by anybody but people.
    """
    how = Resampling(seed=seed)
    pairs = {one.id for one in dataset.comparisons if len(one.answers) == 2}
    by = {
        review.reviewer
        for review in dataset.reviews
        if review.comparison in pairs and review.verdict.readable
    }
    reviewers = sorted(by - set(dataset.humans))
    if not reviewers:
        raise DataError(_no_reviews(dataset, by))
    reviews = select_judges(collect_reviews(dataset), reviewers=reviewers)
    scores, groups = _scores(dataset, reviewers, seed=seed)
    agreements = _agreements(dataset, reviewers, juries, seed=seed) if scores else ()
    authors = {answer.author for one in dataset.comparisons for answer in one.answers}
    ranked = len(authors - {""}) > 1
    humans = [name for name in dataset.humans if name in by]
    return RecordedFindings(
        dataset=dataset.name,
        description=dataset.description,
        seed=seed,
        level=how.level,
        comparisons=len(pairs),
        questions=len(set(reviews.question_of[find_pairs(reviews)].tolist())),
        reviews=len(reviews),
        unreadable=int((~reviews.readable).sum()),
        reviewers=tuple(reviewers),
        humans=len(humans),
        groups=groups,
        scores=scores,
        agreement=agreements,
        gold_missing="" if scores else "No comparison has a gold answer, so there is no accuracy.",
        evaluators=evaluators(dataset, reviewers, humans, how=how) if ranked else (),
        awarded=awarded(dataset, reviewers, how=how) if ranked else {},
        weights=peer_weights(from_dataset(dataset, reviewers=reviewers), how=how) if ranked else {},
        ranking_missing="" if ranked else "Nobody is named as the author of the answers.",
        positions=measure_position(reviews, seed=seed),
        consistency=tuple(row for row in measure_consistency(reviews, seed=seed) if row.rate.n),
        self_enhancement=measure_self_enhancement(reviews, seed=seed),
        verbosity=_verbosity(reviews, seed=seed),
        together=measure_panel(reviews, seed=seed) if 1 < len(reviewers) <= _MOST_ALONE else None,
    )


def _no_reviews(dataset: Dataset, by: set[str]) -> str:
    if by:
        return (
            f"{dataset.name} has reviews by people only, who are its gold: there is no reviewer to "
            f"report on; let reviewers judge it with `peerjudge run`, and report on that run"
        )
    return (
        f"{dataset.name} has no reviews of pairs to report on; let reviewers judge it with "
        f"`peerjudge run`, and report on that run"
    )


def _scores(
    dataset: Dataset, reviewers: Sequence[str], *, seed: int
) -> tuple[tuple[Score, ...], tuple[str, ...]]:
    if not any(one.gold is not None and one.gold.readable for one in dataset.comparisons):
        return (), ()
    by = (
        "subset"
        if any(one.subset for one in dataset.comparisons)
        else "category"
        if any(one.question.category for one in dataset.comparisons)
        else ""
    )
    found = score_ballots(collect_reviews(dataset), by=by, reviewers=reviewers, seed=seed)
    return found.scores, found.groups


def _agreements(
    dataset: Dataset, reviewers: Sequence[str], juries: Sequence[Jury], *, seed: int
) -> tuple[JuryAgreement, ...]:
    wanted: list[Jury] = []
    if len(reviewers) <= _MOST_ALONE:
        wanted += [Jury(name=name, reviewers=(name,)) for name in reviewers]
    wanted += [jury for jury in juries if set(jury.reviewers) <= set(reviewers)]
    authors = {answer.author for one in dataset.comparisons for answer in one.answers}
    if len(reviewers) > 1:
        wanted.append(Jury(name=ALL, reviewers=tuple(reviewers)))
    if len(authors & set(reviewers)) > 1:
        wanted.append(Jury(name=WEIGHTED, reviewers=tuple(reviewers), weights="peer"))
    return tuple(
        JuryAgreement(
            jury=jury,
            agreement=agreement(
                dataset,
                reviewers=jury.reviewers,
                weights=jury.weights,
                scheme=_scheme(dataset, jury),
                seed=seed,
            ),
        )
        for jury in wanted
    )


def _scheme(dataset: Dataset, jury: Jury) -> Scheme:
    if jury.weights == "equal":
        return Scheme.PRD
    return settling_scheme(from_dataset(dataset, reviewers=jury.reviewers))


def _verbosity(reviews: Ballots, *, seed: int) -> tuple[Verbosity, ...]:
    """Return nothing where the dataset has no texts, or too many regressions would be needed."""
    if len(number_judges(reviews)) > _MOST_ALONE or not log_length_ratios(reviews).any():
        return ()
    return measure_verbosity(reviews, seed=seed)
