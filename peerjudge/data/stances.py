"""The central rule: a seat's stance is its last readable verdict, and a majority is a strict one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from peerjudge.data.discussion import Turn
from peerjudge.data.outcomes import Verdict

__all__ = ["stances_in", "strict_majority"]


def stances_in(turns: Iterable[Turn]) -> dict[str, Verdict]:
    """The stance after these turns of every seat that has one, by seat id."""
    stances: dict[str, Verdict] = {}
    for turn in turns:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable:
            stances[turn.cue.seat] = verdict
    return stances


def strict_majority(stances: Iterable[Verdict]) -> Verdict | None:
    """The stance that more than half of these share; `None` if there is none."""
    counts = Counter(stances)
    if not counts:
        return None
    stance, count = counts.most_common(1)[0]
    return stance if 2 * count > counts.total() else None
