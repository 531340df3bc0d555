"""Figures drawn with matplotlib, and saved as files."""

import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Canvas

from peerjudge.analysis.findings import build_findings
from peerjudge.data import Measurement, replace
from peerjudge.errors import DataError, StoreError
from peerjudge.reporting.figures import (
    Curve,
    Curves,
    Figure,
    Grid,
    Grids,
    Histogram,
    Histograms,
    Mark,
    Row,
    Rows,
)
from peerjudge.reporting.plotting import ENDINGS, build_axes, draw, render, save_figures
from peerjudge.results.page import build_run_sections, list_figures
from peerjudge.results.plots import build_plot

HEADS = {".svg": b"<svg ", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-"}
MEASURED = Measurement(value=0.5, low=0.4, high=0.6, n=9)
NAMES = ["ann", "bob"]
CHARTS = {
    "marks": Rows(
        rows=[
            Row(name="ann", marks=[Mark(measured=MEASURED, note="0.5", printed=0.52), None]),
            Row(name="bob", marks=[Mark(measured=MEASURED), Mark(measured=MEASURED)]),
        ],
        series=("one", "two"),
        across="share",
        reference=(0.5, "half"),
    ),
    "many bounded lines": Curves(
        curves=[
            Curve(name=name, note="1", at=[0, 9], values=[1, 2], low=[1, 1], high=[1, 3], printed=2)
            for name in "abcd"
        ],
        across="battles",
        up="Elo",
    ),
    "bands": Curves(
        curves=[Curve(name="a", note="1", at=[0, 9], values=[1, 2], low=[1, 1], high=[1, 3])],
        across="battles",
        up="Elo",
    ),
    "grids": Grids(
        grids=[
            Grid(title=title, names=NAMES, shares=[[None, 0.7], [0.3, None]], battles=[[4, 4]] * 2)
            for title in ("all", "gpt4")
        ]
    ),
    "ratings": Histograms(
        panels=[Histogram(name=name, note="", counts={1: 2, 5: 1}, mean=2.3) for name in "abcd"],
        across="rating",
        up="share",
    ),
}


def figure(chart: object, note: str = "") -> Figure:
    """Return a figure of this chart."""
    return Figure(id="one", description="One & all.", chart=chart, note=note)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def figures(findings) -> dict[str, Figure]:
    """Return the figures of the page of a run."""
    return dict(list_figures(build_run_sections(findings, {})))


def test_figures_of_the_page_are_saved_in_each_form(figures, tmp_path):
    """Each figure is saved under its name as SVG, PNG and PDF."""
    assert {"accuracy", "events", "courses", "head_to_head"} <= set(figures)
    some = {name: figures[name] for name in ("events", "head_to_head")}
    files = save_figures(some, tmp_path / "figures", simulated=True)
    expected = {f"{one.id}{ending}" for one in some.values() for ending in ENDINGS}
    assert {file.name for file in files} == expected
    assert all(file.read_bytes().startswith(HEADS[file.suffix]) for file in files)


@pytest.mark.parametrize("name", CHARTS)
def test_every_kind_of_chart_is_drawn(name: str):
    """An SVG is well formed, names its figure and its description, and loads nothing."""
    one = figure(CHARTS[name])
    drawn = render(build_axes(one, simulated=False), one, ".svg").decode()
    root = ET.fromstring(drawn)
    assert (root.get("role"), root.get("aria-label")) == ("img", "One & all.")
    hosts = set(re.findall(r"http://([^/]+)/", drawn))
    assert hosts <= {"www.w3.org", "purl.org", "creativecommons.org"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_figure_is_the_same_bytes_each_time(ending: str):
    """No date, no random name: a figure under version control changes with its numbers only.

    Text of a PDF is text, in TrueType subsets that publishers accept, and no picture.
    """
    one = figure(CHARTS["marks"], note="Note.")
    first, second = (render(build_axes(one, simulated=True), one, ending) for _ in range(2))
    assert first == second
    if ending == ".pdf":
        assert b"DejaVuSans" in first
        assert b"/Subtype /Type3" not in first
        assert b"/Subtype /Image" not in first


def test_a_saved_figure_says_that_it_is_simulated(figures):
    """The word appears where it is true, and only there; the note keeps the kind of intervals."""
    one = figures["accuracy"]
    said, unsaid = (render(build_axes(one, simulated=yes), one, ".svg") for yes in (True, False))
    assert b"<!-- simulated reviewers -->" in said
    assert b"simulated" not in unsaid
    assert b"Intervals: 95 %, with the 7 questions as the unit." in unsaid
    assert b"verdicts that name the gold answer" in unsaid


def test_hostile_names_leave_a_saved_figure_well_formed(run):
    """Neither markup, formulas nor forbidden characters enter a file from the name of a condition."""
    name = "</text><script>x</script>-->\x00\x1b\ud800 & < $\\frac{$ \u6f22"
    hostile = [replace(transcript, condition=name) for transcript in run]
    for one in list_figures(build_run_sections(build_findings(hostile), {})).values():
        root = ET.fromstring(render(build_axes(one, simulated=True), one, ".svg"))
        assert not root.findall(".//{http://www.w3.org/2000/svg}script")


def test_the_settings_of_the_user_stay_and_are_not_needed():
    """Files are the same under any rcParams, which are as before afterwards, without a display.

    Commands, pages and results without a figure start without the import of matplotlib.
    """
    script = """
import hashlib, sys
import peerjudge, peerjudge.cli, peerjudge.results.reports, peerjudge.results.page
late = "matplotlib" not in sys.modules
import matplotlib as mpl
from peerjudge.data import Measurement
from peerjudge.reporting.figures import Figure, Mark, Row, Rows
from peerjudge.reporting.plotting import build_axes, render
mark = Mark(measured=Measurement(value=.5, low=.4, high=.6, n=9))
figure = Figure(id="one", description="", chart=Rows(rows=[Row(name="a", marks=[mark])], across="b"))
def save():
    return hashlib.sha256(render(build_axes(figure, simulated=False), figure, ".svg")).hexdigest()
plain = save()
mpl.rcParams.update({"font.size": 30, "font.family": "serif", "lines.linewidth": 9, "axes.facecolor": "red"})
read = lambda: {key: mpl.rcParams[key] for key in mpl.rcParams if key != "backend"}
before = read()
print(late, save() == plain, read() == before, "matplotlib.pyplot" in sys.modules)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert told.split() == ["True", "True", "True", "False"]


def test_a_plot_is_drawn_on_the_axes_of_the_user():
    """Axes of a larger figure can be given, and keep the style that the user gives them."""
    canvas = Canvas()
    left, _ = canvas.subplots(1, 2)
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 30}):
        axes = draw(figure(CHARTS["marks"]), left, simulated=False)
    assert axes is left
    assert max(text.get_fontsize() for text in axes.texts) <= 9
    axes.set_xlabel("mine")
    assert axes.get_xlabel() == "mine"
    assert [label.get_text() for label in axes.get_yticklabels()] == NAMES
    assert dict(mpl.rcParams) == before


def test_a_plot_saves_what_the_user_changed(tmp_path):
    """Axes of their own save themselves by the ending of the file, with every change of style."""
    plot = build_plot(figure(CHARTS["marks"]), simulated=False)
    plot.set_xlabel("in my words")
    assert "in my words" in plot.save(tmp_path / "one.svg").read_text("utf-8")
    assert plot.save(tmp_path / "one.png").read_bytes().startswith(HEADS[".png"])
    assert plot._repr_svg_().startswith("<svg ")
    assert repr(plot) == "<Plot one: One & all.>"
    with pytest.raises(DataError, match=r"\.svg, \.png or \.pdf"):
        plot.save(tmp_path / "one.eps")
    with pytest.raises(StoreError, match="choose another file"):
        plot.save(tmp_path / "missing" / "one.svg")


def test_a_folder_that_cannot_be_written_is_named(figures, tmp_path):
    """The message names the folder and the option to change."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another --figures folder"):
        save_figures(figures, tmp_path / "file" / "there", simulated=True)
