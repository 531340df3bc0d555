"""One discussion as a page shows it: answers, seats in lanes, turns with their stances and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peerjudge.analysis.listing import Against, find_tone, hold_against_gold, mark_verdict
from peerjudge.data import (
    Answer,
    Comparison,
    Direction,
    EventKind,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Verdict,
    stances_in,
)
from peerjudge.reporting.formats import name_event, name_task
from peerjudge.tracker import NoEventReason, track
from peerjudge.web.pages import name_mark

TURNS_PER_PAGE = 50

_TONES = {EventKind.HELD: "held", EventKind.AGREED: "held"}
_DIRECTIONS = {Direction.TOWARDS: "towards gold", Direction.AWAY: "away from gold"}
_REASONS = {
    NoEventReason.FORMED_AFTER_HEARING: "no event: the verdict was formed after hearing the others",
    NoEventReason.NO_STANCE_BEFORE: "no event: the seat had no readable verdict before",
    NoEventReason.NO_STANCE_NOW: "no event: this verdict is not readable",
    NoEventReason.NO_STANCE_HEARD: "no event: it heard no readable verdict",
    NoEventReason.NO_MAJORITY: "no event: the verdicts it heard have no majority",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A verdict as a small mark: the place of the answer as shown, its tone, and words.

    The tone belongs to the answer in both shown orders.
    """

    mark: str
    tone: int
    words: str
    is_gold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSeat:
    """A seat with its lane, from 1."""

    lane: int
    name: str
    role: str
    temperature: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """A turn in words. `before` is the stance of the seat before this turn, if it had one.

    Turns of one `wave` heard none of each other, and all that they heard is of earlier waves.
    """

    kept: Turn
    wave: int
    name: str
    seat: ShownSeat
    task: str
    verdict: Badge | None
    before: Badge | None
    changed: bool
    event: str
    event_kind: str
    direction: str
    no_event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDiscussion:
    """A discussion for a page. `version` changes when it goes on."""

    transcript: Transcript
    answers: Sequence[tuple[Badge, Answer]]
    seats: Sequence[ShownSeat]
    turns: Sequence[ShownTurn]
    conclusion: Badge | None
    ending: str
    against: Against
    gold: Badge | None
    version: str


def show_discussion(transcript: Transcript) -> ShownDiscussion:
    """Return a discussion as a page shows it."""
    comparison = transcript.comparison
    seats = {
        seat.id: _show_seat(seat, lane, transcript) for lane, seat in enumerate(transcript.seats, 1)
    }
    tracking = track(transcript)
    events = {event.turn: event for event in tracking.events}
    reasons = {one.turn: _REASONS[one.reason] for one in tracking.no_events}
    turns: list[ShownTurn] = []
    stances: dict[str, Verdict] = {}
    said = (*transcript.turns, *transcript.ahead)
    waves = _find_waves(said)
    spoken = 0
    for turn in said:
        spoken += not turn.cue.private
        now, before = turn.review.verdict, stances.get(turn.cue.seat)
        event = events.get(turn.index)
        stances |= stances_in([turn])
        turns.append(
            ShownTurn(
                kept=turn,
                wave=waves[turn.index],
                name="private" if turn.cue.private else f"turn {spoken}",
                seat=seats[turn.cue.seat],
                task=name_task(turn.cue.task),
                verdict=None if now is None else show_verdict(now, comparison),
                before=None if before is None else show_verdict(before, comparison),
                changed=before is not None and stances[turn.cue.seat] != before,
                event="" if event is None else name_event(event.kind),
                event_kind="" if event is None else _TONES.get(event.kind, "altered"),
                direction=_DIRECTIONS.get(event.gold, "") if event and event.gold else "",
                no_event=reasons.get(turn.index, ""),
            )
        )
    concluded = transcript.stop is StopReason.COMPLETE
    return ShownDiscussion(
        transcript=transcript,
        answers=[
            (show_verdict(Verdict.of(id_), comparison), comparison.answer(id_))
            for id_ in comparison.shown
        ],
        seats=list(seats.values()),
        turns=turns,
        conclusion=show_verdict(transcript.verdict, comparison) if concluded else None,
        ending=_describe_ending(transcript),
        against=hold_against_gold(transcript),
        gold=None if comparison.gold is None else show_verdict(comparison.gold, comparison),
        version=f"{len(transcript.turns) + len(transcript.ahead)}-{transcript.stop or 'open'}",
    )


def show_verdict(verdict: Verdict, comparison: Comparison) -> Badge:
    """Return a verdict as a mark."""
    mark = mark_verdict(verdict, comparison)
    return Badge(
        mark=mark,
        tone=find_tone(verdict, comparison),
        words=name_mark(mark),
        is_gold=comparison.gold is not None and verdict == comparison.gold,
    )


def _show_seat(seat: Seat, lane: int, transcript: Transcript) -> ShownSeat:
    twice = sum(one.reviewer == seat.reviewer for one in transcript.seats) > 1
    return ShownSeat(
        lane=lane,
        name=seat.reviewer,
        role=seat.role,
        temperature=transcript.temperature(seat) if twice else None,
    )


def _find_waves(turns: Sequence[Turn]) -> Mapping[int, int]:
    """Return the wave of each turn: after all that it heard or was denied, the open after the private."""
    waves: dict[int, int] = {}
    opening = 0
    for turn in turns:
        cue = turn.cue
        after = [waves[index] + 1 for index in (*cue.hears, *cue.withheld) if index in waves]
        waves[turn.index] = max([0 if cue.private else opening, *after])
        opening = max(opening, waves[turn.index] + 1) if cue.private else opening
    return waves


def _describe_ending(transcript: Transcript) -> str:
    if (failure := transcript.failure) is not None:
        return f"Failed in turn {failure.turn}: {failure.kind}: {failure.message}"
    return "" if transcript.stop is not None else "This discussion has not ended yet."
