"""What reading a reply yields, and how the codes of a verdict map to shown positions."""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Outcome

__all__ = [
    "BROKEN",
    "CONTRADICTION",
    "REFUSAL",
    "TIE_CODE",
    "Form",
    "RatingReading",
    "Reading",
    "resolve",
]

# A code is what a rule reads: k for the k-th shown answer, one more than their number for a tie,
# or one of these.

TIE_CODE = 0
"""A tie stated in words."""

CONTRADICTION = -1
"""Two verdicts where there can be one."""

BROKEN = -2
"""A structured reply that is cut off, malformed or lacks the verdict."""

REFUSAL = -3
"""The reviewer declined to judge."""

_WHY = {CONTRADICTION: "contradictory", BROKEN: "broken"}


@dataclass(frozen=True, slots=True)
class Form:
    """What was asked: a choice among so many answers, and whether a tie may be given."""

    answers: int
    ties: bool

    def allows(self, code: int) -> bool:
        """Whether this is a code that a reply can give at all, a tie included."""
        return TIE_CODE <= code <= self.answers + 1


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict as read from a reply.

    `position` is the 0-based shown position of the chosen answer, set exactly when `outcome` is
    `CHOICE`. `rule` names the reading rule that decided, also when it decided on `UNREADABLE`.
    """

    outcome: Outcome
    position: int | None
    rule: str


@dataclass(frozen=True, slots=True)
class RatingReading:
    """A rating as read from a reply; `score` is `None` when there is none within the scale."""

    score: float | None
    rule: str


def resolve(code: int, form: Form, rule: str) -> Reading:
    """The reading that a verdict code stands for."""
    if 1 <= code <= form.answers:
        return Reading(Outcome.CHOICE, code - 1, rule)
    if code == REFUSAL:
        return Reading(Outcome.REFUSED, None, rule)
    if code in (TIE_CODE, form.answers + 1):
        if form.ties:
            return Reading(Outcome.TIE, None, rule)
        return Reading(Outcome.UNREADABLE, None, f"{rule}, tie not allowed")
    return Reading(Outcome.UNREADABLE, None, f"{rule}, {_WHY.get(code, 'out of range')}")
