"""Agreement of reviewers, alone or weighted together, with gold (PRD Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from peerjudge.analysis.ballots import TIE, Ballots, Floats, Numbers, score_of
from peerjudge.analysis.grouping import Ints, group_rows
from peerjudge.analysis.intervals import (
    SHARE,
    bound_mean,
    find_percentiles,
    resample_sums,
    sum_by_cluster,
)
from peerjudge.analysis.kappa import fleiss_kappa
from peerjudge.analysis.selecting import HUMAN, number_judges, select_judges
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import Measurement, ReviewerWeights, Scheme
from peerjudge.errors import DataError
from peerjudge.ranking import Weighting, equal_weights, given_weights, peer_rank

_SCORES = np.array([-1.0, 0.0, 1.0])
_EVEN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAgreement:
    """The agreement of the combined verdict of these reviewers with gold on `n` items.

    An item is a comparison in one shown order. `unreadable` counts their reviews without a readable
    verdict; `unjudged` the items left out because no reviewer with a weight above 0 gave one.
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


def measure_agreement(
    ballots: Ballots,
    *,
    reviewers: Sequence[str] | None = None,
    gold: str = HUMAN,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> GoldAgreement:
    """Return accuracy and Fleiss' kappa of the combined verdict against gold, on pairs.

    The combined verdict is the sign of the weighted mean of the reviewers' scores (-1 first, 0 tie,
    +1 second); exactly 0 is a tie. This, with weights `peer`, reproduces PRD Table 3; there a peer
    weight is computed among the named reviewers only, so that the weakest of three has weight 0.
    For accuracy a tie is right only if gold is a tie. Kappa is over the two raters, gold and
    combined, and the three scores. Bounds resample questions, the weights fixed.

    Args:
        ballots: one per review, for a run the opening or the closing ones.
        reviewers: those whose verdicts are combined; `None` combines all but humans and `gold`.
        gold: `human` for the gold of the comparisons, else a reviewer whose verdicts serve as gold
            (the sign of their mean where it gave several on a comparison).
        weights: `equal`, `peer`, or a weight for each reviewer.
        scheme: of the peer weights.
        seed: of the resampling.
        samples: number of resamples.
        level: of the intervals.

    Raises:
        DataError: a reviewer gave no reviews, or nothing has both a gold and a readable verdict.
        ConvergenceError: the peer weights do not settle.
    """
    chosen = _choose(ballots, reviewers, gold)
    judged = select_judges(ballots, reviewers=chosen, gold=gold)
    held = _weigh(judged, chosen, weights, scheme)
    judged = judged.where(judged.gold >= TIE)
    item, first = group_rows(judged.comparison, judged.swapped)
    combined = _combine(judged, item, held)
    rows = np.flatnonzero(~np.isnan(combined))
    items = judged.where(first[rows])
    if not len(rows):
        msg = f"no pair has both a gold ({gold!r}) and a readable verdict by {', '.join(chosen)}"
        raise DataError(msg)
    want = score_of(items.gold, items.first)
    accuracy, kappa = _measure(
        combined[rows], want, items.question, seed=seed, samples=samples, level=level
    )
    right, unjudged = int((combined[rows] == want).sum()), len(first) - len(rows)
    return GoldAgreement(
        reviewers=chosen,
        gold=gold,
        weights=held,
        accuracy=accuracy,
        fleiss_kappa=kappa,
        n=len(rows),
        unreadable=int((~judged.readable).sum()),
        unjudged=unjudged,
        worst_case=right / len(first),
        best_case=(right + unjudged) / len(first),
    )


def build_agreement_document(found: GoldAgreement) -> dict[str, object]:
    """Return the agreement as plain values for JSON, as `peerjudge agreement --json` prints it.

    `fleiss_kappa` is null where it does not exist: both raters always gave the same verdict.
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


def _choose(ballots: Ballots, reviewers: Sequence[str] | None, gold: str) -> tuple[str, ...]:
    present = {name for name, _ in number_judges(ballots)}
    names = ", ".join(sorted(present))
    if gold not in present | {HUMAN}:
        msg = (
            f"there is no reviewer {gold!r} whose reviews can serve as gold; choose one of {names}"
        )
        raise DataError(msg)
    chosen = present - {gold, *ballots.humans} if reviewers is None else set(reviewers)
    if gold in chosen:
        msg = f"{gold} is the gold here and always agrees with itself; choose other reviewers"
        raise DataError(msg)
    if not chosen or chosen - present:
        missing = ", ".join(sorted(chosen - present)) or "any other reviewer"
        msg = f"there are no reviews by {missing}; reviews are by {names}"
        raise DataError(msg)
    return tuple(sorted(chosen))


def _weigh(
    ballots: Ballots, chosen: Sequence[str], weights: Weighting, scheme: Scheme
) -> ReviewerWeights:
    if weights == "equal":
        return equal_weights(chosen)
    if weights != "peer":
        return given_weights(chosen, weights)
    try:
        tournament = build_tournament(ballots, reviewers=chosen)
    except DataError as cause:
        msg = (
            f"peer weights need reviews of two answers with known authors: {cause}; "
            "use weights 'equal'"
        )
        raise DataError(msg) from cause
    return peer_rank(tournament, scheme=scheme)


def _combine(ballots: Ballots, item: Ints, held: ReviewerWeights) -> Floats:
    """Return the combined score of every item; NaN where no reviewer with a weight gave one."""
    judges = number_judges(ballots)
    size = int(item.max(initial=-1)) + 1
    total, known = np.zeros(size), np.zeros(size, dtype=np.bool_)
    for name, code in judges:
        rows = ballots.readable & (ballots.reviewer == code)
        count = np.bincount(item[rows], minlength=size)
        score = np.bincount(item[rows], ballots.score[rows], size) / np.maximum(count, 1)
        total += held.weights[name] * score
        known |= (count > 0) & (held.weights[name] > 0.0)
    combined = np.where(np.abs(total) < _EVEN, 0.0, np.sign(total))
    return np.where(known, combined, np.nan)


def _measure(
    combined: Floats, gold: Floats, question: Numbers, *, seed: int, samples: int, level: float
) -> tuple[Measurement, Measurement]:
    said = (combined[:, None] == _SCORES).astype(np.float64)
    want = (gold[:, None] == _SCORES).astype(np.float64)
    # With two raters kappa needs only the hits and the counts of each score, and these add up.
    hits = (said * want).sum(axis=1, keepdims=True)
    sums = sum_by_cluster(np.hstack([hits, said + want]), group_rows(question)[0])
    judged = np.column_stack([sums[:, 0], sums[:, 1:].sum(axis=1) / 2.0])
    low, high, method = bound_mean(judged, limits=SHARE, seed=seed, samples=samples, level=level)
    n, right = len(combined), float(hits.mean())
    accuracy = Measurement(value=right, low=low, high=high, n=n, level=level, method=method)
    bounds = _bound_kappa(sums, seed=seed, samples=samples, level=level)
    if bounds[0] == bounds[1]:
        # All samples agree alike: kappa follows the accuracy, with the observed chance agreement.
        chance = _chance(sums.sum(axis=0, keepdims=True))[0]
        bounds = ((low - chance) / (1.0 - chance), (high - chance) / (1.0 - chance))
    kappa = Measurement(
        value=fleiss_kappa(said + want),
        low=bounds[0],
        high=bounds[1],
        n=n,
        level=level,
        method=method,
    )
    return accuracy, kappa


def _bound_kappa(sums: Floats, *, seed: int, samples: int, level: float) -> tuple[float, float]:
    drawn = resample_sums(sums, samples=samples, seed=seed)
    chance = _chance(drawn)
    shares = drawn[:, 0] * 2.0 / drawn[:, 1:].sum(axis=1)
    room = np.where(chance < 1.0, 1.0 - chance, np.nan)
    return find_percentiles((shares - chance) / room, level=level)


def _chance(sums: Floats) -> Floats:
    """Return the agreement expected by chance from the counts of each score in columns 1 to 3."""
    counts = sums[:, 1:]
    chance: Floats = ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return chance
