"""Figures drawn with matplotlib: on axes that users restyle, and as SVG, PDF and PNG files."""

# Keyword arguments have no types in matplotlib.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import io
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.textpath import TextPath

from peerjudge.errors import DataError, StoreError
from peerjudge.marks import mark_controls
from peerjudge.reporting.figures import (
    Axis,
    Bars,
    Curves,
    Figure,
    Grid,
    Grids,
    Histograms,
    Rows,
    Strip,
    Strips,
)
from peerjudge.reporting.rendering import read_palette

__all__ = ["ENDINGS", "build_axes", "draw", "render", "save_figures"]

ENDINGS = (".svg", ".png", ".pdf")
"""Endings of the files that a figure is saved as."""

P = TypeVar("P")

_WIDTH = 7.6
_SMALL, _MEDIUM = 8.0, 9.0
_DPI = 300
_SERIES = ("one", "two", "three", "four", "five", "six")
_DASHES = ("-", (0, (4, 2)), (0, (1, 2)), (0, (6, 2, 1.5, 2)), "-", (0, (4, 2)))
_END_OF_PDF = b"%PeerJudge\n"
_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "PingFang SC",
    "Malgun Gothic",
)
"""Fonts of the machine for scripts that DejaVu lacks; used only where they are installed."""


@contextmanager
def own_style() -> Generator[None]:
    """Draw and save in the fonts of matplotlib, whatever the user's rcParams are; they stay as they are."""
    fallbacks = [name for name in _FALLBACKS if name in set(fontManager.get_font_names())]
    settings: dict[str, Any] = {
        "font.family": ["DejaVu Sans", *fallbacks],
        "font.size": _MEDIUM,
        "svg.fonttype": "path",
        "svg.hashsalt": "peerjudge",
        "pdf.fonttype": 42,
    }
    with style.context(["default", settings]), warnings.catch_warnings():
        # A character without a glyph is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def build_axes(figure: Figure, *, simulated: bool, axes_class: type[Axes] = Axes) -> Axes:
    """Return the figure on axes of a new matplotlib figure, which has no display and no pyplot."""
    with own_style():
        canvas = Canvas(figsize=(_WIDTH, _measure_height(figure)))
        canvas.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
        axes = canvas.add_subplot(axes_class=axes_class)
        if figure.note:
            note = "\n".join(wrap(_clean(figure.note), 120))
            canvas.supxlabel(note, x=0.01, ha="left", fontsize=_SMALL, color=_colour("soft"))
        return draw(figure, axes, simulated=simulated)


def draw(figure: Figure, axes: Axes, *, simulated: bool) -> Axes:
    """Draw the figure on these axes and return them."""
    chart = figure.chart
    _clear_frame(axes)
    match chart:
        case Rows():
            _draw_rows(axes, chart)
        case Bars():
            _draw_bars(axes, chart)
        case Curves():
            _draw_curves(axes, chart)
        case Grids():
            for inner, grid, is_first in _split(axes, chart.grids, columns=_count_columns(chart)):
                _draw_grid(inner, grid, named=is_first)
        case Strips():
            _draw_strips(axes, chart)
        case Histograms():
            _draw_histograms(axes, chart)
    if simulated:
        pad = 20.0 if isinstance(chart, Grids) else 14.0
        axes.set_title(
            "simulated reviewers", loc="right", pad=pad, fontsize=_SMALL, color=_colour("soft")
        )
    return axes


def render(axes: Axes, figure: Figure, ending: str) -> bytes:
    """Return the matplotlib figure of these axes as a file: the same bytes each time."""
    held = io.BytesIO()
    metadata: dict[str, dict[str, Any]] = {
        ".svg": {"Creator": "PeerJudge", "Date": None},
        ".png": {"Software": "PeerJudge"},
        ".pdf": {"Creator": "PeerJudge", "Producer": None, "CreationDate": None},
    }
    with own_style():
        _get_canvas(axes).savefig(held, format=ending[1:], dpi=_DPI, metadata=metadata[ending])
    content = held.getvalue()
    if ending == ".pdf":
        return content + _END_OF_PDF
    if ending == ".png":
        return content
    told = escape(_clean(figure.description))
    head = f'<svg id="figure-{figure.id}" role="img" aria-label="{told}" '
    drawn = content.decode()
    return (head + drawn[drawn.index("<svg ") + 5 :]).encode()


def _get_canvas(axes: Axes) -> Canvas:
    canvas = axes.get_figure(root=True)
    if canvas is None:
        msg = "these axes were removed from their figure; call `plot` again"
        raise DataError(msg)
    return canvas


def save_figures(
    figures: Mapping[str, Figure], folder: Path, *, simulated: bool
) -> tuple[Path, ...]:
    """Write every figure into the folder, as `NAME.svg`, `NAME.png` and `NAME.pdf`, and return the files.

    Raises:
        StoreError: the folder cannot be written.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures.values():
            axes = build_axes(figure, simulated=simulated)
            for ending in ENDINGS:
                path = folder / f"{figure.id}{ending}"
                path.write_bytes(render(axes, figure, ending))
                written.append(path)
                # The space for words is found once.
                _get_canvas(axes).set_layout_engine("none")
    except OSError as cause:
        msg = f"cannot write figures to {folder}: {cause.strerror}; choose another --figures folder"
        raise StoreError(msg) from cause
    return tuple(written)


def _measure_height(figure: Figure) -> float:
    """Return the height of a figure in inches."""
    chart = figure.chart
    match chart:
        case Rows():
            inner = sum(row.height for row in chart.rows)
        case Bars():
            inner = sum(27 + 12 * first for _, first in chart.groups)
        case Curves():
            inner = 264
        case Grids():
            lines = ceil(len(chart.grids) / _count_columns(chart))
            inner = lines * (110 + min(340, 50 * len(chart.grids[0].names)))
        case Strips():
            inner = sum(27 + 40 * first for _, first in chart.groups)
        case Histograms():
            inner = 190 * ceil(len(chart.panels) / 3)
    return (inner + 90 + 14 * len(wrap(figure.note, 120))) / 100


def _draw_rows(axes: Axes, chart: Rows) -> None:
    axis, top, centres = chart.axis, 0.0, list[float]()
    for row in chart.rows:
        centres.append(top + row.height / 2)
        for number, mark, height in row.drawn:
            one, y, css = mark.measured, top + height, chart.style(number)
            colour = _colour("start" if css == "start" else _SERIES[int(css[1])])
            bounds = [_inside(axis, end) for end in (one.low, one.high)]
            axes.plot(
                bounds,
                [y, y],
                color=colour,
                lw=1.2 if css == "start" else 2,
                solid_capstyle="round",
            )
            axes.plot(
                _inside(axis, one.value), y, "o", ms=7, mew=1.5, mec=colour,
                mfc="white" if css == "start" else colour,
            )  # fmt: skip
            if mark.printed is not None:
                axes.plot(mark.printed, y, "|", ms=11, mew=1.4, color=_colour("ink"))
        if (ends := chart.arrow(row)) is not None:
            (x0, y0), (x1, y1) = ends
            axes.annotate(
                "", (x1, top + y1), (x0, top + y0),
                arrowprops={"arrowstyle": "->", "shrinkA": 5, "shrinkB": 5, "color": _colour("soft")},
            )  # fmt: skip
        top += row.height
    _name_rows(axes, centres, [row.name for row in chart.rows])
    _note_rows(axes, chart, centres)
    _set_across(axes, axis, chart.across, bottom=top)
    if chart.reference is not None:
        value, name = chart.reference
        axes.axvline(value, lw=0.8, ls=(0, (3, 3)), color=_colour("soft"), zorder=1)
        axes.annotate(
            name, (value, 1), (0, 4), xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="center", fontsize=_SMALL, color=_colour("soft"),
        )  # fmt: skip
    _add_keys(axes, chart.keys, raised=chart.reference is not None)


def _note_rows(axes: Axes, chart: Rows, centres: Sequence[float]) -> None:
    """Write the values of each row right of it, and what they rest on below them."""
    notes = [(row.note, row.count) for row in chart.rows]
    marked = [mark.note for mark in chart.held]
    room = _measure_words([*(text for pair in notes for text in pair), *marked])
    for centre, row in zip(centres, chart.rows, strict=True):
        _write_note(axes, row.note, centre - 7 * bool(row.count), room)
        _write_note(axes, row.count, centre + 8, room, soft=True)
        for _, mark, height in row.drawn:
            _write_note(axes, mark.note, centre + height - row.height / 2, room)


def _draw_bars(axes: Axes, chart: Bars) -> None:
    axis, y, centres = chart.axis, 0.0, list[float]()
    roles = _measure_words([bar.name for bar in chart.bars])
    room = _measure_words([bar.note for bar in chart.bars])
    for bar, is_first in chart.groups:
        y += 12 * (is_first and bool(centres))
        centres.append(y + 13.5)
        for kind, number, start in bar.drawn:
            axes.barh(
                y + 13.5, number, left=start, height=22, color=_colour(kind), ec="white", lw=0.8
            )
            if number / axis.high > 0.02 * len(f"{number:,}") + 0.015:
                axes.text(
                    start + number / 2, y + 14, f"{number:,}", ha="center", va="center",
                    color="white", weight="bold", fontsize=_SMALL,
                )  # fmt: skip
        if is_first:
            axes.annotate(
                _clean(bar.group), (0, y + 13.5), (-roles - 16, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="right", va="center", weight="bold", parse_math=False,
            )  # fmt: skip
        _write_note(axes, bar.note, y + 13.5, room)
        y += 27
    _name_rows(axes, centres, [bar.name for bar in chart.bars], soft=True)
    _set_across(axes, axis, chart.across, bottom=y)
    _add_keys(axes, chart.keys)


def _draw_curves(axes: Axes, chart: Curves) -> None:
    x, y = chart.x, chart.y
    room = _measure_words([one.note for one in chart.curves])
    names = _measure_words([one.name for one in chart.curves], bold=True)
    for number, (one, height) in enumerate(zip(chart.curves, chart.heights, strict=True)):
        colour = _colour(_SERIES[number % 6])
        axes.plot(one.at, one.values, color=colour, lw=1.6, ls=_DASHES[number % 6])
        if one.is_bounded and chart.has_bands:
            axes.fill_between(one.at, one.low, one.high, color=colour, alpha=0.1, lw=0)
        elif one.is_bounded:
            at = x.high * (1.02 + 0.02 * number)
            axes.plot([at, at], [one.low[-1], one.high[-1]], color=colour, lw=1.6, clip_on=False)
            axes.plot(at, one.values[-1], "o", ms=4, color=colour, clip_on=False)
        if one.printed is not None:
            axes.plot(
                one.at[-1], one.printed, "_", ms=11, mew=1.4, color=_colour("ink"), clip_on=False
            )
        left = 10 + (0 if chart.has_bands else 7 * len(chart.curves))
        at_end: dict[str, Any] = {
            "xycoords": "axes fraction", "textcoords": "offset points", "va": "center", "parse_math": False,
        }  # fmt: skip
        place = (1, 1 - height / 100)
        axes.annotate(_clean(one.name), place, (left, 0), color=colour, weight="bold", **at_end)
        axes.annotate(_clean(one.note), place, (left + names + 14 + room, 0), ha="right", **at_end)
    axes.set_xlim(x.low, x.high)
    axes.set_ylim(y.low, y.high)
    axes.set_xticks([at for at, _ in x.ticks], [name for _, name in x.ticks])
    axes.set_yticks([at for at, _ in y.ticks], [name for _, name in y.ticks])
    axes.grid(visible=True, axis="y", color=_colour("grid"), lw=0.8)
    axes.set_xlabel(_clean(chart.across), fontsize=_SMALL, color=_colour("soft"))
    axes.set_title(
        _clean(chart.up),
        loc="left",
        pad=14,
        fontsize=_SMALL,
        color=_colour("soft"),
        parse_math=False,
    )
    if any(one.printed is not None for one in chart.curves):
        _add_keys(axes, [("printed", "printed in the paper")])


def _draw_strips(axes: Axes, chart: Strips) -> None:
    longest = max(len(one.squares) + sum(s.fresh for s in one.squares) / 2 for one in chart.strips)
    room = _measure_words([one.note for one in chart.strips])
    y, centres, names = 0.0, list[float](), list[str]()
    for strip, is_first in chart.groups:
        y += 40 * is_first
        centres.append(y + 11)
        names.append(strip.group if is_first else "")
        _draw_strip(axes, strip, y, heads=is_first)
        axes.barh(
            y + 11, strip.share / chart.most * 8, left=longest + 0.5, height=14,
            color=_colour("start"), alpha=0.35,
        )  # fmt: skip
        _write_note(axes, strip.note, y + 11, room)
        y += 27
    _name_rows(axes, centres, names)
    axes.set_xlim(0, longest + 8.5)
    axes.set_ylim(y, 10)
    axes.set_xticks([])
    _add_keys(axes, chart.keys)


def _draw_strip(axes: Axes, strip: Strip, y: float, *, heads: bool) -> None:
    x = 0.0
    for place, square in enumerate(strip.squares):
        x += 0.5 * (square.fresh and bool(place))
        colour = {"gold": "end", "other": "altered"}.get(square.kind, "start")
        face = _colour(colour) if square.kind == "gold" else "white"
        axes.add_patch(Rectangle((x + 0.06, y), 0.88, 22, fc=face, ec=_colour(colour), lw=1.1))
        middle: dict[str, Any] = {"ha": "center", "va": "center"}
        axes.text(x + 0.5, y + 11, square.letter, color=_colour(colour), weight="bold", **middle)
        if heads:
            axes.text(x + 0.5, y - 9, square.head, fontsize=_SMALL, color=_colour("soft"), **middle)
        x += 1


def _count_columns(chart: Grids) -> int:
    """Return how many heat maps stand side by side."""
    return max(1, min(len(chart.grids), 18 // max(len(chart.grids[0].names), 1)))


def _split(axes: Axes, panels: Sequence[P], *, columns: int) -> Iterator[tuple[Axes, P, bool]]:
    """Yield axes inside these for each panel, line by line, and whether they are the first of a line."""
    axes.set_axis_off()
    lines = ceil(len(panels) / columns)
    width, height = 1 / columns, 1 / lines
    for place, panel in enumerate(panels):
        line, column = divmod(place, columns)
        inner = axes.inset_axes(
            (column * width, 1 - (line + 1) * height, 0.88 * width, 0.72 * height)
        )
        _clear_frame(inner)
        yield inner, panel, column == 0


def _clear_frame(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=_SMALL, labelcolor=_colour("soft"))


def _draw_grid(axes: Axes, grid: Grid, *, named: bool) -> None:
    size = len(grid.names)
    for row, shares in enumerate(grid.shares):
        for column, won in enumerate(shares):
            corner = (column, row)
            if row == column:
                axes.add_patch(Rectangle(corner, 1, 1, fc=_colour("grid"), alpha=0.55, lw=0))
            elif won is not None:
                name, strength, percent = Grids.shade(won)
                axes.add_patch(
                    Rectangle(corner, 1, 1, fc=(_colour(name), strength), ec=_colour("grid"))
                )
                axes.text(
                    column + 0.5, row + 0.5, percent, ha="center", va="center", fontsize=_SMALL
                )
    middles = [place + 0.5 for place in range(size)]
    names = [_clean(name) for name in grid.names]
    axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal", anchor="NW")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(
        middles, names, rotation=40, ha="left", rotation_mode="anchor", parse_math=False
    )
    axes.set_yticks(middles, names if named else [""] * size, parse_math=False)
    axes.tick_params(labelcolor=_colour("ink"), labelsize=_MEDIUM)
    axes.set_title(
        _clean(grid.title), loc="left", fontsize=_MEDIUM, weight="bold", parse_math=False
    )


def _draw_histograms(axes: Axes, chart: Histograms) -> None:
    x, y = chart.x, chart.y

    columns = 2 if len(chart.panels) in {2, 4} else 3
    for inner, one, is_first in _split(axes, chart.panels, columns=columns):
        inner.bar(
            list(one.shares), list(one.shares.values()), 0.84, color=_colour("end"), alpha=0.55
        )
        inner.axvline(one.mean, lw=1.3, color=_colour("ink"))
        inner.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
        inner.set_xticks([at for at, _ in x.ticks], [name for _, name in x.ticks])
        inner.set_yticks(
            [at for at, _ in y.ticks], [name if is_first else "" for _, name in y.ticks]
        )
        inner.grid(visible=True, axis="y", color=_colour("grid"), lw=0.8)
        inner.set_title(
            f"{_clean(one.name)}\n", loc="left", fontsize=_MEDIUM, weight="bold", parse_math=False
        )
        inner.annotate(
            _clean(one.note), (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points",
            fontsize=_SMALL, color=_colour("soft"), parse_math=False,
        )  # fmt: skip
    axes.set_title(
        f"{chart.up}, by {chart.across}", loc="left", pad=14, fontsize=_SMALL, color=_colour("soft")
    )


def _set_across(axes: Axes, axis: Axis, name: str, *, bottom: float) -> None:
    """Set the limits and ticks of the horizontal axis, whose rows reach from zero to the bottom."""
    axes.set_xlim(axis.low, axis.high)
    axes.set_ylim(bottom, 0)
    axes.set_xticks([at for at, _ in axis.ticks], [label for _, label in axis.ticks])
    axes.grid(visible=True, axis="x", color=_colour("grid"), lw=0.8)
    axes.set_xlabel(_clean(name), fontsize=_SMALL, color=_colour("soft"), parse_math=False)


def _name_rows(
    axes: Axes, heights: Sequence[float], names: Sequence[str], *, soft: bool = False
) -> None:
    axes.set_yticks(
        heights,
        [_shorten(name) for name in names],
        parse_math=False,
        weight="normal" if soft else "bold",
        color=_colour("soft" if soft else "ink"),
        fontsize=_MEDIUM,
    )


def _write_note(axes: Axes, words: str, y: float, room: float, *, soft: bool = False) -> None:
    """Write words right of the plot, aligned at the right of a column as wide as the room in points."""
    if words:
        axes.annotate(
            _clean(words), (1, y), (room + 12, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", va="center", parse_math=False,
            fontsize=_SMALL if soft else _MEDIUM, color=_colour("soft" if soft else "ink"),
        )  # fmt: skip


def _measure_words(texts: Sequence[str], *, bold: bool = False) -> float:
    """Return the width of the widest text in points."""
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    held = [_clean(text) for text in texts if text.strip()]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        paths = [TextPath((0, 0), text.replace("$", "S"), size=_MEDIUM, prop=font) for text in held]
    return max((float(path.get_extents().width) for path in paths), default=0.0)


def _add_keys(axes: Axes, keys: Sequence[tuple[str, str]], *, raised: bool = False) -> None:
    """Write the names of styles above the plot, each beside its symbol."""
    if not keys:
        return
    found = axes.legend(
        [_build_symbol(css) for css, _ in keys],
        [_clean(name) for _, name in keys],
        loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=1.9 if raised else 0.6, borderpad=0,
        ncols=len(keys), frameon=False, handlelength=1, handletextpad=0.5, columnspacing=1.5,
        fontsize=_SMALL, labelcolor=_colour("soft"),
    )  # fmt: skip
    for text in found.get_texts():
        text.set_parse_math(False)


def _build_symbol(css: str) -> Line2D | Patch:
    if css == "printed":
        return Line2D([], [], ls="", marker="|", ms=10, mew=1.4, color=_colour("ink"))
    if css == "start" or (css[0] == "s" and css[1:].isdigit()):
        colour = _colour("start" if css == "start" else _SERIES[int(css[1])])
        face = "white" if css == "start" else colour
        return Line2D([], [], ls="", marker="o", ms=7, mew=1.5, mec=colour, mfc=face)
    colour = _colour(
        {"gold": "end", "other": "altered"}.get(css, css if css in read_palette() else "start")
    )
    face = "white" if css in {"other", "tie", "unreadable"} else colour
    return Patch(fc=face, ec=colour)


def _inside(axis: Axis, value: float) -> float:
    return min(max(value, axis.low), axis.high)


def _colour(name: str) -> str:
    return read_palette()[name]


def _clean(words: str) -> str:
    """Return words without characters that no font and no SVG document has."""
    return mark_controls(words).encode("utf-8", errors="replace").decode("utf-8")


def _shorten(name: str) -> str:
    """Return a name on at most two lines, with an ellipsis for what is cut."""
    lines = wrap(_clean(name), 24)
    return "\n".join(lines if len(lines) < 3 else (lines[0], f"{lines[1][:23]}\u2026"))
