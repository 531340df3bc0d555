"""What the analysis of stances needs of a discussion, and nothing of what was said in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from sys import intern
from typing import get_args

from peerjudge.data import (
    Control,
    EventKind,
    OpinionEvent,
    Role,
    Seat,
    StopReason,
    Transcript,
    Verdict,
    stances_heard,
    stances_in,
)
from peerjudge.ranking import stance_of
from peerjudge.tracker import opinion_events

__all__ = ["CONTRADICTED", "Discussion", "Move", "SeatStances", "discussion_of"]

CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)
"""What can happen to a stance that was contradicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An opinion event with its place in the discussion and its opponents.

    `round` counts the public turns up to this one, from 1. `opponents` are the reviewers of the
    heard seats whose stance was the one heard (`event.others`).
    """

    event: OpinionEvent
    round: int
    opponents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStances:
    """Who sat there, and its stance before it heard anybody and at the end."""

    reviewer: str
    role: Role
    temperature: float | None
    private: Verdict | None
    final: Verdict | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """One ended discussion without its texts.

    `agreed` is after how many public turns all seats had the same stance for the first time: 0 if
    they came with it, `None` if they never had, or if fewer than two had any. `spoken` counts the
    public turns, `turns` all of them. `gold` is `None` unless it is readable. `control` is what was
    heard in place of the others' arguments, `setting` the prompts and all other options.
    """

    condition: str
    protocol: str
    comparison: str
    question: str
    shown: tuple[str, ...]
    gold: Verdict | None
    repetition: int
    verdict: Verdict
    seats: tuple[SeatStances, ...]
    moves: tuple[Move, ...]
    agreed: int | None
    spoken: int
    turns: int
    control: Control = "none"
    setting: str = ""

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who sat there, whatever the order."""
        return tuple(sorted(seat.reviewer for seat in self.seats))

    @property
    def discussed(self) -> bool:
        """Whether anybody spoke after the private reviews."""
        return self.spoken > 0 and len(self.seats) > 1


def discussion_of(transcript: Transcript) -> Discussion | None:
    """The record of a discussion; `None` for one that has not come to its end."""
    if transcript.stop is not StopReason.COMPLETE:
        return None
    comparison, gold = transcript.comparison, transcript.comparison.gold
    return Discussion(
        condition=transcript.condition,
        protocol=transcript.protocol,
        comparison=comparison.id,
        question=comparison.question.id,
        shown=comparison.shown,
        gold=gold if gold is not None and gold.readable else None,
        repetition=transcript.repetition,
        verdict=transcript.verdict,
        seats=tuple(_seat(transcript, seat) for seat in transcript.seats),
        moves=tuple(_move(transcript, event) for event in opinion_events(transcript)),
        agreed=_agreed(transcript),
        spoken=sum(not turn.cue.private for turn in transcript.turns),
        turns=len(transcript.turns),
        control=_control(transcript),
        setting=_setting(transcript),
    )


def _control(transcript: Transcript) -> Control:
    """Of the turns; of a discussion that was skipped, what it would have been."""
    for turn in transcript.turns:
        if turn.cue.control != "none":
            return turn.cue.control
    # A protocol of somebody's own may mean something else by an option of this name.
    named = (transcript.options or {}).get("control")
    return next((control for control in get_args(Control) if control == named), "none")


def _setting(transcript: Transcript) -> str:
    options = [
        f"{name}={value}" for name, value in (transcript.options or {}).items() if name != "control"
    ]
    # A million discussions have a handful of settings.
    return intern(" ".join([transcript.prompts, *options]))


def _seat(transcript: Transcript, seat: Seat) -> SeatStances:
    return SeatStances(
        reviewer=seat.reviewer,
        role=seat.role,
        temperature=seat.sampling.temperature,
        private=stance_of(transcript, seat, stance="private"),
        final=stance_of(transcript, seat, stance="final"),
    )


def _move(transcript: Transcript, event: OpinionEvent) -> Move:
    earlier = transcript.turns[: event.turn]
    own = [turn for turn in (*earlier, transcript.turns[event.turn]) if turn.cue.seat == event.seat]
    audible = {index for turn in own for index in turn.cue.hears}
    heard = [turn for turn in earlier if turn.index in audible]
    stances = stances_heard(heard, transcript.turns[event.turn].cue)
    opponents = [seat for seat in event.heard if stances.get(seat) == event.others]
    return Move(
        event=event,
        round=sum(not turn.cue.private for turn in earlier) + 1,
        opponents=tuple(transcript.seat(seat).reviewer for seat in opponents),
    )


def _agreed(transcript: Transcript) -> int | None:
    spoken, seats = 0, len(transcript.seats)
    opening = sum(1 for _ in takewhile(lambda turn: turn.cue.private, transcript.turns))
    stances: dict[str, Verdict] = {}
    for turn in transcript.turns:
        spoken += not turn.cue.private
        stances.update(stances_in([turn]))
        # While private reviews are still being given, nobody has agreed to anything.
        together = turn.index >= opening - 1 and len(stances) == seats > 1
        if together and len(set(stances.values())) == 1:
            return spoken
    return None
