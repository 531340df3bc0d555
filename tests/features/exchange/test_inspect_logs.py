"""Logs of Inspect AI become pairs or ratings; the samples follow logs that Inspect 0.3 writes."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import TIE, UNREADABLE, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError
from peerjudge.features.exchange.importing import recognize


def sample(number, completion, *, epoch=1, **more):
    """Return a sample as Inspect logs it, without the events."""
    message = {"id": "x", "content": completion, "source": "generate", "role": "assistant"}
    return {
        "id": f"s{number}",
        "epoch": epoch,
        "input": f"What is {number} + {number}?",
        "target": str(2 * number),
        "messages": [],
        "output": {
            "model": "m",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": completion,
        },
        "scores": {"match": {"value": "C", "answer": completion}},
        "metadata": {},
        "store": {},
        "events": [],
        "attachments": {},
        **more,
    }


def log(model, *samples, status="success"):
    """Return a log."""
    return {
        "version": 2,
        "status": status,
        "eval": {
            "run_id": "r",
            "created": "2026-01-02T03:04:05+00:00",
            "task": "sums",
            "task_id": "t",
            "dataset": {"name": "sums", "samples": len(samples)},
            "model": model,
            "config": {},
        },
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(samples)},
        "samples": list(samples),
    }


@pytest.fixture
def read(write):
    """Load logs, each in a file of its own."""

    def from_logs(*logs, **options):
        paths = [
            write(f"{place}.json", json.dumps(one, indent=2)) for place, one in enumerate(logs)
        ]
        return load(f"inspect:{paths[0]}", options=Options(files=tuple(paths[1:]), **options))

    return from_logs


def scored(value):
    """Return the scores of a sample."""
    return {"scores": {"grader": {"value": value}}}


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("C", "I", Verdict.of("org/m1")),
        ("I", "P", Verdict.of("org/m2")),
        ("C", "C", TIE),
        (0.25, 3, Verdict.of("org/m2")),
        (True, False, Verdict.of("org/m1")),
        ("7.5", "10", Verdict.of("org/m2")),
        ("N", "C", UNREADABLE),
        (float("nan"), 1, UNREADABLE),
        ("fair", "good", UNREADABLE),
    ],
)
def test_the_higher_score_of_two_logs_is_the_choice(read, one, other, verdict):
    """Marks, numbers and truth values are compared; what is no score is unreadable, never a tie."""
    data = read(
        log("org/m1", sample(1, "two", **scored(one))),
        log("org/m2", sample(1, "2", **scored(other))),
    )
    (comparison,) = data.comparisons
    assert [(answer.author, answer.text) for answer in comparison.answers] == [
        ("org/m1", "two"),
        ("org/m2", "2"),
    ]
    assert (comparison.question.id, comparison.question.text) == ("sums-s1", "What is 1 + 1?")
    assert comparison.meta["reference"] == "2"
    assert [(review.reviewer, review.verdict) for review in data.reviews] == [("grader", verdict)]
    assert data.unordered == ("grader",)


def test_epochs_are_paired_and_share_their_question(read):
    """Each epoch of one model is compared with the same epoch of the other; the question is one unit."""
    data = read(
        log("m1", sample(1, "a", epoch=1), sample(1, "b", epoch=2)),
        log("m2", sample(1, "c", epoch=1), sample(1, "d", epoch=2)),
    )
    texts = [tuple(answer.text for answer in one.answers) for one in data.comparisons]
    assert texts == [("a", "c"), ("b", "d")]
    assert {one.question.id for one in data.comparisons} == {"sums-s1"}


def test_scores_of_one_log_are_ratings(read):
    """With `single`, answers stay alone, and each score, also of several values, is a rating."""
    more = {"scores": {"match": {"value": "C"}, "rubric": {"value": {"style": 3, "facts": "I"}}}}
    data = read(log("m1", sample(1, "two", **more)), pairs="single")
    assert {review.reviewer: review.scores for review in data.reviews} == {
        "match": (1.0,),
        "rubric/style": (3.0,),
        "rubric/facts": (0.0,),
    }


def test_long_texts_and_messages_are_read(read):
    """Attachments are put in place; messages keep their speakers; early logs have no completion."""
    early = sample(1, "two")
    del early["output"]["completion"]
    early["input"] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "attachment://k1"},
    ]
    early["output"]["choices"][0]["message"]["content"] = [
        {"type": "reasoning", "reasoning": "1 + 1"},
        {"type": "text", "text": "attachment-free"},
    ]
    early["attachments"] = {"k1": "A long question?", "k2": "A long answer."}
    late = sample(2, "attachment://k2", attachments=early["attachments"])
    one, two = read(log("m1", early, late), pairs="single").comparisons
    assert one.question.text == "System:\nBe brief.\n\nUser:\nA long question?"
    assert [one.answers[0].text, two.answers[0].text] == ["attachment-free", "A long answer."]


def test_failed_and_empty_samples_are_counted(read):
    """A sample with an error has no answer to judge."""
    failed = sample(1, "", error={"message": "boom", "traceback": ""})
    data = read(log("m1", failed, sample(2, " "), sample(3, "six")), pairs="single")
    assert len(data.comparisons) == 1
    assert dict(data.left_out) == {
        "samples with an error or without an output": 1,
        "samples with an empty answer": 1,
    }


@pytest.mark.parametrize(
    ("logs", "complaint"),
    [
        ([{"version": 2}], "is no log of Inspect: it has no 'eval'"),
        ([log("m1", status="error")], r"has no samples \(status: error\)"),
        ([log("m1", sample(1, "x"))], "all outputs are of m1; name the files of other models too"),
        (
            [log("m1", sample(1, "x")), log("m1", sample(1, "y"))],
            r"1.json, sample 1: 'm1' has another answer to this question on sample 1 of .*0.json",
        ),
        ([log("m1", sample(1, "x", input=3))], "sample 1: 'input' must be a string, not 3"),
    ],
)
def test_a_log_that_cannot_be_used_is_named(read, logs, complaint):
    """The sentence has the file and the number of the sample."""
    with pytest.raises(DataError, match=complaint):
        read(*logs)


def test_logs_are_recognized(write):
    """By the keys at the beginning of a JSON log, and by the ending of an archive."""
    path = write("log.json", json.dumps(log("m1", sample(1, "x")), indent=2))
    assert recognize(path, Options()) == "inspect"
    assert recognize(write("log.eval", b"PK"), Options()) == "inspect"


def test_an_archive_is_read_by_inspect(write):
    """The same log in both forms gives the same data."""
    inspect_log = pytest.importorskip(
        "inspect_ai.log", reason="pip install 'peerjudge[inspect]' to read .eval logs"
    )
    path = write("log.json", json.dumps(log("m1", sample(1, "two"), sample(2, "four"))))
    archive = path.with_suffix(".eval")
    inspect_log.write_eval_log(inspect_log.read_eval_log(str(path)), str(archive))
    options = Options(pairs="single")
    one, two = (load(f"inspect:{each}", options=options) for each in (path, archive))
    assert one.comparisons == two.comparisons
    assert one.reviews == two.reviews
