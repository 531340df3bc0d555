"""Opinion events: what a seat did with its stance after it heard another seat."""

from __future__ import annotations

from enum import StrEnum

from peerjudge.data.discussion import Control, Role
from peerjudge.data.noun import Noun
from peerjudge.data.outcomes import Verdict

__all__ = ["Direction", "EventKind", "OpinionEvent"]


class EventKind(StrEnum):
    """The five things that can happen to a stance (PRD section 5 names the first two)."""

    HELD = "held"
    """They disagreed; the stance is unchanged (opinion holding)."""
    ALTERED = "altered"
    """They disagreed; the stance is now the other's (opinion altering)."""
    SHIFTED = "shifted"
    """They disagreed; the stance is now a third choice."""
    AGREED = "agreed"
    """They agreed; the stance is unchanged."""
    ALTERED_AFTER_AGREEMENT = "altered_after_agreement"
    """They agreed; the stance changed all the same."""


class Direction(StrEnum):
    """Where a stance moved, seen from some target."""

    TOWARDS = "towards"
    AWAY = "away"
    NEITHER = "neither"


class OpinionEvent(Noun, frozen=True, kw_only=True):
    """One event. `others` is the stance heard: of the other seat, or the strict majority heard.

    `heard` lists the seats whose words were new to this seat. `gold`, `majority` and `first` say
    whether the move was towards or away from the gold answer, from the strict majority of the
    private stances, and from the first-shown answer; each is `None` where the stance did not move
    or there is no such target. `simulated` is true where no real model spoke.

    Under a `control` the kinds mean what they mean without it, so that their shares can be compared.
    Of a placebo `others` is the stance that was kept from the seat and `heard` is empty: an
    `ALTERED` came about unprompted. Of swapped labels `others` is what the words said to the listener.
    """

    discussion: str
    condition: str
    comparison: str
    turn: int
    seat: str
    reviewer: str
    role: Role
    kind: EventKind
    before: Verdict
    after: Verdict
    others: Verdict
    heard: tuple[str, ...]
    gold: Direction | None = None
    majority: Direction | None = None
    first: Direction | None = None
    simulated: bool = False
    control: Control = "none"
