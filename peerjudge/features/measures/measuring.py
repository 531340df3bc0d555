"""Measures of a user's own: means by group, with the interval of all other measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerjudge.analysis import Ballots
from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.frames.ballots import build_ballots_frame
from peerjudge.data import LEVEL, Measurement
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import DataError
from peerjudge.features.measures.files import (
    MeasureFile,
    MeasureFunction,
    Values,
    find_measure,
    make_measure,
)
from peerjudge.reporting.formats import preface
from peerjudge.reporting.layout import Column, Kind, Table, build_table
from peerjudge.results.added import AddedResult
from peerjudge.results.base import Document, Result, Shown
from peerjudge.results.columns import list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_ballots
from peerjudge.statistics.interval import DIFFERENCE, SHARE, Limits, measure_mean

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MeasureResult", "MeasuredGroup", "add_section", "measure"]

_QUESTION, _VALUE = "question", "value"
_TAKEN = frozenset({"mean", "low", "high", "n", "observations", "questions"})
"""Names of the result that no column to group by may have."""
_LIMITS: Mapping[Values, Limits | None] = {
    "share": SHARE,
    "difference": DIFFERENCE,
    "number": None,
}
_KINDS: Mapping[Values, Kind] = {"share": "share", "difference": "points", "number": "plain"}
_UNITS: Mapping[Values, str] = {"share": ", in %", "difference": ", in points", "number": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredGroup:
    """The mean of a group: its names by column, its interval with questions as the unit, and its sizes."""

    names: Mapping[str, str]
    mean: Measurement
    observations: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MeasureResult(Result):
    """The groups of a measure, in the order in which they first appear; `missing` values are in none."""

    name: str
    title: str
    values: Values
    groups: tuple[MeasuredGroup, ...]
    missing: int
    simulated: bool

    def document(self) -> Document:
        """Return the document of `peerjudge measure --json`."""
        rows = [
            {
                **one.names,
                **list_cells(one.mean),
                "observations": one.observations,
                "questions": one.questions,
            }
            for one in self.groups
        ]
        own = {"measure": self.name, "title": self.title, "values": self.values}
        return make_plain(
            {"simulated": self.simulated, **own, "missing": self.missing, "groups": rows}
        )

    def parts(self) -> Shown:
        """Return the table, and what is missing."""
        asked = max((one.questions for one in self.groups), default=0)
        left_out = [f"{self.missing:,} rows without a value are left out."] if self.missing else []
        table = self._build_table()
        return [*preface(simulated=self.simulated, questions=asked), table, *left_out]

    @property
    def df(self) -> pd.DataFrame:
        """The groups as a frame."""
        import pandas as pd

        return pd.DataFrame(self.document()["groups"])

    def _build_table(self) -> Table:
        labels = list(self.groups[0].names) if self.groups else []
        return build_table(
            f"{self.title}{_UNITS[self.values]} [{LEVEL:.0%} interval]",
            self.groups,
            *(Column(label.capitalize(), f"names.{label}") for label in labels),
            Column("Mean", "mean", _KINDS[self.values]),
            Column("Observations", "observations"),
            Column("Questions", "questions"),
            names=len(labels),
        )


@check_arguments
def measure(
    source: Source, *, measure: str | MeasureFunction, values: Values = "share"
) -> MeasureResult:
    """Measure what a file `measures/NAME.py`, or a function, says of every ballot.

    The function takes the frame of ballots (`ballots_df`) and returns a frame with one row for each
    observation: `value`, `question`, and further columns, by whose values the rows are grouped. The mean of
    each group has the interval of all other measures, with questions as the unit. A row whose value is
    missing is left out and counted.

    Args:
        source: Run, dataset `NAME:PATH`, transcripts, or a frame of ballots.
        measure: Name of the file in the working directory, whose docstring is the title, or the function.
        values: Of a function, what its values are: a `share` from 0 to 1, a `difference` of shares from -1 to
            1, or any `number`. A file declares them as `VALUES`.

    Raises:
        ShelfError: There is no such file, or it does not load.
        DataError: The function fails, or returns something else.

    Example:
        >>> def ties(ballots):
        ...     told = ballots[ballots["stage"] == "private"]
        ...     return told.assign(value=told["verdict"] == "tie")[["reviewer", "question", "value"]]
        >>> found = pj.measure("study", measure=ties)
        >>> found.groups[0].names
        {'reviewer': 'sim_weak'}
    """
    if isinstance(measure, str):
        declared = find_measure(measure)
    else:
        name = getattr(measure, "__name__", "measure")
        declared = make_measure(measure, name=name, title=name.replace("_", " "), values=values)
    return _measure(read_ballots(source), declared)


def add_section(ballots: Ballots, name: str) -> AddedResult:
    """Return the section of the report for a measure of this name; raises as `measure`."""
    found = _measure(ballots, find_measure(name))
    meaning = f"A measure of this project, measures/{name}.py: means with questions as the unit."
    return AddedResult(title=found.title, meaning=meaning, result=found)


def _measure(ballots: Ballots, declared: MeasureFile) -> MeasureResult:
    try:
        told: object = declared.function(build_ballots_frame(ballots))
    except Exception as cause:
        msg = f"measure {declared.name!r} fails: {type(cause).__name__}: {cause}"
        raise DataError(msg) from cause
    frame = _require_frame(told, declared)
    known = frame[frame[_VALUE].notna()]
    return MeasureResult(
        name=declared.name,
        title=declared.title,
        values=declared.values,
        groups=tuple(_list_groups(known, declared.values)),
        missing=len(frame) - len(known),
        simulated=ballots.simulated,
    )


def _require_frame(told: object, declared: MeasureFile) -> Any:  # noqa: ANN401  pandas has no types
    """Return what a function told, if it is a frame with numbers that a measure can have."""
    import pandas as pd

    name = f"measure {declared.name!r}"
    if not isinstance(told, pd.DataFrame):
        msg = f"{name} returns {type(told).__name__}, not a frame with the columns {_QUESTION} and {_VALUE}"
        raise DataError(msg)
    frame: Any = told
    if missing := {_QUESTION, _VALUE} - set(frame.columns):
        msg = f"{name} returns a frame without {' and '.join(sorted(missing))}: one row per observation"
        raise DataError(msg)
    if taken := _TAKEN & set(frame.columns):
        msg = f"{name} groups by {', '.join(sorted(taken))}, which the result names itself: rename the column"
        raise DataError(msg)
    try:
        values = frame[_VALUE].astype(float).to_numpy()
    except (TypeError, ValueError) as cause:
        msg = f"{name} has values that are no numbers: {cause}"
        raise DataError(msg) from cause
    limits = _LIMITS[declared.values]
    if limits is not None and ((values < limits[0]) | (values > limits[1])).any():
        beyond = values[(values < limits[0]) | (values > limits[1])][0]
        msg = (
            f"{name} has the value {beyond:g}, and a {declared.values} is from {limits[0]:g} to "
            f"{limits[1]:g}: write VALUES = 'number' in its file"
        )
        raise DataError(msg)
    return frame.assign(**{_VALUE: values})


def _list_groups(frame: Any, values: Values) -> Iterator[MeasuredGroup]:  # noqa: ANN401
    labels = [str(one) for one in frame.columns if one not in {_QUESTION, _VALUE}]
    if not len(frame):
        return
    grouped: Any = [((), frame)]
    if labels:
        grouped = frame.groupby(labels, sort=False, observed=True, dropna=False)
    for key, rows in grouped:
        codes = Vocabulary[str]()
        questions = np.array([codes[str(one)] for one in rows[_QUESTION]], dtype=np.int32)
        yield MeasuredGroup(
            names=dict(zip(labels, map(str, key), strict=True)),
            mean=measure_mean(rows[_VALUE].to_numpy(), questions, limits=_LIMITS[values]),
            observations=len(rows),
            questions=len(codes),
        )
