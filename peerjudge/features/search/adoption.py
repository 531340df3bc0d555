"""Finalists, adoption, the Pareto front, and overstatement.

The best of many candidates on the search split is flattered: it is the best by its luck, too. So a
few finalists are compared with the base on questions that the search did not ask for, and one is
adopted only if its difference from the base is above 0 beyond chance, corrected for the number of
finalists. The interval is the caller's (`peerjudge.statistics.interval`), so that the project has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import TypeAlias

from peerjudge.data import Measurement, replace
from peerjudge.errors import DataError
from peerjudge.features.search.board import count_characters
from peerjudge.features.search.nouns import (
    Adoption,
    Candidate,
    Finalist,
    SearchOptions,
    SearchState,
)

__all__ = [
    "MAX_FINALISTS",
    "Measure",
    "adopt",
    "adopt_naively",
    "choose_finalists",
    "measure_overstatement",
    "paper_options",
    "pareto_front",
]

MAX_FINALISTS = 5
ALPHA = 0.04
"""Nominal probability that a search adopts a candidate which is not better than the base.

`python -m studies.search` measures it: up to .09 where gains are small and losses are large."""

Measure: TypeAlias = Callable[[Sequence[float], float], Measurement]
"""From one paired difference per question and a two-sided level to the mean with its interval."""

_EQUAL = 12
"""Decimals up to which two means are equal."""


def choose_finalists(
    state: SearchState, *, questions: Sequence[str], most: int = MAX_FINALISTS
) -> tuple[Candidate, ...]:
    """Return the best candidates of a search, best first: scored on all questions, above the base.

    Empty where no candidate is above the base: then nothing better was found, and nothing more is
    paid for. Of equal candidates the one with the shorter texts comes first.
    """
    base = _mean(state.scores[state.candidates[0].id].scores)
    asked = set(questions)
    ranked: list[tuple[float, int, Candidate]] = []
    for one in state.candidates[1:]:
        scored = state.scores.get(one.id)
        if not one.valid or scored is None or not scored.scores.keys() >= asked:
            continue
        mean = _mean(scored.scores)
        if round(mean - base, _EQUAL) > 0.0:
            ranked.append((-round(mean, _EQUAL), count_characters(one), one))
    ranked.sort(key=lambda row: row[:2])
    return tuple(one for _, _, one in ranked[:most])


def adopt(
    base: Candidate,
    finalists: Sequence[Candidate],
    scores: Mapping[str, Mapping[str, float]],
    *,
    measure: Measure,
) -> Adoption:
    """Decide whether a finalist replaces the base, from scores on the select split.

    A finalist may be adopted if the lower bound of its mean paired difference from the base is above
    0; the bound is one-sided at 1 - `ALPHA` / number of finalists (Bonferroni), with questions as units.
    Of those the one with the greatest mean is chosen, of equal ones the one with the shorter texts.

    Args:
        base: the base.
        finalists: at most `MAX_FINALISTS`, as `choose_finalists` returns them.
        scores: by candidate, the score of every question of the select split.
        measure: the interval of a mean of paired differences.

    Raises:
        DataError: a finalist was not scored on the questions of the base.
    """
    if not finalists:
        return Adoption(
            base=base.id, chosen=base.id, adopted=False, why="no candidate scored above the base"
        )
    level = 1.0 - 2.0 * ALPHA / len(finalists)
    rows = [
        _compare(finalist, base, scores, measure=measure, level=level) for finalist in finalists
    ]
    passed = [(row, one) for row, one in zip(rows, finalists, strict=True) if row.bound > 0.0]
    if not passed:
        best = max(rows, key=lambda row: row.bound)
        why = f"no lower bound is above 0; the greatest is {best.bound:.3f}"
        return Adoption(base=base.id, chosen=base.id, adopted=False, finalists=tuple(rows), why=why)
    row, _ = min(passed, key=lambda pair: (-round(pair[0].mean, _EQUAL), count_characters(pair[1])))
    why = f"its lower bound is {row.bound:.3f}, above 0"
    return Adoption(
        base=base.id, chosen=row.candidate, adopted=True, finalists=tuple(rows), why=why
    )


def adopt_naively(state: SearchState) -> Adoption:
    """Return the choice by the search score alone, as the papers make it."""
    base = state.candidates[0].id
    adopted = state.incumbent != base
    why = "best on the search split" if adopted else "no candidate scored above the base"
    return Adoption(base=base, chosen=state.incumbent, adopted=adopted, naive=True, why=why)


def pareto_front(
    points: Mapping[str, tuple[float, float | None, float | None]],
) -> tuple[str, ...]:
    """Return the candidates that no other candidate beats in one measure and equals in the rest.

    Args:
        points: objective, consistency (both: more is better) and cost (less is better) by candidate.
            A measure counts only where it is known of all.
    """
    known = [at for at in range(3) if all(row[at] is not None for row in points.values())]
    signs = (1.0, 1.0, -1.0)
    gains = {name: [signs[at] * (row[at] or 0.0) for at in known] for name, row in points.items()}

    def beats(one: list[float], other: list[float]) -> bool:
        return one != other and all(a >= b for a, b in zip(one, other, strict=True))

    return tuple(
        name for name, gain in gains.items() if not any(beats(one, gain) for one in gains.values())
    )


def measure_overstatement(search: Mapping[str, float], test: Mapping[str, float]) -> float:
    """Return by how much the mean on the search split exceeds that on the test split."""
    return _mean(search) - _mean(test)


def paper_options(options: SearchOptions) -> SearchOptions:
    """Return the options with the settings of the sequencing paper, which mends nothing.

    GRIPS edits words at every occurrence, template expressions and JSON included, 10 steps of 5, and
    adds a tenth of the entropy of the predictions (in its own paper; leave it out for ratings with
    `entropy=0`). OPRO makes 50 steps of 2 texts and shows 2 items. Nothing is halved.
    """
    plain = replace(options, halving=(1.0,), protect=False)
    if options.method == "grips":
        return replace(
            plain,
            level="words",
            every_occurrence=True,
            steps=10,
            candidates=5,
            patience=2,
            entropy=0.1,
            longest=5.0,
        )
    return replace(
        plain,
        steps=50,
        candidates=2,
        patience=0,
        best_shown=20,
        exemplars_shown=2,
        longest=5.0,
    )


def _compare(
    one: Candidate,
    base: Candidate,
    scores: Mapping[str, Mapping[str, float]],
    *,
    measure: Measure,
    level: float,
) -> Finalist:
    ours, theirs = scores.get(one.id, {}), scores.get(base.id, {})
    if not theirs or ours.keys() != theirs.keys():
        msg = (
            f"finalist {one.id} has scores on {len(ours)} questions and the base on {len(theirs)}; "
            "both need the same questions of the select split"
        )
        raise DataError(msg)
    difference = measure([ours[question] - theirs[question] for question in theirs], level)
    return Finalist(candidate=one.id, mean=_mean(ours), difference=difference, bound=difference.low)


def _mean(scores: Mapping[str, float]) -> float:
    return fsum(scores.values()) / len(scores)
