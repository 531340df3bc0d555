"""Tutorials: each is a notebook whose cells work in a real kernel, and a page of the site."""

from pathlib import Path

import nbformat
import pytest

from tools.docsite import staging
from tools.docsite.executing import render_outputs
from tools.docsite.tutorials import TUTORIALS, build_notebook, read_cells, render_page

SOURCES = sorted((Path(__file__).resolve().parents[2] / TUTORIALS).glob("*.py"))
FRESH = "%reset -f\nimport os, pathlib\npathlib.Path('{0}').mkdir()\nos.chdir('{0}')"
SPEECH = "# %% [markdown]\n# # Title\n#\n# See [x](../a.md).\n\n# %%\na = 1\n\nb = 2\n\n# %%\nb\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_tutorial_works_in_a_notebook(execute, tmp_path):
    """Cells run from top to bottom in an empty folder, without error, warning or unfinished output."""
    assert len(SOURCES) >= 4
    cells, ends = [], []
    for source in SOURCES:
        own = [cell.text for cell in read_cells(source.read_text("utf-8")) if cell.kind == "code"]
        cells += [FRESH.format(tmp_path / source.stem), *own]
        ends.append(len(cells) - 1)
    notebook = execute(*cells)
    assert notebook.streams("stderr") == ""
    for source, end in zip(SOURCES, ends, strict=True):
        assert any("data" in one for one in notebook.cells[end]), (
            f"{source}: shows nothing at its end"
        )
    shown = "\n\n".join(render_outputs(cell) for cell in notebook.cells)
    assert shown.count('class="output"') >= 20
    assert shown.count("<table") >= 10
    assert "<svg" in shown
    assert str(tmp_path) not in shown
    assert "\x1b" not in shown
    page = (tmp_path / "notebook_analysis" / "report.html").read_text("utf-8")
    assert "imulated" in page


def test_the_percent_format_has_cells_of_text_and_code():
    """Comment signs belong to the format; blank lines inside of a cell of code stay."""
    cells = read_cells(SPEECH)
    assert cells == [
        ("markdown", "# Title\n\nSee [x](../a.md)."),
        ("code", "a = 1\n\nb = 2"),
        ("code", "b"),
    ]
    nbformat.validate(nbformat.from_dict(build_notebook(cells)))
    page = render_page(cells, name="t.py")
    assert page.startswith("# Title\n\nSee [x](../a.md).\n\nThis page is a notebook: [t.py](t.py)")
    assert page.endswith("```python\na = 1\n\nb = 2\n```\n\n```python\nb\n```\n")


def test_outputs_follow_their_cells_on_the_page():
    """HTML goes before text, texts are escaped, and no blank line ends a block of HTML early."""
    outputs = [
        {"output_type": "stream", "text": "a < b\n\nc\n"},
        {"output_type": "execute_result", "data": {"text/plain": "x", "text/html": "<b>\n\ny</b>"}},
        {"output_type": "execute_result", "data": {"text/plain": "\n".join(map(str, range(60)))}},
        {"output_type": "display_data", "data": {"application/json": {}}},
    ]
    shown = render_outputs(outputs)
    first, second, third = shown.split("\n\n")
    assert first == '<div class="output">\n<pre>a &lt; b&#10;\nc</pre>\n</div>'
    assert second == '<div class="output">\n<b>&#10;\ny</b>\n</div>'
    assert "39\n... and 20 more lines</pre>" in third
    page = render_page(read_cells(SPEECH), name="t.py", outputs=["", shown])
    assert page.endswith(f"b = 2\n```\n\n```python\nb\n```\n\n{shown}\n")


@pytest.mark.parametrize("source", ["a = 1\n# %%\nb = 2\n", "", "# %% [markdown]\n# Text\nb = 2\n"])
def test_a_tutorial_that_is_no_notebook_is_refused(source):
    """Code before the first cell, or code in a cell of text, would be lost on the page."""
    with pytest.raises(ValueError, match="begins with"):
        read_cells(source)


def test_every_tutorial_is_a_page_of_the_site():
    """Tutorials have pages, the pages are in the navigation, and links to a file lead to its page."""
    navigation = (staging.ROOT / "tools/docsite/zensical.toml").read_text("utf-8")
    for source in SOURCES:
        path = source.relative_to(staging.ROOT).as_posix()
        assert path in staging.list_sources()
        assert f'"{staging.name_page(path)}"' in navigation
    link = "[t](tutorials/own_pairs.py)"
    moved = staging.move_links(link, source="docs/python.md", page="python.md")
    assert moved == "[t](tutorials/own_pairs.md)"
