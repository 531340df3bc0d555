"""What a discussion team says to AutoGen: its turns and its verdict, as plain text messages."""

from __future__ import annotations

from autogen_agentchat.messages import TextMessage
from autogen_core.models import RequestUsage

from peerjudge.data import StopReason, Transcript, Turn
from peerjudge.reviewers.agent import metadata_of

__all__ = ["stop_reason", "turn_message", "verdict_message"]


def turn_message(transcript: Transcript, turn: Turn) -> TextMessage:
    """A turn as a message of its reviewer; what was read from it is in the metadata."""
    said = turn.utterance
    verdict = turn.review.verdict
    return TextMessage(
        content=said.text,
        source=transcript.seat(turn.cue.seat).reviewer,
        models_usage=RequestUsage(said.usage.prompt_tokens, said.usage.completion_tokens),
        metadata=metadata_of(said)
        | {
            "peerjudge.turn": str(turn.index),
            "peerjudge.seat": turn.cue.seat,
            "peerjudge.private": str(turn.cue.private).lower(),
            "peerjudge.verdict": "" if verdict is None else str(verdict),
            "peerjudge.score": "" if turn.review.score is None else f"{turn.review.score:g}",
        },
    )


def verdict_message(transcript: Transcript, *, source: str) -> TextMessage:
    """The outcome of a discussion as a message of its team.

    `peerjudge.verdict` is the id of the chosen answer (or what came out instead), and
    `peerjudge.answer` its place in the shown order, from 1.
    """
    verdict = transcript.verdict
    shown = transcript.comparison.shown
    place = str(shown.index(verdict.choice) + 1) if verdict.choice is not None else ""
    words = f"Answer {place} is the better one." if place else f"The verdict is: {verdict}."
    failed = transcript.stop is StopReason.FAILED
    return TextMessage(
        content=stop_reason(transcript) if failed else words,
        source=source,
        metadata={
            "peerjudge.verdict": str(verdict),
            "peerjudge.outcome": verdict.outcome.value,
            "peerjudge.answer": place,
            "peerjudge.stop": "" if transcript.stop is None else transcript.stop.value,
            "peerjudge.discussion": transcript.id,
        },
    )


def stop_reason(transcript: Transcript) -> str:
    """Why a discussion ended, in a sentence."""
    failure = transcript.failure
    if failure is None:
        return f"The discussion is complete ({transcript.protocol})."
    return f"The discussion failed in turn {failure.turn}: {failure.kind}: {failure.message}"
