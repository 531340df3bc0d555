"""Axes of results, which show themselves in a notebook and are saved as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes

from peerjudge.errors import DataError, StoreError
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.plotting import ENDINGS, build_axes, render


class Plot(Axes):
    """Matplotlib axes of a figure that shows itself in a notebook."""

    drawn: Figure

    @property
    def svg(self) -> str:
        """The figure, as it is styled now, as an SVG document that needs nothing else."""
        return render(self, self.drawn, ".svg").decode()

    def save(self, path: str | Path) -> Path:
        """Write the figure to a file that ends in `.svg`, `.png` or `.pdf`, and return its path.

        Raises:
            DataError: The ending is another one.
            StoreError: The file cannot be written.
        """
        path = Path(path)
        if path.suffix not in ENDINGS:
            msg = f"a figure is saved as .svg, .png or .pdf, not as {path.name!r}"
            raise DataError(msg)
        content = render(self, self.drawn, path.suffix)
        try:
            path.write_bytes(content)
        except OSError as cause:
            msg = f"cannot write {path}: {cause.strerror}; choose another file"
            raise StoreError(msg) from cause
        return path

    def __repr__(self) -> str:
        return f"<Plot {self.drawn.id}: {self.drawn.description}>"

    def _repr_svg_(self) -> str:
        return self.svg


def build_plot(figure: Figure, *, simulated: bool) -> Plot:
    """Return the figure on axes of its own."""
    axes = build_axes(figure, simulated=simulated, axes_class=Plot)
    assert isinstance(axes, Plot)  # noqa: S101
    axes.drawn = figure
    return axes


def choose_figure(figures: Mapping[str, Figure], name: str) -> Figure:
    """Return the figure of this name, or the first one for an empty name.

    Raises:
        DataError: There is no such figure.
    """
    chosen = name or next(iter(figures), "")
    if chosen not in figures:
        known = ", ".join(figures)
        msg = (
            f"there is no figure {name!r}; choose one of {known}"
            if known
            else "there is nothing to draw: no value has an interval"
        )
        raise DataError(msg)
    return figures[chosen]
