"""Discussions on a few questions, in memory."""

from __future__ import annotations

from peerjudge.data import Transcript, replace
from peerjudge.testing import transcript_of

MOVES = [("2|1 1 1", 1), ("1|1 1 1", 2)] * 4


def discuss(*, at_once: int = 2) -> list[Transcript]:
    """Return eight discussions of two conditions, so many of one question after the other.

    By their numbers they are of two categories in turn, and of two levels one after the other.
    """
    found = []
    for number, (told, gold) in enumerate(MOVES):
        one = transcript_of(told, gold=gold)
        question = replace(
            one.comparison.question, id=f"q{number // at_once}", category="ab"[number % 2]
        )
        meta = {"level": f"l{number // 4}"}
        comparison = replace(
            one.comparison, id=f"c{number // at_once}", question=question, meta=meta
        )
        name = ("talk", "more")[number % 2]
        found.append(replace(one, id=f"{number:032}", condition=name, comparison=comparison))
    return found
