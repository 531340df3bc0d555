"""How well reviewers, alone or weighed together, agree with gold (PRD Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from peerjudge.analysis.intervals import (
    SHARE,
    Floats,
    bounds_of_mean,
    by_cluster,
    percentiles,
    resampled,
)
from peerjudge.analysis.judged import HUMAN, gold_scores
from peerjudge.data import (
    Dataset,
    Measurement,
    RecordedReview,
    ReviewerWeights,
    Scheme,
)
from peerjudge.errors import DataError
from peerjudge.ranking import (
    Weighting,
    battles_from_reviews,
    collect,
    equal_weights,
    given_weights,
    peer_rank,
    score,
)

__all__ = ["HUMAN", "GoldAgreement", "agreement", "agreement_document", "fleiss_kappa"]

_SCORES = (-1, 0, 1)
_EVEN = 1e-9

Item = tuple[str, tuple[str, ...]]
"""One thing to judge: a comparison in one shown order."""

Row = tuple[int, int, str]
"""What was said, what gold says, and the question."""

Scores = Mapping[str, Sequence[int]]
"""By reviewer the readable scores it gave; empty where none was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAgreement:
    """How well these reviewers, together, agree with gold on `n` items.

    An item is a comparison in one shown order. `unreadable` counts their reviews without a readable
    verdict; `unjudged` the items left out because none of them (of weight above 0) gave one.
    `worst_case` and `best_case` are the accuracies if those items were all wrong or all right.
    """

    reviewers: tuple[str, ...]
    gold: str
    weights: ReviewerWeights
    accuracy: Measurement
    fleiss_kappa: Measurement
    n: int
    unreadable: int
    unjudged: int
    worst_case: float
    best_case: float


def agreement(
    dataset: Dataset,
    *,
    reviewers: Sequence[str] | None = None,
    gold: str = HUMAN,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> GoldAgreement:
    """Accuracy and Fleiss' kappa of the reviewers' combined verdict against gold, on pairs.

    The combined verdict is the sign of the weighted mean of the reviewers' scores (-1 first, 0 tie,
    +1 second); exactly 0 is a tie. This, with weights `peer`, is the reading that reproduces PRD
    Table 3; there a peer weight is found among the named reviewers only, so that of three reviewers
    the weakest counts nothing. Accuracy demands that a tie meets a tie. Kappa is over the two
    raters, gold and combined, and the three scores. Bounds resample questions, the weights fixed.

    Args:
        dataset: comparisons of two answers, and their reviews; a run read as one will do.
        reviewers: whose verdicts are combined; `None` is everybody but humans and `gold`.
        gold: `human` for the comparisons' own gold, else a reviewer whose verdicts serve as gold
            (where it gave several on a comparison, the sign of their mean).
        weights: `equal`, `peer`, or a weight for each reviewer.
        scheme: of the peer weights.
        seed: of the resampling.
        samples: how many.
        level: of the intervals.

    Raises:
        DataError: a reviewer gave no reviews, or nothing has both a gold and a readable verdict.
        ConvergenceError: the peer weights do not settle.
    """
    comparisons = {one.id: one for one in dataset.comparisons if len(one.answers) == 2}
    chosen = _chosen(dataset, reviewers, gold)
    golds = gold_scores(comparisons, dataset.reviews, gold)
    reviews = [review for review in dataset.reviews if review.reviewer in chosen]
    held = _weights(dataset, chosen, reviews, weights, scheme)
    given, unreadable = _given([review for review in reviews if review.comparison in golds])
    rows: list[Row] = []
    for (comparison, shown), scores in given.items():
        combined = _combined(scores, held.weights)
        if combined is not None:
            want = golds[comparison] * (1 if shown == comparisons[comparison].shown else -1)
            rows.append((combined, want, comparisons[comparison].question.id))
    if not rows:
        msg = f"no pair has both a gold ({gold!r}) and a readable verdict by {', '.join(chosen)}"
        raise DataError(msg)
    accuracy, kappa = _measured(rows, seed=seed, samples=samples, level=level)
    right, unjudged = sum(said == want for said, want, _ in rows), len(given) - len(rows)
    return GoldAgreement(
        reviewers=chosen,
        gold=gold,
        weights=held,
        accuracy=accuracy,
        fleiss_kappa=kappa,
        n=len(rows),
        unreadable=unreadable,
        unjudged=unjudged,
        worst_case=right / len(given),
        best_case=(right + unjudged) / len(given),
    )


def agreement_document(found: GoldAgreement) -> dict[str, object]:
    """The agreement as plain values for JSON: what `peerjudge agreement --json` prints.

    `fleiss_kappa` is null where it does not exist: both raters always said the same one thing.
    """
    kappa = found.fleiss_kappa.value
    return {
        "reviewers": list(found.reviewers),
        "gold": found.gold,
        "accuracy": found.accuracy.value,
        "fleiss_kappa": None if isnan(kappa) else kappa,
        "n": found.n,
        "unreadable": found.unreadable,
    }


def fleiss_kappa(counts: Floats) -> float:
    """Fleiss' kappa of `counts[item, category]`: how many raters put each item in each category.

    Every item must have been rated equally often, at least twice. NaN where all ratings are in one
    category, since agreement beyond chance then means nothing. Source: Fleiss 1971.
    """
    raters = counts[0].sum() if len(counts) else 0.0
    if raters < 2 or (counts.sum(axis=1) != raters).any():
        msg = "Fleiss' kappa needs items that were rated equally often, at least twice"
        raise DataError(msg)
    agreed = ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return nan if chance == 1.0 else float((agreed - chance) / (1.0 - chance))


def _measured(
    rows: Sequence[Row], *, seed: int, samples: int, level: float
) -> tuple[Measurement, Measurement]:
    said = np.array([[row[0] == value for value in _SCORES] for row in rows], dtype=np.float64)
    want = np.array([[row[1] == value for value in _SCORES] for row in rows], dtype=np.float64)
    # With two raters kappa needs only the hits and the counts of each score, and these add up.
    hits = (said * want).sum(axis=1, keepdims=True)
    columns = np.hstack([hits, said + want])
    sums = by_cluster(columns, [row[2] for row in rows])
    judged = np.column_stack([sums[:, 0], sums[:, 1:].sum(axis=1) / 2.0])
    low, high, method = bounds_of_mean(
        judged, limits=SHARE, seed=seed, samples=samples, level=level
    )
    right = float(hits.mean())
    accuracy = Measurement(value=right, low=low, high=high, n=len(rows), level=level, method=method)
    bounds = _kappa_bounds(sums, seed=seed, samples=samples, level=level)
    if bounds[0] == bounds[1]:
        # All samples agree alike: let kappa follow the accuracy, with chance as it was seen.
        chance = _chance(sums.sum(axis=0, keepdims=True))[0]
        bounds = ((low - chance) / (1.0 - chance), (high - chance) / (1.0 - chance))
    kappa = Measurement(
        value=fleiss_kappa(said + want),
        low=bounds[0],
        high=bounds[1],
        n=len(rows),
        level=level,
        method=method,
    )
    return accuracy, kappa


def _kappa_bounds(sums: Floats, *, seed: int, samples: int, level: float) -> tuple[float, float]:
    drawn = resampled(sums, samples=samples, seed=seed)
    chance = _chance(drawn)
    shares = drawn[:, 0] * 2.0 / drawn[:, 1:].sum(axis=1)
    room = np.where(chance < 1.0, 1.0 - chance, np.nan)
    return percentiles((shares - chance) / room, level=level)


def _chance(sums: Floats) -> Floats:
    """By row the agreement expected by chance, from the counts of each score in columns 1 to 3."""
    counts = sums[:, 1:]
    chance: Floats = ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return chance


def _given(reviews: Sequence[RecordedReview]) -> tuple[dict[Item, dict[str, list[int]]], int]:
    """The readable scores by item and reviewer, and how many reviews were not readable."""
    given: dict[Item, dict[str, list[int]]] = {}
    unreadable = 0
    for review in reviews:
        said = score(review.verdict, (review.shown[0], review.shown[1]))
        scores = given.setdefault((review.comparison, review.shown), {})
        scores.setdefault(review.reviewer, []).extend([] if said is None else [said])
        unreadable += said is None
    return given, unreadable


def _combined(scores: Scores, weights: Mapping[str, float]) -> int | None:
    heard = {name: said for name, said in scores.items() if said and weights[name] > 0.0}
    if not heard:
        return None
    total = sum(weights[name] * sum(said) / len(said) for name, said in heard.items())
    return 0 if abs(total) < _EVEN else 1 if total > 0 else -1


def _chosen(dataset: Dataset, reviewers: Sequence[str] | None, gold: str) -> tuple[str, ...]:
    present = {review.reviewer for review in dataset.reviews}
    if gold not in present | {HUMAN}:
        msg = f"nobody named {gold!r} gave reviews to serve as gold; there are {sorted(present)}"
        raise DataError(msg)
    chosen = present - {gold, *dataset.humans} if reviewers is None else set(reviewers)
    if gold in chosen:
        msg = (
            f"{gold} is the gold here, and always agrees with itself; leave it out of the reviewers"
        )
        raise DataError(msg)
    if not chosen or chosen - present:
        missing = ", ".join(sorted(chosen - present)) or "anybody else"
        msg = f"there are no reviews by {missing}; reviews are by {', '.join(sorted(present))}"
        raise DataError(msg)
    return tuple(sorted(chosen))


def _weights(
    dataset: Dataset,
    chosen: Sequence[str],
    reviews: Sequence[RecordedReview],
    weights: Weighting,
    scheme: Scheme,
) -> ReviewerWeights:
    if weights == "equal":
        return equal_weights(chosen)
    if weights != "peer":
        return given_weights(chosen, weights)
    tournament = collect(battles_from_reviews(dataset.comparisons, reviews, panels=dataset.humans))
    silent = sorted(set(chosen) - set(tournament.reviewers))
    if silent:
        msg = (
            f"peer weights need reviews of two answers with known authors; {', '.join(silent)} "
            "gave none, so use weights 'equal'"
        )
        raise DataError(msg)
    return peer_rank(tournament, scheme=scheme)
