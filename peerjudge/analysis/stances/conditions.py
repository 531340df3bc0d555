"""Conditions as contenders: what each concluded, against gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from peerjudge.analysis.comparing import Contender
from peerjudge.analysis.stances.records import Discussion

__all__ = ["VOTE", "conditions_of"]

VOTE = "vote"
"""The protocol in which nobody is meant to hear anybody."""


def conditions_of(discussions: Iterable[Discussion]) -> tuple[Contender, ...]:
    """The conditions that judged anything with gold, in order of appearance.

    A verdict that is not readable is left out; a tie is right only where gold is one.
    """
    groups: defaultdict[str, list[Discussion]] = defaultdict(list)
    for one in discussions:
        groups[one.condition].append(one)
    found = [_contender(name, group) for name, group in groups.items()]
    return tuple(one for one in found if one.right)


def _contender(name: str, group: list[Discussion]) -> Contender:
    judged: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in group:
        if one.gold is not None and one.verdict.readable:
            judged[one.question, one.comparison].append(float(one.verdict == one.gold))
    return Contender(
        name=name,
        reviewers=frozenset(name for one in group for name in one.reviewers),
        vote=group[0].protocol == VOTE,
        turns=sum(one.turns for one in group) / len(group),
        right={key: sum(right) / len(right) for key, right in judged.items()},
    )
