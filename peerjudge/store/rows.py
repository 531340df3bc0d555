"""Transcripts as rows, and rows as transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from peerjudge.data import (
    Comparison,
    Failure,
    Noun,
    Scalar,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Verdict,
    from_json,
    to_json,
)

__all__ = ["Head", "comparison_row", "head_row", "transcript_from", "turn_row"]


class Head(Noun, frozen=True, kw_only=True):
    """All of a transcript but its id, its comparison and its turns."""

    protocol: str
    seats: tuple[Seat, ...]
    stop: StopReason | None
    verdict: Verdict
    failure: Failure | None
    condition: str
    options: Mapping[str, Scalar] | None
    prompts: str
    repetition: int


def comparison_row(comparison: Comparison, *, key: str) -> dict[str, object]:
    """The row of a comparison in its shown order; `key` is its `comparison_key`."""
    return {"key": key, "body": to_json(comparison)}


def head_row(transcript: Transcript, *, comparison: str) -> dict[str, object]:
    """The row of a discussion, without its turns; `comparison` is the key of its comparison."""
    head = Head(
        protocol=transcript.protocol,
        seats=transcript.seats,
        stop=transcript.stop,
        verdict=transcript.verdict,
        failure=transcript.failure,
        condition=transcript.condition,
        options=transcript.options,
        prompts=transcript.prompts,
        repetition=transcript.repetition,
    )
    return {
        "id": transcript.id,
        "condition": transcript.condition,
        "comparison_id": transcript.comparison.id,
        "comparison": comparison,
        "protocol": transcript.protocol,
        "stop": transcript.stop,
        "head": to_json(head),
    }


def turn_row(discussion: str, turn: Turn) -> dict[str, object]:
    """The row of one turn of the discussion with this id."""
    return {"id": discussion, "index": turn.index, "body": to_json(turn)}


def transcript_from(
    discussion: str, *, condition: str, head: str, comparison: Comparison, turns: Iterable[str]
) -> Transcript:
    """The transcript that these rows hold; `condition` is the name it goes by in a run."""
    kept = from_json(Head, head)
    return Transcript(
        id=discussion,
        comparison=comparison,
        protocol=kept.protocol,
        seats=kept.seats,
        turns=tuple(from_json(Turn, body) for body in turns),
        stop=kept.stop,
        verdict=kept.verdict,
        failure=kept.failure,
        condition=condition,
        options=kept.options,
        prompts=kept.prompts,
        repetition=kept.repetition,
    )
