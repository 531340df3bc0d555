"""Geometry of figures: every figure becomes a list of shapes in the units of the SVG view box."""

from peerjudge.reporting.figures.lines import Series, draw_lines
from peerjudge.reporting.figures.network import Link, draw_network
from peerjudge.reporting.figures.rows import (
    Counts,
    Marked,
    Values,
    draw_bars,
    draw_dots,
    draw_marks,
)
from peerjudge.reporting.figures.shapes import WIDTH, Drawing, Shape, text
from peerjudge.reporting.figures.squares import Grid, Square, Strip, draw_heat_maps, draw_strips

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
    "draw_bars",
    "draw_dots",
    "draw_heat_maps",
    "draw_lines",
    "draw_marks",
    "draw_network",
    "draw_strips",
    "text",
]
