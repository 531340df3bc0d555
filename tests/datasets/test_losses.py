"""What a file holds and a dataset does not, or holds twice, is counted and said."""

from __future__ import annotations

import json
import re

import pytest

from peerjudge.cli.options import split_names
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError


def battle(number, one="m1", other="m2", **more):
    """Return a battle without texts."""
    row = {"model_a": one, "model_b": other, "winner": "model_a", "judge": "j"}
    return {"question_id": str(number), **row, **more}


def chat(content):
    """Return a battle whose answers have this content."""
    said = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": content}]
    return battle(1, conversation_a=said, conversation_b=[said[0], {**said[1], "content": "y"}])


def written(number, one, other, question="Why?"):
    """Return a battle with texts."""
    return battle(
        number,
        conversation_a=[
            {"role": "user", "content": question},
            {"role": "assistant", "content": one},
        ],
        conversation_b=[
            {"role": "user", "content": question},
            {"role": "assistant", "content": other},
        ],
    )


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([battle(1), battle(1, tstamp=2), battle(2)], r"repeated reviews: 1 \(j: 1\)"),
        ([battle(1, "m", "m"), battle(2)], r"1 comparison is \(1-m\) of one system with itself"),
        ([written(1, "x", "y"), written(1, "x", "z")], "same id has other answers .*: 1"),
        ([written(1, "x", "y"), written(1, "x", "y", "How?")], "same id has another question: 1"),
        ([written("T-013", "x", "")], r"1 comparison with an empty answer \(T-013-m1-m2\)"),
        ([written(1, "x", "x")], "1 pair of equal answers"),
        ([written(1, "x\0", "y")], "1 comparison with a NUL in a text"),
    ],
)
def test_a_dataset_says_what_is_odd_in_it(write, rows, note):
    """Repetitions, ids with several texts, battles with oneself and answers that say nothing."""
    notes = "\n".join(load(f"arena:{write('rows.jsonl', rows)}").notes)
    assert re.search(note, notes), notes


def test_reviews_of_an_own_table_that_repeat_another_are_counted(write):
    """A reviewer may judge the same answers again, and the number is said."""
    row = {"question": "Why?", "answer_a": "x", "answer_b": "y", "reviewer": "j", "verdict": "a"}
    notes = load(f"{write('own.jsonl', [row, row])}").notes
    assert any(note.startswith("repeated reviews: 1") for note in notes)


def test_battles_read_from_two_files_are_counted(write):
    """The second file repeats what the first one has."""
    files = [write(name, [battle(1), battle(2)]) for name in ("one.jsonl", "two.jsonl")]
    data = load(f"arena:{files[0]}", options=Options(files=(files[1],)))
    assert any(note.startswith("repeated reviews: 2") for note in data.notes)


def test_parts_of_a_message_that_are_no_text_are_counted(write):
    """An image between texts is left out of the answer."""
    content = ["a", {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "b"}]
    data = load(f"arena:{write('rows.jsonl', [chat(content)])}")
    assert data.comparisons[0].answers[0].text == "a\nb"
    assert data.left_out == {"parts of messages that are not text": 1}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "own.jsonl",
            '{"question": "Q", "answer_a": "x", "answer_b": "y", "gold": "a", "gold": "b"}',
        ),
        ("own.json", '[{"question": "Q", "answers": [{"text": "x", "text": "z"}, "y"]}]'),
    ],
)
def test_a_key_that_occurs_twice_is_refused(write, name, text):
    """Of two values of one key no one knows which is meant, as of two columns of one name."""
    with pytest.raises(DataError, match=r"the key '(gold|text)' occurs twice"):
        load(f"jsonl:{write(name, text)}")


def log(status, model, *texts):
    """Return a log of Inspect with one answer in each sample."""
    samples = [
        {"id": n, "epoch": 1, "input": f"Q{n}?", "target": "", "output": {"completion": text}}
        for n, text in enumerate(texts)
    ]
    spec = {"model": model, "task": "t"}
    return json.dumps({"version": 2, "status": status, "eval": spec, "samples": samples})


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_logs_that_did_not_succeed_are_named(write, status):
    """The note has the file, the status and the number of samples; empty answers are counted apart."""
    files = (
        write("one.json", log(status, "m1", "x", "")),
        write("two.json", log("success", "m2", "y", "z")),
    )
    data = load(f"inspect:{files[0]}", options=Options(files=files[1:]))
    assert any(f"one.json: status {status}, 2 samples" in note for note in data.notes)
    assert data.left_out["samples with an empty answer"] == 1
    alone = write("bad.json", log(status, "m1", ""))
    with pytest.raises(DataError, match=f"1 samples with an empty answer.*status {status}"):
        load(f"inspect:{alone}")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b", ["a", "b"]),
        ('"gpt-4, t=0", b', ["gpt-4, t=0", "b"]),
        (' a ,"b"', ["a", "b"]),
        ("", []),
    ],
)
def test_a_name_with_a_comma_stands_in_quotes(text, names):
    """Lists of names are cells of a CSV."""
    assert split_names(text) == names
