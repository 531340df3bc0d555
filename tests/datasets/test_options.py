"""An option that a reader does not use is an error, and people are only those who are named so."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError

OWN = "question,answer_a,answer_b,gold\nWhy?,x,y,a\n"
VOTES = (
    "question,answer_a,answer_b,judge,winner\nWhy?,x,y,gpt-4,a\nWhy?,x,y,anna,b\nHow?,x,y,gpt-4,b\n"
)
LOG = {"status": "success", "eval": {"model": "m", "task": "t"}, "samples": []}


@pytest.mark.parametrize(
    ("reader", "content", "given", "complaint"),
    [
        ("csv", OWN, {"humans": ("anna",)}, "csv does not use --human"),
        ("csv", OWN, {"pairs": "all"}, "csv does not use --pairs"),
        ("csv", OWN, {"names": {"foo": "bar"}}, "no field 'bar' to map|'bar'"),
        ("records", "", {"skip_bad": 3}, "records does not use --skip-bad"),
        ("sample", OWN, {"encoding": "cp1252"}, "sample does not use --encoding"),
        ("inspect", json.dumps(LOG), {"names": {"a": "b"}}, "inspect does not use --map"),
        ("inspect", json.dumps(LOG), {"codes": {"0": "a"}}, "inspect does not use --codes"),
        ("jsonl", '{"question": "Q"}', {"delimiter": "|"}, "is JSON, which has no delimiter"),
        ("votes", VOTES, {"names": {"quesion": "question"}}, "'quesion', a field that this format"),
        ("outputs", "question,model,answer\nQ,m,x\n", {"names": {"anser": "answer"}}, "anser"),
    ],
)
def test_an_option_that_a_reader_does_not_use_is_an_error(write, reader, content, given, complaint):
    """Silence would leave the user believing that it had an effect."""
    path = write("rows.txt", content)
    with pytest.raises(DataError, match=complaint):
        load(f"{reader}:{path}", options=Options(**given))


NAMES = {"annotator": "judge", "vote": "winner"}


def test_only_named_judges_are_people(write):
    """Where a person is named, the other judges of a table of votes are reviewers."""
    options = Options(names=NAMES, humans=("anna",))
    data = load(f"votes:{write('m.csv', VOTES)}", options=options)
    assert data.humans == ("anna",)
    assert [one.gold for one in data.comparisons] == [Verdict.of("b"), None]
    assert load(f"votes:{write('m.csv', VOTES)}", options=Options(names=NAMES)).humans == (
        "anna",
        "gpt-4",
    )


def test_a_person_who_judged_nothing_is_an_error(write):
    """A misspelt name would make a person a reviewer."""
    options = Options(names=NAMES, humans=("ana",))
    with pytest.raises(DataError, match=r"no judge is called 'ana'; .*anna, gpt-4"):
        load(f"votes:{write('m.csv', VOTES)}", options=options)


TABLE = "Prompt|answer_a|answer_b|gold\nWhy?|x||b\nbad\nHow?|x|caf\xe9|a\n"
LINES = """{"Prompt": "Why?", "answer_a": "x", "answer_b": ""}
[1]
{"Prompt": "How?", "answer_a": "x", "answer_b": "caf\xe9"}
"""


@pytest.mark.parametrize(
    ("reader", "content", "delimiter"), [("csv", TABLE, "|"), ("jsonl", LINES, "")]
)
def test_own_tables_take_the_options_of_files(write, reader, content, delimiter):
    """Names, encoding and rows that cannot be read are handled as in files of other tools."""
    options = Options(
        names={"question": "Prompt"}, encoding="latin-1", delimiter=delimiter, skip_bad=1
    )
    path = write("own.txt", content.encode("latin-1"))
    data = load(f"{reader}:{path}", options=options)
    texts = [[one.text for one in each.answers] for each in data.comparisons]
    assert texts == [["x", ""], ["x", "caf\xe9"]]
    assert sum(data.left_out.values()) == 1
