"""What the rows of a frame take from the discussions they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerjudge.analysis.frames.table import Bools, Codes, Names, boolean, category, named
from peerjudge.data import Outcome, Transcript

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Heads", "Judgement"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether verdicts are gold's, and whether they name the first-shown answer."""

    correct: pd.arrays.BooleanArray
    first: pd.arrays.BooleanArray


class Heads:
    """What the rows of a frame take from the discussions they belong to."""

    def __init__(self, heads: Sequence[Transcript]) -> None:
        self._heads = heads
        self.answers = Names()
        """The ids of chosen, gold and first-shown answers, so that their numbers can be compared."""
        number = self.answers.number
        golds = [one.comparison.gold for one in heads]
        self._gold = np.array([-1 if g is None else number(g.choice) for g in golds], np.int32)
        self._tied = np.array([g is not None and g.outcome is Outcome.TIE for g in golds], np.bool_)
        self._first = np.array([number(one.comparison.shown[0]) for one in heads], np.int32)

    def place(self, rows: Codes) -> dict[str, pd.Categorical]:
        """The columns that say where a row belongs; `rows` are numbers of heads."""
        ids = {
            "discussion": [one.id for one in self._heads],
            "condition": [one.condition for one in self._heads],
            "comparison": [one.comparison.id for one in self._heads],
        }
        return {name: named(values, rows) for name, values in ids.items()}

    def numbered(self, names: Names, codes: Codes) -> Codes:
        """A column of answers, by the numbers that they have in `answers`; -1 stays."""
        return np.array([*map(self.answers.number, names.names), -1], dtype=np.int32)[codes]

    def judge(
        self,
        rows: Codes,
        outcomes: Names,
        outcome: Codes,
        choice: Codes,
        *,
        first: Codes | None = None,
    ) -> Judgement:
        """Whether verdicts are gold's, and whether they name the first-shown answer.

        That is the one in `first`, else the first of the comparison.
        """
        tied, chose = outcome == outcomes.number(Outcome.TIE.value), choice >= 0
        gold, gold_tied = self._gold[rows], self._tied[rows]
        shown = self._first[rows]
        if first is not None:
            shown = np.where(first >= 0, first, shown)
        right: Bools = np.where(chose, choice == gold, gold_tied)
        return Judgement(
            correct=boolean(right, (tied | chose) & (gold_tied | (gold >= 0))),
            first=boolean(choice == shown, chose),
        )

    def seated(self, rows: Codes, seats: Names, seat: Codes) -> dict[str, object]:
        """Who sat where: the columns `reviewer`, `role` and `temperature`."""
        seatings: dict[tuple[tuple[str, str, str, float | None], ...], int] = {}
        at = [seatings.setdefault(_seating(one), len(seatings)) for one in self._heads]
        reviewers, roles = Names(), Names()
        shape = (max(len(seatings), 1), max(len(seats.names), 1))
        who, role = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
        warmth = np.full(shape, np.nan)
        for number, seating in enumerate(seatings):
            for seat_id, reviewer, part, temperature in seating:
                column = seats.number(seat_id)
                if column < shape[1]:
                    who[number, column] = reviewers.number(reviewer)
                    role[number, column] = roles.number(part)
                    warmth[number, column] = np.nan if temperature is None else temperature
        place = np.array(at, dtype=np.intp)[rows], seat
        return {
            "reviewer": category(who[place], reviewers),
            "role": category(role[place], roles),
            "temperature": warmth[place],
        }


def _seating(one: Transcript) -> tuple[tuple[str, str, str, float | None], ...]:
    return tuple((s.id, s.reviewer, s.role.value, s.sampling.temperature) for s in one.seats)
