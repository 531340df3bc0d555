"""Builds the frames from discussions, turns, events and tournaments."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.frames.columns import TurnColumns
from peerjudge.analysis.frames.heads import Heads
from peerjudge.analysis.frames.table import Codes, Gathered, Names, category, frame, named, whole
from peerjudge.data import OpinionEvent, Scheme, Tournament, Transcript, Verdict
from peerjudge.errors import ConvergenceError
from peerjudge.ranking import rank

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

_EVENT_NAMES = ("discussion", "condition", "comparison", "seat", "reviewer")


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
    names = {name: Names() for name in ("seat", "task", "expects", "outcome", "rule")}
    columns, codes = _gathered(
        batches,
        names={**names, "choice": known.answers},
        whole=("head", "turn", "characters"),
        real=("score",),
        flags=("private", "simulated"),
    )
    head = columns["head"]
    judged = known.judge(head, names["outcome"], codes["outcome"], codes["choice"])
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


def events_frame(events: Iterable[OpinionEvent]) -> pd.DataFrame:
    """One row per opinion event, in the order in which they come."""
    names = {name: Names() for name in _EVENT_NAMES}
    shown = ("role", "kind", "before", "after", "others", "gold", "majority", "first", "control")
    words = {name: Names() for name in shown}
    heard, turns = Names(), array("i")
    for event in events:
        turns.append(event.turn)
        heard.extend([" ".join(event.heard)])
        for name, column in names.items():
            column.extend([getattr(event, name)])
        for name, column in words.items():
            value = getattr(event, name)
            column.extend([None if value is None else str(value)])
    return frame(
        "events",
        {
            **{name: category(column.codes, column) for name, column in (names | words).items()},
            "turn": np.array(turns, dtype=np.int32),
            "heard": category(heard.codes, heard),
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
