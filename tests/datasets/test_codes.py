"""Codes of verdicts that conventions read differently are refused until the user names them."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import TIE, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError

PAIR = {"answer_a": "x", "answer_b": "y", "author_a": "m1", "author_b": "m2"}


def votes(values, **more):
    """Return one vote of one person on each of some questions."""
    return [
        {"question": f"Q{n}?", **PAIR, "annotator": "ann", "vote": value, **more}
        for n, value in enumerate(values)
    ]


def golds(values):
    """Return own comparisons with one gold verdict each."""
    return [{"question": f"Q{n}?", **PAIR, "gold": value} for n, value in enumerate(values)]


def verdicts(values):
    """Return own comparisons with one review each."""
    return [
        {"question": f"Q{n}?", **PAIR, "reviewer": "m", "verdict": value}
        for n, value in enumerate(values)
    ]


def talks(values):
    """Return discussions of one turn each."""
    turn = {"speaker": "s", "text": "t"}
    return [
        {"question": f"Q{n}?", **PAIR, "turns": [{**turn, "verdict": value}]}
        for n, value in enumerate(values)
    ]


def tasks(values):
    """Return Label Studio's tasks with one choice each."""
    return [
        {
            "id": n,
            "data": {"question": f"Q{n}?", **PAIR},
            "annotations": [
                {
                    "completed_by": 1,
                    "result": [{"type": "choices", "value": {"choices": [value]}}],
                }
            ],
        }
        for n, value in enumerate(values)
    ]


def records(values):
    """Return Argilla's records with one response each."""
    return [
        {
            "id": str(n),
            "fields": {"question": f"Q{n}?", **PAIR},
            "responses": {"better": [{"value": value, "user_id": "u"}]},
        }
        for n, value in enumerate(values)
    ]


def preferences(values):
    """Return AlpacaEval's annotations with one preference each."""
    return [
        {
            "instruction": f"Q{n}?",
            "output_1": "x",
            "output_2": "y",
            "generator_1": "m1",
            "generator_2": "m2",
            "annotator": "j",
            "preference": value,
        }
        for n, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("name", "rows", "values"),
    [
        ("votes", votes, [0, 1, 1]),
        ("votes", votes, ["0", "1", "tie"]),
        ("votes", votes, [1.0, 0.0]),
        ("votes", votes, [1, 1]),
        ("votes", votes, [0, "a"]),
        ("votes", votes, [0, 1, 2]),
        ("votes", votes, [2, 0, 2]),
        ("votes", votes, ["-1", "0", "1"]),
        ("votes", votes, [-1, 1]),
        ("votes", votes, ["0.5", 2]),
        ("jsonl", golds, [0, 1]),
        ("jsonl", golds, ["0.0", 1, 2]),
        ("jsonl", golds, [1, -1]),
        ("jsonl", verdicts, [1, 0, 2]),
        ("discussions", talks, [1, 0, 2]),
        ("label_studio", tasks, ["0", "1", "2"]),
        ("argilla", records, [-1, 0, 1]),
        ("label_studio", tasks, ["0", "1"]),
        ("argilla", records, ["1", "0"]),
        ("alpaca_eval", preferences, [0, 1, 1]),
        ("alpaca_eval", preferences, [0.2, 0.9]),
        ("alpaca_eval", preferences, [1.0, None]),
    ],
)
def test_numbers_that_may_begin_with_0_or_1_are_refused(write, name, rows, values):
    """0 is the first answer to one tool and a tie to another; 1 is the second or the first."""
    path = write("rows.json", json.dumps(rows(values)))
    with pytest.raises(
        DataError, match=r"do not say where they begin .*--codes[ =](0|-1)=a.* or --c"
    ):
        load(f"{name}:{path}")


@pytest.mark.parametrize(
    ("name", "rows", "values", "codes", "chosen"),
    [
        ("votes", votes, [0, 1, "2.0"], {"0": "a", "1": "b", "2": "tie"}, ["m1", "m2", None]),
        ("votes", votes, [0, 1, 2], {"0": "tie", "1": "a", "2": "b"}, [None, "m1", "m2"]),
        ("votes", votes, [1, 2, "tie"], {}, ["m1", "m2", None]),
        ("votes", votes, ["win", "loss", "b"], {"win": "a", "loss": "b"}, ["m1", "m2", "m2"]),
        ("votes", votes, [True, False], {"true": "b", "false": "a"}, ["m2", "m1"]),
        ("votes", votes, [-1, 0, 1], {"-1": "a", "0": "tie", "1": "b"}, ["m1", None, "m2"]),
        ("label_studio", tasks, ["0", "1"], {"0": "a", "1": "b"}, ["m1", "m2"]),
        (
            "alpaca_eval",
            preferences,
            [0, 0.2, 0.5, 1],
            {"0": "a", "1": "b"},
            ["m1", "m1", None, "m2"],
        ),
        ("alpaca_eval", preferences, [0, 1, 1.2, 1.5, 2], {}, [None, "m1", "m1", None, "m2"]),
    ],
)
def test_named_codes_are_read_as_named(write, name, rows, values, codes, chosen):
    """A named code goes before any other reading; whole numbers with a point are whole numbers."""
    path = write("rows.json", json.dumps(rows(values)))
    data = load(f"{name}:{path}", options=Options(codes=codes))
    assert [review.verdict.choice for review in data.reviews] == chosen


@pytest.mark.parametrize(
    ("codes", "complaint"),
    [
        ({"0": "a"}, r"'vote' also holds 1, 2; name all numbers"),
        ({"0": "first"}, r"'0' is named 'first'; choose one of a, b"),
    ],
)
def test_naming_some_numbers_names_all(write, codes, complaint):
    """A number beside a named one has no convention of its own."""
    path = write("rows.jsonl", votes([0, 1, 2]))
    with pytest.raises(DataError, match=complaint):
        load(f"votes:{path}", options=Options(codes=codes))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("votes", votes(["b"], author_a="b", author_b="a")[0]),
        ("votes", votes(["tie"], author_b="Tie", author_a="tie")[0]),
        ("votes", votes(["left"], author_b="left")[0]),
        ("arena", {"model_a": "m", "model_b": "tie", "winner": "tie", "judge": "j"}),
        ("arena", {"model_a": "model_b", "model_b": "m", "winner": "model_b", "judge": "j"}),
        ("jsonl", {"question": "Q?", **PAIR, "author_a": "b", "author_b": "a", "gold": "a"}),
        (
            "jsonl",
            {
                "question": "Q?",
                "answers": [{"id": "2", "text": "x"}, {"id": "1", "text": "y"}],
                "gold": "1",
            },
        ),
    ],
)
def test_a_name_that_is_also_a_code_is_refused(write, name, row):
    """A contestant called after a place or a tie makes the verdict ambiguous."""
    path = write("rows.jsonl", [row])
    with pytest.raises(DataError, match=r"which can be .* or .*; say what it means, as in --codes"):
        load(f"{name}:{path}")


def test_gold_may_name_the_author_of_the_better_answer(write):
    """A name that is no code of another answer is a verdict in an own table, as it is a vote."""
    rows = [{"question": f"Q{n}?", **PAIR, "gold": gold} for n, gold in enumerate(("m2", "tie"))]
    data = load(f"{write('own.jsonl', rows)}")
    assert [one.gold for one in data.comparisons] == [Verdict.of("b"), TIE]


def test_an_import_says_how_it_read_each_value(write):
    """The note counts each value of a column."""
    path = write("rows.jsonl", votes(["tie", 1, 2, 2, "tie"]))
    (note,) = load(f"votes:{path}").notes
    assert (
        note
        == "'vote' was read as 2: second answer, 2 times; tie: tie, 2 times; 1: first answer, once"
    )


def test_own_tables_count_answers_from_1(write):
    """The format of own tables says where numbers begin, so a file with ones alone is read."""
    data = load(str(write("own.jsonl", golds([1, "1.0"]))))
    assert [one.gold for one in data.comparisons] == [Verdict.of("a")] * 2
