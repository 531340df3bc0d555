"""Columns of frames: gathered in batches at a few bytes per cell, and joined with their discussions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.ballots import Bools
from peerjudge.analysis.frames.columns import FRAMES
from peerjudge.data import Outcome, Transcript
from peerjudge.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Codes: TypeAlias = npt.NDArray[np.int32]

_SeatingKey: TypeAlias = tuple[tuple[str, str, str, float | None], ...]


class Names:
    """A column of names that keeps each name once."""

    def __init__(self) -> None:
        self._numbers = Vocabulary[str]()
        self._codes = array("i")

    def extend(self, values: Iterable[str | None]) -> None:
        """Append these names; `None` is a missing one."""
        self._codes.extend(map(self.number, values))

    def number(self, name: str | None) -> int:
        """Return the code of a name, which is added where it is new; -1 for a missing one."""
        return -1 if name is None else self._numbers[name]

    @property
    def codes(self) -> Codes:
        """The code of every name in the column."""
        return np.array(self._codes, dtype=np.int32)

    @property
    def names(self) -> list[str]:
        """The names, in the order of their codes."""
        return list(self._numbers)


def make_category(codes: Codes, names: Names) -> pd.Categorical:
    """Return names as a pandas column that keeps each of them once; code -1 is missing."""
    pd = import_pandas()
    return pd.Categorical.from_codes(codes, categories=names.names)  # pyright: ignore[reportUnknownMemberType]  its stubs are partial


def make_named(values: Iterable[str | None], rows: Codes | None = None) -> pd.Categorical:
    """Return names as a pandas column; with `rows`, the names at these places."""
    names = Names()
    names.extend(values)
    return make_category(names.codes if rows is None else names.codes[rows], names)


def make_frame(name: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """Return the frame of this name, its columns in the documented order."""
    pd = import_pandas()
    return pd.DataFrame({column: columns[column] for column in FRAMES[name]}, copy=False)


class Heads:
    """Discussions without turns, and the columns that rows of a frame take from them."""

    def __init__(self, heads: Sequence[Transcript]) -> None:
        self._heads = heads
        self.answers = Names()
        """The ids of chosen, gold and first-shown answers, which share their codes."""
        number = self.answers.number
        golds = [head.comparison.gold for head in heads]
        self._gold = np.array([-1 if g is None else number(g.choice) for g in golds], np.int32)
        self._tied = np.array([g is not None and g.outcome is Outcome.TIE for g in golds], np.bool_)
        self._first = np.array([number(one.comparison.shown[0]) for one in heads], np.int32)

    def place(self, rows: Codes) -> dict[str, pd.Categorical]:
        """Return the columns `discussion`, `condition` and `comparison`; `rows` are numbers of heads."""
        ids = {
            "discussion": [head.id for head in self._heads],
            "condition": [one.condition for one in self._heads],
            "comparison": [one.comparison.id for one in self._heads],
        }
        return {name: make_named(values, rows) for name, values in ids.items()}

    def recode(self, names: Names, codes: Codes) -> Codes:
        """Return a column of answers with their codes in `answers`; -1 stays."""
        return np.array([*map(self.answers.number, names.names), -1], dtype=np.int32)[codes]

    def judge(
        self,
        rows: Codes,
        outcomes: Names,
        outcome: Codes,
        choice: Codes,
        *,
        first: Codes | None = None,
    ) -> dict[str, pd.arrays.BooleanArray]:
        """Return the columns `correct` (the verdict is gold's) and `chose_first`.

        The first-shown answer is the one in `first`, else the first of the comparison.
        """
        tied, chose = outcome == outcomes.number(Outcome.TIE.value), choice >= 0
        gold, gold_tied = self._gold[rows], self._tied[rows]
        shown = self._first[rows]
        if first is not None:
            shown = np.where(first >= 0, first, shown)
        right: Bools = np.where(chose, choice == gold, gold_tied)
        known: Bools = (tied | chose) & (gold_tied | (gold >= 0))
        make = import_pandas().arrays.BooleanArray
        return {
            "correct": make(right & known, ~known),
            "chose_first": make((choice == shown) & chose, ~chose),
        }

    def seat(self, rows: Codes, seats: Names, seat: Codes) -> dict[str, Any]:
        """Return the columns `reviewer`, `role` and `temperature`, as declared."""
        seatings = Vocabulary[_SeatingKey]()
        at = [
            seatings[tuple((s.id, s.reviewer, s.role, s.sampling.temperature) for s in head.seats)]
            for head in self._heads
        ]
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
            "reviewer": make_category(who[place], reviewers),
            "role": make_category(role[place], roles),
            "temperature": warmth[place],
        }


def import_pandas() -> _Pandas:
    """Return pandas.

    Raises:
        DataError: it is not installed.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as cause:
        msg = "frames need pandas: pip install 'peerjudge[analysis]'"
        raise DataError(msg) from cause
    return cast("_Pandas", pd)


if TYPE_CHECKING:
    # A module has no type of its own: these are the names used here.
    class _Pandas:
        Categorical = pd.Categorical
        DataFrame = pd.DataFrame
        arrays = pd.arrays
