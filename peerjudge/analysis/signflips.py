"""Sign-flip permutation tests of paired differences, with the intervals that these tests imply.

Under "no difference" every question could as well have had the opposite sign. The test compares the
mean difference with its values under flipped signs; the interval holds all differences that the test
does not reject. Flipping a set of questions leaves the statistic above the observed one exactly if the
mean over that set is below the tested value, so the bounds are percentiles of means over random sets
of questions (Hartigan 1969, "Using subsample values as typical values"). Test and interval therefore
agree: the interval excludes 0 where the p-value is at most 1 - level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import nan

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import Clusters, Floats, measure_proportion, sum_by_cluster
from peerjudge.data import Measurement, Noun

SPAN = (-1.0, 1.0)
"""The least and the greatest difference of two shares."""

_METHOD = "sign flips by question"
_AT_ONCE = "max-t over sign flips by question"
_EXACT = 13
"""Up to this number of questions all sets are taken, and the test is exact."""
_SETS = 9_999
_BLOCK = 1 << 20
"""Cells of the sets that are drawn at a time, to limit memory."""
_KEPT = 500
"""Up to this number of questions the sets are kept for the next test: drawing is most of the work."""
_EQUAL = 1e-9


class PairedDifference(Noun, frozen=True, kw_only=True):
    """Mean of ours minus theirs. `p_value` is two-sided, and NaN where nothing was compared."""

    difference: Measurement
    p_value: float


def measure_difference(
    differences: npt.ArrayLike, clusters: Clusters, *, seed: int = 0, level: float = 0.95
) -> PairedDifference:
    """Return the mean of paired differences of shares, with its sign-flip test and interval.

    Valid if the differences of questions are symmetric around their mean, and for any distribution
    as the number of questions grows. Up to 13 questions all flips are taken and the test is exact; with
    fewer than 6 no interval of 95 % is narrower than -1 to 1.

    Args:
        differences: ours minus theirs of every pair, from -1 to 1.
        clusters: the cluster (usually the question) of each pair, whose signs flip together.
        seed: of the random sets of questions.
        level: of the interval.
    """
    column = np.asarray(differences, dtype=np.float64)[:, None]
    return measure_over_best(column, column, clusters, seed=seed, level=level)


def measure_over_best(
    differences: Floats,
    values: Floats,
    clusters: Clusters,
    *,
    seed: int = 0,
    level: float = 0.95,
) -> PairedDifference:
    """Return our mean minus that of the best alternative, chosen on other questions.

    For each question the alternative is the one with the greatest mean `values` on all other questions
    (equal ones are averaged), so that none is chosen for being right on the question on which it is
    compared. Interval and test do not depend on that choice: ours beats the best alternative only if
    it beats each one, so the lower bound is the least of the lower bounds (an intersection-union test,
    which needs no correction); it is worse than the best one if it is worse than any, so the upper
    bound is the least of the upper bounds at a level corrected for the number of alternatives
    (Bonferroni). The bounds are widened, where necessary, to hold the mean: where two alternatives are
    within one question of each other, the choice alternates and the mean scatters.

    Args:
        differences: ours minus each alternative's, `[observation, alternative]`, NaN where one of the
            two is missing.
        values: what the choice maximises, `[observation, alternative]`, NaN where missing.
        clusters: the question of each observation.
        seed: of the random sets of questions.
        level: of the interval.
    """
    sums, counts = _sum_known(differences, clusters)
    count = int((~np.isnan(differences)).any(axis=1).sum())
    if not counts.sum(axis=0).all() or not count:
        empty = Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_METHOD)
        return PairedDifference(difference=empty, p_value=nan)
    value = compute_over_best(differences, values, clusters)
    means, sets = _draw_means(sums, counts, seed=seed)
    several = sums.shape[1]
    alpha = (1.0 - level) / 2.0
    low, high = _bound(means, sets, alpha, alpha / several)
    helps = ((~(means > 0.0)).sum(axis=0) + 1).max() / (sets + 1)
    harms = several * ((~(means < 0.0)).sum(axis=0) + 1).min() / (sets + 1)
    own = sums.sum(axis=0) / counts.sum(axis=0)
    if (np.ptp(np.where(counts > 0, sums / np.maximum(counts, 1), own), axis=0) <= _EQUAL).any():
        # All questions differ alike; a share of questions that was not seen may still differ.
        unseen = measure_proportion(0, len(sums), level=level).high
        low = min(low, float(own.min()) - unseen * (float(own.min()) - SPAN[0]))
        high = max(high, float(own.min()) + unseen * (SPAN[1] - float(own.min())))
    measured = Measurement(
        value=value,
        low=min(low, value),
        high=max(high, value),
        n=count,
        level=level,
        method=_METHOD,
    )
    return PairedDifference(difference=measured, p_value=min(1.0, 2.0 * float(min(helps, harms))))


def measure_at_once(
    groups: Sequence[Floats],
    clusters: Clusters,
    values: Sequence[float],
    *,
    seed: int = 0,
    level: float = 0.95,
) -> list[Measurement]:
    """Return simultaneous intervals of several means over their best alternatives.

    In `level` of all studies every interval holds its true difference. Each alternative of each group
    has a studentised interval, widened by the greatest |t| of all (max-t) under flipped signs of the
    residuals of questions; a group's interval takes the least lower and the least upper bound of its
    alternatives, and is widened to hold the value.

    Args:
        groups: ours minus each alternative's, `[observation, alternative]`, over the same
            observations; NaN where one of the two is missing.
        clusters: the question of each observation.
        values: the mean of each group, as `measure_over_best` finds it.
        seed: of the random flips.
        level: of all intervals together.
    """
    if not groups:
        return []
    sums, counts = _sum_known(np.hstack(groups), clusters)
    own = sums.sum(axis=0) / counts.sum(axis=0)
    questions = (counts > 0).sum(axis=0)
    # The share of every question in the mean's deviation; 0 where a question is missing.
    shares = (sums - own * counts) / counts.sum(axis=0)
    total = (shares**2).sum(axis=0)
    error = np.sqrt(total * questions / np.maximum(questions - 1, 1))
    varies = (total > _EQUAL**2) & (questions > 1)
    greatest = np.zeros(0)
    if varies.any():
        greatest = _draw_greatest(shares[:, varies], questions[varies], seed=seed)
    reach = float(np.quantile(greatest, level)) if len(greatest) else 0.0
    unseen = measure_proportion(0, len(sums), level=1.0 - (1.0 - level) / len(own)).high
    low = np.asarray(
        np.where(varies, own - reach * error, own - unseen * (own - SPAN[0])), dtype=np.float64
    )
    high = np.asarray(
        np.where(varies, own + reach * error, own + unseen * (SPAN[1] - own)), dtype=np.float64
    )
    ends = np.cumsum([group.shape[1] for group in groups])
    found: list[Measurement] = []
    for group, value, end in zip(groups, values, ends, strict=True):
        mine = slice(int(end) - group.shape[1], int(end))
        found.append(
            Measurement(
                value=value,
                low=max(SPAN[0], min(value, float(low[mine].min()))),
                high=min(SPAN[1], max(value, float(high[mine].min()))),
                n=int((~np.isnan(group)).any(axis=1).sum()),
                level=level,
                method=_AT_ONCE,
            )
        )
    return found


def compute_over_best(differences: Floats, values: Floats, clusters: Clusters) -> float:
    """Return our mean minus that of the best alternative on other clusters; see `measure_over_best`."""
    sums, counts = _sum_known(differences, clusters)
    weights = choose_on_others(values, clusters)
    return float((weights * sums).sum() / (weights * counts).sum())


def choose_on_others(values: Floats, clusters: Clusters) -> Floats:
    """Return the weight of each alternative by cluster: the best on all other clusters has 1.

    Equally good ones share the weight.

    Args:
        values: `[observation, alternative]`, NaN where missing.
        clusters: of each observation.
    """
    sums, counts = _sum_known(values, clusters)
    others, seen = sums.sum(axis=0) - sums, counts.sum(axis=0) - counts
    means = np.divide(others, seen, out=np.full(sums.shape, -np.inf), where=seen > 0)
    best = means >= means.max(axis=1, keepdims=True) - _EQUAL
    best |= ~np.isfinite(means).any(axis=1, keepdims=True)
    weights: Floats = best / best.sum(axis=1, keepdims=True)
    return weights


def _sum_known(values: Floats, clusters: Clusters) -> tuple[Floats, Floats]:
    """Return by cluster the sums and the numbers of the values that are not NaN."""
    known = ~np.isnan(values)
    both = np.hstack([np.where(known, values, 0.0), known.astype(np.float64)])
    found = sum_by_cluster(both, clusters)
    return found[:, : values.shape[1]], found[:, values.shape[1] :]


def _draw_means(sums: Floats, counts: Floats, *, seed: int) -> tuple[Floats, int]:
    """Return the means over sets of clusters, `[set, column]`, NaN for empty ones, and their number."""
    means: list[Floats] = []
    for sets in _draw_sets(len(sums), seed=seed):
        number = sets @ counts
        # Rounding must not tell equal sums from 0.
        total = np.round(sets @ sums, 9)
        means.append(np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0))
    found = np.concatenate(means)
    return found, len(found)


def _draw_sets(clusters: int, *, seed: int) -> Iterable[Floats]:
    """Return blocks of sets of clusters as 0 and 1: all but the empty one, or many random ones."""
    return _keep_sets(clusters, seed) if clusters <= _KEPT else _draw_blocks(clusters, seed)


@lru_cache(maxsize=2)
def _keep_sets(clusters: int, seed: int) -> tuple[Floats, ...]:
    return tuple(_draw_blocks(clusters, seed))


def _draw_blocks(clusters: int, seed: int) -> Iterator[Floats]:
    if clusters <= _EXACT:
        numbers = np.arange(1, 1 << clusters)
        yield ((numbers[:, None] >> np.arange(clusters)) & 1).astype(np.float64)
        return
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // clusters)
    for start in range(0, _SETS, block):
        rows = min(block, _SETS - start)
        bits = np.frombuffer(random.bytes(rows * (clusters + 7 >> 3)), dtype=np.uint8)
        sets = np.unpackbits(bits.reshape(rows, -1), axis=1, count=clusters)
        yield sets.astype(np.float64)


def _bound(means: Floats, sets: int, below: float, above: float) -> tuple[float, float]:
    """Return the least lower and the least upper bound of the columns, with these error rates."""
    low, high = SPAN
    rank = int((sets + 1) * below + _EQUAL)
    if rank:
        unknown = np.where(np.isnan(means), -np.inf, means)
        low = max(low, float(np.partition(unknown, rank - 1, axis=0)[rank - 1].min()))
    rank = int((sets + 1) * above + _EQUAL)
    if rank:
        unknown = np.where(np.isnan(means), np.inf, means)
        high = min(high, float(np.partition(unknown, sets - rank, axis=0)[sets - rank].min()))
    return low, high


def _draw_greatest(shares: Floats, questions: npt.NDArray[np.intp], *, seed: int) -> Floats:
    """Return the greatest |t| of the columns under flipped signs, one for each draw."""
    greatest: list[Floats] = []
    total = (shares**2).sum(axis=0)
    for sets in _draw_sets(len(shares), seed=seed):
        mean = (1.0 - 2.0 * sets) @ shares
        # Under flips the sum of squares stays; only the mean that is subtracted varies.
        error = np.sqrt(np.maximum(total - mean**2 / questions, _EQUAL * total))
        t = np.abs(mean) / (error * np.sqrt(questions / (questions - 1)))
        greatest.append(t.max(axis=1))
    return np.concatenate(greatest)
