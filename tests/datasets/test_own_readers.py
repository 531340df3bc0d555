"""A reader in a user's own file loads like a built-in dataset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from peerjudge.data import TIE
from peerjudge.datasets import load
from peerjudge.errors import DataError

READER = '''
"""Pairs in a file of lines, `question|one answer|other answer`."""

from peerjudge.data import Answer, Comparison, Dataset, Question, RecordedReview, TIE
from peerjudge.datasets import Request, Source, read_lines


def read(request: Request) -> Dataset:
    rows = [(number, *line.strip().split("|")) for number, line in read_lines(request.path)]
    comparisons = tuple(
        Comparison(
            id=f"line-{number}",
            question=Question(id=f"q{number}", text=question),
            answers=(Answer(id="a", text=one), Answer(id="b", text=other)),
            gold=TIE if request.gold else None,
        )
        for number, question, one, other in rows
    )
    return Dataset(name="mine", description="mine", comparisons=comparisons)


SOURCE = Source(description="pairs of my own", read=read, votes=True)
'''


@pytest.fixture
def reader(write):
    """The file of a reader."""
    return write("project/reader.py", READER)


@pytest.fixture
def table(write):
    """Two comparisons in the format of the reader."""
    return write("data/pairs.txt", "Why?|Because.|So.\nHow?|Thus.|Like this.\n")


def test_a_file_of_the_users_own_reads_a_path(reader, table):
    """`FILE.py:PATH` gives the path to the reader; a limit and a gold rule apply as usual."""
    dataset = load(f"{reader}:{table}")
    assert [comparison.question.text for comparison in dataset.comparisons] == ["Why?", "How?"]
    assert load(f"{reader}:{table}", limit=1).comparisons == dataset.comparisons[:1]
    settled = load(f"{reader}+sign_of_mean:{table}").comparisons
    assert {comparison.gold for comparison in settled} == {TIE}


def test_a_reader_may_declare_the_place_of_its_data(write, table):
    """With `place` the file alone is enough; without it, the message says how to give a path."""
    text = READER.replace("votes=True", f"place=__import__('pathlib').Path({str(table)!r})")
    assert len(load(str(write("placed.py", text))).comparisons) == 2
    unplaced = write("unplaced.py", READER)
    with pytest.raises(DataError, match=r"unplaced.py' needs a path; give .*unplaced.py:PATH"):
        load(str(unplaced))


def test_names_of_files_may_hold_a_plus(write, table):
    """Only a rule after `.py` is a gold rule."""
    assert len(load(f"{write('a+b.py', READER)}:{table}").comparisons) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "there is no file"),
        ("1 / 0", "does not load: ZeroDivisionError"),
        ("X = 1", "declares no dataset; give it SOURCE = Source"),
    ],
)
def test_a_file_without_a_dataset_is_refused(write, tmp_path, text, complaint):
    """The message names the file and says what is missing."""
    file = tmp_path / "reader.py" if text is None else write("reader.py", text)
    with pytest.raises(DataError, match=rf"reader.py.*{complaint}|{complaint}.*reader.py"):
        load(f"{file}:somewhere")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("1 / 0", "failed on .*pairs.txt: ZeroDivisionError: division by zero"),
        ("return [1]", r"returned \[1\]; return a peerjudge.data.Dataset"),
    ],
)
def test_a_failing_reader_is_named(write, table, body, complaint):
    """An exception in a user's reader, or a result of another type, is a data error."""
    reader = write(
        "reader.py",
        "from peerjudge.datasets import Source\n\n\n"
        f"def read(request):\n    {body}\n\n\n"
        "SOURCE = Source(description='fails', read=read)\n",
    )
    with pytest.raises(DataError, match=rf"the reader .*reader.py {complaint}"):
        load(f"{reader}:{table}")


def test_the_reader_of_the_documentation_works(write):
    """`docs/datasets.md` shows a whole file."""
    page = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    table = write("pairs.txt", "Why?|Because.|So.|b\nHow?|Thus.|Like this.|a\n")
    dataset = load(f"{write('pairs.py', code)}:{table}")
    assert [str(comparison.gold) for comparison in dataset.comparisons] == ["b", "a"]
