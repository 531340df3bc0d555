"""Finds the reviewer weights that agree with the scores they produce."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import ReviewerWeights, Scheme, Tournament
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.ranking.tally import Floats, win_rates

__all__ = [
    "Settling",
    "equal_weights",
    "given_weights",
    "min_max",
    "peer_rank",
    "peer_weights",
    "places",
    "scores_under",
]

# Scores closer than this are equal; it only guards the division of min-max.
_EQUAL = 1e-12
_PLAIN_PASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """When an iteration is settled. `damping` is the share of trust that follows the reviews.

    `tolerance` bounds the last change of any weight, `max_iterations` the passes made for it.
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
    tournament: Tournament,
    *,
    scheme: Scheme = Scheme.PRD,
    exclude_self: bool = False,
    damping: float = 0.85,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> ReviewerWeights:
    """Weighs each reviewer by how well its own answers do in the eyes of weighted reviewers.

    Both schemes start from W, the win rates of PRD Equation 1 (`win_rates`), and from equal weights.

    `prd` iterates Equation 2 as written: `score_c = sum_r a_r W_rc`, then min-max over the
    reviewers, then division by the sum. The weakest reviewer always gets weight 0, and nothing
    guarantees that the iteration settles. (Algorithm 2 as printed divides the scores by the number
    of reviewers once more; min-max cancels that, so its weights are the same.)

    `damped` has reviewer r pass its trust on in proportion to the win rates it awards, except for a
    share that goes to all alike: `a_s = (1 - d)/R + d sum_r a_r W_rs / sum_t W_rt`, which is
    PageRank on the graph of win rates. In the sum norm each pass brings any two sets of weights
    closer by the factor d < 1, so there is exactly one fixed point, it is reached from anywhere, and
    every weight is at least (1 - d)/R.

    In both, a reviewer that is no contestant (a person, say) weighs the mean of those that are; with
    none that are, and where all score the same, all weigh the same; a single reviewer weighs 1. Two
    reviewers who each credit only themselves therefore stay equal, and the least advantage of one
    gives it all the weight under `prd`, and somewhat more than half under `damped`. A contestant that
    some reviewers never saw is scored by those who did, their weights rescaled to sum to 1 (if those
    weights are all 0, by the plain mean of their win rates); `damped` fills the gap in W with that
    plain mean.

    Args:
        tournament: unreadable battles are left out.
        scheme: which of the two.
        exclude_self: leave out battles in which the reviewer is a contestant.
        damping: d of `damped`, from 0 (equal weights) to below 1.
        tolerance: settled when no weight changes by more than this.
        max_iterations: how many passes are made to get there.

    Raises:
        ConvergenceError: the weights still change after `max_iterations`.
    """
    settling = Settling(damping=damping, tolerance=tolerance, max_iterations=max_iterations)
    if not tournament.reviewers:
        msg = "there are no reviews, so there is no reviewer to weigh"
        raise DataError(msg)
    rates = win_rates(tournament, exclude_self=exclude_self).rates
    at = places(tournament.reviewers, tournament.contestants)
    weights, iterations, change = peer_weights(rates[None], at, scheme=scheme, settling=settling)
    residual = float(change[0])
    if residual > tolerance:
        advice = (
            "; the scheme has no guarantee to settle on every tournament, use scheme 'damped'"
            if scheme == Scheme.PRD
            else "; allow more iterations or a larger tolerance"
        )
        msg = (
            f"peer weights did not settle: after {iterations} iterations a weight still changes "
            f"by {residual:.3g} (tolerance {tolerance:.3g}){advice}"
        )
        raise ConvergenceError(msg)
    return ReviewerWeights(
        weights=_named(tournament.reviewers, weights[0]),
        scheme=scheme,
        iterations=iterations,
        residual=residual,
        converged=True,
    )


def peer_weights(
    rates: Floats,
    at: npt.NDArray[np.int64],
    *,
    scheme: Scheme,
    settling: Settling,
    relax: bool = False,
) -> tuple[Floats, int, Floats]:
    """`peer_rank` on many win-rate matrices at once.

    Args:
        rates: `[case, reviewer, contestant]`, NaN where unseen.
        at: for each reviewer its column as a contestant, -1 if it is none.
        scheme: how weights follow from scores.
        settling: when to stop.
        relax: go half the way only after 50 passes, which has the same fixed points but lets cases
            settle that would swing.

    Returns:
        Weights `[case, reviewer]`, the passes made, and each case's last change.
    """
    cases, judges, _ = rates.shape
    weights = np.full((cases, judges), 1.0 / judges)
    change = np.full(cases, np.inf)
    passes, active = 0, np.arange(cases, dtype=np.int64)
    step = _walk(rates, at, settling.damping) if scheme == Scheme.DAMPED else _equation_2(rates, at)
    while len(active) and passes < settling.max_iterations:
        passes += 1
        now = step(active, weights[active])
        change[active] = np.abs(now - weights[active]).max(axis=1)
        weights[active] = (now + weights[active]) / 2.0 if relax and passes > _PLAIN_PASSES else now
        active = np.flatnonzero(change > settling.tolerance).astype(np.int64)
    return weights, passes, change


def scores_under(weights: Floats, rates: Floats) -> Floats:
    """`[case, contestant]`: Equation 2's score, the weighted mean of the win rates awarded.

    Over the reviewers who saw the contestant, their weights rescaled to sum to 1; where these are
    all 0 the plain mean; NaN where nobody saw it.
    """
    seen = ~np.isnan(rates)
    return _scores(weights, np.where(seen, rates, 0.0), None if seen.all() else seen)


def min_max(scores: Floats) -> Floats:
    """`Normalize(MinMax(scores))` of PRD Equation 2, along the last axis; NaN counts as the mean.

    Where all are equal (or all NaN), all get the same.
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


def places(reviewers: Sequence[str], contestants: Sequence[str]) -> npt.NDArray[np.int64]:
    """For each reviewer its place among the contestants, -1 if it is none of them."""
    place = {name: index for index, name in enumerate(contestants)}
    return np.array([place.get(name, -1) for name in reviewers], dtype=np.int64)


def equal_weights(reviewers: Sequence[str]) -> ReviewerWeights:
    """Every reviewer counts the same."""
    share = 1.0 / max(len(reviewers), 1)
    return given_weights(reviewers, dict.fromkeys(reviewers, share))


def given_weights(reviewers: Sequence[str], weights: Mapping[str, float]) -> ReviewerWeights:
    """These weights, rescaled to sum to 1.

    Raises:
        DataError: a reviewer without a weight, a negative weight, or none above 0.
    """
    missing = [name for name in reviewers if name not in weights]
    if missing:
        msg = f"no weight is given for reviewer {', '.join(map(repr, missing))}"
        raise DataError(msg)
    values = np.array([weights[name] for name in reviewers], dtype=np.float64)
    if len(values) and not (np.isfinite(values).all() and values.min() >= 0 and values.sum() > 0):
        msg = f"weights must be at least 0 and not all 0, not {dict(weights)}"
        raise DataError(msg)
    named = _named(reviewers, values / values.sum()) if len(values) else {}
    return ReviewerWeights(weights=named, scheme=None, iterations=0, residual=0.0, converged=True)


Step = Callable[[npt.NDArray[np.int64], Floats], Floats]


def _scores(weights: Floats, given: Floats, seen: npt.NDArray[np.bool_] | None) -> Floats:
    """`scores_under` of rates with zeros where unseen; `seen` is `None` where all were seen."""
    total = (weights[:, None, :] @ given)[:, 0, :]
    if seen is None:
        return total
    share = (weights[:, None, :] @ seen.astype(float))[:, 0, :]
    weighed = np.divide(total, share, out=np.zeros_like(total), where=share > _EQUAL)
    return np.where(share > _EQUAL, weighed, _plain_mean(given, seen))


def _equation_2(rates: Floats, at: npt.NDArray[np.int64]) -> Step:
    own = np.where(at >= 0, 0.0, np.nan)
    seen = ~np.isnan(rates)
    given, all_seen = np.where(seen, rates, 0.0), bool(seen.all())

    def step(cases: npt.NDArray[np.int64], weights: Floats) -> Floats:
        # Copying the rates costs more than the step: avoid it while all cases are under way.
        whole = len(cases) == len(rates)
        here = given if whole else given[cases]
        known = None if all_seen else seen if whole else seen[cases]
        return min_max(_scores(weights, here, known)[:, at] + own)

    return step


def _walk(rates: Floats, at: npt.NDArray[np.int64], damping: float) -> Step:
    trust = _trust(rates, at)
    judges = trust.shape[1]

    def step(cases: npt.NDArray[np.int64], weights: Floats) -> Floats:
        here = trust if len(cases) == len(trust) else trust[cases]
        passed = (weights[:, None, :] @ here)[:, 0, :]
        return (1.0 - damping) / judges + damping * passed

    return step


def _trust(rates: Floats, at: npt.NDArray[np.int64]) -> Floats:
    """`[case, from, to]`: the share of its trust that each reviewer passes to each; rows sum to 1."""
    seen = ~np.isnan(rates)
    plain = _plain_mean(np.where(seen, rates, 0.0), seen)
    own = np.where(at >= 0, 0.0, np.nan)
    awarded = np.where(seen, rates, plain[:, None, :])[:, :, at] + own
    known = ~np.isnan(awarded)
    sums = np.where(known, awarded, 0.0).sum(axis=2, keepdims=True)
    mean = sums / np.maximum(known.sum(axis=2, keepdims=True), 1)
    filled = np.where(known, awarded, mean)
    total = filled.sum(axis=2, keepdims=True)
    alike = np.full_like(filled, 1.0 / filled.shape[2])
    return np.divide(filled, total, out=alike, where=total > 0.0)


def _plain_mean(given: Floats, seen: npt.NDArray[np.bool_]) -> Floats:
    count = seen.sum(axis=1)
    unseen = np.full(count.shape, np.nan)
    return np.divide(given.sum(axis=1), count, out=unseen, where=count > 0)


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    plain: list[float] = values.tolist()
    return dict(zip(names, plain, strict=True))
