"""Figures of judges corrected by people who labelled some of the questions (PPI++, arXiv 2311.01453).

The mean of people's values plus lambda times what the labelled questions lack of all, as the judge sees it.
Whatever the judge's bias, the corrected figure is that of people; lambda, tuned for power, only sets how much
the judge narrows it. Questions are the unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from peerjudge.analysis.ballots import Ballots, Floats
from peerjudge.analysis.grouping import average_by_group, divide_known, group_rows
from peerjudge.analysis.selecting import ignore_orders, number_authors, score_unswapped
from peerjudge.data import LEVEL, Measurement, Noun, replace
from peerjudge.statistics.interval import DIFFERENCE, PairedDifference, measure_difference

__all__ = [
    "LEAST",
    "CorrectedRow",
    "Estimates",
    "correct",
    "correct_win_rates",
    "find_least",
    "share_battles",
    "weigh_savings",
]

LEAST = 4
"""Fewest labelled questions from which a figure is corrected: residuals have n - 2 degrees of freedom."""
_METHOD = "t by question"
_CORRECTED = "t by question, corrected by people (PPI++)"


class CorrectedRow(Noun, frozen=True, kw_only=True):
    """The win rate of a contestant: by judges, by people, and by judges corrected by people.

    `judges` is over all `questions`, `people` over the `labeled` ones; `bias` is judges minus people there.
    `weight` is lambda, from 0 (people alone) to 1. `correlation` is that of judges and people over labelled
    questions, NaN where either never varies. `saved` is the share of labels that people need not give for an
    equally wide interval, 0 where it saves nothing.
    """

    contestant: str
    judges: Measurement
    bias: PairedDifference
    corrected: Measurement
    people: Measurement
    weight: float
    correlation: float
    saved: float
    labeled: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """Corrected means of many studies, each of one shape."""

    value: Floats
    error: Floats
    weight: Floats

    def bound(self, labeled: int, *, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return low and high, by Student's t with n - 2 degrees of freedom."""
        reach = _find_t(labeled - 2, level) * self.error
        return self.value - reach, self.value + reach


def correct(people: Floats, judged: Floats, rest: Floats) -> Estimates:
    """Return the corrected means.

    Args:
        people: Values by people, `[..., labelled question]`.
        judged: Values by the judge on the same questions.
        rest: Values by the judge on the others, `[..., other question]`.
    """
    n, m = people.shape[-1], rest.shape[-1]
    off, other = people - _mean(people), judged - _mean(judged)
    spread = np.concatenate([judged, rest], axis=-1).var(axis=-1, ddof=1)
    tuned = divide_known((off * other).sum(axis=-1) / (n - 1), spread) * (m / (n + m))
    weight = np.clip(np.nan_to_num(tuned), 0.0, 1.0)
    moved = rest.mean(axis=-1) - judged.mean(axis=-1) if m else np.zeros_like(spread)
    left = ((off - weight[..., None] * other) ** 2).sum(axis=-1) / (n - 2) / n
    more = weight**2 * rest.var(axis=-1, ddof=1) / m if m > 1 else 0.0
    return Estimates(
        value=people.mean(axis=-1) + weight * moved,
        error=_widen(np.sqrt(left + more)),
        weight=weight,
    )


def _widen(error: Floats) -> Floats:
    """Return standard errors; questions that are all alike do not show how far others may be off."""
    return np.where(error > 0.0, error, np.inf)


def weigh_savings(correlation: float, labeled: int, questions: int) -> float:
    """Return the share of labels saved, at least 0.

    The variance of people alone shrinks by r^2 m / N, and grows by (n - 2) / (n - 3) as lambda is estimated.
    It saves nothing where r is at most sqrt(N / (m (n - 2))).
    """
    if not correlation > 0.0 or labeled < LEAST or labeled == questions:
        return 0.0
    shrunk = 1.0 - correlation**2 * (questions - labeled) / questions
    return max(0.0, 1.0 - shrunk * (labeled - 2) / (labeled - 3))


def find_least(labeled: int, questions: int) -> float:
    """Return the correlation of judges and people from which correcting saves labels."""
    others = questions - labeled
    return (questions / (others * (labeled - 2))) ** 0.5 if others and labeled > 2 else nan


def share_battles(ballots: Ballots) -> tuple[tuple[str, ...], Floats]:
    """Return the contestants, and the share of its battles that each won, `[question, contestant]`.

    A battle is a comparison in one shown order; its verdict is the mean over all who judged it, ties half, so
    that a pair with many votes counts as one. Questions are those of `Ballots.questions`; NaN where a
    contestant has no readable battle.
    """
    names, authors = number_authors(ballots)
    read = ballots.where(ballots.readable & (ballots.reviewer >= 0))
    sides = authors[read.comparison]
    read = read.where((sides >= 0).all(axis=1) & (sides[:, 0] != sides[:, 1]))
    battle, first = group_rows(read.comparison, read.swapped)
    second = (average_by_group(battle, score_unswapped(read.verdict), len(first)) + 1.0) / 2.0
    sides, row = authors[read.comparison[first]], read.question[first] * len(names)
    shape = (len(ballots.questions), len(names))
    cell = np.concatenate([row + sides[:, 0], row + sides[:, 1]])
    shares = average_by_group(cell, np.concatenate([1.0 - second, second]), shape[0] * shape[1])
    return names, shares.reshape(shape)


def correct_win_rates(judges: Ballots, people: Ballots) -> tuple[CorrectedRow, ...]:
    """Return the win rate of every contestant with as many labelled questions as are needed.

    Args:
        judges: Ballots of the judges.
        people: Votes; their questions are those of the same ids, or the same texts where no id is shared.
    """
    names, judged = share_battles(judges)
    voters, voted = share_battles(ignore_orders(people))
    known = _find_questions(judges, people)
    rows: list[CorrectedRow] = []
    for number, name in enumerate(names):
        if name not in voters:
            continue
        # The last row stands for questions without votes.
        own = np.append(voted[:, voters.index(name)], nan)[known]
        row = _correct_one(name, judged[:, number], own)
        rows += [row] if row is not None else []
    return tuple(rows)


def _find_questions(judges: Ballots, people: Ballots) -> list[int]:
    """Return the number of each question of the judges among those of people, -1 where it is none."""
    at = {name: number for number, name in enumerate(people.questions)}
    if set(at) & set(judges.questions):
        return [at.get(name, -1) for name in judges.questions]
    texts = _list_texts(people)
    by_text = {text: number for number, text in texts.items() if text}
    asked = _list_texts(judges)
    return [by_text.get(asked.get(number, ""), -1) for number in range(len(judges.questions))]


def _list_texts(ballots: Ballots) -> dict[int, str]:
    numbers: list[int] = ballots.question_of.tolist()
    return {
        number: one.question.text for number, one in zip(numbers, ballots.comparisons, strict=True)
    }


def _correct_one(name: str, judged: Floats, people: Floats) -> CorrectedRow | None:
    """Return the figures of a contestant, from values by question that are NaN where there are none."""
    both = ~np.isnan(judged) & ~np.isnan(people)
    n, every = int(both.sum()), int((~np.isnan(judged)).sum())
    if n < LEAST:
        return None
    own, seen, rest = people[both], judged[both], judged[~np.isnan(judged) & np.isnan(people)]
    found = correct(own, seen, rest)
    low, high = found.bound(n)
    varied = own.std() > 0.0 and seen.std() > 0.0
    correlation = float(np.corrcoef(own, seen)[0, 1]) if varied else nan
    return CorrectedRow(
        contestant=name,
        judges=_average(judged[~np.isnan(judged)]),
        bias=_measure_bias(seen - own),
        corrected=_clip(float(found.value), float(low), float(high), n, _CORRECTED),
        people=_average(own),
        weight=float(found.weight),
        correlation=correlation,
        saved=weigh_savings(correlation, n, every),
        labeled=n,
        questions=every,
    )


def _measure_bias(differences: Floats) -> PairedDifference:
    """Return the mean difference with plain t, cut to what differences of shares can be."""
    found = measure_difference(differences, np.arange(len(differences)), limits=None)
    one, (least, most) = found.difference, DIFFERENCE
    cut = replace(one, low=max(one.low, least), high=min(one.high, most))
    return replace(found, difference=cut)


def _average(values: Floats) -> Measurement:
    """Return the mean with plain t, to which the corrected interval compares."""
    n = len(values)
    value, error = float(values.mean()), _widen(values.std(ddof=1) / n**0.5)
    reach = _find_t(n - 1, LEVEL) * float(error)
    return _clip(value, value - reach, value + reach, n, _METHOD)


def _clip(value: float, low: float, high: float, n: int, method: str) -> Measurement:
    return Measurement(
        value=min(max(value, 0.0), 1.0),
        low=max(low, 0.0),
        high=min(high, 1.0),
        n=n,
        level=LEVEL,
        method=method,
    )


def _find_t(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1.0 + level) / 2.0))


def _mean(values: Floats) -> Floats:
    return values.mean(axis=-1, keepdims=True)
