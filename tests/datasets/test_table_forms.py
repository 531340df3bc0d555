"""Tables in the forms that people have are read alike, and no file takes all memory."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from peerjudge.datasets import load
from peerjudge.datasets.lines import read_lines
from peerjudge.errors import DataError

ROW = {"question": "Why?", "answer_a": "x", "answer_b": "y", "gold": "b"}
CELLS = ("\n".join(",".join(each) for each in (ROW, ROW.values())) + "\n").encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.csv", CELLS),
        ("own.csv", CELLS.replace(b",", b";")),
        ("own.csv", b"sep=;\r\n" + CELLS.replace(b",", b";").replace(b"\n", b"\r\n")),
        ("own.csv", CELLS.replace(b"\n", b"\r")),
        ("own.tsv", CELLS.replace(b",", b"\t")),
        ("own.csv.gz", gzip.compress(CELLS, mtime=0)),
        ("own.json", json.dumps([ROW]).encode()),
        ("own.json", json.dumps(ROW, indent=2).encode()),
        ("own.json.gz", gzip.compress(json.dumps([ROW]).encode(), mtime=0)),
        ("own.jsonl", json.dumps([ROW]).encode()),
    ],
)
def test_a_table_is_read_in_every_form(write, name, content):
    """Delimiters, line ends, compression and JSON lists or objects give the same comparison."""
    (one,) = load(str(write(name, content))).comparisons
    assert [answer.text for answer in one.answers] == ["x", "y"]
    assert one.gold is not None
    assert one.gold.choice == "b"


def test_a_parquet_file_is_a_table(tmp_path):
    """Rows of Parquet are objects."""
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(
        pa.Table.from_pylist([ROW]), tmp_path / "own.parquet"
    )
    (one,) = load(str(tmp_path / "own.parquet")).comparisons
    assert one.question.text == "Why?"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        (
            "own.jsonl.gz",
            gzip.compress(b" " * 2**20, mtime=0) * 128,
            "more than 200 times its size",
        ),
        ("own.jsonl", b'{"a": ' * 100_000, "nested too deeply|not a complete"),
        ("own.json", b"[" * 100_000, "nested too deeply"),
        ("own.jsonl", b'{"question": 1e999}', "'question' must be a string"),
        ("own.jsonl", json.dumps(ROW | {"n": 1}).replace(": 1}", ": 1e999}").encode(), "'n' is no"),
        ("own.jsonl", json.dumps(ROW | {"n": 10**400}).encode(), "'n' is no finite number"),
        ("own.jsonl", json.dumps(ROW | {"id": 1}).replace(": 1}", ": 1e999}").encode(), "'id'"),
        ("own.jsonl", b'{"question": ' + b"1" * 5000 + b"}", "line 1: not a complete JSON object"),
        ("own.parquet", b"PAR1" + b"\xff" * 20, "cannot be read as Parquet"),
    ],
)
def test_a_file_that_would_take_all_memory_is_refused(write, name, content, complaint):
    """Bombs, deep nesting and numbers beyond all bounds end in a sentence."""
    with pytest.raises(DataError, match=complaint):
        load(str(write(name, content)))


def test_a_file_beyond_the_bounds_of_memory_is_refused(tmp_path):
    """A line and a file have a largest size; the file of this test has no blocks on the disk."""
    path = tmp_path / "own.jsonl"
    path.touch()
    os.truncate(path, 2**32 + 1)
    with pytest.raises(DataError, match=r"has 4.0 GiB, and a file may have 4 GiB"):
        load(str(path))
    os.truncate(path, 2**20 + 1)
    with pytest.raises(DataError, match=r"line 1: longer than 1 MiB"):
        list(read_lines(path, longest=2**20))


@pytest.mark.parametrize("flag", [True, 1, 1.0, "true", "1"])
def test_ids_and_flags_have_the_forms_of_other_tools(write, flag):
    """A whole number with a point is the whole number, and a flag may be a truth value."""
    row = {"prompt": "Why?", "response_a": "x", "response_b": "y", "model_a": "m", "model_b": "n"}
    row |= {"question_id": 80.0, "winner_model_a": flag, "winner_model_b": 0, "winner_tie": False}
    (one,) = load(f"arena:{write('rows.jsonl', [row])}").comparisons
    assert one.question.id == "80"
