"""Rows of a user's own table can be reviews by models of one comparison."""

from __future__ import annotations

import json

import pytest

import peerjudge as pj
from peerjudge.data import TIE, UNREADABLE, Verdict
from peerjudge.datasets import load
from peerjudge.errors import DataError

ROW = {
    "question": "Why?",
    "answer_a": "Because.",
    "answer_b": "So.",
    "author_a": "x",
    "author_b": "y",
}
GIVEN = {**ROW, "reviewer": "m1", "verdict": "a", "gold": "a"}
SWAPPED = {
    "question": "Why?",
    "answer_a": "So.",
    "answer_b": "Because.",
    "author_a": "y",
    "author_b": "x",
    "reviewer": "m1",
    "verdict": "2",
    "gold": "b",
}


@pytest.fixture
def reviews(write):
    """Write these objects as a JSON Lines file, and load it."""

    def loaded(*rows):
        path = write("own.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        return load(f"jsonl:{path}")

    return loaded


def test_rows_of_several_reviewers_are_reviews_of_one_comparison(reviews):
    """Each is a review in the order of its row, by a judge that is no person; gold is that of the rows."""
    other = {**GIVEN, "reviewer": "m2", "verdict": "Tie", "gold": ""}
    dataset = reviews(GIVEN, SWAPPED, other, {**other, "verdict": "unreadable"})
    (comparison,) = dataset.comparisons
    assert comparison.gold == Verdict.of("a")
    assert dataset.humans == ()
    found = [(one.reviewer, one.shown, one.verdict) for one in dataset.reviews]
    assert found == [
        ("m1", ("a", "b"), Verdict.of("a")),
        ("m1", ("b", "a"), Verdict.of("a")),
        ("m2", ("a", "b"), TIE),
        ("m2", ("a", "b"), UNREADABLE),
    ]


def test_people_and_models_judge_the_same_comparison(reviews):
    """Votes of people settle its gold, and reviews of models do not; a gold in a review counts first."""
    votes = [{**ROW, "annotator": f"p{n}", "gold": "b"} for n in range(3)]
    bare = {**GIVEN, "gold": ""}
    for rows, gold in (([*votes, bare], "b"), ([bare, *votes], "b"), ([GIVEN, *votes], "a")):
        dataset = reviews(*rows)
        assert [one.gold for one in dataset.comparisons] == [Verdict.of(gold)]
        assert dataset.humans == ("p0", "p1", "p2")
        assert dataset.labeled == (("line-1",) if gold == "a" else ())


def test_three_answers_are_matched_in_any_order(reviews):
    """An answer is the same where its text is, also where only its author tells it from another."""
    texts = {"a": "One.", "b": "Two.", "c": "One."}
    authors = {"a": "x", "b": "y", "c": "z"}

    def shown(order: str) -> dict[str, str]:
        keys = dict(zip("abc", order, strict=True))
        return {f"answer_{key}": texts[one] for key, one in keys.items()} | {
            f"author_{key}": authors[one] for key, one in keys.items()
        }

    head = {"question": "Why?", "reviewer": "m1"}
    dataset = reviews(
        {**head, **shown("abc"), "verdict": "c"}, {**head, **shown("cab"), "verdict": "a"}
    )
    assert [(one.shown, one.verdict.choice) for one in dataset.reviews] == [
        (("a", "b", "c"), "c"),
        (("c", "a", "b"), "c"),
    ]


def test_the_same_words_by_other_authors_are_another_comparison(reviews):
    """Short answers of many contestants often have the same words."""
    dataset = reviews(GIVEN, {**GIVEN, "author_a": "z"}, SWAPPED)
    assert [one.comparison for one in dataset.reviews] == ["line-1", "line-1", "line-2"]
    assert [one.author for one in dataset.comparisons[1].answers] == ["z", "y"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**GIVEN, "annotator": "ann"}, "annotator.* or the review of 'm1'.*row of its own"),
        ({**GIVEN, "verdict": "neither"}, "'verdict' must be one of .* not 'neither'"),
        ({**GIVEN, "gold": "b"}, "gold b is a on line 1; write the same in both"),
        ({**GIVEN, "reviewer": ""}, "on line 1; keep one of the two.*'reviewer'.*'verdict'"),
    ],
)
def test_rows_that_do_not_fit_together_are_named_by_file_and_line(reviews, row, complaint):
    """Refused are two judges in a row, a verdict that names no answer, another gold, and no judge."""
    with pytest.raises(DataError, match=f"own.jsonl, line 2: .*{complaint}"):
        reviews(GIVEN, row)


def test_one_column_without_the_other_is_a_column_like_any_other(reviews):
    """A table with texts of reviews, or with verdicts and no reviewer, is a table of pairs."""
    (one,) = reviews({**ROW, "verdict": "fine", "review": "Good."}).comparisons
    assert one.meta == {"verdict": "fine", "review": "Good."}


def test_a_table_of_reviews_is_scored_ranked_and_measured(write):
    """Every analysis reads the file itself: m1 is right in both orders, m2 prefers the first place."""
    lines = ["question,answer_a,answer_b,author_a,author_b,gold,reviewer,verdict"]
    for number in range(10):
        for reviewer, first, second in (("m1", "a", "b"), ("m2", "a", "a")):
            lines += [
                f"Why {number}?,yes,no,x,y,a,{reviewer},{first}",
                f"Why {number}?,no,yes,y,x,b,{reviewer},{second}",
            ]
    place = f"csv:{write('own.csv', chr(10).join(lines))}"
    scores = pj.score(place).document()["rows"]
    assert {one["reviewer"]: one["total"]["accuracy"]["value"] for one in scores} == {
        "m1": 1.0,
        "m2": 0.5,
    }
    assert list(pj.rank(place).document()["contestants"]) == ["x", "y"]
    position = pj.bias(place).document()["position"]
    assert [one["share"]["value"] for one in position] == [0.5, 1.0]
