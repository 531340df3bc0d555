"""Figures of results, which show themselves in a notebook and are saved as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from peerjudge.errors import DataError, StoreError
from peerjudge.reporting.drawing import Figure, render_svg
from peerjudge.reporting.rendering import ENDINGS, find_renderers


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A figure that shows itself in a notebook."""

    figure: Figure
    simulated: bool

    @property
    def svg(self) -> str:
        """The figure as an SVG document that needs nothing else."""
        return render_svg(self.figure, simulated=self.simulated)

    def save(self, path: str | Path) -> Path:
        """Write the figure to a file that ends in `.svg`, `.png` or `.pdf`, and return its path.

        The extra `figures` embeds the font in SVG and is needed for PNG, the extra `pdf` for PDF.

        Raises:
            DataError: The ending is another one, or needs a package that is not installed.
            StoreError: The file cannot be written.
        """
        path = Path(path)
        if path.suffix not in ENDINGS:
            msg = f"a figure is saved as .svg, .png or .pdf, not as {path.name!r}"
            raise DataError(msg)
        renderers, missing = find_renderers()
        if path.suffix not in renderers:
            raise DataError(missing)
        content = renderers[path.suffix](self.svg)
        try:
            path.write_bytes(content)
        except OSError as cause:
            msg = f"cannot write {path}: {cause.strerror}; choose another file"
            raise StoreError(msg) from cause
        return path

    def __repr__(self) -> str:
        return f"<Plot {self.figure.id}: {self.figure.description}>"

    def _repr_svg_(self) -> str:
        return self.svg


def choose_plot(figures: Mapping[str, Figure], name: str, *, simulated: bool) -> Plot:
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
    return Plot(figures[chosen], simulated)
