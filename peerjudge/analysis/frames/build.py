"""Builds the frames from discussions, turns, events and tournaments."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.frames.columns import TurnColumns
from peerjudge.analysis.frames.heads import Heads
from peerjudge.analysis.frames.table import Codes, Gathered, Names, category, frame, named, whole
from peerjudge.data import Scheme, Tournament, Transcript, Verdict
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import rank
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "battles_frame",
    "calls_frame",
    "discussions_frame",
    "events_frame",
    "turns_frame",
    "weights_frame",
]

_OF_DISCUSSION = ("discussion", "condition", "comparison")
_OF_EVENT = (
    "seat",
    "reviewer",
    "role",
    "kind",
    "before",
    "after",
    "others",
    "heard",
    "gold",
    "majority",
    "first",
    "control",
)
_MOST_PATTERNS = 10_000


def discussions_frame(heads: Sequence[Transcript], turns: Sequence[int]) -> pd.DataFrame:
    """One row per discussion, in the order of the heads.

    Args:
        heads: the discussions; their turns are not looked at.
        turns: how many turns each has.
    """
    known = Heads(heads)
    choices = np.array([known.answers.number(one.verdict.choice) for one in heads], dtype=np.int32)
    outcomes = Names()
    outcomes.extend(one.verdict.outcome.value for one in heads)
    every = np.arange(len(heads), dtype=np.int32)
    judged = known.judge(every, outcomes, outcomes.codes, choices)
    names = {
        "protocol": [one.protocol for one in heads],
        "prompts": [one.prompts for one in heads],
        "question": [one.comparison.question.id for one in heads],
        "category": [one.comparison.question.category for one in heads],
        "subset": [one.comparison.subset for one in heads],
        "shown": [" ".join(one.comparison.shown) for one in heads],
        "gold": [_readable(one.comparison.gold) for one in heads],
        "reviewers": [" ".join(seat.reviewer for seat in one.seats) for one in heads],
        "leader": [one.seats[0].reviewer for one in heads],
        "stop": [None if one.stop is None else one.stop.value for one in heads],
    }
    return frame(
        "discussions",
        {
            **known.place(every),
            **{name: named(values) for name, values in names.items()},
            "repetition": np.array([one.repetition for one in heads], dtype=np.int32),
            "seats": np.array([len(one.seats) for one in heads], dtype=np.int32),
            "outcome": category(outcomes.codes, outcomes),
            "choice": category(choices, known.answers),
            "correct": judged.correct,
            "chose_first": judged.first,
            "turns": np.array(turns, dtype=np.int32),
        },
    )


def turns_frame(heads: Sequence[Transcript], batches: Iterable[TurnColumns]) -> pd.DataFrame:
    """One row per turn, by discussion (in the order of the heads) and turn."""
    known = Heads(heads)
    names = {name: Names() for name in ("seat", "task", "first", "expects", "outcome", "rule")}
    columns, codes = _gathered(
        batches,
        names={**names, "choice": known.answers},
        whole=("head", "turn", "characters"),
        real=("score",),
        flags=("private", "simulated"),
    )
    head = columns["head"]
    # A cue may show the answers in another order than the comparison does.
    first = known.numbered(names.pop("first"), codes["first"])
    judged = known.judge(head, names["outcome"], codes["outcome"], codes["choice"], first=first)
    return frame(
        "turns",
        {
            **columns,
            **known.place(head),
            **known.seated(head, names["seat"], codes["seat"]),
            **{name: category(codes[name], column) for name, column in names.items()},
            "choice": category(codes["choice"], known.answers),
            "correct": judged.correct,
            "chose_first": judged.first,
        },
    )


def calls_frame(heads: Sequence[Transcript], batches: Iterable[TurnColumns]) -> pd.DataFrame:
    """One row per turn, by discussion and turn: what it took to get the reply."""
    known = Heads(heads)
    names = {name: Names() for name in ("seat", "model", "finish_reason")}
    columns, codes = _gathered(
        batches,
        names=names,
        whole=("head", "turn", "prompt_tokens", "completion_tokens", "attempts"),
        real=("latency",),
        flags=("estimated", "cached", "simulated"),
    )
    head = columns["head"]
    return frame(
        "calls",
        {
            **columns,
            **known.place(head),
            **known.seated(head, names["seat"], codes["seat"]),
            **{name: category(codes[name], column) for name, column in names.items()},
        },
    )


def events_frame(transcripts: Iterable[Transcript]) -> pd.DataFrame:
    """One row per opinion event, discussion by discussion, in the order in which they come."""
    names = {name: Names() for name in (*_OF_DISCUSSION, *_OF_EVENT)}
    turns = array("i")
    patterns = _Patterns()
    for transcript in transcripts:
        found = patterns.of(transcript)
        count = len(found.turns)
        if count:
            turns.extend(found.turns)
            for name, cells in found.cells.items():
                names[name].extend(cells)
            owns = (transcript.id, transcript.condition, transcript.comparison.id)
            for name, own in zip(_OF_DISCUSSION, owns, strict=True):
                names[name].extend([own] * count)
    return frame(
        "events",
        {
            **{name: category(column.codes, column) for name, column in names.items()},
            "turn": np.array(turns, dtype=np.int32),
        },
    )


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The events of discussions that went alike; `told` keeps the turns they are known by alive."""

    told: object
    turns: list[int]
    cells: Mapping[str, list[str | None]]


class _Patterns:
    """Finds the events of a discussion once for all that went like it.

    Those read from a store share their turns, and are told by the identity of these: to compare
    them would cost as much as to find the events.
    """

    def __init__(self) -> None:
        self._known: dict[object, _Pattern] = {}

    def of(self, transcript: Transcript) -> _Pattern:
        comparison = transcript.comparison
        key = (id(transcript.turns), transcript.seats, comparison.shown, comparison.gold)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_PATTERNS:
                self._known.clear()
            found = self._known[key] = _pattern(transcript)
        return found


def _pattern(transcript: Transcript) -> _Pattern:
    events = opinion_events(transcript)

    def cells(name: str) -> list[str | None]:
        values = [getattr(event, name) for event in events]
        return [None if value is None else str(value) for value in values]

    return _Pattern(
        told=transcript.turns,
        turns=[event.turn for event in events],
        cells={
            "heard": [" ".join(event.heard) for event in events],
            **{name: cells(name) for name in _OF_EVENT if name != "heard"},
        },
    )


def battles_frame(tournament: Tournament) -> pd.DataFrame:
    """One row per battle, in the order in which they came."""

    def column(codes: Codes, names: Sequence[str]) -> pd.Categorical:
        known = Names()
        known.extend(names)
        return category(codes, known)

    return frame(
        "battles",
        {
            "question": column(tournament.question, tournament.questions),
            "reviewer": column(tournament.reviewer, tournament.reviewers),
            "first": column(tournament.first, tournament.contestants),
            "second": column(tournament.second, tournament.contestants),
            "score": whole(tournament.score, tournament.readable),
        },
    )


def weights_frame(tournament: Tournament, *, bootstrap: int = 1000, seed: int = 0) -> pd.DataFrame:
    """One row per scheme and reviewer, heaviest first.

    Args:
        tournament: whose reviewers are weighed.
        bootstrap: how many resamples of the questions make the bounds of the peer weights.
        seed: of the resampling.
    """
    rows: list[tuple[str, str, float, float, float]] = []
    missing = (np.nan, np.nan)
    for scheme in (None, *Scheme):
        try:
            found = rank(
                tournament,
                weights="equal" if scheme is None else "peer",
                scheme=scheme or Scheme.PRD,
                bootstrap=0 if scheme is None else bootstrap,
                seed=seed,
            )
        except ConvergenceError:
            continue
        bounds = found.weight_bounds or {}
        for name, weight in sorted(found.weights.weights.items(), key=lambda item: -item[1]):
            label = "equal" if scheme is None else scheme.value
            rows.append((label, name, weight, *bounds.get(name, missing)))
    scheme, reviewer, weight, low, high = zip(*rows, strict=True)
    return frame(
        "weights",
        {
            "scheme": named(scheme),
            "reviewer": named(reviewer),
            "weight": np.array(weight),
            "low": np.array(low),
            "high": np.array(high),
        },
    )


def _gathered(
    batches: Iterable[TurnColumns],
    *,
    names: Mapping[str, Names],
    whole: Sequence[str],
    real: Sequence[str],
    flags: Sequence[str],
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Codes]]:
    """The columns of numbers and the codes of the names, by discussion and turn."""
    table = Gathered(names=names, whole=whole, real=real, flags=flags)
    for batch in batches:
        table.extend(batch)
    columns = table.numbers()
    order = np.lexsort((columns["turn"], columns["head"]))
    return (
        {name: column[order] for name, column in columns.items()},
        {name: column[order] for name, column in table.codes().items()},
    )


def _readable(verdict: Verdict | None) -> str | None:
    return str(verdict) if verdict is not None and verdict.readable else None
