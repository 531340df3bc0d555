"""Conditions against one another on the same questions, corrected for how many are compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

from peerjudge.analysis.inference import (
    McNemar,
    PairedDifference,
    benjamini_hochberg,
    holm,
    mcnemar,
    paired_bootstrap,
)
from peerjudge.analysis.stances.records import Discussion

__all__ = ["ConditionPair", "compare_conditions"]

_VOTE = "vote"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPair:
    """The accuracy of `one` minus that of `other` on the comparisons that both judged.

    Where one of the two is a vote it is `other`, so that the difference is what discussing added
    to voting; `same_reviewers` says whether the same reviewers took part and `turns`,
    `other_turns` (means per discussion) what either cost. `difference` is the mean over comparisons
    and its bounds resample questions; `test` is exact McNemar over questions (their mean accuracies,
    where there are several discussions of one). `holm` and `benjamini_hochberg` are its p-value
    adjusted for all pairs compared.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    one: str
    other: str
    vote: bool
    same_reviewers: bool
    comparisons: int
    turns: float
    other_turns: float
    difference: PairedDifference
    test: McNemar
    holm: float
    benjamini_hochberg: float


def compare_conditions(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[ConditionPair, ...]:
    """Every two conditions that judged the same comparisons with gold, in order of appearance.

    A verdict that is not readable is left out; a tie is right only where gold is one.
    """
    groups: defaultdict[str, list[Discussion]] = defaultdict(list)
    for one in discussions:
        groups[one.condition].append(one)
    found = [
        _pair(*_vote_last(groups[one], groups[other]), seed=seed, samples=samples)
        for one, other in combinations(groups, 2)
    ]
    pairs = [pair for pair in found if pair is not None]
    p_values = [pair.test.p_value for pair in pairs]
    adjusted = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    return tuple(
        replace(pair, holm=strict, benjamini_hochberg=mild)
        for pair, (strict, mild) in zip(pairs, adjusted, strict=True)
    )


def _vote_last(
    one: Sequence[Discussion], other: Sequence[Discussion]
) -> tuple[Sequence[Discussion], Sequence[Discussion]]:
    swap = one[0].protocol == _VOTE and other[0].protocol != _VOTE
    return (other, one) if swap else (one, other)


def _pair(
    ours: Sequence[Discussion], theirs: Sequence[Discussion], *, seed: int, samples: int
) -> ConditionPair | None:
    mine, yours = _accuracies(ours), _accuracies(theirs)
    shared = [key for key in mine if key in yours]
    if not shared:
        return None
    differences = [mine[key] - yours[key] for key in shared]
    questions = [question for question, _ in shared]
    by_question: defaultdict[str, float] = defaultdict(float)
    for question, difference in zip(questions, differences, strict=True):
        by_question[question] += difference
    # Sums of thirds and the like: what is no difference must not be one by rounding.
    totals = [round(total, 9) for total in by_question.values()]
    return ConditionPair(
        one=ours[0].condition,
        other=theirs[0].condition,
        vote=theirs[0].protocol == _VOTE and ours[0].protocol != _VOTE,
        same_reviewers=_panel(ours) == _panel(theirs),
        comparisons=len(shared),
        turns=sum(one.turns for one in ours) / len(ours),
        other_turns=sum(one.turns for one in theirs) / len(theirs),
        difference=paired_bootstrap(differences, questions, seed=seed, samples=samples),
        test=mcnemar(totals),
        holm=1.0,
        benjamini_hochberg=1.0,
    )


def _accuracies(discussions: Iterable[Discussion]) -> Mapping[tuple[str, str], float]:
    """By question and comparison the share of right verdicts among the readable."""
    judged: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in discussions:
        if one.gold is not None and one.verdict.readable:
            judged[one.question, one.comparison].append(float(one.verdict == one.gold))
    return {key: sum(right) / len(right) for key, right in judged.items()}


def _panel(discussions: Iterable[Discussion]) -> frozenset[str]:
    return frozenset(name for one in discussions for name in one.reviewers)
