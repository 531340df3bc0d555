"""Tables and sections."""

import io

from rich.console import Console

from peerjudge.data import Measurement
from peerjudge.reporting.formats import minus_signs
from peerjudge.reporting.fragments import render_html, render_text
from peerjudge.reporting.latex import render_latex
from peerjudge.reporting.layout import Column, build_section, build_table, print_table
from peerjudge.results.ways import build_ways_table


def test_the_terminal_and_the_page_show_the_same_cells(findings, page):
    """A table has one definition: every heading and number of it appears in both outputs."""
    table = build_ways_table(findings.ways, simulated=findings.simulated)
    console = Console(file=io.StringIO(), width=200, highlight=False, no_color=True)
    print_table(table, console)
    printed = console.file.getvalue()
    for row in (table.headings, *table.rows):
        for cell in row:
            assert cell in printed
            value, _, bounds = minus_signs(cell).partition(" [")
            assert value in page
            assert bounds in page


def test_a_column_without_values_is_left_out():
    """A column of missing cells has no heading, unless in a group or if no column has a value."""
    columns = (("Name", str), ("Empty", lambda _: "-"), ("Length", lambda name: str(len(name))))
    assert build_table("t", ["ann", "bob"], *columns).headings == ("Name", "Length")
    grouped = build_table("t", ["ann"], *columns, groups=(("All", 2),))
    assert grouped.headings == ("Name", "Empty", "Length")
    without_values = build_table("t", ["ann"], *columns[:2])
    assert without_values.rows == (("ann", "-"),)


def test_a_table_can_be_reduced_to_some_columns():
    """The columns that fit 80 letters are chosen by their headings."""
    table = build_table("t", ["ann"], ("Name", str), ("First", lambda x: x[0]), ("Last", max))
    assert table.only("Name", "Last", "Unknown").rows == (("ann", "n"),)


def test_a_section_of_sentences_only_is_left_out():
    """An explanation without a figure or a table explains nothing, unless it states the reason."""
    empty = build_table("t", list[str](), ("Name", str))
    assert build_section("Title", "Meaning.", empty, None) is None
    kept = build_section("Some title", "No ranking.", required=True)
    assert (kept.id, kept.parts) == ("some-title", ["No ranking."])


def test_a_table_wider_than_the_terminal_loses_nothing():
    """Cells are broken into lines where they do not fit, and not cut off."""
    console = Console(file=io.StringIO(), width=40, highlight=False, no_color=True)
    cell = "51.1 [40.2, 62.0]"
    table = build_table("t", ["ann"], ("Name", str), *[("Share", lambda _: cell)] * 4)
    print_table(table, console)
    printed = console.file.getvalue()
    assert "\u2026" not in printed
    assert printed.count("62.0]") == 4


def test_a_table_wider_than_the_terminal_is_continued_below():
    """Each part has the names; later ones leave out the rows that have nothing there."""
    console = Console(file=io.StringIO(), width=40, highlight=False, no_color=True)
    columns = [(f"Share {number}", lambda name: f"51.{len(name)} %") for number in range(3)]
    last = ("Only bobby", lambda name: "7" if name == "bobby" else "-")
    print_table(
        build_table("Shares: of all", ["ann", "bobby"], ("Name", str), *columns, last), console
    )
    printed = console.file.getvalue()
    assert max(map(len, printed.splitlines())) <= 40
    whole, below = printed.split("Shares (continued)")
    assert "Shares: of all" in whole
    assert ("ann" in whole, "ann" in below, "bobby" in below) == (True, False, True)
    assert [line.split() for line in below.splitlines() if "7" in line] == [["bobby", "7"]]


def test_a_table_keeps_the_numbers_behind_its_cells():
    """A measured share is shown in percent; records, frame and CSV have it with bounds and number."""
    half = Measurement(value=0.5, low=0.25, high=0.75, n=8)
    columns = (
        Column("Name", "name"),
        Column("Right", "found.share", "share"),
        Column("p", "p", "p"),
    )
    rows = [{"name": "ann", "found": {"share": half}, "p": 0.0001}, {"name": "=1+1", "found": None}]
    table = build_table("Shares in %", rows, *columns)
    assert table.rows == (("ann", "50 [25, 75]", "< 0.001"), ("=1+1", "-", "-"))
    first, second = table.records()
    assert first == {
        "name": "ann",
        "share": 0.5,
        "share_low": 0.25,
        "share_high": 0.75,
        "share_n": 8,
        "p": 0.0001,
    }
    assert second == {"name": "=1+1", "share": None, "p": None}
    assert list(table.df.columns) == list(first)
    assert table.to_csv().splitlines()[2] == "'=1+1,,,,,"


def test_the_meaning_of_a_column_stands_below_the_table_that_shows_it():
    """A note explains the columns that have values, and no other."""
    columns = (
        Column("Name", ""),
        Column("Half", lambda _: 0.5, "share", about="one of two"),
        Column("None", lambda _: None, about="never shown"),
    )
    assert build_table("t", ["ann"], *columns, note="All.").note == "Half: one of two. All."


def test_tables_in_a_row_with_one_note_say_it_once():
    """Text and notebooks show the note below the last one; LaTeX, whose tables stand apart, below each."""

    def build(title: str, note: str):
        return build_table(title, [("ann", 1)], Column("Name", "0"), Column("n", "1"), note=note)

    empty = build_table("Empty", [], Column("Name", "0"), note="Shares.")
    parts = [
        build("One", "Shares."),
        empty,
        build("Two", "Shares."),
        build("Three", "Points."),
        "",
        empty,
    ]
    for shown in (render_text(parts), render_html(parts)):
        assert shown.count("Shares.") == shown.count("Points.") == 1
        assert shown.index("Two") < shown.index("Shares.") < shown.index("Three")
    assert render_latex(parts).count("Shares.") == 2
    apart = [build("One", "Shares."), "A sentence.", build("Two", "Shares.")]
    assert render_text(apart).count("Shares.") == 2
    assert render_text([]) == render_text([empty])
