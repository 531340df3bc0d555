"""Stances as the rows that other evaluation tools read: Chatbot Arena, MT-bench, AlpacaEval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from peerjudge.data import Answer, Outcome, Seat, StopReason, Transcript, Turn, Verdict
from peerjudge.tracker import Stance, stance_of

__all__ = ["alpaca_eval_rows", "arena_rows", "mt_bench_rows"]

Row = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judgement:
    transcript: Transcript
    seat: Seat
    verdict: Verdict
    turns: tuple[Turn, ...]

    @property
    def first(self) -> Answer:
        return self.transcript.comparison.answers[0]

    @property
    def second(self) -> Answer:
        return self.transcript.comparison.answers[1]

    @property
    def text(self) -> str:
        """What was said with the stance."""
        given = [turn for turn in self.turns if turn.review.verdict == self.verdict]
        return (given or list(self.turns))[-1].utterance.text if self.turns else ""

    def winner(self, first: str, second: str, tie: str, nothing: str) -> str:
        if self.verdict.outcome is Outcome.TIE:
            return tie
        if self.verdict.outcome is not Outcome.CHOICE:
            return nothing
        return first if self.verdict.choice == self.first.id else second


def arena_rows(transcripts: Iterable[Transcript], *, stance: Stance) -> Iterator[Row]:
    """One battle per stance, as in `chatbot_arena_conversations`; `judge` is the reviewer.

    Its `winner` has no word for a verdict that could not be read, so those are left out. Language
    and time are not known and null.
    """
    for one in _judgements(transcripts, stance):
        if one.verdict.readable:
            question = {"role": "user", "content": one.transcript.comparison.question.text}
            yield {
                "question_id": one.transcript.comparison.question.id,
                "model_a": one.first.author,
                "model_b": one.second.author,
                "winner": one.winner("model_a", "model_b", "tie", ""),
                "judge": one.seat.reviewer,
                "conversation_a": [question, {"role": "assistant", "content": one.first.text}],
                "conversation_b": [question, {"role": "assistant", "content": one.second.text}],
                "turn": 1,
                "anony": True,
                "language": None,
                "tstamp": None,
            }


def alpaca_eval_rows(transcripts: Iterable[Transcript], *, stance: Stance) -> Iterator[Row]:
    """One annotation per stance, as in AlpacaEval's `annotations.json`.

    `preference` is 1 for the first-shown answer, 2 for the second, 1.5 for a tie, and null where
    the verdict could not be read. `time_per_example` adds up the seat's turns; the price is not
    known and null.
    """
    values = {"1": 1.0, "2": 2.0, "=": 1.5, "": None}
    for one in _judgements(transcripts, stance):
        yield {
            "instruction": one.transcript.comparison.question.text,
            "output_1": one.first.text,
            "output_2": one.second.text,
            "generator_1": one.first.author,
            "generator_2": one.second.author,
            "annotator": one.seat.reviewer,
            "preference": values[one.winner("1", "2", "=", "")],
            "raw_completion": one.text,
            "price_per_example": None,
            "time_per_example": sum(turn.utterance.latency for turn in one.turns),
        }


def mt_bench_rows(transcripts: Iterable[Transcript], *, stance: Stance) -> Iterator[Row]:
    """One match per pair of stances on the same answers in both orders, as FastChat's judgments.

    `g1` was given in the order model_1, model_2, and `g2` in the reverse; both winners speak of
    models, and `error` is a verdict that could not be read. What was judged in one order only is
    left out. `judge` is the reviewer and the prompt pack.
    """
    waiting: dict[object, _Judgement] = {}
    for one in _judgements(transcripts, stance):
        transcript = one.transcript
        key = (
            transcript.condition,
            transcript.comparison.id,
            transcript.repetition,
            tuple((seat.reviewer, seat.sampling.temperature) for seat in transcript.seats),
            one.seat.id,
        )
        other = waiting.pop(key, None)
        if other is None or other.first.id == one.first.id:
            waiting[key] = one
            continue
        yield {
            "question_id": transcript.comparison.question.id,
            "model_1": other.first.author,
            "model_2": other.second.author,
            "g1_winner": other.winner("model_1", "model_2", "tie", "error"),
            "g2_winner": one.winner("model_2", "model_1", "tie", "error"),
            "judge": [one.seat.reviewer, transcript.prompts],
            "g1_judgment": other.text,
            "g2_judgment": one.text,
            "turn": 1,
            "tstamp": None,
        }


def _judgements(transcripts: Iterable[Transcript], stance: Stance) -> Iterator[_Judgement]:
    """The stances of all seats on pairs of answers by two known authors."""
    for transcript in transcripts:
        answers = transcript.comparison.answers
        if stance == "final" and transcript.stop is not StopReason.COMPLETE:
            continue
        if len(answers) != 2 or not all(answer.author for answer in answers):
            continue
        for seat in transcript.seats:
            verdict = stance_of(transcript, seat, stance=stance)
            if verdict is not None:
                spoken = tuple(turn for turn in transcript.turns if turn.cue.seat == seat.id)
                turns = tuple(turn for turn in spoken if stance == "final" or turn.cue.private)
                yield _Judgement(transcript=transcript, seat=seat, verdict=verdict, turns=turns)
