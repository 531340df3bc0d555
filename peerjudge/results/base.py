"""Base class of results: one set of numbers as a JSON document, as tables and sentences, and as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, overload

from peerjudge.analysis import Ballots
from peerjudge.analysis.selecting import HUMAN
from peerjudge.errors import DataError
from peerjudge.marks import mark_controls
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.fragments import cut_parts, render_html, render_text
from peerjudge.reporting.latex import render_latex
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.columns import COLUMNS, Cells, build_frame
from peerjudge.results.overwriting import require_free_figures
from peerjudge.shown import Printer, print_pretty

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from peerjudge.results.plots import Plot

Document: TypeAlias = dict[str, Any]
"""A JSON object of plain values."""

Shown: TypeAlias = Sequence[str | Table]
"""Sentences and tables in the order in which they are shown; an empty text is a blank line."""


_MOST = 100
"""Most sentences, and rows of a table, that a notebook shows of a result."""
_LENGTH = 160
"""Most characters of a result inside another object."""


class Result(ABC):
    """A result of the analysis.

    It prints as text, and shows itself as HTML in a notebook. `repr` is one line with the names of its
    tables.
    """

    @abstractmethod
    def document(self) -> Any:  # noqa: ANN401  the value of a JSON text
        """Return the result as the command prints it with `--json`; NaN and infinity are `None`."""

    @abstractmethod
    def parts(self) -> Shown:
        """Return what the command prints without `--json`."""

    def to_latex(self) -> str:
        r"""Return the tables as LaTeX with booktabs rules, and the sentences as comments.

        The preamble needs `\\usepackage{booktabs}`, and `longtable` for tables longer than a page.
        """
        return render_latex(self.parts())

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that have rows, each with `records()`, `df` and `to_csv()`."""
        return tuple(one for one in self.parts() if isinstance(one, Table) and one.rows)

    def to_csv(self) -> str:
        """Return the tables as CSV, each below a line with `#` and its title, with an empty line between.

        Raises:
            DataError: there is no table, as there is nothing to list.
        """
        if not self.tables:
            said = shorten(" ".join(filter(None, map(str, self.parts()))), _LENGTH)
            msg = f"there is no table to write as CSV, only sentences: {said}"
            raise DataError(msg)
        return "\n".join(
            f"# {mark_controls(table.title)}\n{table.to_csv()}" for table in self.tables
        )

    def __str__(self) -> str:
        return render_text(self.parts())

    def __repr__(self) -> str:
        sized = (f"{table.title or 'table'} ({len(table.rows):,} rows)" for table in self.tables)
        contents = mark_controls(
            "; ".join(sized) or f"{len([*filter(None, self.parts())]):,} lines"
        )
        return f"<{type(self).__name__}: {shorten(contents, _LENGTH)}>"

    def _repr_html_(self) -> str:
        return render_html(cut_parts(self.parts(), most=_MOST))

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: FBT001  called by IPython
        print_pretty(self, printer, lambda: render_text(cut_parts(self.parts(), most=_MOST)))


class FramedResult(Result):
    """A result with a frame."""

    frame: ClassVar[str]
    """Name of its columns in `COLUMNS`."""

    @abstractmethod
    def rows(self) -> Iterable[Cells]:
        """Return the rows of the frame."""

    def to_csv(self) -> str:
        """Return the tables as CSV; of a result of sentences alone, the rows of its frame."""
        rows = [] if self.tables else list(self.rows())
        if not rows:
            return super().to_csv()
        columns = [Column(name, partial(_read, name), key=name) for name in COLUMNS[self.frame]]
        return f"# {self.frame}\n{build_table(self.frame, rows, *columns).to_csv()}"

    @property
    def df(self) -> pd.DataFrame:
        """The result as a frame; `peerjudge.results.columns.COLUMNS` describes its columns.

        Raises:
            DataError: pandas is not installed.
        """
        return build_frame(self.frame, self.rows())


def _read(name: str, row: Cells) -> object:
    return row.get(name)


class DrawnResult(FramedResult):
    """A result with figures."""

    simulated: bool
    """True if reviewers are simulated."""

    @property
    @abstractmethod
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""

    @overload
    def plot(self, name: str = "", *, ax: None = None) -> Plot: ...
    @overload
    def plot(self, name: str = "", *, ax: Axes) -> Axes: ...
    def plot(self, name: str = "", *, ax: Axes | None = None) -> Axes:
        """Draw a figure with matplotlib and return its axes, for any change of style.

        Axes of its own show themselves in a notebook and are saved with `save(path)`.

        Args:
            name: One of `figures`; by default the first one.
            ax: Axes to draw on, such as a part of a larger figure; by default those of a new figure.

        Raises:
            DataError: There is no such figure.
        """
        from peerjudge.reporting.plotting import draw
        from peerjudge.results.plots import build_plot, choose_figure

        figure = choose_figure(self.figures, name)
        if ax is None:
            return build_plot(figure, simulated=self.simulated)
        return draw(figure, ax, simulated=self.simulated)


class SourcedResult(DrawnResult):
    """A result with figures that are saved as files, none of them in place of its source."""

    source: str
    """Name of the place where the result was read; empty for one in memory."""

    def require_free_figures(self, folder: str | Path, *, force: bool) -> None:
        """Raise `StoreError` if a figure would replace another file than an earlier figure."""
        names = [figure.id for figure in self.figures.values()]
        require_free_figures(
            names, Path(folder), source=self.source, force=force, option="--figures"
        )

    def save_figures(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write every figure as SVG, PNG and PDF, and return the files.

        Raises:
            StoreError: A file is no earlier figure and `force` is false, or cannot be written.
        """
        from peerjudge.reporting.plotting import save_figures

        self.require_free_figures(folder, force=force)
        return save_figures(self.figures, Path(folder), simulated=self.simulated)


def list_names(names: str | Sequence[str] | None) -> list[str] | None:
    """Return names as a list; one name may stand alone, and `None` stays `None`."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def name_gold(ballots: Ballots, gold: str) -> str:
    """Return the name of gold: `gold` where the data name no people as its source."""
    return "gold" if gold == HUMAN and not ballots.humans else gold
