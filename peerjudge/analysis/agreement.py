"""Agreement of reviewers, alone or weighted together, with gold (PRD Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import TIE, Ballots, Floats, Numbers, score_of
from peerjudge.analysis.grouping import Ints, average_by_group, divide_known, group_rows
from peerjudge.analysis.kappa import KAPPA, fleiss_kappa
from peerjudge.analysis.left_out import leave_out_votes_of
from peerjudge.analysis.selecting import (
    HUMAN,
    explain_unjudged,
    ignore_orders,
    name_people,
    number_judges,
    select_judges,
)
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import LEVEL, Measurement, ReviewerWeights, Scheme, Tournament
from peerjudge.errors import DataError
from peerjudge.ranking import Weighting, equal_weights, given_weights, peer_rank
from peerjudge.ranking.resampling import weigh_samples
from peerjudge.statistics.clusters import draw_clusters
from peerjudge.statistics.interval import SHARE, measure_mean
from peerjudge.statistics.resampling import make_measurement

_SCORES = np.array([-1.0, 0.0, 1.0])
_EVEN = 1e-9
# (sample, item) entries at a time, which bounds the memory.
_BLOCK = 1 << 21


class NoGoldError(DataError):
    """No pair has both a gold and a readable verdict."""


class OwnVotesError(NoGoldError):
    """All gold is made of the votes of the people who are judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAgreement:
    """The agreement of the combined verdict of these reviewers with gold on `n` items.

    An item is a comparison in one shown order. `unreadable` counts their reviews without a readable
    verdict; `unjudged` the items left out because no reviewer with a weight above 0 gave one.
    With peer weights the bounds are over resampled questions in which the weights are computed again;
    in `unsettled` of the `samples` they did not settle, and the last ones are used. `worst_case` and
    `best_case` are the accuracies if the unjudged items were all wrong or all right.
    """

    reviewers: tuple[str, ...]
    gold: str
    weights: ReviewerWeights
    accuracy: Measurement
    fleiss_kappa: Measurement
    n: int
    unreadable: int
    unsettled: int
    samples: int
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
    level: float = LEVEL,
) -> GoldAgreement:
    """Return accuracy and Fleiss' kappa of the combined verdict against gold, on pairs.

    The combined verdict is the sign of the weighted mean of the reviewers' scores (-1 first, 0 tie,
    +1 second); exactly 0 is a tie. This, with weights `peer`, reproduces PRD Table 3; there a peer
    weight is computed among the named reviewers only, so that the weakest of three has weight 0.
    For accuracy a tie is right only if gold is a tie. Kappa is over the two raters, gold and
    combined, and the three scores. Bounds have questions as the unit; peer weights are computed again
    in every resample of the questions.

    People among the reviewers are held against the votes of the other people, and their items are
    comparisons in any order: a person who saw the answers the other way round judged the same pair.

    Args:
        ballots: one per review, for a run the opening or the closing ones.
        reviewers: those whose verdicts are combined, `human` for all people; `None` combines all but
            humans and `gold`.
        gold: `human` for the gold of the comparisons, else a reviewer whose verdicts serve as gold
            (the sign of their mean where it gave several on a comparison).
        weights: `equal`, `peer`, or a weight for each reviewer.
        scheme: of the peer weights.
        seed: of the resampling.
        samples: number of resamples.
        level: of the intervals.

    Raises:
        NoGoldError: nothing has both a gold and a readable verdict; `OwnVotesError` where all gold is made
            of the votes of these people.
        DataError: a reviewer gave no reviews.
        ConvergenceError: the peer weights do not settle.
    """
    chosen = _choose(ballots, reviewers, gold)
    judged = select_judges(ballots, reviewers=chosen, gold=gold)
    if gold == HUMAN:
        judged = leave_out_votes_of(judged, ballots, chosen)
    if set(chosen) <= set(ballots.humans):
        judged = ignore_orders(judged)
    held, played = _weigh(judged, chosen, weights, scheme)
    asked = np.unique(judged.question)
    golden = judged.where(judged.gold >= TIE)
    item, first = group_rows(golden.comparison, golden.swapped)
    scores = score_items(golden, item)
    fixed = np.array([held.weights[name] for name, _ in number_judges(golden)])
    combined = combine_scores(scores, fixed[None])[:, 0]
    rows = np.flatnonzero(~np.isnan(combined))
    items = golden.where(first)
    if not len(rows):
        msg = f"no pair has both a gold ({gold!r}) and a readable verdict by {', '.join(chosen)}"
        if gold == HUMAN and set(chosen) & set(ballots.humans):
            msg += "; gold is without the votes of those judged, so leave some of them out"
            raise OwnVotesError(msg)
        raise NoGoldError(msg)
    want = score_of(items.gold, items.first)
    draws = draw_clusters(len(asked), samples=samples, seed=seed)
    drawn, unsettled = fixed[None], 0
    if played is not None:
        codes: list[int] = asked.tolist()
        place = {judged.questions[code]: k for k, code in enumerate(codes)}
        columns = [place[name] for name in played.questions]
        drawn, unsettled = weigh_samples(played, draws[:, columns], scheme=scheme)
        names = [played.reviewers.index(name) for name, _ in number_judges(golden)]
        drawn = drawn[:, names]
    times = draws[:, np.searchsorted(asked, items.question)]
    cells = _count_samples(scores, want, times, drawn)
    accuracy, kappa = _measure(combined[rows], want[rows], items.question[rows], cells, level)
    if played is not None:
        # Bounds carry the uncertainty of the weights.
        accuracy = make_measurement(
            accuracy.value,
            _hits(cells),
            clusters=len(np.unique(items.question[rows])),
            n=accuracy.n,
            limits=SHARE,
            level=level,
        )
    right, unjudged = int((combined[rows] == want[rows]).sum()), len(first) - len(rows)
    return GoldAgreement(
        reviewers=chosen,
        gold=gold,
        weights=held,
        accuracy=accuracy,
        fleiss_kappa=kappa,
        n=len(rows),
        unreadable=int((~golden.readable).sum()),
        unsettled=unsettled,
        samples=samples,
        unjudged=unjudged,
        worst_case=right / len(first),
        best_case=(right + unjudged) / len(first),
    )


def _choose(ballots: Ballots, reviewers: Sequence[str] | None, gold: str) -> tuple[str, ...]:
    present = {name for name, _ in number_judges(ballots)}
    names = ", ".join(sorted(present))
    if not present:
        raise DataError(explain_unjudged(ballots, "of pairs"))
    if gold not in present | {HUMAN}:
        msg = (
            f"there is no reviewer {gold!r} whose reviews can serve as gold; choose one of {names}"
        )
        raise DataError(msg)
    chosen = present - {gold, *ballots.humans}
    if reviewers is not None:
        chosen = set(name_people(ballots, reviewers))
    if gold in chosen:
        msg = f"{gold} is the gold here and always agrees with itself; choose other reviewers"
        raise DataError(msg)
    if not chosen or chosen - present:
        missing = ", ".join(sorted(chosen - present)) or "any other reviewer"
        msg = f"there are no reviews by {missing}; choose among those by {names} (--reviewers)"
        if not chosen and ballots.humans:
            msg += ", or compare all people with one another (--reviewers human)"
        raise DataError(msg)
    return tuple(sorted(chosen))


def _weigh(
    ballots: Ballots, chosen: Sequence[str], weights: Weighting, scheme: Scheme
) -> tuple[ReviewerWeights, Tournament | None]:
    """Return the weights, and the tournament from which they were estimated."""
    if weights == "equal":
        return equal_weights(chosen), None
    if weights != "peer":
        return given_weights(chosen, weights), None
    try:
        tournament = build_tournament(ballots, reviewers=chosen)
    except DataError as cause:
        msg = (
            f"peer weights need reviews of two answers with known authors: {cause}; "
            "use weights 'equal'"
        )
        raise DataError(msg) from cause
    return peer_rank(tournament, scheme=scheme), tournament


def score_items(ballots: Ballots, item: Ints) -> Floats:
    """Return the mean score of every item by every reviewer, `[item, reviewer]`; NaN without one."""
    judges = number_judges(ballots)
    size = int(item.max(initial=-1)) + 1
    scores = np.empty((size, len(judges)))
    for column, (_, code) in zip(scores.T, judges, strict=True):
        rows = ballots.readable & (ballots.reviewer == code)
        column[:] = average_by_group(item[rows], ballots.score[rows], size)
    return scores


def combine_scores(scores: Floats, weights: Floats) -> Floats:
    """Return the combined score `[item, case]`; NaN where no reviewer with a weight gave one.

    Args:
        scores: `[item, reviewer]`.
        weights: `[case, reviewer]`.
    """
    known = ~np.isnan(scores)
    total = np.where(known, scores, 0.0) @ weights.T
    combined = np.where(np.abs(total) < _EVEN, 0.0, np.sign(total))
    return np.where(known.astype(np.float64) @ weights.T > 0.0, combined, np.nan)


def _count_samples(scores: Floats, gold: Floats, times: Floats, weights: Floats) -> Floats:
    """Return the counts of every sample, `[sample, 4]`.

    Hits, and the counts of the three scores of gold and combined together.

    Args:
        scores: `[item, reviewer]`.
        gold: the score of every item.
        times: how often each sample draws the question of each item, `[sample, item]`.
        weights: `[sample, reviewer]`, or one row for all samples.
    """
    counts = np.empty((len(times), 1 + len(_SCORES)))
    span = max(1, _BLOCK // max(len(gold), 1))
    for start in range(0, len(times), span):
        part = slice(start, start + span)
        combined = combine_scores(scores, weights if len(weights) == 1 else weights[part])
        drawn, known = times[part].T, ~np.isnan(combined)
        counts[part, 0] = (drawn * (combined == gold[:, None])).sum(axis=0)
        for column, score in enumerate(_SCORES, 1):
            ratings = (combined == score).astype(np.float64) + (known & (gold == score)[:, None])
            counts[part, column] = (drawn * ratings).sum(axis=0)
    return counts


def _measure(
    combined: Floats, gold: Floats, question: Numbers, drawn: Floats, level: float
) -> tuple[Measurement, Measurement]:
    """Return accuracy and kappa; `drawn` are the counts of the samples (`_count_samples`)."""
    chosen = (combined[:, None] == _SCORES).astype(np.float64)
    want = (gold[:, None] == _SCORES).astype(np.float64)
    hits, n = (chosen * want).sum(axis=1), len(combined)
    accuracy = measure_mean(hits, group_rows(question)[0], limits=SHARE, level=level)
    chance, shares = _chance(drawn), _hits(drawn)
    room = np.where(chance < 1.0, 1.0 - chance, np.nan)
    kappa = make_measurement(
        fleiss_kappa(chosen + want),
        (shares - chance) / room,
        clusters=len(np.unique(question)),
        n=n,
        limits=KAPPA,
        level=level,
    )
    return accuracy, kappa


def _hits(drawn: Floats) -> Floats:
    """Return the accuracy over judged items in each sample (`_count_samples`); NaN without any."""
    return divide_known(drawn[:, 0], drawn[:, 1:].sum(axis=1) / 2.0)


def _chance(sums: Floats) -> Floats:
    """Return the agreement expected by chance from the counts of each score in columns 1 to 3."""
    counts = sums[:, 1:]
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0.0)
    return np.asarray((shares**2).sum(axis=1), dtype=np.float64)
