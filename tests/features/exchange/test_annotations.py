"""Annotations that count: one by each person on a task, with the status of a given answer."""

from __future__ import annotations

import json

import pytest

from peerjudge.datasets import load
from peerjudge.errors import DataError

PAIR = {"question": "Why?", "answer_a": "x", "answer_b": "y"}


def task(*annotations):
    """Return a task of Label Studio with annotations as (person, choice, cancelled)."""
    return {
        "data": PAIR,
        "annotations": [
            {
                "completed_by": who,
                "was_cancelled": cancelled,
                "result": [{"type": "choices", "value": {"choices": [choice]}}] if choice else [],
            }
            for who, choice, cancelled in annotations
        ],
    }


def record(*responses):
    """Return a record of Argilla with responses as (person, value, status)."""
    given = [{"user_id": who, "value": value, "status": status} for who, value, status in responses]
    return {"id": "1", "fields": PAIR, "responses": {"better": given}}


def early_record(*responses):
    """Return a record as earlier releases of Argilla write it: the answers of one person together."""
    given = [
        {"user_id": who, "values": {"better": {"value": value}}, "status": status}
        for who, value, status in responses
    ]
    return {"id": "1", "fields": PAIR, "responses": given}


def vote(*votes):
    """Return the rows of a table of votes as (person, vote)."""
    return [{**PAIR, "annotator": who, "vote": said} for who, said in votes]


SWAPPED = {**PAIR, "answer_a": "y", "answer_b": "x", "annotator": "ann", "vote": "a"}
TWICE = (1, "a", False), ({"id": 1, "email": "x@y.org"}, "b", False)


@pytest.mark.parametrize(
    ("reader", "rows"),
    [
        ("label_studio", [task(*TWICE)]),
        ("argilla", [record(("u", "a", "submitted"), ("u", "b", "submitted"))]),
        ("argilla", [early_record(("u", "a", "submitted"), ("u", "b", None))]),
        ("votes", vote(("ann", "a"), ("ann ", "b"))),
        ("votes", [*vote(("ann", "a")), SWAPPED]),
    ],
)
def test_a_person_counts_once_for_each_comparison(write, reader, rows):
    """Two annotations of one person on one task are refused, in either order of the answers."""
    with pytest.raises(DataError, match="also judged these answers on"):
        load(f"{reader}:{write('rows.json', json.dumps(rows))}")


@pytest.mark.parametrize(
    ("reader", "row", "reason"),
    [
        ("label_studio", task((1, "a", False), (1, "b", True)), "cancelled annotations"),
        ("label_studio", task((1, "a", False), (2, "b", 1)), "cancelled annotations"),
        ("label_studio", task((1, "a", False), (2, None, False)), "annotations without a vote"),
        ("argilla", record(("u", "a", "submitted"), ("v", "b", "draft")), "draft responses"),
        ("argilla", record(("u", "a", None), ("u", "b", "discarded")), "discarded responses"),
        ("argilla", early_record(("u", "a", "submitted"), ("v", "b", "draft")), "draft responses"),
    ],
)
def test_annotations_that_were_not_given_are_counted_and_left_out(write, reader, row, reason):
    """A draft, a discarded and a cancelled annotation are no votes."""
    data = load(f"{reader}:{write('rows.json', json.dumps([row]))}")
    assert [review.verdict.choice for review in data.reviews] == ["a"]
    assert data.left_out == {reason: 1}


@pytest.mark.parametrize(
    ("reader", "row"),
    [
        ("label_studio", task((1, "a", True))),
        ("label_studio", task((1, None, False))),
        ("argilla", record(("u", "a", "discarded"))),
        ("votes", vote(("ann", ""))[0]),
    ],
)
def test_a_file_whose_answers_give_no_vote_is_an_error(write, reader, row):
    """An import of answers without a vote is a mistake in the export or in the map."""
    with pytest.raises(DataError, match="no vote was read from 1 answers"):
        load(f"{reader}:{write('rows.json', json.dumps([row]))}")
