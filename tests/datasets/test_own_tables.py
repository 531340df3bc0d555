"""A user's own JSON Lines or CSV become comparisons, or an error that names file and line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import TIE, Verdict
from peerjudge.datasets import load
from peerjudge.errors import DataError

ROW = {"question": "Why?", "answer_a": "Because.", "answer_b": "Therefore."}
OTHER = {**ROW, "question": "And why is that?"}


@pytest.fixture
def jsonl(write):
    """Load these objects from a JSON Lines file."""

    def loaded(*rows):
        return load(f"jsonl:{write('own.jsonl', list(rows))}")

    return loaded


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_a_table_of_another_delimiter_is_read(write, sign):
    """Spreadsheets of many countries separate cells by semicolons; the header shows it."""
    rows = (("question", "answer_a", "answer_b"), ("Why?", "Because, so.", "Therefore."))
    table = write("own.csv", "".join(f"{sign.join(row)}\n" for row in rows))
    assert [one.text for one in load(f"csv:{table}").comparisons[0].answers] == list(rows[1][1:])


def test_gold_ratings_are_numbers_in_both_formats(jsonl, write):
    """A CSV has text only; `score` holds ratings against `gold_ASPECT` from either format."""
    row = {"question": "Why?", "answer_1": "Because.", "gold_tone": 3.5, "gold_note": "a draft"}
    table = write("own.csv", "question,answer_1,gold_tone,gold_note\nWhy?,Because.,3.5,a draft\n")
    for dataset in (jsonl(row), load(f"csv:{table}")):
        assert dataset.comparisons[0].meta == {"gold_tone": 3.5, "gold_note": "a draft"}


def test_a_row_becomes_a_comparison(jsonl):
    """Every known column is used; other columns are kept if they are single values."""
    row = {
        **ROW,
        "id": 7,
        "gold": "b",
        "category": "x",
        "subset": "y",
        "author_a": "m",
        "author_b": "n",
        "difficulty": 0.5,
        "tags": ["not", "kept"],
    }
    (comparison,) = jsonl(row).comparisons
    assert (comparison.id, comparison.question.text) == ("7", "Why?")
    assert (comparison.question.category, comparison.subset) == ("x", "y")
    assert [(a.id, a.author, a.text) for a in comparison.answers] == [
        ("a", "m", "Because."),
        ("b", "n", "Therefore."),
    ]
    assert comparison.gold == Verdict.of("b")
    assert comparison.meta == {"difficulty": 0.5}


@pytest.mark.parametrize(
    ("gold", "verdict"),
    [
        ("a", Verdict.of("a")),
        ("B", Verdict.of("b")),
        (1, Verdict.of("a")),
        ("2", Verdict.of("b")),
        ("Tie", TIE),
        ("", None),
        (None, None),
    ],
)
def test_gold_is_a_letter_or_a_number_from_one(jsonl, gold, verdict):
    """`a` and 1 are the first answer, `b` and 2 the second; an empty value means unknown gold."""
    assert jsonl({**ROW, "gold": gold}).comparisons[0].gold == verdict


@pytest.mark.parametrize("gold", ["c", 3, "both", "gpt4"])
def test_an_unknown_gold_is_refused(jsonl, gold):
    """A gold that names no answer is an error."""
    with pytest.raises(
        DataError, match=rf"own.jsonl, line 1: 'gold' must be one of a, b, 1, 2, tie, not '{gold}'"
    ):
        jsonl({**ROW, "gold": gold})


def test_answers_can_be_listed_with_ids_and_authors(jsonl):
    """A list takes one to four answers; the gold may be one of their ids or a position."""
    row = {
        "question": "Why?",
        "answers": [{"id": "x", "text": "1", "author": "m"}, {"text": "2"}, "3"],
        "gold": "x",
    }
    first, second = jsonl(row, {**row, "question": "How?", "gold": "c"}).comparisons
    assert [(a.id, a.author) for a in first.answers] == [("x", "m"), ("b", ""), ("c", "")]
    assert (first.gold, second.gold) == (Verdict.of("x"), Verdict.of("c"))


def test_three_numbered_answers_make_a_choice(jsonl):
    """`answer_1` to `answer_4` name answers by number."""
    row = {"question": "Why?", "answer_1": "x", "answer_2": "y", "answer_3": "z", "gold": 3}
    (comparison,) = jsonl(row).comparisons
    assert comparison.shown == ("1", "2", "3")
    assert comparison.gold == Verdict.of("3")


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"answer_a": "x", "answer_b": "y"}, "no 'question'; give a string"),
        ({**ROW, "question": 5}, "'question' must be a string, not 5"),
        ({**ROW, "question": "  "}, "'question' is empty"),
        ({"question": "Why?"}, "no answers; give 'answer_a' and 'answer_b'"),
        ({"question": "Why?", "answer_b": "y"}, "no answers"),
        ({**ROW, "answer_b": ["y"]}, "'answer_b' must be a string"),
        ({**ROW, "id": 1.5}, "'id' must be a text or a whole number, not 1.5"),
        ({"question": "Why?", "answers": "x"}, "'answers' must be a list"),
        ({"question": "Why?", "answers": []}, "'answers' must be a list"),
        ({"question": "Why?", "answers": list("vwxyz")}, "5 answers; a comparison has 1 to 4"),
        ({"question": "Why?", "answers": ["x", 2]}, "answer 'b' must be a text or an object"),
        ({"question": "Why?", "answers": [{"id": "x"}]}, "no 'text'"),
        ({"question": "Why?", "answers": [{"id": "b", "text": ""}, ""]}, "the same answer twice"),
    ],
)
def test_a_malformed_row_is_named_by_file_and_line(jsonl, row, complaint):
    """The message has the place, the problem and the remedy."""
    with pytest.raises(DataError, match=rf"own.jsonl, line 2: .*{complaint}"):
        jsonl(ROW, row)


def test_an_id_names_one_comparison(jsonl):
    """Two rows of one id are refused, with both lines; rows without an id get their line number."""
    with pytest.raises(DataError, match=r"line 3: id 'x' is also on line 1"):
        jsonl({**ROW, "id": "x"}, OTHER, {**ROW, "answer_b": "another", "id": "x"})
    assert [c.id for c in jsonl(ROW, OTHER).comparisons] == ["line-1", "line-2"]


def test_a_repeated_pair_is_refused(jsonl):
    """The same answers to the same question are one comparison, in either order."""
    swapped = {**ROW, "answer_a": ROW["answer_b"], "answer_b": ROW["answer_a"], "gold": ""}
    with pytest.raises(DataError, match="line 2: the same question and answers are also on line 1"):
        jsonl(ROW, swapped)


def test_pairs_of_one_question_share_it(jsonl):
    """Two pairs of answers to one question are two comparisons of one question."""
    first, second = jsonl(ROW, {**ROW, "answer_b": "another"}).comparisons
    assert first.question.id == second.question.id
    assert jsonl(ROW).comparisons[0].question.id != jsonl(OTHER).comparisons[0].question.id


def test_a_misspelt_column_is_refused(jsonl):
    """`golden` is a typing error for `gold`, not another column."""
    with pytest.raises(DataError, match="line 1: column 'golden' looks like 'gold' misspelt"):
        jsonl({"question": "Why?", "answer_a": "x", "answer_b": "y", "golden": "a"})
    assert jsonl({**ROW, "colour": "red"}).comparisons[0].meta == {"colour": "red"}


def test_a_truncated_file_is_noticed(write):
    """The message names the incomplete last line."""
    path = write("own.jsonl", json.dumps(ROW) + '\n{"question": "Wh')
    with pytest.raises(DataError, match=r"own.jsonl, line 2: not a complete JSON .*cut off here"):
        load(f"jsonl:{path}")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "own.jsonl is empty"),
        (b"\n \n", "own.jsonl is empty"),
        (b'{"question": "caf\xe9"}\n', "line 1: byte 0xe9 is not UTF-8"),
        (b"[1, 2]\n", "item 1: expected a JSON object"),
        (b'{"question": "\\ud800"}\n', "line 1: holds half a character"),
        (b"{'question': 1}\n", "line 1: not a complete JSON object"),
    ],
)
def test_a_file_that_is_no_json_lines_is_refused(write, content, complaint):
    """The message differs for empty files, other encodings and other formats."""
    with pytest.raises(DataError, match=complaint):
        load(f"jsonl:{write('own.jsonl', content)}")


def test_a_missing_file_is_named(tmp_path):
    """The message has the path, also of a folder."""
    with pytest.raises(DataError, match=r"there is no file .*gone.jsonl"):
        load(f"jsonl:{tmp_path / 'gone.jsonl'}")
    with pytest.raises(DataError, match="cannot be read"):
        load(f"jsonl:{tmp_path}")


def test_a_byte_order_mark_blank_lines_and_emoji_do_no_harm(write):
    """Files of editors on other systems are read correctly."""
    text = "\ufeff" + json.dumps({**ROW, "question": "😀?"}) + "\r\n\r\n" + json.dumps(ROW)
    dataset = load(f"jsonl:{write('own.jsonl', text)}")
    assert [c.question.text for c in dataset.comparisons] == ["😀?", "Why?"]
    assert [c.id for c in dataset.comparisons] == ["line-1", "line-3"]


def test_csv_equals_json_lines(write, jsonl):
    """A CSV record is read like the JSON object with the same text in it."""
    text = 'question,answer_a,answer_b,gold,note\nWhy?,"Be,\ncause.","He said ""so"".",tie,x\n'
    (mine,) = load(f"csv:{write('own.csv', text)}").comparisons
    row = {
        **ROW,
        "answer_a": "Be,\ncause.",
        "answer_b": 'He said "so".',
        "gold": "tie",
        "note": "x",
    }
    (same,) = jsonl({"id": "line-2", **row}).comparisons
    assert mine == same


def test_records_of_several_lines_are_named_by_their_first(write):
    """The line in an error is the one on which the record begins."""
    text = 'question,answer_a,answer_b,gold\n"Why\nso?",x,y,a\nHow?,x,y,c\n'
    with pytest.raises(DataError, match=r"own.csv, line 4: 'gold' .* not 'c'"):
        load(f"csv:{write('own.csv', text)}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "own.csv is empty"),
        ("question,answer_a\n", "has a header but no records"),
        ("question,answer_a,answer_a\nx,y,z\n", "line 1: the column 'answer_a' occurs twice"),
        ("question,answers\nx,y\n", "line 2: .*a table has no lists, so give its columns answer_a"),
        ("question,answer_a,answer_b\nx,y\n", "line 2: 2 cells under a header of 3"),
        ("question,answer_a,answer_b\nx,y,z\nx,y,z,a\n", "line 3: 4 cells under a header of 3"),
        ('question,answer_a,answer_b\nx,"y,z\nx,y,z\n', "line 2: unexpected end of data"),
        ('question,answer_a,answer_b\nx,"y"y,z\n', "line 2: .*must stand in quotes"),
        ("prompt,answer_a,answer_b\nx,y,z\n", "line 2: no 'question'"),
    ],
)
def test_a_malformed_table_is_named_by_file_and_line(write, text, complaint):
    """The message has the place, the problem and the remedy."""
    with pytest.raises(DataError, match=complaint):
        load(f"csv:{write('own.csv', text)}")


def test_an_empty_second_answer_stays_an_answer(write):
    """An empty answer is still compared; an empty third column is no answer."""
    text = "question,answer_a,answer_b,answer_c,gold\nWhy?,x,,,\n"
    (comparison,) = load(f"csv:{write('own.csv', text)}").comparisons
    assert [answer.text for answer in comparison.answers] == ["x", ""]
    assert comparison.gold is None


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=30)


PAIRS = st.tuples(TEXT.filter(str.strip), TEXT, TEXT)


@given(rows=st.lists(PAIRS, min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_any_text_survives_either_format(tmp_path_factory, rows):
    """Questions and answers are read character by character."""
    folder = tmp_path_factory.mktemp("own")
    header = ("question", "answer_a", "answer_b")
    (folder / "own.jsonl").write_text(
        "\n".join(
            json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) for row in rows
        ),
        encoding="utf-8",
        newline="",
    )
    table = io.StringIO(newline="")
    csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    (folder / "own.csv").write_text(table.getvalue(), encoding="utf-8", newline="")
    for kind in ("jsonl", "csv"):
        dataset = load(f"{kind}:{folder / f'own.{kind}'}")
        found = [(c.question.text, *(a.text for a in c.answers)) for c in dataset.comparisons]
        assert found == rows
