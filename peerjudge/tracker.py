"""Opinion events, derived from a transcript by rule and never by a model.

A seat's *stance* is its last readable verdict, its private review included. A verdict after hearing
something new from another seat gives one event by the table of the design (PRD section 5 names opinion
altering and opinion holding), or a reason why there is none. Neither the ids of the answers nor their
shown order matter.

A control of a discussion gives the same events on the same occasions, each marked with the control:
turns that a placebo withheld count as heard, and swapped labels count as the listener understands them.
So the shares under a control compare with those of the discussion.

A verdict that a second model read (`Turn.reread`) makes no event and is no stance in one: the turn counts
as unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from peerjudge.data import (
    UNREADABLE,
    Direction,
    EventKind,
    OpinionEvent,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Verdict,
    replace,
    stances_heard,
    stances_in,
    strict_majority,
)

Stance = Literal["private", "final"]
"""The stance before a seat hears another one, or the last one."""


class NoEventReason(StrEnum):
    """Reasons why a verdict after hearing is no event; of several, the first in this order."""

    FORMED_AFTER_HEARING = "formed_after_hearing"
    """The seat had been asked for no verdict yet, as a judge who hears a debate: it had none to change."""
    NO_STANCE_BEFORE = "no_stance_before"
    """The seat had been asked, and had given no readable verdict yet."""
    NO_STANCE_NOW = "no_stance_now"
    """This verdict is not readable; the seat keeps its last readable stance."""
    NO_STANCE_HEARD = "no_stance_heard"
    """The turns it heard hold no readable verdict."""
    NO_MAJORITY = "no_majority"
    """The stances it heard have no strict majority."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEvent:
    """A verdict after hearing that gives no event."""

    turn: int
    seat: str
    reason: NoEventReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracking:
    """Every verdict after hearing, as an event or with the reason for none, in turn order."""

    events: tuple[OpinionEvent, ...] = ()
    no_events: tuple[NoEvent, ...] = ()

    @property
    def verdicts(self) -> int:
        """The number of verdicts after hearing something new from another seat."""
        return len(self.events) + len(self.no_events)


def stance_of(transcript: Transcript, seat: Seat, *, stance: Stance) -> Verdict | None:
    """Return the last readable verdict of a seat, else its last verdict; `None` if it gave none.

    The stance of a lone judge is the conclusion of its protocol, because methods that rate answers
    one by one have no other verdict.
    """
    if len(transcript.seats) == 1:
        return transcript.verdict if transcript.stop is StopReason.COMPLETE else None
    verdicts = [
        turn.review.verdict
        for turn in transcript.turns
        if turn.cue.seat == seat.id
        and turn.review.verdict is not None
        and (stance == "final" or turn.cue.private)
    ]
    readable = [verdict for verdict in verdicts if verdict.readable]
    last = readable or verdicts
    return last[-1] if last else None


def opinion_events(transcript: Transcript) -> tuple[OpinionEvent, ...]:
    """Return the opinion events of a discussion, in turn order.

    Example:
        >>> transcripts = pj.load_sync("study")
        >>> [event.kind.value for event in pj.opinion_events(transcripts[0])]
        ['agreed', 'agreed', 'agreed', 'agreed']
    """
    return track(transcript).events


def track(transcript: Transcript) -> Tracking:
    """Return the opinion events of a discussion, and the verdicts after hearing without an event.

    A turn is new to a seat if no cue up to the seat's previous verdict heard it. The others' stances
    are their last readable verdicts among all turns that the seat has heard so far; of several, their
    strict majority counts.
    """
    transcript = forget_rereadings(transcript)
    events: list[OpinionEvent] = []
    no_events: list[NoEvent] = []
    for turn in transcript.turns:
        if turn.review.verdict is None:
            continue
        heard, new = _heard_so_far(transcript.turns, turn)
        if not new:
            continue
        found = _judge(transcript, turn, heard=heard, new=new)
        if isinstance(found, OpinionEvent):
            events.append(found)
        else:
            no_events.append(NoEvent(turn=turn.index, seat=turn.cue.seat, reason=found))
    return Tracking(events=tuple(events), no_events=tuple(no_events))


def forget_rereadings(transcript: Transcript) -> Transcript:
    """Return the discussion with every verdict that a second model read as unreadable."""
    if all(turn.reread is None for turn in transcript.turns):
        return transcript
    return replace(
        transcript,
        turns=tuple(
            turn
            if turn.reread is None
            else replace(turn, review=replace(turn.review, verdict=UNREADABLE))
            for turn in transcript.turns
        ),
    )


def _heard_so_far(turns: Sequence[Turn], now: Turn) -> tuple[Sequence[Turn], Sequence[Turn]]:
    """Return other seats' turns that this seat has heard, and those new since its previous verdict.

    A cue for a verdict usually hears everything itself. The turns heard by an explanation in between
    count as well.
    """
    old: set[int] = set()
    since: set[int] = set()
    for turn in turns[: now.index]:
        if turn.cue.seat == now.cue.seat:
            since.update(turn.cue.hears, turn.cue.withheld)
            if turn.review.verdict is not None:
                old |= since
                since = set()
    since.update(now.cue.hears, now.cue.withheld)
    heard = [turns[i] for i in sorted(old | since) if turns[i].cue.seat != now.cue.seat]
    return heard, [turn for turn in heard if turn.index not in old]


def _judge(
    transcript: Transcript, turn: Turn, *, heard: Sequence[Turn], new: Sequence[Turn]
) -> OpinionEvent | NoEventReason:
    earlier = transcript.turns[: turn.index]
    seat = transcript.seat(turn.cue.seat)
    before = stances_in(earlier).get(seat.id)
    if before is None:
        asked = [one for one in earlier if one.cue.seat == seat.id and one.review.verdict]
        return NoEventReason.NO_STANCE_BEFORE if asked else NoEventReason.FORMED_AFTER_HEARING
    after = turn.review.verdict
    if after is None or not after.readable:
        return NoEventReason.NO_STANCE_NOW
    stances = stances_heard(heard, turn.cue)
    if not stances:
        return NoEventReason.NO_STANCE_HEARD
    others = strict_majority(stances.values())
    if others is None:
        return NoEventReason.NO_MAJORITY
    gold = transcript.comparison.gold
    private = stances_in([earlier_turn for earlier_turn in earlier if earlier_turn.cue.private])
    shown = turn.cue.sees or transcript.comparison.shown
    return OpinionEvent(
        discussion=transcript.id,
        condition=transcript.condition,
        comparison=transcript.comparison.id,
        turn=turn.index,
        seat=seat.id,
        reviewer=seat.reviewer,
        role=seat.role,
        kind=_kind(before, after, others),
        before=before,
        after=after,
        others=others,
        heard=() if turn.cue.withheld else tuple(dict.fromkeys(one.cue.seat for one in new)),
        gold=_direction(before, after, gold if gold is not None and gold.choice else None),
        majority=_direction(before, after, strict_majority(private.values())),
        first=_direction(before, after, Verdict.of(shown[0])),
        simulated=turn.utterance.simulated,
        control=turn.cue.control,
    )


def _kind(before: Verdict, after: Verdict, others: Verdict) -> EventKind:
    if before == others:
        return EventKind.AGREED if after == before else EventKind.ALTERED_AFTER_AGREEMENT
    if after == before:
        return EventKind.HELD
    return EventKind.ALTERED if after == others else EventKind.SHIFTED


def _direction(before: Verdict, after: Verdict, target: Verdict | None) -> Direction | None:
    if before == after or target is None:
        return None
    if after == target:
        return Direction.TOWARDS
    return Direction.AWAY if before == target else Direction.NEITHER
