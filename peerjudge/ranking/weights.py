"""Reviewer weights: peer ranking by iteration (PRD and damped schemes), equal and given weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from peerjudge.data import ReviewerWeights, Scheme, Tournament
from peerjudge.errors import ConvergenceError, DataError, UnconnectedError
from peerjudge.ranking.graphs import find_groups, name_group, read_meetings
from peerjudge.ranking.tally import LEAST, Floats, win_rates
from peerjudge.ranking.tournament import contestant_columns

if TYPE_CHECKING:
    from peerjudge.ranking.graphs import ReviewGraph

# Scores closer than this are equal; this only guards the division of min-max.
_EQUAL = 1e-12
_PLAIN_PASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Convergence criteria of the peer weights.

    `damping` is the share of trust that follows the reviews, `tolerance` the maximum last change of
    any weight, `max_iterations` the maximum number of passes.
    """

    damping: float = 0.85
    tolerance: float = 1e-10
    max_iterations: int = 1000

    def __post_init__(self) -> None:
        if not 0.0 <= self.damping < 1.0:
            msg = f"damping must be at least 0 and below 1, not {self.damping}"
            raise DataError(msg)
        if self.tolerance <= 0.0 or self.max_iterations < 1:
            msg = (
                "tolerance must be above 0 and max_iterations at least 1, "
                f"not {self.tolerance} and {self.max_iterations}"
            )
            raise DataError(msg)


def peer_rank(
    tournament: Tournament | ReviewGraph,
    *,
    scheme: Scheme = Scheme.PRD,
    damping: float = 0.85,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> ReviewerWeights:
    """Weight each reviewer by the scores that the weighted reviewers give to its own answers.

    Both schemes start from W, the win rates of PRD Equation 1 (`win_rates`), and equal weights.

    `prd` iterates Equation 2 as written: `score_c = sum_r a_r W_rc`, then min-max over the
    reviewers, then division by the sum. The weakest reviewer always gets weight 0, and the
    iteration may not converge. (Algorithm 2 as printed also divides the scores by the number of
    reviewers; min-max cancels that, so the weights are the same.)

    `damped` distributes the trust of reviewer r in proportion to the win rates it awards, except for
    a share distributed equally: `a_s = (1 - d)/R + d sum_r a_r W_rs / sum_t W_rt`, which is PageRank
    on the graph of win rates. Each pass is a contraction by the factor d < 1 in the sum norm, so
    there is exactly one fixed point, reached from any start, and every weight is at least
    (1 - d)/R.

    A reviewer without a readable battle has weight 0, and nothing depends on its answers' scores.
    In both, a reviewer that is not a contestant (a person, for example) gets the mean weight of those
    that are. A reviewer with another name than its contestant is named in `Tournament.contestant_of`;
    two reviewers of one contestant, such as a model with two prompts, both have its score. Without any
    contestant among the reviewers, and if all score the same, all weights are equal; a single reviewer
    gets 1. Two reviewers that credit only themselves therefore have equal weights, and the smallest
    advantage of one gives it all the weight under `prd`, and slightly more than half under `damped`. A
    contestant that some reviewers never saw is scored by the others, with weights rescaled to sum to 1
    (if those are all 0, by the unweighted mean of their win rates); `damped` fills the gap in W with
    that mean. Where reviewers judged different pairs, as after the exclusion of self-reviews, this is
    done on each pair, and a win rate is the mean over opponents: otherwise the exclusion would also
    change which opponents count.

    Args:
        tournament: unreadable battles are excluded; or the graph of a tournament (`review_graph`).
        scheme: `prd` or `damped`.
        damping: d of `damped`, from 0 (equal weights) to below 1.
        tolerance: converged if no weight changes by more than this.
        max_iterations: maximum number of passes.

    Raises:
        DataError: no reviews.
        UnconnectedError: no battles connect the reviewers as contestants.
        ConvergenceError: the weights still change after `max_iterations`.
    """
    criteria = Convergence(damping=damping, tolerance=tolerance, max_iterations=max_iterations)
    if isinstance(tournament, Tournament):
        reviewers, contestants = tournament.reviewers, tournament.contestants
        at = contestant_columns(tournament.own, contestants)
        tally = win_rates(tournament)
        rates, met = tally.comparable_rates, tally.met
    else:
        reviewers, own, contestants, meetings = read_meetings(tournament)
        at = contestant_columns(own, contestants)
        rates, met = meetings.comparable_rates, meetings.met
    if not reviewers:
        msg = "no reviews, so there are no reviewers to weight"
        raise DataError(msg)
    read = (~np.isnan(rates.reshape(len(reviewers), -1))).sum(axis=1) > 0
    mute: list[str] = []
    if read.any() and not read.all():
        places: list[int] = np.flatnonzero(read).tolist()
        mute = [name for place, name in enumerate(reviewers) if place not in places]
        reviewers, rates = tuple(reviewers[place] for place in places), rates[read]
        at = at[read]
    check_connected(met, at, contestants)
    weights, iterations, change = peer_weights(rates[None], at, scheme=scheme, criteria=criteria)
    residual = float(change[0])
    if residual > tolerance:
        advice = (
            "; this scheme may oscillate: use scheme 'damped'"
            if scheme == Scheme.PRD
            else "; increase max_iterations or tolerance"
        )
        msg = (
            f"peer weights did not converge: after {iterations} iterations a weight still changes "
            f"by {residual:.3g} (tolerance {tolerance:.3g}){advice}"
        )
        raise ConvergenceError(msg)
    return ReviewerWeights(
        weights=_named(reviewers, weights[0]) | dict.fromkeys(mute, 0.0),
        scheme=scheme,
        iterations=iterations,
        residual=residual,
        converged=True,
    )


def check_connected(
    met: npt.NDArray[np.bool_], at: npt.NDArray[np.int64], contestants: Sequence[str]
) -> None:
    """Raise where reviewers are contestants that no battles connect.

    Args:
        met: `[contestant, opponent]`.
        at: column of each reviewer as a contestant, -1 if it is none.
        contestants: names of the columns.

    Raises:
        UnconnectedError: their scores, which are to be their weights, have no common measure.
    """
    groups = [group for group in find_groups(met) if np.isin(group, at).any()]
    if len(groups) > 1:
        raise UnconnectedError("; ".join(", ".join(name_group(contestants, one)) for one in groups))


def peer_weights(
    rates: Floats,
    at: npt.NDArray[np.int64],
    *,
    scheme: Scheme,
    criteria: Convergence,
    relax: bool = False,
) -> tuple[Floats, int, Floats]:
    """Iterate the weights of many win-rate matrices at once.

    Args:
        rates: win rates `[case, reviewer, contestant]`, NaN for unseen contestants, or also by
            opponent, as in `Tally.comparable_rates`.
        at: column of each reviewer as a contestant, -1 if it is none.
        scheme: `prd` or `damped`.
        criteria: when to stop.
        relax: halve each step after 50 passes, which has the same fixed points but damps
            oscillations.

    Returns:
        Weights `[case, reviewer]`, the number of passes, and the last change of each case.
    """
    cases, judges = rates.shape[:2]
    weights = np.full((cases, judges), 1.0 / judges)
    change = np.full(cases, np.inf)
    passes, active = 0, np.arange(cases, dtype=np.int64)
    step = (
        _damped_step(rates, at, criteria.damping)
        if scheme == Scheme.DAMPED
        else _prd_step(rates, at)
    )
    while len(active) and passes < criteria.max_iterations:
        passes += 1
        now = step(active, weights[active])
        change[active] = np.abs(now - weights[active]).max(axis=1)
        weights[active] = (now + weights[active]) / 2.0 if relax and passes > _PLAIN_PASSES else now
        active = np.flatnonzero(change > criteria.tolerance).astype(np.int64)
    return weights, passes, change


def weighted_scores(weights: Floats, rates: Floats) -> Floats:
    """Return the scores of PRD Equation 2, `[case, contestant]`: weighted means of the win rates.

    The mean is over the reviewers that saw the contestant, with weights rescaled to sum to 1, or
    unweighted if these are all 0; NaN if no reviewer saw it. Rates by opponent are first combined on
    every pair in this way; the score is then their mean over the opponents.
    """
    seen = ~np.isnan(rates)
    return _scores(weights, np.where(seen, rates, 0.0), None if seen.all() else seen)


def light_pairs(
    weights: Floats, judged: npt.NDArray[np.bool_], *, below: float = 0.2
) -> list[tuple[int, int, float]]:
    """Return the pairs whose judges have little of the weight, lightest first.

    Each with the weight of the reviewers that judged it: all weights sum to 1, and the verdict of
    these few decides the pair.

    Args:
        weights: `[reviewer]`, summing to 1.
        judged: `[reviewer, contestant, opponent]`.
        below: weight from which a pair counts as well judged.
    """
    present = np.tensordot(weights, judged.astype(np.float64), axes=1)
    light = judged.any(axis=0) & (present < below) & np.triu(np.ones_like(present, np.bool_), 1)
    found = [
        (int(one), int(other), float(present[one, other])) for one, other in np.argwhere(light)
    ]
    return sorted(found, key=lambda pair: pair[2])


def min_max(scores: Floats) -> Floats:
    """Return `Normalize(MinMax(scores))` of PRD Equation 2 along the last axis; NaN is set to the mean.

    If all scores are equal (or NaN), all results are equal.
    """
    known = ~np.isnan(scores)
    low = np.where(known, scores, np.inf).min(axis=-1, keepdims=True)
    high = np.where(known, scores, -np.inf).max(axis=-1, keepdims=True)
    spread = high - low
    apart = spread > _EQUAL
    scaled = np.where(known & apart, np.where(known, scores, 0.0) - low, 0.0)
    scaled = scaled / np.where(apart, spread, 1.0)
    mean = scaled.sum(axis=-1, keepdims=True) / np.maximum(known.sum(axis=-1, keepdims=True), 1)
    filled = np.where(apart, np.where(known, scaled, mean), 1.0)
    return filled / filled.sum(axis=-1, keepdims=True)


def equal_weights(reviewers: Sequence[str]) -> ReviewerWeights:
    """Return equal weights that sum to 1."""
    share = 1.0 / max(len(reviewers), 1)
    return given_weights(reviewers, dict.fromkeys(reviewers, share))


def given_weights(reviewers: Sequence[str], weights: Mapping[str, float]) -> ReviewerWeights:
    """Return the given weights, rescaled to sum to 1.

    Raises:
        DataError: a reviewer has no weight, a weight is negative, or all are 0.
    """
    missing = [name for name in reviewers if name not in weights]
    if missing:
        msg = f"no weight for reviewer {', '.join(map(repr, missing))}"
        raise DataError(msg)
    values = np.array([weights[name] for name in reviewers], dtype=np.float64)
    if len(values) and not (np.isfinite(values).all() and values.min() >= 0 and values.sum() > 0):
        msg = f"weights must be at least 0 and not all 0, not {dict(weights)}"
        raise DataError(msg)
    named = _named(reviewers, values / values.sum()) if len(values) else {}
    return ReviewerWeights(weights=named, scheme=None, iterations=0, residual=0.0, converged=True)


Step = Callable[[npt.NDArray[np.int64], Floats], Floats]


def _scores(weights: Floats, given: Floats, seen: npt.NDArray[np.bool_] | None) -> Floats:
    """Return `weighted_scores` of rates with zeros for unseen; `seen` is `None` if all were seen."""
    if given.ndim > 3 and seen is not None:
        flat = (*given.shape[:2], -1)
        by_pair = _scores(weights + LEAST, given.reshape(flat), seen.reshape(flat))
        return _mean_over_opponents(by_pair.reshape(len(given), *given.shape[2:]))
    total = (weights[:, None, :] @ given)[:, 0, :]
    if seen is None:
        return total
    share = (weights[:, None, :] @ seen.astype(float))[:, 0, :]
    weighed = np.divide(total, share, out=np.zeros_like(total), where=share > _EQUAL)
    return np.where(share > _EQUAL, weighed, _unweighted_mean(given, seen))


def _prd_step(rates: Floats, at: npt.NDArray[np.int64]) -> Step:
    own = np.where(at >= 0, 0.0, np.nan)
    seen = ~np.isnan(rates)
    given, all_seen = np.where(seen, rates, 0.0), bool(seen.all())

    def step(cases: npt.NDArray[np.int64], weights: Floats) -> Floats:
        # Copying the rates costs more than the step: avoid it while all cases are active.
        whole = len(cases) == len(rates)
        here = given if whole else given[cases]
        known = None if all_seen else seen if whole else seen[cases]
        return min_max(_scores(weights, here, known)[:, at] + own)

    return step


def _damped_step(rates: Floats, at: npt.NDArray[np.int64], damping: float) -> Step:
    trust = _trust(rates, at)
    judges = trust.shape[1]

    def step(cases: npt.NDArray[np.int64], weights: Floats) -> Floats:
        here = trust if len(cases) == len(trust) else trust[cases]
        passed = (weights[:, None, :] @ here)[:, 0, :]
        return (1.0 - damping) / judges + damping * passed

    return step


def _trust(rates: Floats, at: npt.NDArray[np.int64]) -> Floats:
    """Return the share of trust passed `[case, from, to]`; rows sum to 1."""
    seen = ~np.isnan(rates)
    plain = _unweighted_mean(np.where(seen, rates, 0.0), seen)
    given = np.where(seen, rates, plain[:, None])
    own = np.where(at >= 0, 0.0, np.nan)
    awarded = (given if given.ndim == 3 else _mean_over_opponents(given))[:, :, at] + own
    known = ~np.isnan(awarded)
    sums = np.where(known, awarded, 0.0).sum(axis=2, keepdims=True)
    mean = sums / np.maximum(known.sum(axis=2, keepdims=True), 1)
    filled = np.where(known, awarded, mean)
    total = filled.sum(axis=2, keepdims=True)
    alike = np.full_like(filled, 1.0 / filled.shape[2])
    return np.divide(filled, total, out=alike, where=total > 0.0)


def _unweighted_mean(given: Floats, seen: npt.NDArray[np.bool_]) -> Floats:
    count = seen.sum(axis=1)
    unseen = np.full(count.shape, np.nan)
    return np.divide(given.sum(axis=1), count, out=unseen, where=count > 0)


def _mean_over_opponents(rates: Floats) -> Floats:
    """Return the mean over the last axis; NaN for contestants that met no opponent."""
    met = ~np.isnan(rates)
    count: npt.NDArray[np.intp] = met.sum(axis=-1)
    unmet = np.full(count.shape, np.nan)
    return np.divide(np.where(met, rates, 0.0).sum(axis=-1), count, out=unmet, where=count > 0)


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    plain: list[float] = values.tolist()
    return dict(zip(names, plain, strict=True))
