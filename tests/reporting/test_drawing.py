"""Figures as files."""

import base64
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from peerjudge.analysis.findings import build_findings
from peerjudge.data import Transcript, replace
from peerjudge.errors import StoreError
from peerjudge.reporting import draw_run_figures, save_figures
from peerjudge.reporting.drawing import render_svg
from peerjudge.reporting.rendering import find_renderers

PNG = b"\x89PNG\r\n\x1a\n"


def test_every_figure_of_the_page_is_saved_in_each_form(
    run: tuple[Transcript, ...], tmp_path: Path
) -> None:
    """Each figure is saved under its name, as SVG, and as PNG and PDF where their packages are."""
    figures = draw_run_figures(build_findings(run))
    files, missing = save_figures(figures, tmp_path / "figures", simulated=True)
    assert {file.stem for file in files} == {figure.id for figure in figures.values()}
    assert {"accuracy", "events", "weights", "head-to-head"} <= {file.stem for file in files}
    for ending, head in ((".svg", b"<svg"), (".png", PNG), (".pdf", b"%PDF-")):
        saved = [file for file in files if file.suffix == ending]
        assert len(saved) == len(figures) or ending[1:].upper() in missing
        assert all(file.read_bytes().startswith(head) for file in saved)


def test_a_pdf_embeds_the_two_fonts_of_its_text_and_no_picture(run: tuple[Transcript, ...]) -> None:
    """Text of a PDF is text, in subsets of the embedded font, and lines are lines."""
    pytest.importorskip("svg2pdf_py", reason="pip install 'peerjudge[pdf]'")
    figure = draw_run_figures(build_findings(run))["accuracy"]
    document = find_renderers()[0][".pdf"](render_svg(figure, simulated=True))
    assert set(re.findall(rb"/FontName /[A-Z]{6}\+(\S+)", document)) == {
        b"Arimo-Regular",
        b"Arimo-SemiBold",
    }
    assert b"/Subtype /Image" not in document


def test_a_saved_svg_has_the_letters_that_it_uses(run: tuple[Transcript, ...]) -> None:
    """Both weights are in the file, at a tenth of the whole font, and the drawing is unchanged."""
    pytest.importorskip("fontTools")
    drawn = render_svg(draw_run_figures(build_findings(run))["accuracy"], simulated=True)
    embed = find_renderers()[0][".svg"]
    saved = embed(drawn)
    assert embed(drawn) == saved
    assert saved.split(b"</style>")[1] == drawn.encode().split(b"</style>")[1]
    ET.fromstring(saved)
    found = re.findall(rb"font-weight: (\d+); src: url\(data:font/woff;base64,([^)]+)\)", saved)
    assert [weight for weight, _ in found] == [b"400", b"600"]
    for _, font in found:
        assert base64.b64decode(font).startswith(b"wOFF")
        assert len(font) < 20_000


def test_a_saved_figure_needs_nothing_from_the_page(run: tuple[Transcript, ...]) -> None:
    """Colours are written out, as few programs support custom properties, and nothing is loaded."""
    for figure in draw_run_figures(build_findings(run)).values():
        drawn = render_svg(figure, simulated=True)
        root = ET.fromstring(drawn)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in drawn
        assert "href" not in drawn
        assert "simulated reviewers" in drawn


def test_a_figure_of_real_models_does_not_say_simulated(run: tuple[Transcript, ...]) -> None:
    """The word appears only where it is true."""
    figure = draw_run_figures(build_findings(run))["accuracy"]
    assert "simulated" not in render_svg(figure, simulated=False).split("</style>")[1].lower()


def test_hostile_names_leave_a_saved_figure_well_formed(run: tuple[Transcript, ...]) -> None:
    """Neither markup nor forbidden characters enter the file from the name of a condition."""
    name = "</text><script>x</script>\x00\x1b\ud800 & <"
    hostile = [replace(transcript, condition=name) for transcript in run]
    for figure in draw_run_figures(build_findings(hostile)).values():
        root = ET.fromstring(render_svg(figure, simulated=True))
        assert not root.findall(".//{http://www.w3.org/2000/svg}script")


def test_without_the_packages_the_svgs_are_there_and_a_sentence_says_why(tmp_path: Path) -> None:
    """Nothing is lost but PNG, PDF and the fonts, and the sentence names what to install."""
    script = f"""
import sys
sys.modules |= dict.fromkeys(("fontTools", "resvg_py", "svg2pdf_py"))
from pathlib import Path
from peerjudge.reporting.drawing import Figure, save_figures
from peerjudge.reporting.figures import draw_bars, Counts
drawing = draw_bars([Counts(group="ann", name="leader", note="", parts=[("held", "", 3)])], across="times")
figure = Figure(id="one", description="One.", drawing=drawing)
files, missing = save_figures({{"one": figure}}, Path({str(tmp_path)!r}), simulated=False)
print([file.name for file in files], missing)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert "['one.svg']" in told
    assert "PNG needs `pip install 'peerjudge[figures]'`" in told
    assert "PDF needs `pip install 'peerjudge[pdf]'`" in told


def test_a_folder_that_cannot_be_written_is_named(
    run: tuple[Transcript, ...], tmp_path: Path
) -> None:
    """The message names the folder and the option to change."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another --figures folder"):
        save_figures(
            draw_run_figures(build_findings(run)), tmp_path / "file" / "there", simulated=True
        )


def test_figures_have_words_on_a_machine_without_fonts() -> None:
    """The fonts of the machine are not loaded; text of all weights is written in the embedded font."""
    script = """
import resvg_py
draw = resvg_py.svg_to_bytes
def svg_to_bytes(**options):
    assert options["skip_system_fonts"] is True
    return draw(**options)
resvg_py.svg_to_bytes = svg_to_bytes
from peerjudge.reporting.rendering import find_renderers
render = find_renderers()[0][".png"]
svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20">' \
      '<text y="15" font-family="Helvetica, Arial, sans-serif" font-weight="%d">%s</text></svg>'
text = "\u03ba = \u22121"
print(len({render(svg % (400, text)), render(svg % (600, text)), render(svg % (400, ""))}))
"""
    pytest.importorskip("resvg_py")
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert told.strip() == "3"


def test_names_in_other_scripts_may_use_the_fonts_of_the_machine() -> None:
    """The embedded font has no Chinese; a machine that has a font for it writes such names."""
    pytest.importorskip("resvg_py")
    render = find_renderers()[0][".png"]
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><text y="15">\u6f22</text></svg>'
    assert render(svg).startswith(PNG)


def test_a_figure_says_at_its_foot_how_its_intervals_are_made(run: tuple[Transcript, ...]) -> None:
    """A pasted figure keeps its level and its unit of resampling; its axis has a name."""
    drawn = render_svg(draw_run_figures(build_findings(run))["accuracy"], simulated=True)
    assert "Intervals: 95 %, with the 7 questions as the unit." in drawn
    assert "verdicts that name the gold answer" in drawn
    assert "conclusions</text>" in drawn
