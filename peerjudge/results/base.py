"""Base class of results: one set of numbers as a JSON document, as tables and sentences, and as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from peerjudge.analysis import Ballots
from peerjudge.analysis.selecting import HUMAN
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.fragments import render_html, render_text
from peerjudge.reporting.layout import Table
from peerjudge.results.columns import Cells, build_frame
from peerjudge.results.plots import Plot, choose_plot

if TYPE_CHECKING:
    import pandas as pd

Document: TypeAlias = dict[str, Any]
"""A JSON object of plain values."""

Shown: TypeAlias = Sequence[str | Table]
"""Sentences and tables in the order in which they are shown; an empty text is a blank line."""


class Result(ABC):
    """A result of the analysis.

    It prints as text, and shows itself as HTML in a notebook.
    """

    @abstractmethod
    def document(self) -> Any:  # noqa: ANN401  the value of a JSON text
        """Return the result as the command prints it with `--json`; NaN and infinity are `None`."""

    @abstractmethod
    def parts(self) -> Shown:
        """Return what the command prints without `--json`."""

    def __str__(self) -> str:
        return render_text(self.parts())

    def _repr_html_(self) -> str:
        return render_html(self.parts())


class FramedResult(Result):
    """A result with a frame."""

    frame: ClassVar[str]
    """Name of its columns in `COLUMNS`."""

    @abstractmethod
    def rows(self) -> Iterable[Cells]:
        """Return the rows of the frame."""

    @property
    def df(self) -> pd.DataFrame:
        """The result as a frame; `peerjudge.results.columns.COLUMNS` describes its columns.

        Raises:
            DataError: pandas is not installed.
        """
        return build_frame(self.frame, self.rows())


class DrawnResult(FramedResult):
    """A result with figures."""

    @property
    @abstractmethod
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""

    @property
    @abstractmethod
    def simulated(self) -> bool:
        """True if reviewers are simulated."""

    def plot(self, name: str = "") -> Plot:
        """Return a figure, which shows itself in a notebook and is saved with `save(path)`.

        Args:
            name: One of `figures`; by default the first one.

        Raises:
            DataError: There is no such figure.
        """
        return choose_plot(self.figures, name, simulated=self.simulated)


def list_names(names: str | Sequence[str] | None) -> list[str] | None:
    """Return names as a list; one name may stand alone, and `None` stays `None`."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def name_gold(ballots: Ballots, gold: str) -> str:
    """Return the name of gold: `gold` where the data name no people as its source."""
    return "gold" if gold == HUMAN and not ballots.humans else gold
