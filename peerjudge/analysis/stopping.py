"""When to stop a study: rules, looks, decisions, and bounds that hold at all numbers of questions.

The bounds are a confidence sequence. A gambler who starts with 1 bets on every question, at even odds, that
the mean lies above a tested value. If the mean is at most this value, the capital reaches 1/alpha at any
time with a probability of at most alpha (Ville's inequality), so a study may look after any question and
stop when it likes. The bounds are the hedged capital sequence of Waudby-Smith and Ramdas 2024, "Estimating
means of bounded random variables by betting" (Journal of the Royal Statistical Society B 86, section 4):
half of the capital bets upwards, half downwards. The bets are their diversified Kelly bets: the capital is
shared among constant fractions of the largest bet that cannot lose everything. Such a mixture is a
martingale as well, needs no estimate of the variance, and depends on the set of questions seen but not on
their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, log
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Ballots, Bools, Floats
from peerjudge.analysis.contrasts import collect_differences, measure_better
from peerjudge.analysis.grouping import Ints, divide_known
from peerjudge.data import LEVEL, Measurement, Noun, Primary, replace
from peerjudge.errors import ExperimentError
from peerjudge.statistics.clusters import sum_by_cluster
from peerjudge.statistics.interval import DIFFERENCE
from peerjudge.statistics.resampling import bound_unvaried
from peerjudge.statistics.sampler import Sampler

METHOD = "betting confidence sequence by question"
FRACTIONS = tuple(0.95 * 0.7**step for step in range(8))
"""Fractions of the largest bet, from 0.95 to 0.08. Equal shares of the capital start with each one.

In simulated studies of single and of graded verdicts, these need no more questions than finer grids.
"""

_STEPS = 50
"""Bisections of a bound: more than a double can tell apart."""
FIRST_LOOK = 20
"""Fewest questions before the first look."""
_GROWTH = 1.1
_LEAST_HALF_WIDTH = 0.001

_PRECISE = re.compile(r"ci\s*<\s*(0?\.\d+)")
_DECIDED = re.compile(r"decided(?:\s+within\s+(0?\.\d+))?")

Outcome: TypeAlias = Literal["better", "worse", "equivalent", "precise", "undecided"]


class StopRule(Noun, frozen=True, kw_only=True):
    """Rule that ends a study; `half_width` is of the usual interval, 0 for a rule of decisions.

    `decided` ends it when the confidence sequence of the contrast leaves out 0, and with a `margin`
    above 0 also when it lies between minus and plus the margin.
    """

    half_width: float = 0.0
    margin: float = 0.0

    def __str__(self) -> str:
        if self.half_width:
            return f"ci<{self.half_width:g}"
        return f"decided within {self.margin:g}" if self.margin else "decided"


class Decision(Noun, frozen=True, kw_only=True):
    """Result of the last look at a contrast.

    `questions` is the number of questions at this look, of `available` in the data; `look` is its
    number from 1. `anytime` are bounds that hold at all looks together, over the questions on which
    both were measured; `usual` is the interval for a number of questions fixed in advance, widened
    under a rule of precision (`widen_unseen`).
    """

    rule: str
    contrast: str
    outcome: Outcome
    look: int
    questions: int
    available: int
    anytime: Measurement
    usual: Measurement
    continued: bool = False

    @property
    def stop_reason(self) -> str | None:
        """`decided` or `precise` where the rule is met, else `None`."""
        if self.outcome == "undecided":
            return None
        return "precise" if self.outcome == "precise" else "decided"


def parse_rule(text: str) -> StopRule:
    """Return the rule that a text states; raises `ExperimentError` for any other text."""
    plain = text.strip().lower()
    if found := _DECIDED.fullmatch(plain):
        if not found[1] or 0.0 < float(found[1]) < 1.0:
            return StopRule(margin=float(found[1] or 0.0))
    elif (found := _PRECISE.fullmatch(plain)) and float(found[1]) >= _LEAST_HALF_WIDTH:
        return StopRule(half_width=float(found[1]))
    msg = (
        "a stopping rule is 'decided' (the primary contrast is above or below 0), 'decided within 0.05' "
        "(that, or it is between -0.05 and 0.05) or 'ci<0.05' (half of the width of its interval is "
        f"below 0.05, that is 5 points), not {text!r}"
    )
    raise ExperimentError(msg)


def list_looks(available: int) -> tuple[int, ...]:
    """Return the numbers of questions after which one looks: 20, then about a tenth more each time.

    The last look is after all available questions. Looks do not depend on results.
    """
    looks: list[int] = []
    size = FIRST_LOOK
    while size < available:
        looks.append(size)
        size = ceil(size * _GROWTH)
    return (*looks, available) if available else ()


def judge(anytime: Measurement, usual: Measurement, rule: StopRule) -> Outcome:
    """Return what the bounds of a contrast decide under a rule."""
    if anytime.n < FIRST_LOOK:
        return "undecided"
    if rule.half_width:
        return "precise" if (usual.high - usual.low) / 2.0 < rule.half_width else "undecided"
    if anytime.low > 0.0:
        return "better"
    if anytime.high < 0.0:
        return "worse"
    within = rule.margin and -rule.margin < anytime.low and anytime.high < rule.margin
    return "equivalent" if within else "undecided"


def widen_unseen(
    value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, *, questions: int, level: float
) -> tuple[Floats, Floats]:
    """Return bounds of differences that also hold what this number of questions may hide.

    A rule of precision looks for narrow bounds, so it would stop because a rare loss has not happened
    yet; `bound_unvaried` allows for it. Half of the width is below 5 points from 73 questions, below
    10 points from 35.
    """
    least, most = bound_unvaried(value, questions=questions, limits=DIFFERENCE, level=level)
    return np.minimum(low, least), np.maximum(high, most)


def look_at(
    ballots: Ballots,
    primary: Primary,
    rule: StopRule,
    *,
    look: int,
    questions: int,
    available: int,
    sampler: Sampler,
) -> Decision:
    """Return the decision of a look at the ballots of the questions so far.

    The contrast is the mean over questions of the mean difference within each one. Verdicts that are
    missing (failed or unreadable) leave a question out.
    """
    differences, question = collect_differences(ballots, primary)
    by_question = divide_known(
        sum_by_cluster(differences, question), sum_by_cluster(np.ones_like(differences), question)
    )
    anytime = measure_sequence(by_question, level=sampler.level)
    codes = np.arange(len(by_question), dtype=np.int32)
    usual = measure_better(by_question, codes, level=sampler.level).difference
    if rule.half_width and anytime.n:
        low, high = widen_unseen(
            usual.value, usual.low, usual.high, questions=anytime.n, level=usual.level
        )
        usual = replace(usual, low=float(low), high=float(high))
    return Decision(
        rule=str(rule),
        contrast=f"{primary.condition} over {primary.alternative}",
        outcome=judge(anytime, usual, rule),
        look=look,
        questions=questions,
        available=available,
        anytime=anytime,
        usual=usual,
    )


def find_stops(differences: Floats, looks: Sequence[int], *, level: float = LEVEL) -> Ints:
    """Return for many studies the number of questions after which they are decided.

    It is above 0 where ours is better, below 0 where it is worse, and 0 where it is never decided.

    Args:
        differences: `[study, alternative, question]`, NaN where missing.
        looks: the numbers of questions after which one looks.
        level: of the confidence sequence.
    """
    at = np.asarray(looks) - 1
    alpha, several = (1.0 - level) / 2.0, differences.shape[1]
    gained = compute_log_capital(differences, 0.0)[..., at] >= log(1.0 / alpha)
    lost = compute_log_capital(-differences, 0.0)[..., at] >= log(several / alpha)
    better: Bools = np.asarray(gained.all(axis=1))
    worse: Bools = np.asarray(lost.any(axis=1))
    when = np.arange(len(differences)), (better | worse).argmax(axis=1)
    first = np.asarray(looks)[when[1]]
    return np.where(better[when], first, np.where(worse[when], -first, 0)).astype(np.int64)


def measure_sequence(differences: Floats, *, level: float = LEVEL) -> Measurement:
    """Return the mean over the better of several ways with anytime-valid bounds.

    In `level` of all studies the bounds hold the true mean at every number of questions. As for
    `measure_least`, value and lower bound are the least of those over the ways, the upper bound
    the least of theirs at a level corrected for their number, and the bounds are widened to hold the value.

    Args:
        differences: ours minus each way's, `[question, way]`, from -1 to 1; NaN where
            missing. Questions must be in random order, or a random sample.
        level: of the bounds.
    """
    known = ~np.isnan(differences)
    alpha, several = (1.0 - level) / 2.0, differences.shape[1]
    low, high, value = *DIFFERENCE, float("nan")
    if several and known.any(axis=0).all():
        columns = [column[seen] for column, seen in zip(differences.T, known.T, strict=True)]
        low = min(bound_below(column, alpha=alpha) for column in columns)
        high = min(-bound_below(-column, alpha=alpha / several) for column in columns)
        value = float(np.nanmean(differences, axis=0).min())
        low, high = min(low, value), max(high, value)
    n = int(known.any(axis=1).sum())
    return Measurement(value=value, low=low, high=high, n=n, level=level, method=METHOD)


def bound_below(values: Floats, *, alpha: float) -> float:
    """Return the least mean that the bets on these values, from -1 to 1, do not reject at `alpha`.

    The capital falls as the tested mean grows, so that the means that are not rejected are an interval.
    """
    low, high = DIFFERENCE[0], float(values.mean())
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if low < middle < high and compute_log_capital(values, middle)[-1] >= log(1.0 / alpha):
            low = middle
        else:
            high = middle
    return low


def compute_log_capital(values: Floats, tested: float) -> Floats:
    """Return the logarithm of the capital after every question, for bets that the mean is above `tested`.

    Args:
        values: `[..., question]`, from -1 to 1; NaN places no bet.
        tested: the mean under test, above -1.
    """
    gains = (values - tested) / (tested - DIFFERENCE[0])
    gains = np.where(np.isnan(gains), 0.0, gains)
    grown = np.full(gains.shape, -np.inf)
    for fraction in FRACTIONS:
        np.logaddexp(grown, np.cumsum(np.log1p(fraction * gains), axis=-1), out=grown)
    capital: Floats = grown - log(len(FRACTIONS))
    return capital
