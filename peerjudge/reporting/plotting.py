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

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.style import context
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
    Mark,
    Rows,
    Strip,
    Strips,
)
from peerjudge.reporting.fragments import read_palette

__all__ = ["ENDINGS", "build_axes", "draw", "render", "save_figures"]

ENDINGS = (".svg", ".png", ".pdf")
"""Endings of the files that a figure is saved as."""

P = TypeVar("P")

_PALETTE = read_palette()
_SERIES = ("one", "two", "three", "four", "five", "six")
_COLOURS: Mapping[str, str] = {
    **_PALETTE,
    **{f"s{number}": _PALETTE[name] for number, name in enumerate(_SERIES)},
    "gold": _PALETTE["end"],
    "other": _PALETTE["altered"],
    "tie": _PALETTE["start"],
    "unreadable": _PALETTE["start"],
}
"""Colours by the names of styles, on white paper."""
_DASHES = ("-", (0, (4, 2)), (0, (1, 2)), (0, (6, 2, 1.5, 2)), "-", (0, (4, 2)))
_HOLLOW = {"start", "other", "tie", "unreadable"}
_SOFT: dict[str, Any] = {"fontsize": 8.0, "color": _COLOURS["soft"]}
_BOLD: dict[str, Any] = {"weight": "bold"}
_INK: dict[str, Any] = {"color": _COLOURS["ink"], "ms": 11, "mew": 1.4}
_LINES: dict[str, Any] = {"visible": True, "color": _COLOURS["grid"], "lw": 0.8}

_FONT = "DejaVu Sans"
_FALLBACKS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Microsoft YaHei", "PingFang SC")
"""Fonts of the machine for scripts that DejaVu lacks; used only where they are installed."""
_SIZE = 9.0
_WIDTHS = (24, 30, 36, 42)
"""Characters in a line of a row's name, the first that is wide enough."""
_TALL = 0.72
"""Share of the height of a panel that its plot takes; its title stands above."""
_END_OF_PDF = b"%PeerJudge\n"
_NO_GLYPH = "Glyph .* missing from font"


@contextmanager
def _own_style() -> Generator[None]:
    """Draw and save in the fonts of matplotlib, whatever the user's rcParams are; they stay as they are."""
    fallbacks = [name for name in _FALLBACKS if name in set(fontManager.get_font_names())]
    settings: dict[str, Any] = {
        "font.family": [_FONT, *fallbacks],
        "font.size": _SIZE,
        "svg.fonttype": "path",
        "svg.hashsalt": "peerjudge",
        "pdf.fonttype": 42,
    }
    with context(["default", settings]), warnings.catch_warnings():
        # A character without a glyph is drawn as a box.
        warnings.filterwarnings("ignore", message=_NO_GLYPH)
        yield


def build_axes(figure: Figure, *, simulated: bool, axes_class: type[Axes] = Axes) -> Axes:
    """Return the figure on axes of a new matplotlib figure, which has no display and no pyplot."""
    with _own_style():
        canvas = Canvas(figsize=(7.6, _measure_height(figure)))
        canvas.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
        axes = canvas.add_subplot(axes_class=axes_class)
        if figure.note:
            note = "\n".join(wrap(_clean(figure.note), 120))
            canvas.supxlabel(note, x=0.01, ha="left", **_SOFT)
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
        axes.set_title("simulated reviewers", loc="right", pad=14, **_SOFT)
    return axes


def render(axes: Axes, figure: Figure, ending: str) -> bytes:
    """Return the matplotlib figure of these axes as a file: the same bytes each time."""
    held = io.BytesIO()
    metadata: dict[str, dict[str, Any]] = {
        ".svg": {"Creator": "PeerJudge", "Date": None},
        ".png": {"Software": "PeerJudge"},
        ".pdf": {"Creator": "PeerJudge", "Producer": None, "CreationDate": None},
    }
    with _own_style():
        _get_canvas(axes).savefig(held, format=ending[1:], dpi=300, metadata=metadata[ending])
    content = held.getvalue()
    if ending == ".pdf":
        return content + _END_OF_PDF
    if ending == ".png":
        return content
    told = escape(_clean(figure.description))
    head = f'<svg id="figure-{figure.id}" role="img" aria-label="{told}" '
    # The parts of a path stand on one line.
    drawn = content.decode().replace(" \n", " ")
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
            columns, size = _count_columns(chart), len(chart.grids[0].names)
            side = min(55 * size, 600 / columns)
            inner = ceil(len(chart.grids) / columns) * side / _TALL - 40
        case Strips():
            inner = sum(27 + 40 * first for _, first in chart.groups)
        case Histograms():
            inner = 190 * ceil(len(chart.panels) / _count_columns(chart))
    return (inner + 90 + 14 * len(wrap(figure.note, 120))) / 100


def _draw_rows(axes: Axes, chart: Rows) -> None:
    axis, top, centres = chart.axis, 0.0, list[float]()
    notes = [text for row in chart.rows for text in (row.note, row.count)]
    room = _measure([*notes, *(mark.note for mark in chart.held)])
    for row in chart.rows:
        centre = top + row.height / 2
        centres.append(centre)
        for number, mark, height in row.drawn:
            _draw_mark(axes, mark, chart.style(number), top + height, axis)
            _write_beside(axes, mark.note, top + height, room)
        if (arrow := chart.arrow(row)) is not None:
            (x0, y0), (x1, y1) = arrow
            line = {"arrowstyle": "->", "shrinkA": 5, "shrinkB": 5, "color": _COLOURS["soft"]}
            axes.annotate("", (x1, top + y1), (x0, top + y0), arrowprops=line)
        _write_beside(axes, row.note, centre - 7 * bool(row.count), room)
        _write_beside(axes, row.count, centre + 8, room, **_SOFT)
        top += row.height
    _name_rows(axes, centres, [row.name for row in chart.rows], **_BOLD)
    _set_across(axes, axis, chart.across, bottom=top)
    if chart.reference is not None:
        value, name = chart.reference
        axes.axvline(value, lw=0.8, ls=(0, (3, 3)), color=_COLOURS["soft"], zorder=1)
        _write(axes, name, (value, 1), (0, 8), ("data", "axes fraction"), ha="center", **_SOFT)
    _add_keys(axes, chart.keys, raised=chart.reference is not None)


def _draw_mark(axes: Axes, mark: Mark, css: str, y: float, axis: Axis) -> None:
    """Draw a dot with its interval, beside the printed value; what is off the axis is at its end."""
    one, colour = mark.measured, _COLOURS[css]
    low, value, high = (
        min(max(end, axis.low), axis.high) for end in (one.low, one.value, one.high)
    )
    thin = css in _HOLLOW
    axes.plot([low, high], [y, y], color=colour, lw=1.2 if thin else 2, solid_capstyle="round")
    axes.plot(value, y, "o", ms=7, mew=1.5, mec=colour, mfc="white" if thin else colour)
    if mark.printed is not None:
        axes.plot(mark.printed, y, "|", **_INK)


def _draw_bars(axes: Axes, chart: Bars) -> None:
    axis, y, centres = chart.axis, 0.0, list[float]()
    names, room = (
        _measure(texts)
        for texts in ([bar.name for bar in chart.bars], [bar.note for bar in chart.bars])
    )
    for bar, is_first in chart.groups:
        y += (27 + 12 * is_first) if centres else 13.5
        centres.append(y)
        for kind, number, start in bar.drawn:
            axes.barh(y, number, 22, left=start, color=_COLOURS[kind], ec="white", lw=0.8)
            if number / axis.high > 0.02 * len(f"{number:,}") + 0.015:
                inside: dict[str, Any] = {"ha": "center", "color": "white", "fontsize": 8, **_BOLD}
                _write(axes, f"{number:,}", (start + number / 2, y), **inside)
        if is_first:
            edge = ("axes fraction", "data")
            _write(axes, bar.group, (0, y), (-names - 16, 0), edge, ha="right", **_BOLD)
        _write_beside(axes, bar.note, y, room)
    _name_rows(axes, centres, [bar.name for bar in chart.bars], color=_COLOURS["soft"])
    _set_across(axes, axis, chart.across, bottom=y + 13.5)
    _add_keys(axes, chart.keys)


def _draw_curves(axes: Axes, chart: Curves) -> None:
    x, y = chart.x, chart.y
    names = _measure([curve.name for curve in chart.curves], **_BOLD)
    room = names + 14 + _measure([one.note for one in chart.curves])
    left = 10 + (0 if chart.has_bands else 7 * len(chart.curves))
    for number, (one, height) in enumerate(zip(chart.curves, chart.heights, strict=True)):
        line: dict[str, Any] = {"color": _COLOURS[f"s{number % 6}"], "lw": 1.6}
        axes.plot(one.at, one.values, ls=_DASHES[number % 6], **line)
        if one.is_bounded and chart.has_bands:
            axes.fill_between(one.at, one.low, one.high, color=line["color"], alpha=0.1, lw=0)
        elif one.is_bounded:
            at = x.high * (1.02 + 0.02 * number)
            axes.plot([at, at], [one.low[-1], one.high[-1]], clip_on=False, **line)
            axes.plot(at, one.values[-1], "o", ms=4, clip_on=False, **line)
        if one.printed is not None:
            axes.plot(one.at[-1], one.printed, "_", clip_on=False, **_INK)
        end = (1, 1 - height / 100)
        _write(axes, one.name, end, (left, 0), "axes fraction", color=line["color"], **_BOLD)
        _write(axes, one.note, end, (left + room, 0), "axes fraction", ha="right")
    _set_ticks(axes, x, y)
    axes.grid(axis="y", **_LINES)
    axes.set_xlabel(chart.across, **_SOFT)
    is_printed = any(one.printed is not None for one in chart.curves)
    axes.set_title(chart.up, loc="left", pad=14 + 12 * is_printed, **_SOFT)
    if is_printed:
        _add_keys(axes, [("printed", "printed in the paper")])


def _draw_strips(axes: Axes, chart: Strips) -> None:
    longest = max(len(one.squares) + sum(s.fresh for s in one.squares) / 2 for one in chart.strips)
    room = _measure([one.note for one in chart.strips])
    y, centres, names = 0.0, list[float](), list[str]()
    for strip, is_first in chart.groups:
        y += 27 + 40 * is_first
        centres.append(y)
        names.append(strip.group if is_first else "")
        _draw_strip(axes, strip, y, heads=is_first)
        width = 8 * strip.share / chart.most
        axes.barh(y, width, 14, left=longest + 0.5, color=_COLOURS["start"], alpha=0.35)
        _write_beside(axes, strip.note, y, room)
    _name_rows(axes, centres, names, **_BOLD)
    axes.set(xlim=(0, longest + 8.5), ylim=(y + 16, 30), xticks=[])
    _add_keys(axes, chart.keys)


def _draw_strip(axes: Axes, strip: Strip, y: float, *, heads: bool) -> None:
    x = 0.0
    for place, square in enumerate(strip.squares):
        x += 0.5 * (square.fresh and bool(place))
        colour = _COLOURS[square.kind]
        face = "white" if square.kind in _HOLLOW else colour
        axes.add_patch(Rectangle((x + 0.06, y - 11), 0.88, 22, fc=face, ec=colour, lw=1.1))
        _write(axes, square.letter, (x + 0.5, y), ha="center", color=colour, **_BOLD)
        if heads:
            _write(axes, square.head, (x + 0.5, y - 20), ha="center", **_SOFT)
        x += 1


def _split(
    axes: Axes, panels: Sequence[P], *, columns: int, tall: float = _TALL
) -> Iterator[tuple[Axes, P, bool]]:
    """Yield axes inside these for each panel, line by line, and whether they are the first of a line."""
    axes.set_axis_off()
    width, height = 1 / columns, 1 / ceil(len(panels) / columns)
    for place, panel in enumerate(panels):
        line, column = divmod(place, columns)
        corner = (column * width, 1 - (line + 1) * height)
        inner = axes.inset_axes((*corner, 0.88 * width, tall * height))
        _clear_frame(inner)
        yield inner, panel, column == 0


def _count_columns(chart: Grids | Histograms) -> int:
    """Return how many panels stand side by side."""
    if isinstance(chart, Histograms):
        return 2 if len(chart.panels) in {2, 4} else 3
    return max(1, min(len(chart.grids), 18 // max(len(chart.grids[0].names), 1)))


def _draw_grid(axes: Axes, grid: Grid, *, named: bool) -> None:
    size = len(grid.names)
    for row, shares in enumerate(grid.shares):
        for column, won in enumerate(shares):
            if row == column:
                face = (_COLOURS["grid"], 0.55)
                axes.add_patch(Rectangle((column, row), 1, 1, fc=face, lw=0))
            elif won is not None:
                css, strength, percent = Grids.shade(won)
                face = (_COLOURS[css], strength)
                axes.add_patch(Rectangle((column, row), 1, 1, fc=face, ec=_COLOURS["grid"]))
                _write(axes, percent, (column + 0.5, row + 0.5), ha="center", fontsize=8)
    middles, names = [place + 0.5 for place in range(size)], list(map(_clean, grid.names))
    words: dict[str, Any] = {"parse_math": False, "fontsize": _SIZE, "color": _COLOURS["ink"]}
    axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal", anchor="NW")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(middles, names, rotation=40, ha="left", rotation_mode="anchor", **words)
    axes.set_yticks(middles, names if named else [""] * size, **words)
    axes.set_title(_clean(grid.title), loc="left", **words, **_BOLD)


def _draw_histograms(axes: Axes, chart: Histograms) -> None:
    columns = _count_columns(chart)
    for inner, one, is_first in _split(axes, chart.panels, columns=columns, tall=0.56):
        points, heights = list(one.shares), list(one.shares.values())
        inner.bar(points, heights, 0.84, color=_COLOURS["end"], alpha=0.55)
        inner.axvline(one.mean, lw=1.3, color=_COLOURS["ink"])
        _set_ticks(inner, chart.x, chart.y)
        inner.tick_params(labelleft=is_first)
        inner.grid(axis="y", **_LINES)
        _write(inner, one.name, (0, 1), (0, 24), "axes fraction", **_BOLD)
        _write(inner, one.note, (0, 1), (0, 10), "axes fraction", **_SOFT)
    axes.set_title(f"{chart.up}, by {chart.across}", loc="left", pad=14, **_SOFT)


def _clear_frame(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8, labelcolor=_COLOURS["soft"])


def _set_ticks(axes: Axes, x: Axis, y: Axis) -> None:
    axes.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
    axes.set_xticks([at for at, _ in x.ticks], [label for _, label in x.ticks])
    axes.set_yticks([at for at, _ in y.ticks], [label for _, label in y.ticks])


def _set_across(axes: Axes, axis: Axis, name: str, *, bottom: float) -> None:
    """Set the limits and ticks of the horizontal axis, whose rows reach from zero to the bottom."""
    axes.set(xlim=(axis.low, axis.high), ylim=(bottom, 0))
    axes.set_xticks([at for at, _ in axis.ticks], [label for _, label in axis.ticks])
    axes.grid(axis="x", **_LINES)
    axes.set_xlabel(_clean(name), parse_math=False, **_SOFT)


def _name_rows(axes: Axes, heights: Sequence[float], names: Sequence[str], **look: Any) -> None:  # noqa: ANN401
    """Write the names of rows on two lines, as short as they can be, with an ellipsis for what is cut."""
    labels = list[str]()
    for name in map(_clean, names):
        lines = min((wrap(name, width) for width in _WIDTHS), key=lambda one: max(len(one), 2))
        labels.append("\n".join(lines if len(lines) < 3 else (lines[0], f"{lines[1][:-1]}\u2026")))
    words: dict[str, Any] = {"color": _COLOURS["ink"], "fontsize": _SIZE, **look}
    axes.set_yticks(heights, labels, parse_math=False, **words)


def _write(
    axes: Axes,
    words: str,
    place: tuple[float, float],
    shift: tuple[float, float] = (0, 0),
    coords: str | tuple[str, str] = "data",
    **look: Any,  # noqa: ANN401
) -> None:
    """Write words at a place, shifted by points; dollar signs are no formulas."""
    style: dict[str, Any] = {"va": "center", "fontsize": _SIZE, **look}
    if words:
        axes.annotate(
            _clean(words),
            place,
            shift,
            xycoords=coords,
            textcoords="offset points",
            parse_math=False,
            **style,
        )


def _write_beside(axes: Axes, words: str, y: float, room: float, **look: Any) -> None:  # noqa: ANN401
    """Write words right of the plot, aligned at the right of a column as wide as the room in points."""
    _write(axes, words, (1, y), (room + 12, 0), ("axes fraction", "data"), ha="right", **look)


def _measure(texts: Sequence[str], *, weight: str = "normal") -> float:
    """Return the width of the widest text in points."""
    font = FontProperties(family=_FONT, weight=weight)
    held = [_clean(text).replace("$", "S") for text in texts if text.strip()]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_NO_GLYPH)
        paths = [TextPath((0, 0), text, size=_SIZE, prop=font) for text in held]
    return max((float(path.get_extents().width) for path in paths), default=0.0)


def _add_keys(axes: Axes, keys: Sequence[tuple[str, str]], *, raised: bool = False) -> None:
    """Write the names of styles above the plot, each beside its symbol."""
    if not keys:
        return
    found = axes.legend(
        [_build_symbol(css) for css, _ in keys],
        [_clean(name) for _, name in keys],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=1.9 if raised else 0.6,
        borderpad=0,
        ncols=len(keys),
        frameon=False,
        handlelength=1,
        handletextpad=0.5,
        columnspacing=1.5,
        fontsize=8,
        labelcolor=_COLOURS["soft"],
    )
    for text in found.get_texts():
        text.set_parse_math(False)


def _build_symbol(css: str) -> Line2D | Patch:
    if css == "printed":
        return Line2D([], [], ls="", marker="|", **_INK)
    colour = _COLOURS[css]
    face = "white" if css in _HOLLOW else colour
    if css == "start" or css[1:].isdigit():
        return Line2D([], [], ls="", marker="o", ms=7, mew=1.5, mec=colour, mfc=face)
    return Patch(fc=face, ec=colour)


def _clean(words: str) -> str:
    """Return words without characters that no font and no SVG document has."""
    return mark_controls(words).encode("utf-8", errors="replace").decode("utf-8")
