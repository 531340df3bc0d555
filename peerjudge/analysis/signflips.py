"""Differences from the best alternative: tests and intervals that hold for few and for rare differences.

Tests of a mean difference are combined, and a difference counts only if all show it. The sign-flip
test is exact, for any number of questions, if every question could as well have had the opposite sign.
The score test (`ScoreMeans`) is approximate, for any distribution. The third is for studies in which no
question was lost, or none was won: there, a share of about 4 in k + 4 questions may lose everything and
be unseen in k (`bound_unvaried`; compare the "rule of three"). It refuses no claim at 5 % where each gain
is 1, as up to 11 such gains are more certain by it than by sign flips. The interval holds all differences
that one of the tests does not reject, so it excludes 0 exactly where the p-value, the greatest of theirs,
is at most 1 - level.

Flipping a set of questions leaves the statistic above the observed one exactly if the mean over that set
is below the tested value, so the sign-flip bounds are percentiles of means over random sets of questions
(Hartigan 1969, "Using subsample values as typical values"). Alone they hold the truth in as few as 77 % of
studies of 6 to 80 questions that differ rarely; the score test alone claims a difference in up to 5.7 % of
studies without one. Together they hold it in at least 93.8 % (counted over all outcomes of single
verdicts) and claim one in at most 4.1 %. Rare whole losses can still be missing between small ones: where
60 % of 20 questions gain a quarter, 20 % lose a quarter and 4 % lose all, 93 % of the intervals hold the
truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Bools
from peerjudge.analysis.intervals import Clusters, Floats, ScoreMeans, sum_by_cluster
from peerjudge.data import LEVEL, Measurement, Noun

SPAN = (-1.0, 1.0)
"""The least and the greatest difference of two shares."""

_METHOD = "sign flips and score by question"
_AT_ONCE = "sign flips and score by question, simultaneous"
_EXACT = 13
"""Up to this number of questions all sets are taken, and the test is exact."""
_SETS = 9_999
_BLOCK = 1 << 20
"""Cells of the sets that are drawn at a time, to limit memory."""
_KEPT = 500
"""Up to this number of questions the sets are kept for the next test: drawing is most of the work."""
_COLUMNS = 200
"""Columns of `measure_many` that are tested at a time, to limit memory."""
_EQUAL = 1e-9


class PairedDifference(Noun, frozen=True, kw_only=True):
    """Mean of ours minus theirs. `p_value` is two-sided, and NaN where nothing was compared."""

    difference: Measurement
    p_value: float


def measure_difference(
    differences: npt.ArrayLike, clusters: Clusters, *, seed: int = 0, level: float = LEVEL
) -> PairedDifference:
    """Return the mean of paired differences of shares, with its test and interval.

    Where there is no difference and the differences of questions are symmetric, at most 1 - level of
    all studies claim one; for any distribution as the number of questions grows. Up to 13 questions
    all flips are taken and the test is exact; with fewer than 6 no interval of 95 % is narrower than
    -1 to 1.

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
    level: float = LEVEL,
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
    sums, counts = sum_known(differences, clusters)
    count = int((~np.isnan(differences)).any(axis=1).sum())
    if not counts.sum(axis=0).all() or not count:
        empty = Measurement(value=nan, low=nan, high=nan, n=0, level=level, method=_METHOD)
        return PairedDifference(difference=empty, p_value=nan)
    value = compute_over_best(differences, values, clusters)
    ours, every = _Columns.draw(sums[:, None], counts[:, None], seed=seed), np.array([value])
    low, high = (float(one[0]) for one in _bound_over_best(ours, every, level))
    measured = Measurement(value=value, low=low, high=high, n=count, level=level, method=_METHOD)
    return PairedDifference(difference=measured, p_value=float(_reject_over_best(ours, every)[0]))


def measure_many(
    differences: Floats, values: Floats, *, seed: int = 0, level: float = LEVEL
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return value, low, high and p-value of `measure_over_best` for each of many studies.

    Args:
        differences: ours minus each alternative's, `[study, alternative, question]`, NaN where one of
            the two is missing. Each alternative needs a known question in each study.
        values: what the choice maximises, of the same shape.
        seed: of the random sets of questions.
        level: of the intervals.
    """
    parts = [
        (value, *_bound_over_best(ours, value, level), _reject_over_best(ours, value))
        for value, ours in _draw_many(differences, values, seed=seed)
    ]
    value, low, high, p_value = (np.concatenate(each) for each in zip(*parts, strict=True))
    return value, low, high, p_value


def reject_many(
    differences: Floats, values: Floats, *, seed: int = 0, sets: int = 999
) -> tuple[Floats, Floats]:
    """Return value and p-value of `measure_many` from fewer random sets of questions, to plan a study."""
    parts = [
        (value, _reject_over_best(ours, value))
        for value, ours in _draw_many(differences, values, seed=seed, sets=sets)
    ]
    value, p_value = (np.concatenate(each) for each in zip(*parts, strict=True))
    return value, p_value


def measure_at_once(
    groups: Sequence[Floats],
    clusters: Clusters,
    values: Sequence[float],
    *,
    seed: int = 0,
    level: float = LEVEL,
) -> list[Measurement]:
    """Return simultaneous intervals of several means over their best alternatives.

    In `level` of all studies every interval holds its true difference. Each alternative of each group
    has the interval of `measure_difference` at one higher level, under which normal variables with the
    correlations of the alternatives all lie within their bounds in `level` of all draws (single-step
    max-t: Hothorn, Bretz and Westfall 2008, "Simultaneous inference in general parametric models"). A
    group's interval takes the least lower and the least upper bound of its alternatives, and is widened
    to hold the value.

    Args:
        groups: ours minus each alternative's, `[observation, alternative]`, over the same
            observations; NaN where one of the two is missing.
        clusters: the question of each observation.
        values: the mean of each group, as `measure_over_best` finds it.
        seed: of the random sets and draws.
        level: of all intervals together.
    """
    if not groups:
        return []
    sums, counts = sum_known(np.hstack(groups), clusters)
    columns = _Columns.draw(sums, counts, seed=seed)
    alpha = _find_error_rate(sums, counts, seed=seed, level=level) / 2.0
    lows, highs = columns.bound_below(alpha), -columns.negate().bound_below(alpha)
    ends = np.cumsum([group.shape[1] for group in groups])
    measurements: list[Measurement] = []
    for group, value, end in zip(groups, values, ends, strict=True):
        mine = slice(int(end) - group.shape[1], int(end))
        measurements.append(
            Measurement(
                value=value,
                low=min(value, float(lows[mine].min())),
                high=max(value, float(highs[mine].min())),
                n=int((~np.isnan(group)).any(axis=1).sum()),
                level=level,
                method=_AT_ONCE,
            )
        )
    return measurements


def compute_over_best(differences: Floats, values: Floats, clusters: Clusters) -> float:
    """Return our mean minus that of the best alternative on other clusters; see `measure_over_best`."""
    return float(
        _mean_chosen(choose_on_others(values, clusters), *sum_known(differences, clusters))
    )


def choose_on_others(values: Floats, clusters: Clusters) -> Floats:
    """Return the weight of each alternative by cluster: the best on all other clusters has 1.

    Equally good ones share the weight.

    Args:
        values: `[observation, alternative]`, NaN where missing.
        clusters: of each observation.
    """
    return _choose(*sum_known(values, clusters))


def _choose(sums: Floats, counts: Floats) -> Floats:
    """Return the weights of `[cluster, ..., alternative]`; see `choose_on_others`."""
    others, seen = sums.sum(axis=0) - sums, counts.sum(axis=0) - counts
    means = np.divide(others, seen, out=np.full(sums.shape, -np.inf), where=seen > 0)
    best = means >= means.max(axis=-1, keepdims=True) - _EQUAL
    best |= ~np.isfinite(means).any(axis=-1, keepdims=True)
    weights: Floats = best / best.sum(axis=-1, keepdims=True)
    return weights


def _mean_chosen(weights: Floats, sums: Floats, counts: Floats) -> Floats:
    """Return the mean over clusters of the weighted alternatives, `[cluster, ..., alternative]`."""
    total: Floats = (weights * sums).sum(axis=(0, -1)) / (weights * counts).sum(axis=(0, -1))
    return total


def _draw_many(
    differences: Floats, values: Floats, *, seed: int, sets: int = _SETS
) -> Iterator[tuple[Floats, _Columns]]:
    """Yield the values and the tests of blocks of studies; see `measure_many`."""
    block = max(1, _COLUMNS // differences.shape[1])
    for start in range(0, len(differences), block):
        mine = slice(start, start + block)
        sums, counts = _split_known(np.moveaxis(differences[mine], -1, 0))
        weights = _choose(*_split_known(np.moveaxis(values[mine], -1, 0)))
        ours = _Columns.draw(sums, counts, seed=seed, most=sets)
        yield _mean_chosen(weights, sums, counts), ours


def _bound_over_best(ours: _Columns, value: Floats, level: float) -> tuple[Floats, Floats]:
    """Return low and high of each study."""
    alpha = (1.0 - level) / 2.0
    low = ours.bound_below(alpha).min(axis=-1)
    high = -ours.negate().bound_below(alpha / ours.shape[-1]).max(axis=-1)
    return np.minimum(low, value), np.maximum(high, value)


def _reject_over_best(ours: _Columns, value: Floats) -> Floats:
    """Return the two-sided p-value of each study."""
    helps = ours.reject_below().max(axis=-1)
    harms = ours.shape[-1] * ours.negate().reject_below().min(axis=-1)
    # A value on the other side of 0 than the bounds makes the interval hold 0: nothing is claimed.
    p_value = np.minimum(np.where(value > 0.0, helps, 1.0), np.where(value < 0.0, harms, 1.0))
    return np.minimum(2.0 * p_value, 1.0)


def sum_known(values: Floats, clusters: Clusters) -> tuple[Floats, Floats]:
    """Return by cluster the sums and the numbers of the values that are not NaN."""
    both = sum_by_cluster(np.hstack(_split_known(values)), clusters)
    return both[:, : values.shape[1]], both[:, values.shape[1] :]


def _split_known(values: Floats) -> tuple[Floats, Floats]:
    """Return the values with 0 for NaN, and 1 for those that are known."""
    known = ~np.isnan(values)
    return np.where(known, values, 0.0), known.astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """Mean differences: those over sets of clusters, `[column, set]`, NaN for empty ones; the score.

    In a column of `unlost` no cluster has a negative difference, in one of `unwon` none a positive one.
    Bounds and p-values have the shape of the columns.
    """

    means: Floats
    score: ScoreMeans
    unlost: Bools
    unwon: Bools
    shape: tuple[int, ...]

    @classmethod
    def draw(cls, sums: Floats, counts: Floats, *, seed: int, most: int = _SETS) -> _Columns:
        """Return the tests of sums and numbers of differences, `[cluster, *shape]`."""
        shape = sums.shape[1:]
        sums, counts = (one.reshape(len(one), -1) for one in (sums, counts))
        means: list[Floats] = []
        draw_sets = _keep_sets if len(sums) <= _KEPT else _draw_blocks
        for sets in draw_sets(len(sums), seed, most):
            number = counts.T @ sets.T
            # Rounding must not tell equal sums from 0.
            total = np.round(sums.T @ sets.T, 9)
            means.append(
                np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
            )
        score = ScoreMeans.describe(sums, counts, limits=SPAN)
        return cls(
            means=np.concatenate(means, axis=1),
            score=score,
            unlost=np.asarray((sums >= -_EQUAL).all(axis=0)),
            unwon=np.asarray((sums <= _EQUAL).all(axis=0)),
            shape=shape,
        )

    def negate(self) -> _Columns:
        """Return theirs minus ours."""
        return replace(
            self,
            means=-self.means,
            score=replace(self.score, value=-self.score.value),
            unlost=self.unwon,
            unwon=self.unlost,
        )

    def bound_below(self, alpha: float) -> Floats:
        """Return the least difference that one of the tests does not reject at `alpha`."""
        low, _ = self.score.bounds(1.0 - 2.0 * alpha)
        rank = int((self.means.shape[1] + 1) * alpha + _EQUAL)
        if not rank:
            return np.full(self.shape, SPAN[0])
        known = np.where(np.isnan(self.means), -np.inf, self.means)
        flipped = np.partition(known, rank - 1, axis=1)[:, rank - 1]
        hidden, _ = self.score.bounds_unseen(1.0 - 2.0 * alpha)
        low = np.where(self.unlost, np.minimum(low, hidden), low)
        return np.maximum(np.minimum(low, flipped), SPAN[0]).reshape(self.shape)

    def reject_below(self) -> Floats:
        """Return the greatest of the p-values of "the difference is 0 or less"."""
        sets = self.means.shape[1]
        flipped = (sets - np.count_nonzero(self.means > 0.0, axis=1) + 1) / (sets + 1)
        both = np.maximum(flipped, self.score.reject_below())
        hidden = np.where(self.unlost, self.score.reject_unseen(), 0.0)
        return np.maximum(both, hidden).reshape(self.shape)


def _find_error_rate(sums: Floats, counts: Floats, *, seed: int, level: float) -> float:
    """Return the error rate of each column with which all of them hold in `level` of studies."""
    from scipy.special import ndtr

    total = counts.sum(axis=0)
    # The share of every question in the mean's deviation; 0 where a question is missing.
    shares = (sums - sums.sum(axis=0) / total * counts) / total
    length = np.sqrt((shares**2).sum(axis=0))
    alike = length <= _EQUAL
    # A column that never varies has no correlation: it counts as independent.
    units = np.vstack([shares / np.where(alike, 1.0, length) * ~alike, np.diag(alike * 1.0)])
    root = np.linalg.qr(units, mode="r")
    drawn = np.random.default_rng(seed).standard_normal((_SETS, len(root))) @ root
    return float(2.0 * ndtr(-np.quantile(np.abs(drawn).max(axis=1), level)))


@lru_cache(maxsize=2)
def _keep_sets(clusters: int, seed: int, most: int) -> tuple[Floats, ...]:
    return tuple(_draw_blocks(clusters, seed, most))


def _draw_blocks(clusters: int, seed: int, most: int) -> Iterator[Floats]:
    """Yield blocks of sets of clusters as 0 and 1: all but the empty one, or `most` random ones."""
    if clusters <= _EXACT:
        numbers = np.arange(1, 1 << clusters)
        yield ((numbers[:, None] >> np.arange(clusters)) & 1).astype(np.float64)
        return
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // clusters)
    for start in range(0, most, block):
        rows = min(block, most - start)
        bits = np.frombuffer(random.bytes(rows * (clusters + 7 >> 3)), dtype=np.uint8)
        sets = np.unpackbits(bits.reshape(rows, -1), axis=1, count=clusters)
        yield sets.astype(np.float64)
