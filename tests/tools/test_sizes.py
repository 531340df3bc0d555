"""The ratchet of sizes lets no room grow above its limit unseen."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "sizes.py"
MODULE = '''"""Tiny module."""

import os

__all__ = ["fit"]

# A comment.
LIMIT = 3
"""Documented constant."""


def fit(self, first, *, second=None):
    """Return a number."""
    if first and second and LIMIT:
        return [n for n in first if n]
    return os
'''
HEAD = '[project]\nname = "peerjudge"  # stays\n'


@pytest.fixture(scope="module")
def sizes():
    """The script, loaded by its path."""
    spec = importlib.util.spec_from_file_location("sizes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["sizes"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["sizes"]


@pytest.fixture
def tree(sizes, tmp_path):
    """A checkout with a room, a feature, a card and pages, whose limits are those of its day."""
    files = {
        "pyproject.toml": HEAD,
        "peerjudge/__init__.py": '"""Package."""\n',
        "peerjudge/data/nouns.py": MODULE,
        "peerjudge/features/__init__.py": '"""Features."""\n',
        "peerjudge/features/forks/playing.py": MODULE,
        "agents/nora.toml": 'name = "nora"\n',
        "tests/data/test_nouns.py": '"""Tests."""\n',
        "docs/index.md": "# Three words here\n",
        "docs/features/forks.md": "Two words\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert sizes.main(["--root", str(tmp_path), "--write"]) == 0
    return tmp_path


def grow(tree, room, lines):
    """Add a module of comments to a room."""
    (tree / room).mkdir(exist_ok=True)
    (tree / room / "grown.py").write_text("# line\n" * lines, "utf-8")


def test_rooms_features_shelves_and_pages_are_measured(sizes, tree):
    """Core is the package without its features; pages of features are counted apart."""
    numbers = {str(key): found.number for key, found in sizes.measure_tree(tree).items()}
    assert numbers == {
        "lines of agents": 1,
        "lines of peerjudge": 1,
        "lines of peerjudge/data": 16,
        "lines of peerjudge/features": 1,
        "lines of peerjudge/features/forks": 16,
        "lines of tests": 1,
        "lines of core": 17,
        "lines of features": 17,
        "modules of core": 2,
        "modules of features": 2,
        "pages of docs": 1,
        "pages of docs/features": 1,
        "words of docs": 4,
        "words of docs/features": 2,
        "greatest complexity": 6,
        "greatest parameters": 2,
    }


def test_code_lines_leave_out_what_must_not_be_starved(sizes):
    """Docstrings, comments, imports, blanks and the list of public names are free."""
    assert sizes.count_code_lines(MODULE) == 5
    assert sizes.count_code_lines('# a card\n\nname = "nora"\n', python=False) == 1


def test_within_the_limits_one_line_has_the_totals_and_the_aims(sizes, tree, capsys):
    """A quiet check still shows how far the aim is."""
    capsys.readouterr()
    assert sizes.main(["--root", str(tree)]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert "core: lines 17 (limit 500, aim 42,000)" in out
    assert err == ""


def test_all_prints_each_room_with_modules_and_code_lines(sizes, tree, capsys):
    """The table has lines, limit, modules and code lines of a room in one row."""
    capsys.readouterr()
    sizes.main(["--root", str(tree), "--all"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["lines", "peerjudge/data", "16", "50", "1", "5"] in rows


def test_a_room_above_its_limit_fails_with_what_to_do(sizes, tree, capsys):
    """The sentence names the room, the number, the limit and both ways out."""
    grow(tree, "peerjudge/data", 40)
    capsys.readouterr()
    assert sizes.main(["--root", str(tree)]) == 1
    err = capsys.readouterr().err
    assert "lines of peerjudge/data: 56, 6 above the limit of 50." in err
    assert "Delete as much, or raise the limit in the open" in err
    assert err.count("\n") == 1


def test_a_new_room_needs_a_limit(sizes, tree, capsys):
    """Without a limit a new room could grow unseen; writing the table adds it."""
    grow(tree, "peerjudge/extra", 3)
    assert sizes.main(["--root", str(tree)]) == 1
    assert "lines of peerjudge/extra: 3, and no limit" in capsys.readouterr().err
    assert sizes.main(["--root", str(tree), "--write"]) == 0


def test_a_limit_without_a_room_fails(sizes, tree, capsys):
    """A room that went takes its limit along."""
    (tree / "agents" / "nora.toml").unlink()
    assert sizes.main(["--root", str(tree)]) == 1
    assert "lines of agents: a limit in pyproject.toml of what is not there" in (
        capsys.readouterr().err
    )
    assert sizes.main(["--root", str(tree), "--write"]) == 0


def test_writing_lowers_limits_and_raises_them_only_on_request(sizes, tree):
    """A passed limit stays passed until it is raised in the open; the others do not rise with it."""
    project = tree / "pyproject.toml"
    grow(tree, "peerjudge/data", 140)
    grow(tree, "agents", 60)
    assert sizes.main(["--root", str(tree), "--write"]) == 1
    limits = sizes.read_limits(project.read_text("utf-8"))
    assert limits["lines", "peerjudge/data"] == 50
    assert sizes.main(["--root", str(tree), "--write", "--raise"]) == 0
    assert sizes.read_limits(project.read_text("utf-8"))["lines", "peerjudge/data"] == 200
    (tree / "peerjudge/data/grown.py").unlink()
    assert sizes.main(["--root", str(tree), "--write", "--raise"]) == 0
    limits = sizes.read_limits(project.read_text("utf-8"))
    assert limits["lines", "peerjudge/data"] == 50
    assert limits["lines", "agents"] == 100


def test_the_rest_of_the_file_and_the_reasons_beside_limits_stay(sizes, tree):
    """A comment beside a limit is the place of its reason."""
    project = tree / "pyproject.toml"
    text = project.read_text("utf-8")
    assert text.startswith(HEAD)
    reasoned = text.replace("agents = 50", "agents = 50  # long cards")
    project.write_text(reasoned, "utf-8")
    grow(tree, "agents", 60)
    sizes.main(["--root", str(tree), "--write", "--raise"])
    assert "agents = 100  # long cards" in project.read_text("utf-8")
    (tree / "agents/grown.py").unlink()
    sizes.main(["--root", str(tree), "--write"])
    assert project.read_text("utf-8") == reasoned


def test_the_script_runs_where_there_is_no_checkout(tmp_path):
    """A wrong folder is a usage error and not a tree without findings."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--root", tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "No checkout of peerjudge" in done.stderr
