"""Where everything in a figure goes: pure geometry, in the units of the SVG's view box."""

from peerjudge.reporting.figures.axes import WIDTH, Label, decimal, in_points, per_cent, rating
from peerjudge.reporting.figures.bars import Bar, BarFigure, Counts, Part, bar_figure
from peerjudge.reporting.figures.dots import Dot, DotFigure, DotRow, Values, dot_figure
from peerjudge.reporting.figures.heat import Grid, HeatFigure, heat_figure
from peerjudge.reporting.figures.lines import LineFigure, Series, line_figure
from peerjudge.reporting.figures.marks import Marked, MarkFigure, mark_figure
from peerjudge.reporting.figures.network import Link, NetworkFigure, network_figure
from peerjudge.reporting.figures.strips import Square, Strip, StripFigure, strip_figure

__all__ = [
    "WIDTH",
    "Bar",
    "BarFigure",
    "Counts",
    "Dot",
    "DotFigure",
    "DotRow",
    "Grid",
    "HeatFigure",
    "Label",
    "LineFigure",
    "Link",
    "MarkFigure",
    "Marked",
    "NetworkFigure",
    "Part",
    "Series",
    "Square",
    "Strip",
    "StripFigure",
    "Values",
    "bar_figure",
    "decimal",
    "dot_figure",
    "heat_figure",
    "in_points",
    "line_figure",
    "mark_figure",
    "network_figure",
    "per_cent",
    "rating",
    "strip_figure",
]
