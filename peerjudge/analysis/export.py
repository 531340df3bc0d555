"""Export formats for discussions, each an entry of `FORMATS`, and scores of samples for Inspect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Literal, NamedTuple, TypeAlias

from peerjudge.analysis.probabilities import find_turn_probability
from peerjudge.data import (
    Comparison,
    Outcome,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Verdict,
    settle_orders,
    to_json,
)
from peerjudge.errors import DataError
from peerjudge.tracker import Stance, stance_of

Row: TypeAlias = Mapping[str, object]

Framing: TypeAlias = Literal["text", "json lines", "json list", "csv"]
"""The frame around rows: text rows as lines, rows as JSON lines or one JSON list, or as CSV."""

Rows: TypeAlias = Callable[[Sequence[Transcript], Stance], Iterable[Row | str]]
"""Returns the rows of all discussions of one comparison under one condition."""


class ExportFormat(NamedTuple):
    """The rows of a format and the frame around them; CSV has a header of `columns`."""

    rows: Rows
    framing: Framing
    columns: tuple[str, ...] = ()


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that spreadsheets do not take as text."""

SampleKey: TypeAlias = tuple[str, int | None]
"""Id and epoch of a sample; without an epoch, the score applies to every epoch."""

SAMPLE_ID, EPOCH = "sample_id", "epoch"
"""Entries of a comparison's `meta` that name its sample; by default the question's id, every epoch."""

_WORTH = {Outcome.TIE: 0.5, Outcome.CHOICE: 0.0}
_QUOTED = 1000
"""Most characters of the last words of a discussion."""


_Judged: TypeAlias = tuple[float, str, tuple[str, ...]]
"""Worth of a comparison to the contestant (NaN if not readable), its sentence, and its discussions."""

_Stance: TypeAlias = tuple[Transcript, Seat, Verdict, tuple[Turn, ...]]
"""A discussion, a seat, its stance on two answers, and the turns that led to it."""


def defuse(cell: object) -> object:
    """Return a CSV cell with `'` before a text that spreadsheets run as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


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
    for transcript, seat, verdict, _ in _list_stances(transcripts, stance):
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
                "winner": _choose(verdict, first.id, ("model_a", "model_b", "tie", "")),
                "judge": seat.reviewer,
                "conversation_a": [asked, {"role": "assistant", "content": first.text}],
                "conversation_b": [asked, {"role": "assistant", "content": second.text}],
                "turn": 1,
                "anony": True,
                "language": None,
                "tstamp": None,
            }


def list_annotations(transcripts: Sequence[Transcript], stance: Stance) -> Iterator[Row]:
    """Yield one annotation per stance, as in AlpacaEval's `annotations.json`.

    `preference` is 1 for the first-shown answer, 2 for the second, 1.5 for a tie, and null where
    the verdict is not readable. `time_per_example` is the sum over the seat's turns; the price is
    not known and null.
    """
    for transcript, seat, verdict, turns in _list_stances(transcripts, stance):
        first, second = transcript.comparison.answers
        yield {
            "instruction": transcript.comparison.question.text,
            "output_1": first.text,
            "output_2": second.text,
            "generator_1": first.author,
            "generator_2": second.author,
            "annotator": seat.reviewer,
            "preference": _choose(verdict, first.id, (1.0, 2.0, 1.5, None)),
            "raw_completion": _find_text(verdict, turns),
            "price_per_example": None,
            "time_per_example": sum(turn.utterance.latency for turn in turns),
        }


def list_matches(transcripts: Sequence[Transcript], stance: Stance) -> Iterator[Row]:
    """Yield one match per pair of stances on the same answers in both orders, as FastChat does.

    `g1` was given in the order model_1, model_2, and `g2` in the reverse; both winners are models,
    and `error` is a verdict that is not readable. Judgements in one order only are left out.
    `judge` is the reviewer and the prompt pack.
    """
    waiting: dict[object, _Stance] = {}
    for one in _list_stances(transcripts, stance):
        transcript, seat, verdict, turns = one
        key = (
            transcript.condition,
            transcript.comparison.id,
            transcript.repetition,
            tuple((seat.reviewer, seat.sampling.temperature) for seat in transcript.seats),
            seat.id,
        )
        other = waiting.pop(key, None)
        if other is None or other[0].comparison.shown == transcript.comparison.shown:
            waiting[key] = one
            continue
        first, second = other[0].comparison.answers
        yield {
            "question_id": transcript.comparison.question.id,
            "model_1": first.author,
            "model_2": second.author,
            "g1_winner": _choose(other[2], first.id, ("model_1", "model_2", "tie", "error")),
            "g2_winner": _choose(verdict, first.id, ("model_1", "model_2", "tie", "error")),
            "judge": [seat.reviewer, transcript.prompts],
            "g1_judgment": _find_text(other[2], other[3]),
            "g2_judgment": _find_text(verdict, turns),
            "turn": 1,
            "tstamp": None,
        }


def _list_stances(transcripts: Iterable[Transcript], stance: Stance) -> Iterator[_Stance]:
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
                spoken = [turn for turn in transcript.turns if turn.cue.seat == seat.id]
                turns = tuple(turn for turn in spoken if stance == "final" or turn.cue.private)
                yield transcript, seat, verdict, turns


def _choose(verdict: Verdict, first: str, values: tuple[object, object, object, object]) -> object:
    """Return the value for the first answer, the other one, a tie, or no readable verdict."""
    if verdict.outcome is Outcome.TIE:
        return values[2]
    if verdict.outcome is not Outcome.CHOICE:
        return values[3]
    return values[0] if verdict.choice == first else values[1]


def _find_text(verdict: Verdict, turns: Sequence[Turn]) -> str:
    """Return the text of the last turn with this verdict, else of the last turn."""
    given = [turn for turn in turns if turn.review.verdict == verdict]
    return (given or list(turns))[-1].utterance.text if turns else ""


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
    "temperature": lambda one, turn: one.seat(turn.cue.seat).sampling.temperature,
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
    "arena": ExportFormat(list_battles, "json lines"),
    "alpaca-eval": ExportFormat(list_annotations, "json list"),
    "mt-bench": ExportFormat(list_matches, "json lines"),
}
"""The formats by name."""


class SampleScores:
    """Scores of one contestant's answers, sample by sample, for Inspect's scorer `precomputed_scores`.

    A score is the share of comparisons that the answer won, a tie counting half. Comparisons whose verdict
    is inconsistent, unreadable or refused count neither way; a sample without any other one has the value
    NaN, which Inspect keeps as unscored.

    Args:
        contestant: Author of the answers that are scored.
    """

    def __init__(self, contestant: str) -> None:
        self._contestant = contestant
        self._judged: dict[SampleKey, list[_Judged]] = {}
        self._authors: set[str] = set()
        self._conditions: set[str] = set()

    def add(self, together: Sequence[Transcript]) -> None:
        """Add all discussions of one comparison under one condition.

        Raises:
            DataError: They are of a second condition, or the sample's epoch is no whole number.
        """
        if not together:
            return
        comparison, condition = together[0].comparison, together[0].condition
        self._authors |= {answer.author for answer in comparison.answers}
        mine = [one for one in comparison.answers if one.author == self._contestant]
        if len(mine) != 1 or len(comparison.answers) == 1:
            return
        self._conditions.add(condition)
        if len(self._conditions) > 1:
            names = ", ".join(map(repr, sorted(self._conditions)))
            msg = f"a sample has one score, and the run several conditions: name one by --condition: {names}"
            raise DataError(msg)
        verdict = settle_orders(together)
        worth = 1.0 if verdict.choice == mine[0].id else _WORTH.get(verdict.outcome, nan)
        result = {1.0: "won", 0.5: "tied", 0.0: "lost"}.get(worth, f"unscored ({verdict.outcome})")
        others = " and ".join(
            one.author or one.id for one in comparison.answers if one.id != mine[0].id
        )
        self._judged.setdefault(_find_sample(comparison), []).append(
            (
                worth,
                f"{result} against {others}. {_quote(together)}".strip(),
                tuple(one.id for one in together),
            )
        )

    def rows(self) -> list[Mapping[str, object]]:
        """Return one record per sample: `id`, `epoch` where known, `value`, `explanation`, `metadata`.

        Raises:
            DataError: No comparison has an answer by the contestant.
        """
        if not self._judged:
            known = ", ".join(sorted(filter(None, self._authors))) or "none"
            msg = (
                f"no comparison has exactly one answer by {self._contestant!r}; choose --contestant from "
                f"the authors of the run: {known}"
            )
            raise DataError(msg)
        return [_build_row(key, judged) for key, judged in self._judged.items()]

    @property
    def unscored(self) -> int:
        """The number of samples without a readable verdict."""
        return sum(all(isnan(worth) for worth, _, _ in each) for each in self._judged.values())


def _build_row(key: SampleKey, judged: Sequence[_Judged]) -> Mapping[str, object]:
    sample, epoch = key
    read = [worth for worth, _, _ in judged if not isnan(worth)]
    return {
        "id": sample,
        **({} if epoch is None else {"epoch": epoch}),
        "value": sum(read) / len(read) if read else nan,
        "explanation": "\n\n".join(sentence for _, sentence, _ in judged),
        "metadata": {
            "comparisons": len(judged),
            "readable": len(read),
            "discussions": [discussion for _, _, several in judged for discussion in several],
        },
    }


def _find_sample(comparison: Comparison) -> SampleKey:
    sample = comparison.meta.get(SAMPLE_ID)
    epoch = comparison.meta.get(EPOCH)
    if isinstance(epoch, str) and epoch.isdecimal():
        epoch = int(epoch)
    if epoch is not None and (not isinstance(epoch, int) or isinstance(epoch, bool)):
        msg = f"comparison {comparison.id!r} has the epoch {epoch!r}; an epoch is a whole number"
        raise DataError(msg)
    return (comparison.question.id if sample is None else str(sample), epoch)


def _quote(together: Sequence[Transcript]) -> str:
    """Return the last words of the first discussion."""
    turns = together[0].turns
    if not turns:
        return ""
    text = turns[-1].utterance.text
    reviewer = together[0].seat(turns[-1].cue.seat).reviewer
    return f"{reviewer}: {text[:_QUOTED]}{' [...]' if len(text) > _QUOTED else ''}"
