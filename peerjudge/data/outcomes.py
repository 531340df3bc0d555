"""What a judgement can come out as: a choice, a tie, or a reason why there is neither."""

from __future__ import annotations

from enum import StrEnum

from peerjudge.data.noun import Noun
from peerjudge.errors import DataError

__all__ = ["INCONSISTENT", "REFUSED", "TIE", "UNREADABLE", "Outcome", "Verdict", "reconcile"]


class Outcome(StrEnum):
    """The kinds of verdict. They are never numbers, so none can be mistaken for another."""

    CHOICE = "choice"
    TIE = "tie"
    INCONSISTENT = "inconsistent"
    """The same reviewer, asked in both orders, contradicted itself."""
    UNREADABLE = "unreadable"
    """No verdict, or a contradictory one, could be read from the reply."""
    REFUSED = "refused"
    """The reviewer declined to judge."""


class Verdict(Noun, frozen=True):
    """One judgement of a comparison, in terms of its answers' ids and so free of the shown order.

    `choice` is the id of the chosen answer, and is set exactly when `outcome` is `CHOICE`.
    """

    outcome: Outcome
    choice: str | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.CHOICE) != (self.choice is not None):
            msg = f"a verdict names an answer exactly when it is a choice, not {self!r}"
            raise DataError(msg)

    @classmethod
    def of(cls, answer_id: str) -> Verdict:
        """The verdict that the answer with this id is the better one."""
        return cls(Outcome.CHOICE, answer_id)

    @property
    def readable(self) -> bool:
        """Whether this is a stance: a choice or a tie."""
        return self.outcome is Outcome.CHOICE or self.outcome is Outcome.TIE

    def __str__(self) -> str:
        return self.choice if self.choice is not None else self.outcome.value


TIE = Verdict(Outcome.TIE)
INCONSISTENT = Verdict(Outcome.INCONSISTENT)
UNREADABLE = Verdict(Outcome.UNREADABLE)
REFUSED = Verdict(Outcome.REFUSED)


def reconcile(one: Verdict, other: Verdict) -> Verdict:
    """The verdict of a reviewer asked in two orders: what both say, else `INCONSISTENT`.

    Where either is not readable, so is the result; a refusal outranks an unreadable reply.
    """
    if not (one.readable and other.readable):
        return REFUSED if REFUSED in (one, other) else UNREADABLE
    return one if one == other else INCONSISTENT
