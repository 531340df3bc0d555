"""Scores of discussions for a search: one number from 0 to 1 for each question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isnan
from types import MappingProxyType

import numpy as np

from peerjudge.analysis import collect_transcripts, tabulate_by_condition
from peerjudge.data import Comparison, Dataset, Measurement, Objective, Transcript, replace
from peerjudge.errors import ExperimentError
from peerjudge.statistics.interval import DIFFERENCE, LEVEL, MARGIN, measure_difference

OBJECTIVES: Mapping[Objective, str] = MappingProxyType(
    {
        "accuracy": "share of right verdicts",
        "consistent": "share of verdicts that are right in both orders",
        "margin": "probability of the right verdict",
        "error": "nearness of the rating to the true rating",
    }
)
"""The objectives, in words for a proposer."""

_GOLD = "gold_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Scores by question, with rates over all comparisons and replies.

    `ratings` are pairs of rating and gold by question, for the objective `error`.
    """

    scores: Mapping[str, float]
    consistency: float | None
    unreadable: float
    predictions: Mapping[str, int]
    ratings: Mapping[str, Sequence[tuple[float, float]]] = field(
        default_factory=dict[str, Sequence[tuple[float, float]]]
    )


def has_gold(comparison: Comparison, objective: Objective, *, aspect: str = "") -> bool:
    """Return whether a comparison can be scored."""
    if objective == "error":
        return find_gold_rating(comparison, aspect) is not None
    return comparison.gold is not None and len(comparison.answers) > 1


def keep_gold(dataset: Dataset, objective: Objective, *, aspect: str = "") -> Dataset:
    """Return the dataset with the comparisons that can be scored.

    Raises:
        ExperimentError: there is none.
    """
    kept = [one for one in dataset.comparisons if has_gold(one, objective, aspect=aspect)]
    if not kept:
        hint = "; ratings have the objective error" if list_aspects(dataset.comparisons) else ""
        msg = (
            f"no comparison of {dataset.name!r} has gold for the objective {objective!r}, so candidates "
            f"cannot be scored{hint}"
        )
        raise ExperimentError(msg)
    return replace(dataset, comparisons=tuple(kept))


def measure_gain(
    differences: Sequence[float], *, objective: Objective, level: float = LEVEL
) -> Measurement:
    """Return the mean of paired differences of scores, one for each question, with its interval.

    Margins lie near one another, so that the questions added are half as far apart, as in `compare`.
    """
    questions = np.arange(len(differences))
    added = MARGIN if objective == "margin" else DIFFERENCE
    return measure_difference(differences, questions, added=added, level=level).difference


def score_transcripts(
    transcripts: Sequence[Transcript],
    *,
    objective: Objective,
    questions: Iterable[str],
    aspect: str = "",
) -> Scored:
    """Return the scores of discussions; an unreadable or refused verdict scores 0.

    The score of a question is the mean over its comparisons; that of a comparison the mean over its
    discussions (`accuracy`, `error`), 1 if all are right (`consistent`), or its margin (`margin`).

    Raises:
        ExperimentError: the objective is `margin` and no reply has log-probabilities.
    """
    by_comparison: defaultdict[str, list[Transcript]] = defaultdict(list)
    for one in transcripts:
        by_comparison[one.comparison.id].append(one)
    margins = _find_margins(transcripts) if objective == "margin" else {}
    scores: defaultdict[str, list[float]] = defaultdict(list)
    ratings: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    consistent: list[bool] = []
    predictions = Counter[str]()
    for name, group in by_comparison.items():
        question = group[0].comparison.question.id
        if objective == "error":
            score, pairs = _score_ratings(group, aspect)
            ratings[question] += pairs
            predictions.update(f"{rating:g}" for rating, _ in pairs)
        else:
            score = _score_verdicts(group, objective, margins.get(name, 0.0))
            consistent += [_is_consistent(group)] if len(group) > 1 else []
            predictions.update(_name_place(one) for one in group if one.verdict.readable)
        scores[question].append(score)
    read = predictions.total()
    return Scored(
        scores={one: fsum(scores[one]) / len(scores[one]) for one in questions if one in scores},
        consistency=sum(consistent) / len(consistent) if consistent else None,
        unreadable=(len(transcripts) - read) / len(transcripts) if transcripts else 0.0,
        predictions=dict(predictions),
        ratings=dict(ratings),
    )


def _score_verdicts(group: Sequence[Transcript], objective: Objective, margin: float) -> float:
    if objective == "margin":
        return margin
    right = [one.verdict.readable and one.verdict == one.comparison.gold for one in group]
    return float(all(right)) if objective == "consistent" else sum(right) / len(right)


def _is_consistent(group: Sequence[Transcript]) -> bool:
    readable = all(one.verdict.readable for one in group)
    return readable and len({str(one.verdict) for one in group}) == 1


def _score_ratings(
    group: Sequence[Transcript], aspect: str
) -> tuple[float, list[tuple[float, float]]]:
    """Score the ratings of one answer: 1 less the absolute error over the range of the scale.

    Returns the score, and each rating that was read with its gold.
    """
    gold = find_gold_rating(group[0].comparison, aspect)
    pairs: list[tuple[float, float]] = []
    scores: list[float] = []
    for one in group:
        rated = [turn for turn in one.turns if turn.review.score is not None]
        if not rated or gold is None:
            scores.append(0.0)
            continue
        low, high = sorted(rated[-1].cue.scale)
        rating = rated[-1].review.score or 0.0
        pairs.append((rating, gold))
        scores.append(max(0.0, 1.0 - abs(rating - gold) / (high - low)))
    return fsum(scores) / len(scores), pairs


def list_aspects(comparisons: Iterable[Comparison]) -> list[str]:
    """Return the aspects with gold ratings of lone answers."""
    names = {
        name
        for comparison in comparisons
        if len(comparison.answers) == 1
        for name in comparison.meta
    }
    return sorted(name.removeprefix(_GOLD) for name in names if name.startswith(_GOLD))


def find_gold_rating(comparison: Comparison, aspect: str) -> float | None:
    """Return the gold rating of a lone answer on an aspect."""
    value = comparison.meta.get(_GOLD + aspect)
    if len(comparison.answers) != 1 or not isinstance(value, int | float) or isnan(value):
        return None
    return float(value)


def _name_place(one: Transcript) -> str:
    """Return which answer was chosen, by its place: a judge that always says "first" has no entropy."""
    choice = one.verdict.choice
    return "tie" if choice is None else str(one.comparison.shown.index(choice))


def _find_margins(transcripts: Sequence[Transcript]) -> dict[str, float]:
    """Return the margin by comparison, as `score` shows it."""
    ballots = collect_transcripts(transcripts)
    found: dict[str, list[float]] = {}
    for row in tabulate_by_condition(ballots):
        for (_, comparison), margin in row.margin.items():
            found.setdefault(comparison, []).append(margin)
    if transcripts and not found:
        msg = (
            "no reply has log-probabilities, which the objective margin needs; set logprobs = true under "
            "[sampling] of the card (-S logprobs=true), or choose --objective accuracy"
        )
        raise ExperimentError(msg)
    return {name: fsum(margins) / len(margins) for name, margins in found.items()}
