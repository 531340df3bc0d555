"""What a seat thought, before it heard anybody or at the end, as a review by its reviewer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from peerjudge.data import RecordedReview, Seat, StopReason, Transcript, Verdict

__all__ = ["Stance", "reviews_from_transcripts", "stance_of"]

Stance = Literal["private", "final"]


def reviews_from_transcripts(
    transcripts: Iterable[Transcript], *, stance: Stance
) -> Iterator[RecordedReview]:
    """The stance of each seat as a review by the reviewer who sat there.

    Discussions that have not ended have no final stance and are passed over for `final`.
    """
    for transcript in transcripts:
        if stance == "final" and transcript.stop is not StopReason.COMPLETE:
            continue
        for seat in transcript.seats:
            verdict = stance_of(transcript, seat, stance=stance)
            if verdict is not None:
                yield RecordedReview(
                    comparison=transcript.comparison.id,
                    shown=_shown_to(seat, transcript),
                    reviewer=seat.reviewer,
                    verdict=verdict,
                )


def _shown_to(seat: Seat, transcript: Transcript) -> tuple[str, ...]:
    """The order in which a seat judged: where labels are swapped, each has its own."""
    for turn in transcript.turns:
        if turn.cue.seat == seat.id and turn.cue.control == "swapped":
            return turn.cue.sees
    return transcript.comparison.shown


def stance_of(transcript: Transcript, seat: Seat, *, stance: Stance) -> Verdict | None:
    """The seat's last readable verdict, else its last verdict; `None` if it was asked for none.

    A lone judge's stance is what its protocol concluded: there is nobody to hear, and methods that
    rate answers one by one have no verdict but the conclusion.
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
