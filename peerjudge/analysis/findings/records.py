"""What the findings need of a discussion, and nothing of what was said in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.analysis.findings.courses import CourseOf, course_of
from peerjudge.analysis.findings.nouns import Spoken
from peerjudge.analysis.stances import Discussion, discussion_of
from peerjudge.data import (
    Battle,
    Direction,
    EventKind,
    OpinionEvent,
    Role,
    Seat,
    StopReason,
    Transcript,
    Utterance,
    Verdict,
)
from peerjudge.ranking import battles_from_transcripts, stance_of
from peerjudge.tracker import NoEventReason, Tracking, track

__all__ = ["DiscussionRecord", "SeatRecord", "record_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """A seat's stances and events.

    `private` is its stance before it heard anybody, `final` its last; `None` where it was asked for
    no verdict.
    """

    reviewer: str
    role: Role
    temperature: float | None
    private: Verdict | None
    final: Verdict | None
    events: tuple[EventKind, ...]
    no_events: tuple[NoEventReason, ...]
    towards_gold: int
    away_from_gold: int
    spoken: Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionRecord:
    """One discussion without its texts.

    `one_order` says whether every verdict was asked for in the order `shown`. `battles` are those of
    the private reviews; `discussion` is what the analysis of stances needs, `None` for one that has
    not come to its end.
    """

    condition: str
    protocol: str
    comparison: str
    question: str
    subset: str
    category: str
    shown: tuple[str, ...]
    one_order: bool
    gold: Verdict | None
    repetition: int
    stop: StopReason | None
    verdict: Verdict
    seats: tuple[SeatRecord, ...]
    events: tuple[OpinionEvent, ...]
    discussion: Discussion | None
    course: CourseOf
    battles: tuple[Battle, ...]
    turns: int
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    simulated: bool

    @property
    def done(self) -> bool:
        """Whether the protocol came to its end."""
        return self.stop is StopReason.COMPLETE

    @property
    def controlled(self) -> bool:
        """Whether something was heard in place of the others' arguments."""
        return self.discussion is not None and self.discussion.control != "none"

    @property
    def seating(self) -> tuple[tuple[str, float | None], ...]:
        """Who sat where, at which temperature."""
        return tuple((seat.reviewer, seat.temperature) for seat in self.seats)

    @property
    def heard(self) -> bool:
        """Whether a seat gave a verdict after it had heard another."""
        return any(seat.events or seat.no_events for seat in self.seats)

    def correct(self, verdict: Verdict) -> float:
        """1 where the verdict is gold's, else 0."""
        return float(verdict == self.gold)


def record_of(transcript: Transcript) -> DiscussionRecord:
    """The record of a discussion, ended or not."""
    comparison = transcript.comparison
    utterances = [turn.utterance for turn in transcript.turns]
    tracking = track(transcript)
    gold = comparison.gold
    return DiscussionRecord(
        condition=transcript.condition,
        protocol=transcript.protocol,
        comparison=comparison.id,
        question=comparison.question.id,
        subset=comparison.subset,
        category=comparison.question.category,
        shown=comparison.shown,
        one_order=_one_order(transcript),
        gold=gold if gold is not None and gold.readable else None,
        repetition=transcript.repetition,
        stop=transcript.stop,
        verdict=transcript.verdict,
        seats=tuple(_seat_record(seat, transcript, tracking) for seat in transcript.seats),
        events=tracking.events,
        discussion=discussion_of(transcript),
        course=course_of(transcript),
        battles=tuple(battles_from_transcripts([transcript], stance="private")),
        turns=len(utterances),
        calls=sum(said.attempts for said in utterances if not said.cached),
        cached=sum(said.cached for said in utterances),
        prompt_tokens=sum(said.usage.prompt_tokens for said in utterances),
        completion_tokens=sum(said.usage.completion_tokens for said in utterances),
        estimated=any(said.usage.estimated for said in utterances),
        simulated=transcript.simulated,
    )


def _one_order(transcript: Transcript) -> bool:
    asked = [turn.cue for turn in transcript.turns if turn.review.verdict is not None]
    return all(cue.sees == transcript.comparison.shown for cue in asked)


def _seat_record(seat: Seat, transcript: Transcript, tracking: Tracking) -> SeatRecord:
    events = [event for event in tracking.events if event.seat == seat.id]
    return SeatRecord(
        reviewer=seat.reviewer,
        role=seat.role,
        temperature=seat.sampling.temperature,
        private=stance_of(transcript, seat, stance="private"),
        final=stance_of(transcript, seat, stance="final"),
        events=tuple(event.kind for event in events),
        no_events=tuple(none.reason for none in tracking.no_events if none.seat == seat.id),
        towards_gold=sum(event.gold is Direction.TOWARDS for event in events),
        away_from_gold=sum(event.gold is Direction.AWAY for event in events),
        spoken=_spoken([turn.utterance for turn in transcript.turns if turn.cue.seat == seat.id]),
    )


def _spoken(utterances: Sequence[Utterance]) -> Spoken:
    others = [said for said in utterances if said.simulated or said.cached or not _tokens(said)]
    paid = [said for said in utterances if not (said.simulated or said.cached) and _tokens(said)]
    return Spoken(
        replies=len(utterances),
        paid=len(paid),
        simulated=sum(said.simulated for said in others),
        cached=sum(said.cached and not said.simulated for said in others),
        retries=sum(said.attempts - 1 for said in paid),
        prompt_tokens=sum(said.usage.prompt_tokens for said in paid),
        completion_tokens=sum(said.usage.completion_tokens for said in paid),
        other_tokens=sum(map(_tokens, others)),
        latency=sum(said.latency for said in paid),
    )


def _tokens(said: Utterance) -> int:
    return said.usage.prompt_tokens + said.usage.completion_tokens
