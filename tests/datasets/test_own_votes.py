"""Rows of a user's own table can be votes of several people on one comparison."""

from __future__ import annotations

import pytest

from peerjudge.data import TIE, GoldRule, Verdict
from peerjudge.datasets import load
from peerjudge.errors import DataError

ROW = {"question": "Why?", "answer_a": "Because.", "answer_b": "So.", "gold": "a"}
ANN = {**ROW, "annotator": "ann"}
BOB = {**ROW, "annotator": "bob", "gold": "b"}
SWAPPED = {**ROW, "answer_a": "So.", "answer_b": "Because.", "annotator": "cy", "gold": "b"}


@pytest.fixture
def votes(write):
    """Load these objects from a JSON Lines file, under a gold rule if one is given."""

    def loaded(*rows, rule=None):
        path = write("own.jsonl", list(rows))
        return load(f"jsonl:{path}", gold=rule)

    return loaded


def test_rows_of_several_annotators_are_votes_on_one_comparison(votes):
    """The majority is gold; each vote is a review in the order of its row, by a person."""
    dataset = votes(ANN, BOB, SWAPPED, {**ROW, "question": "How?"})
    why, how = dataset.comparisons
    assert (why.id, why.gold, how.gold) == ("line-1", Verdict.of("a"), Verdict.of("a"))
    assert dataset.humans == ("ann", "bob", "cy")
    found = [(one.reviewer, one.shown, one.verdict.choice) for one in dataset.reviews]
    assert found == [
        ("ann", ("a", "b"), "a"),
        ("bob", ("a", "b"), "b"),
        ("cy", ("b", "a"), "a"),
    ]
    assert {one.comparison for one in dataset.reviews} == {"line-1"}


@pytest.mark.parametrize(
    ("golds", "rule", "settled"),
    [
        ("ab", None, TIE),
        ("ab", GoldRule.FIRST_VOTE_ON_EVEN, Verdict.of("a")),
        (("a", "tie", "tie"), None, Verdict.of("a")),
        (("a", "tie", "tie"), GoldRule.STRICT_MAJORITY, TIE),
        (("", "b"), None, Verdict.of("b")),
        (("", ""), None, None),
    ],
)
def test_gold_is_settled_by_a_rule(votes, golds, rule, settled):
    """Votes that cancel out are a tie by default; a row without gold is no vote."""
    rows = [{**ROW, "gold": gold, "annotator": f"p_{n}"} for n, gold in enumerate(golds)]
    dataset = votes(*rows, rule=rule)
    assert [one.gold for one in dataset.comparisons] == [settled]
    assert dataset.gold_rule == (rule or GoldRule.SIGN_OF_MEAN)
    assert len(dataset.reviews) == sum(map(bool, golds))


def test_answers_named_by_their_own_ids_are_matched_by_text(votes):
    """A list of answers may have them in another order, with ids of its own in each row."""
    one = [{"id": "x", "text": "Yes.", "author": "m"}, {"id": "y", "text": "No.", "author": "n"}]
    rows = [
        {"question": "So?", "answers": one, "gold": "y", "annotator": 1},
        {"question": "So?", "answers": one[::-1], "gold": "1", "annotator": 2},
    ]
    dataset = votes(*rows)
    assert dataset.comparisons[0].gold == Verdict.of("y")
    assert dataset.humans == ("1", "2")


def test_only_what_all_votes_share_is_kept_of_other_columns(votes):
    """A column such as the time of a vote belongs to its row, not to the comparison."""
    rows = ({**ANN, "minutes": 3, "source": "web"}, {**BOB, "minutes": 4, "source": "web"})
    (one,) = votes(*rows).comparisons
    assert one.meta == {"source": "web"}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**ANN, "gold": "b"}, "'ann' votes for b here and for a on line 1"),
        (ANN, "'ann' votes for a here and for a on line 1"),
        (ROW, "the same question and answers are also on line 1; .* column 'annotator'"),
        ({**BOB, "id": "x"}, "id 'x' is 'line-1' on line 1"),
        ({**BOB, "category": "x"}, "category 'x' is '' on line 1"),
        ({**BOB, "author_a": "m"}, "author 'm' is '' on line 1"),
        ({**BOB, "question": "How?", "answer_c": "Thus."}, "are on two answers, not on 3"),
        ({**ROW, "anotator": "bob"}, "'anotator' looks like 'annotator' misspelt"),
    ],
)
def test_rows_that_do_not_fit_together_are_named_by_file_and_line(votes, row, complaint):
    """A second vote of one person, a row without a person, and facts that differ."""
    with pytest.raises(DataError, match=rf"own.jsonl, line 2: .*{complaint}"):
        votes(ANN, row)


def test_a_gold_rule_needs_votes(votes):
    """A table without annotators has one gold verdict on each comparison."""
    with pytest.raises(DataError, match=r"has no column 'annotator', so .* 'strict_majority' does"):
        votes(ROW, rule=GoldRule.STRICT_MAJORITY)


def test_csv_has_votes_too(write, votes):
    """A record is read like the JSON object with the same text in it."""
    text = "question,answer_a,answer_b,gold,annotator\n"
    text += "Why?,Because.,So.,a,ann\nWhy?,Because.,So.,b,bob\nWhy?,So.,Because.,b,cy\n"
    mine, same = load(f"csv:{write('own.csv', text)}"), votes(ANN, BOB, SWAPPED)
    assert mine.comparisons[0].gold == same.comparisons[0].gold
    assert [one.verdict for one in mine.reviews] == [one.verdict for one in same.reviews]
