"""Filters of discussions: altered, disagreed to the end, moved away from gold, unreadable, failed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag

from peerjudge.data import Direction, EventKind, OpinionEvent, Role, StopReason, Transcript
from peerjudge.tracker import stance_of


class Flag(IntFlag):
    """Filters of discussions, as bits."""

    ALTERED = 1
    """A seat altered its opinion."""
    DISAGREED = 2
    """A discussion that ended with different stances."""
    AWAY = 4
    """A follower moved away from gold."""
    UNREADABLE = 8
    """A verdict was unreadable or refused."""
    FAILED = 16


def find_flags(transcript: Transcript, events: Iterable[OpinionEvent]) -> Flag:
    """Return the filters that this discussion passes."""
    events = list(events)
    finals = {
        stance
        for seat in transcript.seats
        if (stance := stance_of(transcript, seat, stance="final")) is not None and stance.readable
    }
    discussed = transcript.stop is StopReason.COMPLETE and any(
        not turn.cue.private for turn in transcript.turns
    )
    verdicts = [turn.review.verdict for turn in transcript.turns]
    found = {
        Flag.ALTERED: any(event.kind is EventKind.ALTERED for event in events),
        Flag.DISAGREED: discussed and len(finals) > 1,
        Flag.AWAY: any(e.role is Role.FOLLOWER and e.gold is Direction.AWAY for e in events),
        Flag.UNREADABLE: any(v is not None and not v.readable for v in verdicts),
        Flag.FAILED: transcript.stop is StopReason.FAILED,
    }
    flags = Flag(0)
    for flag, holds in found.items():
        flags |= flag if holds else Flag(0)
    return flags
