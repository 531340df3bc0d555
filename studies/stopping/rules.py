"""Simulated studies that stop when a rule is met: false decisions, questions, and coverage.

The difference of a question is drawn independently, as that of single verdicts (-1, 0 or 1) or of means
over several discussions (steps of a quarter). The rules are those of `peerjudge.analysis.stopping`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.stopping import (
    StopRule,
    compute_log_capital,
    find_stops,
    list_looks,
    measure_sequence,
    widen_unseen,
)
from studies.analytic import Floats
from studies.many import measure_many

QUESTIONS = 800
MARGIN = 0.1
HALF_WIDTH = 0.1
_NORMAL = 1.959964
_POWER = 0.841621
"""Standard errors of 80 % power."""

Draw = Callable[[int, int, np.random.Generator], Floats]
"""Draws `[study, alternative, question]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Shares of studies under the rule `decided`, by 800 questions, and the questions that they used.

    `fixed` is the number of questions with which a study of fixed size has 80 % power; `peeking` is the
    share that would be decided if the usual 95 % interval were consulted at every look.
    """

    population: str
    mean: float
    better: float
    worse: float
    peeking: float
    questions: float
    median: float
    fixed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Precise:
    """Coverage of both intervals at the stop of a rule of precision, in studies of that population."""

    population: str
    rule: str
    usual: float
    anytime: float
    questions: float


def draw_single(won: float, lost: float) -> Draw:
    """Return draws of differences of single verdicts: 1 with `won`, -1 with `lost`, else 0."""

    def draw(studies: int, questions: int, random: np.random.Generator) -> Floats:
        chance = random.random((studies, 1, questions))
        return (chance < won).astype(np.float64) - (chance > 1.0 - lost)

    return draw


def draw_graded(mean: float, spread: float) -> Draw:
    """Return draws of mean differences, in quarters."""

    def draw(studies: int, questions: int, random: np.random.Generator) -> Floats:
        drawn = random.normal(mean, spread, (studies, 1, questions))
        return np.clip(np.floor(4.0 * drawn + random.random(drawn.shape)) / 4.0, -1.0, 1.0)

    return draw


def _draw_two_seats(studies: int, questions: int, random: np.random.Generator) -> Floats:
    """Draw differences from two equally good seats: the discussion concludes what one of them thought."""
    ours, one, other = (random.random((studies, questions)) < 0.7 for _ in range(3))
    copied = random.random((studies, questions)) < 0.5
    return np.stack([np.where(copied, 0.0, ours * 1.0 - seat) for seat in (one, other)], axis=1)


def _draw_from_file(studies: int, questions: int, random: np.random.Generator) -> Floats:
    """Draw the questions of a file whose mean is exactly 0, in random order, without replacement."""
    size = min(questions, 200)
    file = np.resize([1.0, -1.0, 0.0, 0.0], size)
    return np.stack([random.permutation(file) for _ in range(studies)])[:, None]


def _draw_rising(studies: int, questions: int, random: np.random.Generator) -> Floats:
    """Draw rare, one-sided losses against frequent small gains, with mean 0."""
    chance = random.random((studies, 1, questions))
    return np.where(chance < 0.04, -1.0, np.where(chance < 0.04 + 0.16, 0.25, 0.0))


NULLS: Mapping[str, Draw] = {
    "single verdicts, +10 % -10 %": draw_single(0.1, 0.1),
    "single verdicts, +30 % -30 %": draw_single(0.3, 0.3),
    "single verdicts, +2 % -2 %": draw_single(0.02, 0.02),
    "means of several, spread 0.2": draw_graded(0.0, 0.2),
    "rare losses, small gains": _draw_rising,
    "two equal seats": _draw_two_seats,
    "a file of 200, in random order": _draw_from_file,
}
EFFECTS: Mapping[str, Draw] = {
    "single verdicts, +20 % -10 %": draw_single(0.2, 0.1),
    "single verdicts, +30 % -20 %": draw_single(0.3, 0.2),
    "single verdicts, +30 % -10 %": draw_single(0.3, 0.1),
    "single verdicts, +4 % -12 %": draw_single(0.04, 0.12),
    "means of several, +5 points": draw_graded(0.05, 0.2),
    "means of several, +18 points": draw_graded(0.18, 0.22),
}


def measure_decisions(
    populations: Mapping[str, Draw], *, studies: int, seed: int = 0, questions: int = QUESTIONS
) -> tuple[Decided, ...]:
    """Return the decisions of studies of each population, with at most this many questions."""
    return tuple(
        _decide(name, draw, studies, questions, np.random.default_rng([seed, number]))
        for number, (name, draw) in enumerate(populations.items())
    )


def measure_equivalence(*, studies: int, seed: int = 0) -> tuple[float, float, float]:
    """Return false and true claims of equivalence within 10 points, and the questions of the true ones.

    False ones are claimed where the difference is exactly 10 points, true ones where it is 0.
    """
    looks = np.array(list_looks(QUESTIONS))
    random = np.random.default_rng([seed, 99])
    claimed: list[float] = []
    used = 0.0
    for won, lost in ((0.15, 0.05), (0.05, 0.05)):
        drawn = draw_single(won, lost)(studies, QUESTIONS, random)[:, 0]
        both = [
            compute_log_capital(sign * drawn, -MARGIN)[:, looks - 1] >= log(2.0 / 0.05)
            for sign in (1.0, -1.0)
        ]
        within = both[0] & both[1]
        claimed.append(float(within.any(axis=1).mean()))
        used = float(np.where(within.any(axis=1), looks[within.argmax(axis=1)], QUESTIONS).mean())
    return claimed[0], claimed[1], used


def measure_precision(
    populations: Mapping[str, Draw], *, studies: int, seed: int = 0, half_width: float = HALF_WIDTH
) -> tuple[Precise, ...]:
    """Return how often both intervals hold the mean where the usual one first is narrow enough."""
    rule = StopRule(half_width=half_width)
    found: list[Precise] = []
    for number, (name, draw) in enumerate(populations.items()):
        random = np.random.default_rng([seed, number, 7])
        truth = float(draw(200, QUESTIONS, random).mean())
        held = _end_precisely(draw(studies, QUESTIONS, random)[:, 0], rule, truth)
        usual, anytime, size = np.mean(held, axis=0).tolist()
        found.append(
            Precise(population=name, rule=str(rule), usual=usual, anytime=anytime, questions=size)
        )
    return tuple(found)


def _decide(
    name: str, draw: Draw, studies: int, questions: int, random: np.random.Generator
) -> Decided:
    drawn = draw(studies, questions, random)
    looks = list_looks(drawn.shape[-1])
    ends = find_stops(drawn, looks)
    used = np.where(ends == 0, looks[-1], np.abs(ends))
    worst = drawn.mean(axis=-1).min(axis=-1)
    mean, spread = float(worst.mean()), float(drawn.std())
    effect = abs(mean) > 0.02
    return Decided(
        population=name,
        mean=mean,
        better=float((ends > 0).mean()),
        worse=float((ends < 0).mean()),
        peeking=float(_peek(drawn[:, 0], looks).mean()),
        questions=float(used.mean()),
        median=float(np.median(used)),
        fixed=round(((_NORMAL + _POWER) * spread / mean) ** 2) if effect else None,
    )


def _peek(values: Floats, looks: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return the studies in which the usual interval leaves out 0 at any look."""
    found = np.zeros(len(values), dtype=np.bool_)
    for size in looks:
        seen = values[:, :size]
        error = seen.std(axis=1, ddof=1) / np.sqrt(size)
        found |= np.abs(seen.mean(axis=1)) > _NORMAL * error
    return found


def _end_precisely(rows: Floats, rule: StopRule, truth: float) -> list[tuple[bool, bool, int]]:
    """Return for each study whether both intervals hold the truth at its stop, and its questions."""
    running = np.arange(len(rows))
    held: list[tuple[bool, bool, int]] = []
    for size in list_looks(rows.shape[-1]):
        seen = rows[running, None, :size]
        values, lows, highs, _ = measure_many(seen)
        lows, highs = widen_unseen(values, lows, highs, questions=size, level=0.95)
        precise = (highs - lows) / 2.0 < rule.half_width
        for row, low, high in zip(running[precise], lows[precise], highs[precise], strict=True):
            one = rows[row, :size, None]
            anytime = measure_sequence(one)
            held.append((low <= truth <= high, anytime.low <= truth <= anytime.high, size))
        running = running[~precise]
        if not len(running):
            break
    return held
