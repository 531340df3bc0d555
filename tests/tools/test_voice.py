"""The measure of plain English counts prose, not code."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "voice.py"


@pytest.fixture(scope="module")
def voice():
    """The script, loaded by its path."""
    spec = importlib.util.spec_from_file_location("voice", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["voice"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["voice"]


def test_words_of_prose_are_counted_and_rare_pronouns_found_in_any_case(voice):
    """Whole words count, whichever way they are capitalised."""
    count = voice.count_text("Whoever reads this, tell nobody. Whomsoever.")
    assert (count.words, count.rare) == (6, 2)


def test_code_counts_by_its_strings_comments_and_docstrings(voice):
    """Identifiers add no words."""
    count = voice.count_python('"""A test."""\nlength = 3  # a number\ntext = f"{length} words"\n')
    assert (count.words, count.rare) == (5, 0)


def test_rare_pronouns_in_identifiers_count(voice):
    """Identifiers are split at underscores and capitals."""
    count = voice.count_python("def tell_everybody(NobodyElse): ...\n")
    assert (count.words, count.rare) == (0, 2)


def test_docstrings_that_open_like_riddles_are_found(voice):
    """Modules, classes, functions and fields are all looked at; other strings are not."""
    source = '''"""What this is."""
class Seat:
    """Place in a discussion."""
    name: str
    """Whose it is."""
    def sit(self):
        """Of one seat."""
        return "That is no docstring."
'''
    count = voice.count_python(source)
    assert (count.docstrings, count.odd) == (4, 2)
    assert count.share == 50


def test_prompt_packs_and_golden_files_are_left_out(voice, tmp_path):
    """They quote others or must not change."""
    for name in ("protocols/prompts/pack.toml", "tests/golden/page.html", "docs/page.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("nobody", encoding="utf-8")
    counts = voice.count_files(tmp_path)
    assert list(counts) == ["docs/page.md"]


@pytest.mark.parametrize(
    ("text", "code"),
    [("plain " * 1000, 0), ("plain " * 1000 + "whatever", 1)],
)
def test_exit_code_says_which_side_of_the_limit(voice, tmp_path, capsys, text, code):
    """One in a thousand words is ten per 10,000, above the limit of eight."""
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert voice.main(["--root", str(tmp_path)]) == code
    assert "per 10,000 words" in capsys.readouterr().out


def test_missing_path_is_a_usage_error(voice, tmp_path, capsys):
    """A misspelt path must not pass as a folder without findings."""
    assert voice.main(["--root", str(tmp_path), "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
