"""Names that look alike are one name; names that nearly look alike are listed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.datasets import clean_name, load
from peerjudge.errors import DataError

ALIKE = (
    "gpt-4",
    " gpt-4",
    "gpt-4\t",
    "gpt-4\u200b",
    "\ufeffgpt-4",
    "gpt\u00ad-4",
    "gpt-\x004",
    "gpt-4\ufe0f",
)


@pytest.mark.parametrize("name", ALIKE)
def test_blanks_at_the_ends_and_invisible_characters_are_no_part_of_a_name(name):
    """Two names that are shown alike are the same."""
    assert clean_name(name) == "gpt-4"


@pytest.mark.parametrize(
    ("one", "other"), [("caf\u00e9", "cafe\u0301"), ("gpt 4", "gpt\u00a04"), ("gpt 4", "gpt  4")]
)
def test_other_encodings_of_what_is_shown_are_one_name(one, other):
    """Composed and decomposed letters, and kinds of spaces, do not tell names apart."""
    assert clean_name(one) == clean_name(other)


@given(st.text())
def test_a_clean_name_stays_as_it_is(name):
    """Cleaning twice is cleaning once."""
    assert clean_name(clean_name(name)) == clean_name(name)


def own(name, number):
    """Return an own row, a review of the contestant of this name."""
    row = {"question": f"Q{number}?", "answer_a": "x", "answer_b": "y", "category": f"{name}"}
    return row | {"author_a": name, "author_b": "m", "reviewer": f"{name}", "verdict": "a"}


def battle(name, number):
    """Return a battle of the contestant of this name."""
    row = {"model_a": name, "model_b": "m", "winner": "model_a", "judge": name}
    return row | {"question_id": str(number), "language": name}


def output(name, number):
    """Return two outputs to one question, one of the model of this name."""
    return {"id": number, "question": f"Q{number}?", "model": name, "answer": "x", "category": name}


def discussion(name, number):
    """Return a discussion of the speaker of this name."""
    row = {"question": f"Q{number}?", "answers": ["x", "y"]}
    return row | {"turns": [{"speaker": name, "text": "[[A]]", "verdict": "a"}]}


@pytest.mark.parametrize(
    ("reader", "make"), [("jsonl", own), ("arena", battle), ("discussions", discussion)]
)
def test_every_reader_cleans_names(write, reader, make):
    """One contestant, reviewer or category is one, however its name is padded."""
    rows = [make(name, number) for number, name in enumerate(ALIKE)]
    data = load(f"{reader}:{write('rows.jsonl', rows)}")
    authors = {answer.author for one in data.comparisons for answer in one.answers}
    assert authors <= {"gpt-4", "m", ""}
    assert {review.reviewer for review in data.reviews} <= {"gpt-4"}
    assert len({one.question.category for one in data.comparisons}) == 1
    assert not any("similar" in note for note in data.notes)


def test_outputs_of_one_model_are_of_one_model(write):
    """A blank after the name of a model does not make another model."""
    rows = [output("gpt-4", 1), output("m", 1), output("gpt-4 ", 2), output("m\u200b", 2)]
    data = load(f"outputs:{write('rows.jsonl', rows)}")
    assert [answer.author for answer in data.comparisons[1].answers] == ["gpt-4", "m"]


def test_names_that_are_nearly_equal_are_listed(write):
    """Case, blanks and width may tell two names apart, and the note lists them."""
    rows = [battle(name, number) for number, name in enumerate(("GPT 4", "gpt4", "\uff27pt4"))]
    notes = load(f"arena:{write('rows.jsonl', rows)}").notes
    assert "similar names: GPT 4, gpt4, \uff27pt4 are 3 contestants" in notes
    assert "similar names: GPT 4, gpt4, \uff27pt4 are 3 judges" in notes


def test_a_dataset_of_another_reader_has_clean_names(tmp_path):
    """Whoever reads a dataset, two rows that are printed alike cannot arise."""
    reader = tmp_path / "mine.py"
    reader.write_text(
        "from peerjudge.data import Answer, Comparison, Dataset, Question\n"
        "from peerjudge.datasets import Source\n"
        "ANSWERS = (Answer(id='a', text='x', author='m '), Answer(id='b', text='y', author='m'))\n"
        "ONE = Comparison(id='1', question=Question(id='q', text='Q?'), answers=ANSWERS)\n"
        "SOURCE = Source(description='mine', read=lambda _: Dataset(name='m', description='m', "
        "comparisons=(ONE,)))\n"
    )
    with pytest.raises(DataError, match=r"the contestant 'm ' has extra blanks"):
        load(f"{reader}:{tmp_path}")
