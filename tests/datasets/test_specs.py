"""Columns with other names are read by names that the user gives, wherever data are taken."""

from __future__ import annotations

import pytest

from peerjudge.data import Condition, Experiment, Verdict
from peerjudge.datasets import Options, add_to_spec, load
from peerjudge.datasets.guesses import guess_columns
from peerjudge.errors import DataError
from peerjudge.runs import prepare

TABLE = "Prompt,Model A (new),out&put,label\nWhy?,x,y,1\nHow?,x,z,0\n"
NAMES = {
    "question": "Prompt",
    "answer_a": "Model A (new)",
    "answer_b": "out&put",
    "gold": "label",
}
CODES = {"0": "a", "1": "b"}


def test_a_text_that_names_data_carries_columns_and_codes(write):
    """Blanks and signs in the names of columns survive; what is given beside the text goes before it."""
    path = write("pairs.csv", TABLE)
    spec = add_to_spec(str(path), names=NAMES, codes=CODES)
    assert [one.gold for one in load(spec).comparisons] == [Verdict.of("b"), Verdict.of("a")]
    again = add_to_spec(spec, names={"answer_b": "Prompt"}, codes={"1": "tie"})
    assert load(again).comparisons[0].answers[1].text == "Why?"
    turned = load(spec, options=Options(codes={"0": "b", "1": "a"}))
    assert turned.comparisons[0].gold == Verdict.of("a")


@pytest.mark.parametrize(
    ("tail", "complaint"),
    [
        ("?question=Frage", r"there is no field 'Frage' to map"),
        ("?question=", r"must map each field once"),
        ("?question=Prompt&question=label", r"must map each field once"),
        ("?nonsense=Prompt", r"no 'question'|names 'nonsense'"),
        ("?question=Prompt&codes=0", r"must name codes as in codes=0=a,1=b"),
    ],
)
def test_a_column_that_cannot_be_named_is_an_error(write, tail, complaint):
    """A column that is not there, and a field that is named twice or without a column, are refused."""
    with pytest.raises(DataError, match=complaint):
        load(f"{write('pairs.csv', TABLE)}{tail}")


def test_a_file_may_have_a_question_mark_in_its_name(write):
    """A path that exists is a path."""
    path = write("a?b=c.csv", "question,answer_a,answer_b\nWhy?,x,y\n")
    assert len(load(f"csv:{path}").comparisons) == len(load(str(path)).comparisons) == 1


def test_fields_inside_objects_and_lists_are_read(write):
    """A path of keys names a field below another one; a field with a dot in its name goes first."""
    row = {
        "in.put": "Why?",
        "choices": [{"message": {"content": "x"}}, {"message": {"content": "y"}}],
    }
    content = "choices.{}.message.content"
    names = {"question": "in.put", "answer_a": content.format(0), "answer_b": content.format(1)}
    data = load(f"jsonl:{write('rows.jsonl', [row])}", options=Options(names=names))
    assert [answer.text for answer in data.comparisons[0].answers] == ["x", "y"]


@pytest.mark.parametrize(
    ("columns", "guessed"),
    [
        ("Prompt model_x_output model_y_output win", "Prompt model_x_output model_y_output"),
        ("INSTRUCTION Response1 Response2 preference", "INSTRUCTION Response1 Response2 preference"),
        ("user-query OutputA OutputB Label", "user-query OutputA OutputB Label"),
        ("prompt completion_left completion_right n", "prompt completion_left completion_right"),
        ("prompt system_prompt output_1 output_2 output_3", "prompt"),
        ("x y z", ""),
    ],
)  # fmt: skip
def test_columns_of_other_tools_are_guessed(columns, guessed):
    """Case, separators and common synonyms do not matter; what is ambiguous is not guessed."""
    found = guess_columns(("question", "answer_a", "answer_b", "gold"), columns.split())
    assert list(found.values()) == guessed.split()


def test_a_guess_is_shown_once_and_never_applied(write):
    """The message has the whole advice, and one sentence for all rows of a file."""
    table = "Prompt,response 1,response 2\nWhy?,x,y\nHow?,x,z\n"
    with pytest.raises(DataError) as raised:
        load(str(write("pairs.csv", table)))
    said = str(raised.value)
    assert said.count("Prompt -> question") == 1
    assert (
        "use --map question=Prompt --map answer_a='response 1' --map answer_b='response 2'" in said
    )


def test_columns_of_declared_data_are_named(write):
    """A map without data is of the data that the experiment declares."""
    path = write("pairs.csv", TABLE)
    declared = Experiment(
        name="own",
        data=str(path),
        conditions=(Condition(name="alone", protocol="pairwise", seats=("sim_solid",)),),
    )
    found = prepare(declared, data=add_to_spec("", names=NAMES, codes=CODES))
    assert len(found.plan.comparisons) == 2
