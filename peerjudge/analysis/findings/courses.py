"""How discussions went: the commonest sequences of stances, by whether they name gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias

from peerjudge.analysis.findings.measures import Sampler
from peerjudge.data import Measurement, Noun, Outcome, Role, StopReason, Transcript, Verdict

__all__ = ["Course", "CourseOf", "Stand", "Step", "course_of", "courses"]

Stand: TypeAlias = Literal["gold", "other", "tie", "unreadable"]
"""What a verdict names: gold, another answer, neither, or nothing readable (a refusal included)."""

_MOST = 6
"""Of each condition; the others are rare, and the list of transcripts has all."""


class Step(Noun, frozen=True, kw_only=True):
    """One verdict: whose, whether it was given in private, and what it names."""

    role: Role
    private: bool
    stand: Stand


CourseOf: TypeAlias = tuple[Step, ...]


class Course(Noun, frozen=True, kw_only=True):
    """A sequence of verdicts, how many discussions of a condition took it, and which share of them."""

    condition: str
    steps: CourseOf
    discussions: int
    share: Measurement


def course_of(transcript: Transcript) -> CourseOf:
    """The verdicts of a discussion in their order; empty where nobody discussed or gold is not known."""
    gold, turns = transcript.comparison.gold, transcript.turns
    discussed = len(transcript.seats) > 1 and any(not turn.cue.private for turn in turns)
    ended = transcript.stop is StopReason.COMPLETE
    if gold is None or not gold.readable or not discussed or not ended:
        return ()
    return tuple(
        _step(transcript.seat(turn.cue.seat).role, _stand(verdict, gold), private=turn.cue.private)
        for turn in turns
        if (verdict := turn.review.verdict) is not None
    )


def courses(
    taken: Mapping[str, Sequence[tuple[str, CourseOf]]], *, sampler: Sampler
) -> tuple[Course, ...]:
    """The commonest courses of each condition, most frequent first.

    Args:
        taken: by condition the question and the course of each discussion; empty courses are left out.
        sampler: of the intervals.
    """
    rows: list[Course] = []
    for condition, given in taken.items():
        known = [(question, course) for question, course in given if course]
        for steps, number in Counter(course for _, course in known).most_common(_MOST):
            share = sampler.mean((question, float(course == steps)) for question, course in known)
            if share is not None:
                rows.append(
                    Course(condition=condition, steps=steps, discussions=number, share=share)
                )
    return tuple(rows)


@cache
def _step(role: Role, stand: Stand, *, private: bool) -> Step:
    """The one step of its kind: a million discussions share a handful."""
    return Step(role=role, private=private, stand=stand)


def _stand(verdict: Verdict, gold: Verdict) -> Stand:
    if not verdict.readable:
        return "unreadable"
    if verdict == gold:
        return "gold"
    return "tie" if verdict.outcome is Outcome.TIE else "other"
