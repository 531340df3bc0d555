"""Geometry of figures: every figure becomes a list of shapes in the units of the SVG view box."""

from peerjudge.reporting.figures.lines import Series, line_figure
from peerjudge.reporting.figures.network import Link, network_figure
from peerjudge.reporting.figures.rows import (
    Counts,
    Marked,
    Values,
    bar_figure,
    dot_figure,
    mark_figure,
)
from peerjudge.reporting.figures.shapes import WIDTH, Drawing, Shape, text
from peerjudge.reporting.figures.squares import Grid, Square, Strip, heat_figure, strip_figure

__all__ = [
    "WIDTH",
    "Counts",
    "Drawing",
    "Grid",
    "Link",
    "Marked",
    "Series",
    "Shape",
    "Square",
    "Strip",
    "Values",
    "bar_figure",
    "dot_figure",
    "heat_figure",
    "line_figure",
    "mark_figure",
    "network_figure",
    "strip_figure",
    "text",
]
