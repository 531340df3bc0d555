"""The built-in sums: gold by construction."""

from __future__ import annotations

from collections import Counter

from peerjudge.datasets import load


def test_gold_is_the_answer_that_is_the_sum():
    """The right answer is the sum, the wrong one is not, and all questions differ."""
    comparisons = load("sums").comparisons
    assert len({one.question.text for one in comparisons}) == len(comparisons) == 320
    for one in comparisons:
        left, right = (answer.text.split(" = ") for answer in one.answers)
        true = [sum(map(int, text.split(" + "))) == int(total) for text, total in (left, right)]
        assert sorted(true) == [False, True]
        assert one.gold is not None
        assert one.gold.choice == one.answers[true.index(True)].id


def test_the_right_answer_is_first_in_half():
    """Within every kind of error, the place of the right answer says nothing."""
    comparisons = load("sums").comparisons
    first = Counter(
        (one.question.category, one.gold.choice == one.shown[0]) for one in comparisons if one.gold
    )
    assert len(first) == 8
    assert set(first.values()) == {40}
