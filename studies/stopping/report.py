"""Report of the stopping rules, and of the bounds of rankings: errors and questions used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from studies.outcome import Study, Table
from studies.stopping.rank_bounds import FIELDS, BoundsCoverage, measure_rank_bounds
from studies.stopping.rules import (
    EFFECTS,
    MARGIN,
    NULLS,
    QUESTIONS,
    Decided,
    Precise,
    measure_decisions,
    measure_equivalence,
    measure_precision,
)

_STUDIES, _SLOW_STUDIES, _RANKINGS = 1000, 300, 200
_PRECISE = (
    "single verdicts, +20 % -10 %",
    "single verdicts, +30 % -20 %",
    "single verdicts, +4 % -12 %",
    "single verdicts, +2 % -2 %",
    "rare losses, small gains",
)


def compute_stopping(
    *,
    seed: int,
    studies: int = _STUDIES,
    slow_studies: int = _SLOW_STUDIES,
    rankings: int = _RANKINGS,
) -> Study:
    """Simulate studies under each rule, and rankings.

    Args:
        seed: of the simulated studies.
        studies: number for each population under the rules of decisions.
        slow_studies: number for each population under the rule of precision, which computes the
            interval at every look.
        rankings: number for each field of contestants.
    """
    none = measure_decisions(NULLS, studies=studies, seed=seed)
    some = measure_decisions(EFFECTS, studies=studies, seed=seed)
    false, true, used = measure_equivalence(studies=studies, seed=seed)
    precise = measure_precision(
        {name: {**NULLS, **EFFECTS}[name] for name in _PRECISE}, studies=slow_studies, seed=seed
    )
    bounds = measure_rank_bounds(FIELDS, rankings=rankings, seed=seed)
    return Study(
        title="When a study may stop, and what the bounds of rankings hold",
        summary=(
            _summarize(none, some),
            _say_equivalence(false, true, used),
            _say_bounds(bounds),
        ),
        tables=(
            _build_table("Without a difference", none),
            _build_table("With a difference", some),
            _build_precision(precise, slow_studies),
            _build_bounds(bounds),
        ),
        figures={},
        document={
            "simulated": True,
            "studies": studies,
            "questions": QUESTIONS,
            "without_difference": [asdict(one) for one in none],
            "with_difference": [asdict(one) for one in some],
            "equivalence": {"margin": MARGIN, "false": false, "true": true, "questions": used},
            "precision": [asdict(one) for one in precise],
            "rank_bounds": [asdict(one) for one in bounds],
        },
    )


def _build_table(title: str, rows: Sequence[Decided]) -> Table:
    return Table(
        title=f"{title}: studies of up to {QUESTIONS} questions under the rule `decided`",
        columns=("questions differ by", "better", "worse", "peeking", "questions", "fixed, 80 %"),
        rows=tuple(
            (one.population, one.better, one.worse, one.peeking, round(one.questions), one.fixed)
            for one in rows
        ),
        note="peeking: decided if the usual 95 % interval is consulted at every look.",
    )


def _build_precision(rows: Sequence[Precise], studies: int) -> Table:
    return Table(
        title=f"Coverage of the 95 % intervals at the stop by precision ({studies} studies each)",
        columns=("questions differ by", "rule", "usual", "valid at all looks", "questions"),
        rows=tuple(
            (one.population, one.rule, one.usual, one.anytime, round(one.questions)) for one in rows
        ),
    )


def _build_bounds(rows: Sequence[BoundsCoverage]) -> Table:
    return Table(
        title=f"Share of 95 % bounds that hold the truth ({rows[0].rankings} rankings)",
        columns=("contestants", "ranked by", "scores", "ranks", "all ranks", "ranks wide"),
        rows=tuple(
            (
                one.field,
                one.scoring,
                one.scores,
                one.ranks,
                one.all_ranks,
                round(one.ranks_wide, 1),
            )
            for one in rows
        ),
        note="all ranks: rankings in which the bounds of every contestant hold its rank. ranks wide: mean "
        "number of ranks within the bounds. The standard errors are at most "
        f"{max(one.scores_error or 0.0 for one in rows):.3f} for scores and "
        f"{max(one.ranks_error for one in rows):.3f} for ranks.",
    )


def _say_bounds(rows: Sequence[BoundsCoverage]) -> str:
    scores = min(one.scores for one in rows if one.scores is not None)
    ranks = min(one.ranks for one in rows)
    return f"Bounds of rankings hold the truth in at least {scores:.3f} (scores) and {ranks:.3f} (ranks)."


def _summarize(none: Sequence[Decided], some: Sequence[Decided]) -> str:
    false = max(one.better + one.worse for one in none)
    peeking = max(one.peeking for one in none)
    cost = [one.questions / one.fixed for one in some if one.fixed and one.fixed >= 50]
    return (
        f"Without a difference, at most {false:.1%} of studies decide that there is one; consulting the "
        f"usual interval at every look would claim one in up to {peeking:.0%}. With a difference, the "
        f"rule uses {min(cost):.2f} to {max(cost):.2f} times the questions of a study of fixed size with "
        "80 % power, and decides "
        f"{min(one.better + one.worse for one in some):.0%} of the studies or more."
    )


def _say_equivalence(false: float, true: float, used: float) -> str:
    return (
        f"Equivalence within {100 * MARGIN:.0f} points is claimed in {false:.1%} of studies whose "
        f"difference is {100 * MARGIN:.0f} points, and in {true:.0%} of those without one, after "
        f"{used:.0f} questions."
    )
