"""Splits: sizes, strata, and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.errors import DataError
from peerjudge.features.search.splits import halve_search, split_questions

ARTICLES = {f"d{number}": number / 25 for number in range(100)}
"""100 documents with their mean gold, as in SummEval."""


def test_shares_of_the_questions():
    """30, 20 and 50 % of the questions, each question in one split."""
    splits = split_questions(ARTICLES, draw=1)
    assert [len(part) for part in (splits.search, splits.select, splits.test)] == [30, 20, 50]
    assert sorted([*splits.search, *splits.select, *splits.test]) == sorted(ARTICLES)


def test_the_split_of_the_paper():
    """10 documents to search, 5 of them for OPRO, 90 to test, each tenth of the ranks with one."""
    splits = split_questions(ARTICLES, draw=1, paper=True)
    assert [len(part) for part in (splits.search, splits.select, splits.test)] == [10, 0, 90]
    assert sorted(int(question[1:]) // 10 for question in splits.search) == list(range(10))
    halved = halve_search(splits)
    assert len(halved.search) == 5
    assert halved.test == splits.test
    assert sorted(int(question[1:]) // 20 for question in halved.search) == list(range(5))


@given(st.integers(0, 10**6), st.lists(st.sampled_from("abcd"), min_size=100, max_size=160))
def test_every_subset_has_its_share(draw: int, subsets: list[str]):
    """A split has its share of every subset, up to one question, and so has any beginning of search."""
    strata = {f"q{number}": subset for number, subset in enumerate(subsets)}
    splits = split_questions(strata, draw=draw)
    for part in (splits.search, splits.select, splits.test):
        for subset in "abcd":
            wanted = subsets.count(subset) * len(part) / len(subsets)
            assert abs(sum(strata[question] == subset for question in part) - wanted) < 2
    quarter = splits.search[: len(splits.search) // 4]
    for subset in "abcd":
        wanted = sum(strata[question] == subset for question in splits.search) / 4
        assert abs(sum(strata[question] == subset for question in quarter) - wanted) < 2


def test_chance_decides_by_the_seed():
    """Equal seeds give equal splits, others do not."""
    assert split_questions(ARTICLES, draw=1) == split_questions(ARTICLES, draw=1)
    assert split_questions(ARTICLES, draw=1) != split_questions(ARTICLES, draw=2)


def test_sizes_leave_questions_out():
    """20, 20 and 40 of 100 questions: 20 are in no split."""
    splits = split_questions(ARTICLES, draw=1, sizes=(20, 20, 40))
    parts = [splits.search, splits.select, splits.test]
    assert [len(part) for part in parts] == [20, 20, 40]
    assert len({question for part in parts for question in part}) == 80


@pytest.mark.parametrize(
    ("questions", "settings", "message"),
    [
        (80, {}, "the select split has 16 of 80 questions, and it needs at least 20"),
        (100, {"sizes": (19, 20, 20)}, "the search split has 19 of 100 questions"),
        (100, {"sizes": (50, 50, 50)}, "the splits take 150 questions, and there are 100"),
        (40, {"paper": True}, "the search split has 4 of 40 questions, and it needs at least 5"),
        (0, {}, "the search split has 0 of 0 questions"),
    ],
)
def test_small_splits_are_refused(questions: int, settings, message: str):
    """Fewer than 20 questions in a split are refused; the paper's own split has a lower bound."""
    strata = {f"q{number}": "" for number in range(questions)}
    with pytest.raises(DataError, match=message):
        split_questions(strata, draw=1, **settings)
