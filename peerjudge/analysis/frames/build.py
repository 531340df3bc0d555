"""Frames of discussions, turns, calls, events, battles and weights."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.frames.columns import TurnColumns
from peerjudge.analysis.frames.tables import (
    Codes,
    Gathered,
    Heads,
    Names,
    make_category,
    make_frame,
    make_named,
    make_whole,
)
from peerjudge.data import Scheme, Tournament, Transcript, Verdict
from peerjudge.errors import ConvergenceError, UnconnectedError
from peerjudge.ranking import rank
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import pandas as pd

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


def build_discussions_frame(heads: Sequence[Transcript], turns: Sequence[int]) -> pd.DataFrame:
    """Return one row per discussion, in the order of the heads.

    Args:
        heads: the discussions; their turns are ignored.
        turns: the number of turns of each.
    """
    known = Heads(heads)
    choices = np.array(
        [known.answers.number(head.verdict.choice) for head in heads], dtype=np.int32
    )
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
    return make_frame(
        "discussions",
        {
            **known.place(every),
            **{name: make_named(values) for name, values in names.items()},
            "repetition": np.array([one.repetition for one in heads], dtype=np.int32),
            "seats": np.array([len(one.seats) for one in heads], dtype=np.int32),
            "outcome": make_category(outcomes.codes, outcomes),
            "choice": make_category(choices, known.answers),
            **judged,
            "turns": np.array(turns, dtype=np.int32),
        },
    )


def build_turns_frame(heads: Sequence[Transcript], batches: Iterable[TurnColumns]) -> pd.DataFrame:
    """Return one row per turn, by discussion (in the order of the heads) and turn."""
    known = Heads(heads)
    names = {name: Names() for name in ("seat", "task", "first", "expects", "outcome", "rule")}
    columns, codes = _gather(
        batches,
        names={**names, "choice": known.answers},
        whole=("head", "turn", "characters"),
        real=("score", "confidence", "probability"),
        flags=("private", "simulated"),
    )
    head = columns["head"]
    # A cue may show the answers in another order than the comparison does.
    first = known.recode(names.pop("first"), codes["first"])
    judged = known.judge(head, names["outcome"], codes["outcome"], codes["choice"], first=first)
    return make_frame(
        "turns",
        {
            **columns,
            **known.place(head),
            **known.seat(head, names["seat"], codes["seat"]),
            **{name: make_category(codes[name], column) for name, column in names.items()},
            "choice": make_category(codes["choice"], known.answers),
            **judged,
        },
    )


def build_calls_frame(heads: Sequence[Transcript], batches: Iterable[TurnColumns]) -> pd.DataFrame:
    """Return one row per turn, by discussion and turn: model, tokens and time of the reply."""
    known = Heads(heads)
    names = {name: Names() for name in ("seat", "model", "finish_reason")}
    columns, codes = _gather(
        batches,
        names=names,
        whole=(
            "head",
            "turn",
            "prompt_tokens",
            "completion_tokens",
            "thinking_tokens",
            "attempts",
        ),
        real=("latency",),
        flags=("estimated", "cached", "simulated"),
    )
    head = columns["head"]
    return make_frame(
        "calls",
        {
            **columns,
            **known.place(head),
            **known.seat(head, names["seat"], codes["seat"]),
            **{name: make_category(codes[name], column) for name, column in names.items()},
        },
    )


def build_events_frame(transcripts: Iterable[Transcript]) -> pd.DataFrame:
    """Return one row per opinion event, by discussion and turn."""
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
    return make_frame(
        "events",
        {
            **{name: make_category(column.codes, column) for name, column in names.items()},
            "turn": np.array(turns, dtype=np.int32),
        },
    )


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The events of discussions with the same turns; `source` keeps these turns alive."""

    source: object
    turns: list[int]
    cells: Mapping[str, list[str | None]]


class _Patterns:
    """Opinion events by turns, found once for all discussions with the same turns.

    Discussions read from a store share their turns; comparing these by value would cost as much as
    finding the events.
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
        source=transcript.turns,
        turns=[event.turn for event in events],
        cells={
            "heard": [" ".join(event.heard) for event in events],
            **{name: cells(name) for name in _OF_EVENT if name != "heard"},
        },
    )


def build_battles_frame(tournament: Tournament) -> pd.DataFrame:
    """Return one row per battle, in the order of the tournament."""

    def column(codes: Codes, names: Sequence[str]) -> pd.Categorical:
        known = Names()
        known.extend(names)
        return make_category(codes, known)

    return make_frame(
        "battles",
        {
            "question": column(tournament.question, tournament.questions),
            "reviewer": column(tournament.reviewer, tournament.reviewers),
            "first": column(tournament.first, tournament.contestants),
            "second": column(tournament.second, tournament.contestants),
            "score": make_whole(tournament.score, tournament.readable),
        },
    )


def build_weights_frame(
    tournament: Tournament, *, bootstrap: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Return one row per scheme and reviewer, the greatest weight first.

    Args:
        tournament: of the reviewers.
        bootstrap: the number of resamples of the questions for the bounds of the peer weights.
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
        except (ConvergenceError, UnconnectedError):
            continue
        bounds = found.weight_bounds or {}
        for name, weight in sorted(found.weights.weights.items(), key=lambda item: -item[1]):
            label = "equal" if scheme is None else scheme.value
            rows.append((label, name, weight, *bounds.get(name, missing)))
    scheme, reviewer, weight, low, high = zip(*rows, strict=True)
    return make_frame(
        "weights",
        {
            "scheme": make_named(scheme),
            "reviewer": make_named(reviewer),
            "weight": np.array(weight),
            "low": np.array(low),
            "high": np.array(high),
        },
    )


def _gather(
    batches: Iterable[TurnColumns],
    *,
    names: Mapping[str, Names],
    whole: Sequence[str],
    real: Sequence[str],
    flags: Sequence[str],
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Codes]]:
    """Return the columns of numbers and the codes of the names, by discussion and turn."""
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
