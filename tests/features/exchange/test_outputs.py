"""Single outputs of models become pairs; each sample follows a published layout."""

from __future__ import annotations

import json

import pytest

from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError
from peerjudge.features.exchange.importing import recognize, split_format


def read(path, *files, pairs="", **names):
    """Load outputs; `pairs` and `names` are options."""
    return load(f"outputs:{path}", options=Options(files=files, pairs=pairs, names=names))


def authors(data):
    """Return the authors of each comparison."""
    return [tuple(answer.author for answer in one.answers) for one in data.comparisons]


TABLE = "question,model,answer\nWhy?,m1,x\nWhy?,m2,y\nWhy?,m3,z\nHow?,m1,x\nHow?,m2,x\nWho?,m3,z\n"


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        ("", [("m1", "m2"), ("m1", "m3"), ("m2", "m3"), ("m1", "m2")]),
        ("all", [("m1", "m2"), ("m1", "m3"), ("m2", "m3"), ("m1", "m2")]),
        ("baseline=m3", [("m1", "m3"), ("m2", "m3")]),
        ("single", [("m1",), ("m2",), ("m3",), ("m1",), ("m2",), ("m3",)]),
    ],
)
def test_answers_to_one_question_are_compared(write, pairs, found):
    """All pairs of models, pairs with a baseline, or lone answers; what has no pair is counted."""
    data = read(write("outputs.csv", TABLE), pairs=pairs)
    assert authors(data) == found
    alone = {"": 1, "all": 1, "baseline=m3": 2, "single": 0}[pairs]
    assert dict(data.left_out) == (
        {"questions that too few models answered": alone} if alone else {}
    )


def test_files_of_one_model_each_are_named_after_it(write):
    """Without a column for the model, the name of the file is the model."""
    one = write("m1.csv", "question,answer\nWhy?,x\n")
    two = write("m2.jsonl", [{"question": "Why?", "answer": "y"}])
    assert authors(read(one, two)) == [("m1", "m2")]
    assert split_format(["outputs", str(one), str(two)]) == ("outputs", (one, two))
    assert split_format([str(one), str(two)]) == ("", (one, two))


def test_outputs_of_alpaca_eval(write):
    """One JSON list for each model; the dataset of an instruction is its subset."""
    paths = [
        write(
            f"{model}.json",
            json.dumps(
                [
                    {
                        "dataset": "helpful_base",
                        "instruction": "Name two actors.",
                        "output": f"By {model}.",
                        "generator": model,
                        "datasplit": "eval",
                    }
                ]
            ),
        )
        for model in ("gpt4", "text_davinci_003")
    ]
    (one,) = read(*paths).comparisons
    assert [answer.text for answer in one.answers] == ["By gpt4.", "By text_davinci_003."]
    assert one.subset == "helpful_base"
    assert recognize(paths[0], Options()) == "outputs"


def test_answers_of_fastchat(write):
    """The questions come from the file above; the user's second message is part of the answer."""
    question = {
        "question_id": 101,
        "category": "reasoning",
        "turns": ["Which place?", "And the last?"],
        "reference": ["Second.", "Uncertain."],
    }
    write("mt_bench/question.jsonl", [question])
    for model in ("vicuna-13b", "koala-13b"):
        answer = {
            "question_id": 101,
            "answer_id": "x",
            "model_id": model,
            "choices": [{"index": 0, "turns": ["Second.", f"{model} says so."]}],
            "tstamp": 1.0,
        }
        path = write(f"mt_bench/model_answer/{model}.jsonl", [answer])
    (one,) = read(path.parent).comparisons
    assert (one.question.text, one.question.category) == ("Which place?", "reasoning")
    assert one.answers[1].text == (
        "Assistant:\nSecond.\n\nUser:\nAnd the last?\n\nAssistant:\nvicuna-13b says so."
    )
    assert one.meta["reference"] == "Second."


def sample(model, *, name="none", **changed):
    """Return a row of lm-evaluation-harness for a task that generates text."""
    return {
        "doc_id": 0,
        "doc": {"question": "2 + 3?", "answer": "#### 5"},
        "target": "#### 5",
        "arguments": {
            "gen_args_0": {
                "arg_0": f"<{model}>2 + 3?",
                "arg_1": {"until": ["\n\n"], "temperature": 0},
            }
        },
        "resps": [[f"{model}: 5"]],
        "filtered_resps": ["5"],
        "filter": name,
        "metrics": ["exact_match"],
        "doc_hash": "d0",
        "prompt_hash": f"p-{model}",
        "target_hash": "t0",
        "exact_match": 1.0,
        **changed,
    }


def write_samples(write, model, *rows):
    """Write samples where the harness does: in a folder named after the model."""
    write(f"out/{model}/results_2026-01-02T03-04-05.678901.json", "{}")
    return write(f"out/{model}/samples_gsm8k_2026-01-02T03-04-05.678901.jsonl", list(rows))


def test_samples_of_the_harness(write):
    """A row for each filter is one answer; prompts of chat templates may differ for one document."""
    for model in ("org__m1", "org__m2"):
        path = write_samples(
            write, model, sample(model, name="strict"), sample(model, name="flexible")
        )
    (one,) = read(path.parents[1]).comparisons
    assert [(answer.author, answer.text) for answer in one.answers] == [
        ("org__m1", "org__m1: 5"),
        ("org__m2", "org__m2: 5"),
    ]
    assert one.question.text == "<org__m1>2 + 3?"
    assert (one.question.id, one.question.category) == ("gsm8k-0", "gsm8k")
    assert one.meta["reference"] == "#### 5"
    assert recognize(path, Options()) == "outputs"
    (mapped,) = read(path.parents[1], question="question").comparisons
    assert mapped.question.text == "2 + 3?"


def test_a_prompt_of_the_harness_may_be_a_chat(write):
    """Messages for a chat model are read as text, each after its speaker."""
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "2 + 3?"},
    ]
    chat = {"arguments": {"gen_args_0": {"arg_0": [json.dumps(messages)], "arg_1": {}}}}
    old = {"arguments": [["2 + 3?", {"until": []}]], "doc_id": 1, "doc_hash": "d1"}
    path = write_samples(write, "m1", sample("m1", **chat), sample("m1", **old))
    one, two = read(path, pairs="single").comparisons
    assert one.question.text == "System:\nBe brief.\n\nUser:\n2 + 3?"
    assert two.question.text == "2 + 3?"


def test_scored_continuations_are_no_answers(write):
    """Multiple-choice tasks of the harness have log-likelihoods, not text."""
    row = sample("m1", resps=[[["-1.5", "False"]], [["-0.5", "True"]]])
    with pytest.raises(DataError, match=r"line 1: 'resps' holds no generated text"):
        read(write_samples(write, "m1", row), pairs="single")


@pytest.mark.parametrize(
    ("table", "pairs", "complaint"),
    [
        (TABLE, "baseline=m9", "no model 'm9' to be the baseline; choose one of m1, m2, m3"),
        (TABLE, "some", "pairs are all, single or baseline=NAME, not 'some'"),
        (
            "question,model,answer\nWhy?,m1,x\n",
            "",
            "all outputs are of m1; name the files of other",
        ),
        (
            "question,model,answer\nWhy?,m1,x\nWhy?,m1,y\nWhy?,m2,y\n",
            "",
            "line 3: 'm1' has another answer to this question on line 2",
        ),
        (
            "id,question,model,answer\n1,Why?,m1,x\n1,How?,m2,y\n",
            "",
            "line 3: question '1' has another text than on line 2",
        ),
        ("question,model,answer\nWhy?,m1,x\nHow?,m2,y\n", "", "no question has answers of two"),
        ("question,model,text\nWhy?,m1,x\n", "", "line 2: no 'answer'; give a string"),
    ],
)
def test_outputs_that_cannot_be_paired_are_named(write, table, pairs, complaint):
    """The sentence says which rows or names do not fit."""
    with pytest.raises(DataError, match=complaint):
        read(write("outputs.csv", table), pairs=pairs)


def test_options_of_other_formats_are_refused(write):
    """Battles are pairs already, and a table of one's own is one file."""
    path = write("pairs.csv", "question,answer_a,answer_b\nWhy?,x,y\n")
    with pytest.raises(DataError, match="arena does not use --pairs"):
        load(f"arena:{path}", options=Options(pairs="all"))
    with pytest.raises(DataError, match="csv is read from one file or folder"):
        load(f"csv:{path}", options=Options(files=(path,)))


def test_an_error_has_the_path_of_keys(write):
    """The place inside an object is named as in a program."""
    task = {
        "data": {"question": "Why?", "answer_a": "x", "answer_b": "y"},
        "annotations": [
            {"completed_by": 1, "result": [{"type": "pairwise", "value": {"selected": "up"}}]}
        ],
    }
    with pytest.raises(DataError, match=r"item 1, annotations\[0\].result\[0\].value: 'selected'"):
        load(f"label_studio:{write('export.json', json.dumps([task]))}")
    task["annotations"] = ["none"]
    with pytest.raises(DataError, match=r"item 1: 'annotations\[0\]' must be an object"):
        load(f"label_studio:{write('export.json', json.dumps([task]))}")


@pytest.mark.parametrize("broken", ['{"question": "Who?", "answer": "x"', "[1]", '"text"'])
def test_lines_that_are_no_objects_can_be_left_out(write, broken):
    """A line that is cut off is a bad row as any other: it is named, or counted and left out."""
    good = [{"question": "Why?", "model": name, "answer": name} for name in ("m1", "m2")]
    one, two = map(json.dumps, good)
    path = write("outputs.jsonl", f"{one}\n{broken}\n{two}\n")
    with pytest.raises(DataError, match="line 2: "):
        read(path)
    data = load(f"outputs:{path}", options=Options(skip_bad=1))
    assert authors(data) == [("m1", "m2")]
    assert dict(data.left_out) == {"rows that cannot be read": 1}


def test_records_of_another_width_can_be_left_out(write):
    """A record with a cell too many is named with its line, or left out."""
    path = write("outputs.csv", TABLE.replace("How?,m1,x", "How?,m1,x,y"))
    options = Options(delimiter=",")
    with pytest.raises(DataError, match="line 5: 4 cells under a header of 3"):
        load(f"outputs:{path}", options=options)
    data = load(f"outputs:{path}", options=Options(delimiter=",", skip_bad=1))
    assert len(data.comparisons) == 3
