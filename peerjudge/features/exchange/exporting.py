"""Export formats for discussions, each an entry of `FORMATS`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from peerjudge.analysis.probabilities import find_turn_probability
from peerjudge.data import Outcome, Seat, StopReason, Transcript, Turn, Verdict, to_json
from peerjudge.tracker import Stance, stance_of

Row: TypeAlias = Mapping[str, object]

Framing: TypeAlias = Literal["text", "json lines", "csv"]
"""The frame around rows: text rows as lines, rows as JSON lines, or as CSV."""

Rows: TypeAlias = Callable[[Sequence[Transcript], Stance], Iterable[Row | str]]
"""Returns the rows of all discussions of one comparison under one condition."""


LeftOut: TypeAlias = Callable[[Sequence[Transcript], Stance], Mapping[str, int]]
"""Counts what of these discussions has no row, by reason."""


def _leave_nothing_out(transcripts: Sequence[Transcript], stance: Stance) -> Mapping[str, int]:
    return {}


class ExportFormat(NamedTuple):
    """The rows of a format and the frame around them; CSV has a header of `columns`."""

    rows: Rows
    framing: Framing
    columns: tuple[str, ...] = ()
    count_left_out: LeftOut = _leave_nothing_out


def list_lines(transcripts: Sequence[Transcript], stance: Stance) -> Iterator[str]:
    """Yield the versioned JSON form of each discussion, which `peerjudge.data` reads."""
    yield from (to_json(transcript) for transcript in transcripts)


def list_turns(transcripts: Sequence[Transcript], stance: Stance) -> Iterator[Row]:
    """Yield one row per turn, with its text."""
    for transcript in transcripts:
        for turn in transcript.turns:
            yield {name: value(transcript, turn) for name, value in _TURN_COLUMNS.items()}


def list_battles(transcripts: Sequence[Transcript], stance: Stance) -> Iterator[Row]:
    """Yield one battle per stance, as in `chatbot_arena_conversations`; `judge` is the reviewer.

    Verdicts that are not readable are left out, because `winner` has no value for them. Language
    and time are not known and null.
    """
    for transcript, seat, verdict in _list_stances(transcripts, stance):
        if verdict.readable:
            question, (first, second) = (
                transcript.comparison.question,
                transcript.comparison.answers,
            )
            asked = {"role": "user", "content": question.text}
            yield {
                "question_id": question.id,
                "model_a": first.author,
                "model_b": second.author,
                "winner": _name_winner(verdict, first.id),
                "judge": seat.reviewer,
                "conversation_a": [asked, {"role": "assistant", "content": first.text}],
                "conversation_b": [asked, {"role": "assistant", "content": second.text}],
                "turn": 1,
                "anony": True,
                "language": None,
                "tstamp": None,
            }


def count_without_battle(transcripts: Sequence[Transcript], stance: Stance) -> Mapping[str, int]:
    """Return the number of verdicts and discussions without a battle, by reason."""
    counts = Counter[str]()
    for transcript in transcripts:
        answers = transcript.comparison.answers
        if stance == "final" and transcript.stop is not StopReason.COMPLETE:
            counts["discussions that are not complete"] += 1
        elif len(answers) != 2:
            counts["discussions on other than two answers"] += 1
        elif not all(answer.author for answer in answers):
            counts["discussions on answers without an author"] += 1
    verdicts = (verdict for _, _, verdict in _list_stances(transcripts, stance))
    counts["verdicts that cannot be read"] = sum(not verdict.readable for verdict in verdicts)
    return {reason: count for reason, count in counts.items() if count}


def _list_stances(
    transcripts: Iterable[Transcript], stance: Stance
) -> Iterator[tuple[Transcript, Seat, Verdict]]:
    """Yield the stances of all seats on pairs of answers by two known authors."""
    for transcript in transcripts:
        answers = transcript.comparison.answers
        if stance == "final" and transcript.stop is not StopReason.COMPLETE:
            continue
        if len(answers) != 2 or not all(answer.author for answer in answers):
            continue
        for seat in transcript.seats:
            verdict = stance_of(transcript, seat, stance=stance)
            if verdict is not None:
                yield transcript, seat, verdict


def _name_winner(verdict: Verdict, first: str) -> str:
    """Return the winner of a readable verdict as the arena names it."""
    if verdict.outcome is Outcome.TIE:
        return "tie"
    return "model_a" if verdict.choice == first else "model_b"


_TURN_COLUMNS: Mapping[str, Callable[[Transcript, Turn], object]] = {
    "discussion": lambda one, _: one.id,
    "condition": lambda one, _: one.condition,
    "protocol": lambda one, _: one.protocol,
    "comparison": lambda one, _: one.comparison.id,
    "question": lambda one, _: one.comparison.question.text,
    "category": lambda one, _: one.comparison.question.category,
    "subset": lambda one, _: one.comparison.subset,
    "shown": lambda one, _: " ".join(one.comparison.shown),
    "gold": lambda one, _: one.comparison.gold,
    "repetition": lambda one, _: one.repetition,
    "turn": lambda _, turn: turn.index,
    "seat": lambda _, turn: turn.cue.seat,
    "reviewer": lambda one, turn: one.speaker(turn),
    "role": lambda one, turn: one.seat(turn.cue.seat).role,
    "temperature": lambda one, turn: one.temperature(one.seat(turn.cue.seat)),
    "task": lambda _, turn: turn.cue.task,
    "private": lambda _, turn: turn.cue.private,
    "outcome": lambda _, turn: turn.review.verdict and turn.review.verdict.outcome,
    "choice": lambda _, turn: turn.review.verdict and turn.review.verdict.choice,
    "probability": lambda _, turn: find_turn_probability(turn),
    "score": lambda _, turn: turn.review.score,
    "confidence": lambda _, turn: turn.utterance.confidence,
    "rule": lambda _, turn: turn.review.rule,
    "concluded": lambda one, _: one.verdict,
    "stop": lambda one, _: one.stop,
    "prompt_tokens": lambda _, turn: turn.utterance.usage.prompt_tokens,
    "completion_tokens": lambda _, turn: turn.utterance.usage.completion_tokens,
    "thinking_tokens": lambda _, turn: turn.utterance.usage.thinking_tokens,
    "unset": lambda _, turn: " ".join(turn.utterance.unset),
    "latency": lambda _, turn: turn.utterance.latency,
    "cached": lambda _, turn: turn.utterance.cached,
    "simulated": lambda _, turn: turn.utterance.simulated,
    "text": lambda _, turn: turn.utterance.text,
}
"""Columns of the CSV format."""

FORMATS: dict[str, ExportFormat] = {
    "jsonl": ExportFormat(list_lines, "text"),
    "csv": ExportFormat(list_turns, "csv", tuple(_TURN_COLUMNS)),
    "arena": ExportFormat(list_battles, "json lines", count_left_out=count_without_battle),
}
"""The formats by name."""
