"""Frames of discussions, turns, calls, events, battles and weights."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.frames.columns import TurnColumns
from peerjudge.analysis.frames.tables import (
    Codes,
    Heads,
    Names,
    import_pandas,
    make_category,
    make_frame,
    make_named,
)
from peerjudge.data import OpinionEvent, Scheme, Tournament, Transcript, Verdict
from peerjudge.errors import ConvergenceError, UnconnectedError
from peerjudge.ranking import rank
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import pandas as pd

_OF_DISCUSSION = ("discussion", "condition", "comparison")
_NAMED: Mapping[str, Callable[[Transcript], str | None]] = {
    "protocol": lambda one: one.protocol,
    "prompts": lambda one: one.prompts,
    "question": lambda one: one.comparison.question.id,
    "category": lambda one: one.comparison.question.category,
    "subset": lambda one: one.comparison.subset,
    "shown": lambda one: " ".join(one.comparison.shown),
    "gold": lambda one: _name_gold(one.comparison.gold),
    "reviewers": lambda one: " ".join(seat.reviewer for seat in one.seats),
    "leader": lambda one: one.seats[0].reviewer,
    "stop": lambda one: one.stop and one.stop.value,
}
"""Columns of discussions that hold names."""
_OF_EVENT = (
    *("seat", "reviewer", "role", "kind", "before", "after", "others", "heard"),
    *("gold", "majority", "first", "control"),
)
_MOST_KNOWN = 10_000


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
    return make_frame(
        "discussions",
        {
            **known.place(every),
            **{name: make_named(map(read, heads)) for name, read in _NAMED.items()},
            "repetition": np.array([one.repetition for one in heads], dtype=np.int32),
            "seats": np.array([len(one.seats) for one in heads], dtype=np.int32),
            "outcome": make_category(outcomes.codes, outcomes),
            "choice": make_category(choices, known.answers),
            **judged,
            "turns": np.array(turns, dtype=np.int32),
        },
    )


def _name_gold(gold: Verdict | None) -> str | None:
    return str(gold) if gold is not None and gold.readable else None


def build_turns_frame(heads: Sequence[Transcript], batches: Iterable[TurnColumns]) -> pd.DataFrame:
    """Return one row per turn, by discussion (in the order of the heads) and turn."""
    known = Heads(heads)
    names = {name: Names() for name in ("seat", "task", "first", "expects", "outcome", "rule")}
    columns, codes = _gather(
        batches,
        names={**names, "choice": known.answers},
        whole=("head", "turn", "characters"),
        real=("score", "confidence", "probability"),
        flags=("private", "simulated", "unset"),
    )
    head = columns["head"]
    # A cue may show the answers in another order than the comparison does.
    first = known.recode(names.pop("first"), codes["first"])
    judged = known.judge(head, names["outcome"], codes["outcome"], codes["choice"], first=first)
    seated = known.seat(head, names["seat"], codes["seat"])
    seated["temperature"] = np.where(columns.pop("unset"), np.nan, seated["temperature"])
    return make_frame(
        "turns",
        {
            **columns,
            **known.place(head),
            **seated,
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
            *("head", "turn", "attempts"),
            *("prompt_tokens", "completion_tokens", "thinking_tokens"),
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
    # Discussions read from a store share their turns; comparing these by value would cost as much as
    # finding the events. The turns are kept with the cells, so that their identity stays theirs.
    known: dict[object, tuple[object, list[int], Mapping[str, list[str | None]]]] = {}
    for transcript in transcripts:
        comparison = transcript.comparison
        key = (id(transcript.turns), transcript.seats, comparison.shown, comparison.gold)
        if key not in known:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            events = opinion_events(transcript)
            at = [event.turn for event in events]
            known[key] = (
                transcript.turns,
                at,
                {name: _list_cells(events, name) for name in _OF_EVENT},
            )
        _, at, cells = known[key]
        turns.extend(at)
        for name in _OF_EVENT:
            names[name].extend(cells[name])
        owns = (transcript.id, transcript.condition, comparison.id)
        for name, own in zip(_OF_DISCUSSION, owns, strict=True):
            names[name].extend([own] * len(at))
    return make_frame(
        "events",
        {
            **{name: make_category(column.codes, column) for name, column in names.items()},
            "turn": np.array(turns, dtype=np.int32),
        },
    )


def _list_cells(events: Sequence[OpinionEvent], name: str) -> list[str | None]:
    if name == "heard":
        return [" ".join(event.heard) for event in events]
    values = [getattr(event, name) for event in events]
    return [None if value is None else str(value) for value in values]


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
            "score": import_pandas().arrays.IntegerArray(
                tournament.score.copy(), ~tournament.readable
            ),
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
            ranking = rank(
                tournament,
                weights="equal" if scheme is None else "peer",
                scheme=scheme or Scheme.PRD,
                bootstrap=0 if scheme is None else bootstrap,
                seed=seed,
            )
        except (ConvergenceError, UnconnectedError):
            continue
        bounds = ranking.weight_bounds or {}
        for name, weight in sorted(ranking.weights.weights.items(), key=lambda item: -item[1]):
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
    """Return the columns of numbers and the codes of the names, by discussion and turn.

    In the columns of `real` numbers, `None` is missing (NaN).
    """
    cells = {name: array("b" if name in flags else "i") for name in (*whole, *flags)}
    numbers = {name: array("d") for name in real}
    for batch in batches:
        for name, column in names.items():
            column.extend(batch[name])
        for name, column in cells.items():
            column.extend(batch[name])
        for name, column in numbers.items():
            column.extend([np.nan if value is None else value for value in batch[name]])
    columns: dict[str, npt.NDArray[Any]] = {
        name: np.array(column) for name, column in {**cells, **numbers}.items()
    }
    columns |= {name: columns[name].astype(np.bool_) for name in flags}
    order = np.lexsort((columns["turn"], columns["head"]))
    return (
        {name: column[order] for name, column in columns.items()},
        {name: column.codes[order] for name, column in names.items()},
    )
