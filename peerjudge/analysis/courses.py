"""Courses of discussions: the commonest sequences of stances, seen from gold."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

import numpy as np

from peerjudge.analysis.ballots import NONE, ROLES, TIE, Ballots, Stage
from peerjudge.analysis.inference import Sampler
from peerjudge.data import Measurement, Noun, Role

Stand: TypeAlias = Literal["gold", "other", "tie", "unreadable"]
"""Meaning of a verdict: gold, another answer, neither, or nothing readable (a refusal included)."""

_STANDS: tuple[Stand, ...] = ("gold", "other", "tie", "unreadable")
_MOST = 6
"""Courses listed per condition; the others are rare, and the list of transcripts has all."""


class Step(Noun, frozen=True, kw_only=True):
    """One verdict: the role of its seat, whether it was given in private, and what it names."""

    role: Role
    private: bool
    stand: Stand


class Course(Noun, frozen=True, kw_only=True):
    """A sequence of verdicts, how many discussions of a condition took it, and their share."""

    condition: str
    steps: tuple[Step, ...]
    discussions: int
    share: Measurement


def count_courses(ballots: Ballots, *, sampler: Sampler) -> tuple[Course, ...]:
    """Return the commonest courses of each condition, most frequent first.

    Votes, unfinished discussions and those without gold have no course.
    """
    discussions = ballots.discussions
    given = ballots.of_discussions(discussions.complete & discussions.discussed)
    given = given.where((given.stage != Stage.CONCLUDED) & (given.gold != NONE))
    stand = np.select(
        [~given.readable, given.correct, given.verdict == TIE],
        [_STANDS.index("unreadable"), _STANDS.index("gold"), _STANDS.index("tie")],
        _STANDS.index("other"),
    )
    private = given.stage == Stage.PRIVATE
    codes: list[int] = ((given.role * 2 + private) * len(_STANDS) + stand).tolist()
    number, first, count = np.unique(given.discussion, return_index=True, return_counts=True)
    condition = discussions.condition[number]
    question = given.question[first]
    spans = zip(first.tolist(), count.tolist(), strict=True)
    taken = [tuple(codes[start : start + length]) for start, length in spans]
    rows: list[Course] = []
    for code, name in enumerate(discussions.conditions):
        here = np.flatnonzero(condition == code)
        own = [taken[place] for place in here.tolist()]
        for steps, times in Counter(own).most_common(_MOST):
            hits = np.array([one == steps for one in own])
            share = sampler.mean(hits, question[here])
            rows.append(
                Course(
                    condition=name,
                    steps=tuple(map(_step, steps)),
                    discussions=times,
                    share=share,
                )
            )
    return tuple(rows)


def _step(code: int) -> Step:
    rest, stand = divmod(code, len(_STANDS))
    role, private = divmod(rest, 2)
    return Step(role=ROLES[role], private=bool(private), stand=_STANDS[stand])
