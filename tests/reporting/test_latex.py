"""Tables as LaTeX: every text of the data is set as it is, and no cell is read as a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

import peerjudge as pj
from peerjudge.reporting.latex import escape_latex, render_latex
from peerjudge.reporting.layout import Table
from tests.reporting.conftest import command

PLAIN = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"{\char34}": '"',
    r"\textasciigrave{}": "`",
    **{f"\\{sign}": sign for sign in "{}&%$#_"},
}
COMMAND = re.compile("|".join(map(re.escape, sorted(PLAIN, key=len, reverse=True))))


def table(**changed):
    """Return a table of two numbers with a name."""
    given = {
        "title": "Accuracy in % [95% interval]",
        "headings": ("Reviewer", "All", "Hard"),
        "rows": (("sim_weak", "58.3 [24.1, 86.1]", "-0.5 [-1.0, 2.0]"), ("[x]", "-", "nan")),
    }
    return Table(**(given | changed))


@given(st.text('\\{}&%$#_~^<>|"`ab 1-', max_size=30))
def test_a_text_can_be_read_back(text):
    """Each special character has one form, and nothing else in the text is a command."""
    written = escape_latex(text)
    assert COMMAND.sub(lambda found: PLAIN[found[0]], written) == text
    assert not re.search(r"[\\{}&%$#_~^]", COMMAND.sub("", written))


@given(st.lists(st.text("[]*&\\%ab-1 ", max_size=8), min_size=3, max_size=3))
def test_a_row_has_the_columns_of_its_table(cells):
    """No cell adds a column, ends its row, or is taken for the argument of the line end before it."""
    written = render_latex([table(rows=(tuple(cells),))])
    body = written.partition("\\midrule\n")[2].partition("\n\\bottomrule")[0]
    assert body.endswith(r" \\")
    assert len(re.split(r"(?<!\\) & ", body.removesuffix(r"\\"))) == 3
    assert not body.startswith(("[", "*"))


def test_numbers_have_minus_signs_and_missing_ones_a_dash():
    """A hyphen before a number is a minus sign; a value that is missing or no number is a dash."""
    written = render_latex([table()])
    assert r"sim\_weak & 58.3 [24.1, 86.1] & $-$0.5 [$-$1.0, 2.0] \\" in written
    assert r"{[}x] & -- & -- \\" in written
    assert r"\caption{Accuracy in \% [95\% interval]}" in written
    assert r"\label{tab:accuracy}" in written


def test_groups_totals_and_notes_are_set():
    """Groups stand above their columns, a sum below a rule, and the note below the table."""
    written = render_latex([table(groups=(("Both_orders", 2),), total=True, note="50 % of all")])
    assert r" & \multicolumn{2}{c}{Both\_orders} \\" in written
    assert r"\cmidrule(lr){2-3}" in written
    assert written.count(r"\midrule") == 2
    assert r"{\footnotesize 50 \% of all}" in written


def test_a_long_table_gets_more_than_one_page_and_labels_differ():
    """More rows than a page holds are a longtable; equal titles get numbers."""
    rows = tuple((f"r{row}", "1", "2") for row in range(60))
    written = render_latex([table(), table(rows=rows)])
    assert r"\begin{longtable}{lrr}" in written
    assert written.count(r"\toprule") == 3
    assert r"\label{tab:accuracy-2}" in written


def test_sentences_are_comments_and_tables_without_rows_are_left_out():
    """A sentence cannot leave its comment by a line break."""
    written = render_latex(["Caution\n\\end{document}", "", table(rows=())])
    assert written == "% Caution\n% \\end{document}\n"


def test_results_are_latex_in_python_and_on_the_command_line(study, capsys):
    """`to_latex` and `--format latex` write the same; JSON and LaTeX exclude each other."""
    words = ("score", str(study), "--format", "latex")
    code, printed, _ = command(capsys, *words)
    assert code == 0
    assert printed == pj.score(study).to_latex()
    assert printed.count(r"\begin{table}") == 1
    code, _, said = command(capsys, *words, "--json")
    assert code == 2
    assert "exclude each other" in said


@pytest.mark.parametrize(
    "words", ["rank", "agreement --panel", "bias", "compare", "events --summary"]
)
def test_every_command_with_tables_writes_latex(study, capsys, words):
    """The option is that of all commands that print a result."""
    code, printed, said = command(capsys, *words.split(), str(study), "--format", "latex")
    assert code == 0, said
    assert printed.count(r"\begin{") == printed.count(r"\end{")
    assert r"\toprule" in printed


def test_tables_are_csv_of_the_numbers_behind_their_cells(study, capsys):
    """`--format csv` prints the records of every table below its title, as `to_csv` does."""
    code, printed, _ = command(capsys, "score", str(study), "--format", "csv")
    found = pj.score(study)
    assert (code, printed) == (0, found.to_csv())
    title, headings = printed.splitlines()[:2]
    assert title == f"# {found.tables[0].title}"
    assert headings.split(",") == list(found.tables[0].df.columns)


def test_marks_of_control_characters_are_set():
    """A control character in a name is a code in a type that pdfLaTeX has."""
    assert escape_latex('a\x07"\x7f') == r"a\texttt{<07>}{\char34}\texttt{<7F>}"
