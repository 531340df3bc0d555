"""Output of hostile names, and output that cannot be written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given, strategies as st

from peerjudge.marks import escape_controls, mark_controls, mark_page_controls

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
WINDOW_TITLE = "\x1b]0;owned\x07"
HOSTILE = f"{WINDOW_TITLE}\u202e\u009b2J\x7f\nrow"
STYLES = re.compile(r"\x1b\[[\d;]*m|\x1b\[\??\d*[A-Zhl]")
"""Sequences of the progress bar and of styled tables: colours, cursor movements."""
LEGAL = set("\n\t\r")


@pytest.fixture(scope="module")
def hostile(played, tmp_path_factory):
    """A shell in a folder with a run on data whose every name holds control characters."""
    shell = played.in_folder(tmp_path_factory.mktemp("hostile"))
    rows = [
        {
            "id": f"i{number}{HOSTILE}",
            "question": f"Question {number} {HOSTILE}",
            "answer_a": f"One {number} {HOSTILE}",
            "answer_b": f"Two {number} {HOSTILE}",
            "author_a": f"[/x]A{HOSTILE}",
            "author_b": f"claude [old] :smile:{HOSTILE}",
            "category": f"[/cat0]{HOSTILE}",
            "gold": "ab"[number % 2],
        }
        for number in range(4)
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (shell.folder / f"evil{WINDOW_TITLE}.jsonl").write_text(lines, "utf-8")
    card = f"description = {json.dumps('[bold]' + WINDOW_TITLE)}\n[traits]\nability = 0.5\n"
    shell.write("agents/evil.toml", card)
    data = f"jsonl:evil{WINDOW_TITLE}.jsonl"
    words = ("run", "leader_follower", "-S", "turns=2", "--data", data, "--display", "plain")
    outcome = shell(*words, "--out", "study")
    assert outcome.code == 0, outcome.err
    assert_harmless(outcome.out + outcome.err)
    return shell


def assert_harmless(text):
    """Assert that a text has no control, format or separator characters besides line breaks."""
    found = {char for char in text if category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs"}}
    assert found <= LEGAL, text


COMMANDS = [
    ("rank", "study"),
    ("rank", "study", "--json"),
    ("score", "study", "--by", "category"),
    ("score", "study", "--by", "category", "--json"),
    ("events", "study"),
    ("events", "study", "--json"),
    ("events", "study", "--summary"),
    ("agreement", "study"),
    ("show", "discussion", "study", "sample-01"),
    ("bias", "study"),
    ("compare", "study"),
    ("list", "agents"),
    pytest.param(("check",), marks=pytest.mark.slow),
    ("run", "leader_follower", "--dry-run", "--data", f"jsonl:evil{WINDOW_TITLE}.jsonl"),
    ("rank", f"nothing{HOSTILE}"),
    ("rank", "study", f"--no{WINDOW_TITLE}"),
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda words: "-".join(words[:3]).encode("unicode_escape")
)
def test_no_command_writes_control_characters_of_names(hostile, command):
    """Ids, authors, categories, paths and arguments reach stdout and stderr with marks only."""
    outcome = hostile(*command)
    assert outcome.code in (0, 2), outcome.err
    assert_harmless(outcome.out + outcome.err)
    assert outcome.out + outcome.err


@pytest.mark.parametrize("command", [("rank", "study"), ("export", "study", "--format", "csv")])
def test_a_terminal_gets_the_styles_of_this_program_only(hostile, command):
    """In a terminal, tables have colours, and names no effect."""
    assert_harmless(STYLES.sub("", hostile.in_terminal(*command)))


def test_the_progress_bar_shows_names_with_marks(hostile):
    """A run in a terminal, with its bar, sets no title of the window."""
    data = f"jsonl:evil{WINDOW_TITLE}.jsonl"
    words = ("run", "leader_follower", "-S", "turns=2", "--data", data, "--out", "again")
    shown = hostile.in_terminal(*words)
    assert "discussions" in shown
    assert_harmless(STYLES.sub("", shown))


def test_names_in_brackets_are_printed_whole(hostile):
    """An author called `[/x]A` is no markup, and one called `claude [old]` keeps its brackets."""
    ranking = hostile("rank", "study").out
    scores = hostile("score", "study", "--by", "category").out
    assert "[/x]A]0;owned" in ranking
    assert "claude [old] :smile:]0;owned" in ranking
    assert "[/cat0]]0;owned" in scores


def test_a_line_break_in_a_name_makes_no_line(hostile):
    """One event is one line, so that no id forges another event."""
    lines = hostile("events", "study").out.splitlines()
    assert lines
    assert all(line.startswith("leader_follower  i") for line in lines)


def test_exports_in_a_pipe_keep_every_character(hostile):
    """What other programs read is not marked: texts are as they were given."""
    line, *_ = hostile("export", "study", "--format", "jsonl").out.splitlines()
    assert WINDOW_TITLE in json.loads(line)["data"]["comparison"]["question"]["text"]


def test_a_page_shows_control_characters_as_marks(hostile):
    """The page has neither ESC nor BEL, in its source or in the texts that its script shows."""
    page = hostile.folder / "page.html"
    assert hostile("report", "study", "-o", "page.html").code == 0
    source = page.read_text("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", source)
    assert "\\u001b" not in source.split("<script", 1)[1].split('"manifest"')[0]
    assert "␛]0;owned␇" in source


@given(st.text())
def test_marks_leave_nothing_that_controls(text):
    """Every control, format and separator character is marked, but joiners and soft hyphens."""
    for char in mark_controls(text):
        assert category(char) not in {"Cc", "Zl", "Zp", "Cs"}
    assert mark_controls(mark_controls(text)) == mark_controls(text)
    assert not set(mark_page_controls(text)) & set("\x1b\x07\x9b\u202e")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escapes_in_json_mean_the_same(text):
    """Escaped JSON is read as the same text, and has no control characters."""
    written = escape_controls(json.dumps(text, ensure_ascii=False))
    assert json.loads(written) == text
    assert written.isprintable() or not any(category(char) == "Cc" for char in written)


@pytest.mark.parametrize(
    "command",
    [("rank", "study"), ("events", "study"), ("export", "study", "--format", "csv"), ("--help",)],
    ids=lambda words: words[0],
)
def test_a_full_disk_below_stdout_is_one_sentence(played, command):
    """Output that cannot be written exits with 2 and says so."""
    outcome = played(*command, out=Path("/dev/full"))
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    assert "cannot write to standard output: No space left" in outcome.err


def test_a_reader_that_stops_reading_ends_a_command_without_a_word(shell):
    """`run ... | head -1` completes the run, and exits with 141 as for SIGPIPE."""
    command = ("run", "leader_follower", "--limit", "1", "-S", "turns=2", "--display", "none")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [PEERJUDGE, *command],
        cwd=shell.folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    assert shell(*command, "--json").document["discussions"]["skipped"] == 8


def test_progress_that_cannot_be_shown_ends_no_run(shell):
    """A run whose stderr is full or closed completes, and prints its results."""
    command = ("run", "leader_follower", "--limit", "1", "-S", "turns=2", "--json")
    shell.begin(*command, "--display", "plain", err=Path("/dev/full"))
    assert shell.end() == (0, "")
    document = json.loads((shell.folder / "stdout").read_text("utf-8"))
    assert document["discussions"]["done"] == 8


def test_a_command_without_stdout_or_stderr_ends_normally(played):
    """A descriptor that was closed before the start is no error."""
    code = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
    for descriptor in ("1", "2"):
        words = [sys.executable, "-c", code, descriptor, PEERJUDGE, "list", "agents", "--json"]
        done = subprocess.run(words, cwd=played.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
