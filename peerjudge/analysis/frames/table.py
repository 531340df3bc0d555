"""Long columns gathered in batches, at a few bytes per cell, and the frame they make."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.frames.columns import FRAMES, TurnColumns
from peerjudge.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Bools", "Codes", "Gathered", "Names", "boolean", "category", "frame", "named", "whole"]

Codes: TypeAlias = npt.NDArray[np.int32]
Bools: TypeAlias = npt.NDArray[np.bool_]


class _Numbers(dict[str | None, int]):
    """Numbers names as they come, from 0; a missing name is -1."""

    def __missing__(self, name: str | None) -> int:
        self[name] = number = -1 if name is None else len(self) - (None in self)
        return number


class Names:
    """A column of names, each of which is held once."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._codes = array("i")

    def extend(self, values: Iterable[str | None]) -> None:
        """Append these names; `None` is a missing one."""
        self._codes.extend(map(self._numbers.__getitem__, values))

    def number(self, name: str | None) -> int:
        """The number of a name, given to it now if it has none; -1 for a missing one."""
        return self._numbers[name]

    @property
    def codes(self) -> Codes:
        """The number of every name in the column."""
        return np.array(self._codes, dtype=np.int32)

    @property
    def names(self) -> list[str]:
        """The names, in the order of their numbers."""
        return [name for name in self._numbers if name is not None]


class Gathered:
    """Columns of turns, filled batch by batch.

    Args:
        names: columns of names, with what gathers them.
        whole: columns of whole numbers.
        real: columns of numbers, `None` being missing (NaN).
        flags: columns of truth values.
    """

    def __init__(
        self,
        *,
        names: Mapping[str, Names],
        whole: Sequence[str],
        real: Sequence[str],
        flags: Sequence[str],
    ) -> None:
        self._names = names
        self._whole = {name: array("i") for name in whole}
        self._real = {name: array("d") for name in real}
        self._flags = {name: array("b") for name in flags}

    def extend(self, columns: TurnColumns) -> None:
        """Append these turns."""
        for name, column in self._names.items():
            column.extend(columns[name])
        for name, cells in (*self._whole.items(), *self._flags.items()):
            cells.extend(columns[name])
        for name, cells in self._real.items():
            cells.extend([nan if value is None else value for value in columns[name]])

    def codes(self) -> dict[str, Codes]:
        """The columns of names, as numbers."""
        return {name: column.codes for name, column in self._names.items()}

    def numbers(self) -> dict[str, npt.NDArray[np.int32] | npt.NDArray[np.float64] | Bools]:
        """All other columns."""
        return {
            **{name: np.array(cells, dtype=np.int32) for name, cells in self._whole.items()},
            **{name: np.array(cells, dtype=np.float64) for name, cells in self._real.items()},
            **{name: np.array(cells, dtype=np.bool_) for name, cells in self._flags.items()},
        }


def category(codes: Codes, names: Names) -> pd.Categorical:
    """Names as a pandas column that holds each of them once; code -1 is missing."""
    pd = _pandas()
    return pd.Categorical.from_codes(codes, categories=names.names)  # pyright: ignore[reportUnknownMemberType]  its stubs are partial


def boolean(values: Bools, known: Bools) -> pd.arrays.BooleanArray:
    """True, false or missing."""
    pd = _pandas()
    return pd.arrays.BooleanArray(values & known, ~known)


def whole(values: npt.NDArray[np.int8], known: Bools) -> pd.arrays.IntegerArray:
    """Small whole numbers, some of them missing."""
    pd = _pandas()
    return pd.arrays.IntegerArray(values.copy(), ~known)


def named(values: Iterable[str | None], rows: Codes | None = None) -> pd.Categorical:
    """Names as a pandas column; with `rows`, those of these numbers."""
    names = Names()
    names.extend(values)
    return category(names.codes if rows is None else names.codes[rows], names)


def frame(name: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """The frame of this name; its columns come in the documented order."""
    pd = _pandas()
    return pd.DataFrame({column: columns[column] for column in FRAMES[name]}, copy=False)


def _pandas() -> _Pandas:
    try:
        import pandas as pd
    except ModuleNotFoundError as cause:
        msg = "frames need pandas: pip install 'peerjudge[analysis]'"
        raise DataError(msg) from cause
    return cast("_Pandas", pd)


if TYPE_CHECKING:
    # The few names used of the package, since a module has no type of its own.
    class _Pandas:
        Categorical = pd.Categorical
        DataFrame = pd.DataFrame
        arrays = pd.arrays
