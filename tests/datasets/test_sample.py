"""The built-in sample is a small fair benchmark."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from peerjudge.datasets import load


@pytest.fixture(scope="module")
def comparisons():
    """The sample's comparisons."""
    return load("sample").comparisons


def _better_and_worse(comparison):
    better = comparison.answer(comparison.gold.choice)
    (worse,) = (answer for answer in comparison.answers if answer != better)
    return better, worse


def test_every_question_has_two_different_answers_and_one_gold(comparisons):
    """36 questions in six categories, each with a better answer."""
    assert len(comparisons) == 36
    assert set(Counter(comparison.question.category for comparison in comparisons).values()) == {6}
    assert len({comparison.question.text for comparison in comparisons}) == 36
    for comparison in comparisons:
        better, worse = _better_and_worse(comparison)
        assert better.text.strip() != worse.text.strip()


def test_at_least_a_third_is_adversarial(comparisons):
    """The adversarial questions are a subset, and say so in their meta data too."""
    subsets = Counter(comparison.subset for comparison in comparisons)
    assert subsets == {"adversarial": 14, "natural": 22}
    for comparison in comparisons:
        assert comparison.meta == {"adversarial": comparison.subset == "adversarial"}


def test_gold_favours_no_position(comparisons):
    """A reviewer that always says `first` is right half of the time, in both subsets."""
    for subset in ("adversarial", "natural"):
        first = [c.gold.choice == c.shown[0] for c in comparisons if c.subset == subset]
        assert sum(first) * 2 == len(first)


def test_the_attractive_answer_of_an_adversarial_question_is_the_longer_one(comparisons):
    """Length is the lure there; elsewhere the better answer is often the longer one."""
    longer = defaultdict(list)
    for comparison in comparisons:
        better, worse = _better_and_worse(comparison)
        longer[comparison.subset].append(len(better.text) > len(worse.text))
    assert not any(longer["adversarial"])
    assert 0.4 < sum(longer["natural"]) / len(longer["natural"]) < 0.7


def test_four_contestants_meet_evenly_and_differ_in_strength(comparisons):
    """Every pair meets once per category; the true order is strong, solid, plain, weak."""
    met = Counter(
        (comparison.question.category, *sorted(answer.author for answer in comparison.answers))
        for comparison in comparisons
    )
    assert len(met) == 36
    wins = Counter(_better_and_worse(comparison)[0].author for comparison in comparisons)
    assert wins == {"sim_strong": 14, "sim_solid": 11, "sim_plain": 7, "sim_weak": 4}
    first = Counter(comparison.answers[0].author for comparison in comparisons)
    assert set(first.values()) == {9}


def test_the_better_answer_keeps_the_rules_that_can_be_counted(comparisons):
    """The gold answer respects every limit that a program can check."""
    better = {c.question.text.split(".")[0]: _better_and_worse(c) for c in comparisons}
    checks = {
        "In one sentence of at most 20 words": lambda text: len(text.split()) <= 20,
        "Rewrite this sentence without": lambda text: "e" not in text.lower(),
        "Describe a mug": lambda text: len(text.split()) < 25,
        "Write a haiku": lambda text: not {"snow", "ice", "cold"} & set(text.lower().split()),
        "What is 17": lambda text: text == str(17 * 24),
        "Write a Python function `is_even": lambda text: "%" not in text,
        "Give an SQL query": lambda text: " AS " not in text,
    }
    for opening, obeys in checks.items():
        (pair,) = (pair for question, pair in better.items() if question.startswith(opening))
        assert obeys(pair[0].text), opening
        assert not obeys(pair[1].text), opening
