"""Themes of the reasons of verdicts, and the reasons on one comparison."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.analysis import Sampler
from peerjudge.analysis.reasons import ReasonCounter, ThemeFinder, list_reasons
from peerjudge.data import Verdict, replace
from peerjudge.errors import DataError
from tests.analysis import analysis_kit as kit
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

THEMES = {"accuracy": ["accura*", "wrong"], "brevity": ["to the point", "short*"]}


def find(text, themes=THEMES):
    """Return the names of the themes that a text mentions."""
    text = text.lower()
    found = ThemeFinder(themes).find(text, set(text.split()))
    return {name for place, name in enumerate(themes) if found >> place & 1}


@pytest.mark.parametrize(
    ("text", "themes"),
    [
        ("It is Accurate and to  the\npoint", {"accuracy", "brevity"}),
        ("inaccurate", set()),
        ("wrongly", set()),
        ("wrong", {"accuracy"}),
        ("shorter", {"brevity"}),
        ("into the point", set()),
    ],
)
def test_a_theme_is_found_by_whole_words_and_phrases(text, themes):
    """A star stands for letters, a space for white space; a word within another one does not count."""
    assert find(text) == themes


def test_a_theme_in_a_script_without_spaces_is_found_within_a_sentence():
    """Chinese has no spaces between words, so such a phrase has no boundaries."""
    assert find("\u7b54\u6848\u51c6\u786e\u3002", {"accuracy": ["\u51c6\u786e"]}) == {"accuracy"}


def build_reviews(cases):
    """Return a dataset of reviews: (question, reviewer, is accuracy mentioned, is it right)."""
    pairs = {number: pair_of(f"c{number}", gold="1") for number, *_ in cases}
    reviews = [
        review_of(
            pairs[number],
            "1" if right else "2",
            by=reviewer,
            text=f"I prefer this one because {'it is accurate' if mentioned else 'of its charm'}.",
        )
        for number, reviewer, mentioned, right in cases
    ]
    return dataset_of(pairs.values(), reviews)


def measure(dataset, seed=0):
    """Return the themes of the reviews of a dataset by name."""
    counter = ReasonCounter(THEMES)
    counter.add_dataset(dataset)
    return {one.theme: one for one in counter.measure(sampler=Sampler(seed=seed)).themes}


def test_a_difference_is_within_reviewers():
    """A good reviewer that names a theme often makes no difference where each is as right without it."""
    cases = []
    for question in range(40):
        for turn in range(10):
            # Good: nine of ten right and the theme in half; bad: one of ten right and never the theme.
            cases.append((question, "good", turn % 2 == 0, turn != question % 10))
            cases.append((question, "bad", turn == 9, turn == (question * 7) % 10))
    found = measure(build_reviews(cases))["accuracy"].right
    assert abs(found.value) < 0.05
    assert found.low < 0.0 < found.high


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), effect=st.sampled_from([-0.3, 0.0, 0.4]))
def test_a_planted_difference_is_found(seed, effect):
    """With 120 questions, the estimate is within four standard errors of what was planted."""
    draw = random.Random(seed)
    cases = [
        (question, reviewer, mentioned, draw.random() < base + effect * mentioned)
        for question in range(120)
        for reviewer, base in (("ann", 0.4), ("bob", 0.5))
        for mentioned in (draw.random() < 0.5,)
    ]
    found = measure(build_reviews(cases))["accuracy"].right
    assert abs(found.value - effect) < 4 * 0.07


def test_too_few_questions_are_not_compared():
    """Seven questions with the theme give its share, and no difference."""
    cases = [(question, "ann", question < 7, question % 2 == 0) for question in range(20)]
    found = measure(build_reviews(cases))
    assert found["accuracy"].reasons == 7
    assert found["accuracy"].right is None
    assert found["brevity"].reasons == 0


def test_words_of_the_material_are_not_proposed():
    """A word that judges is absent from question and answers, however often reasons repeat those."""
    dataset = build_reviews([(question, "ann", False, True) for question in range(10)])
    reviews = tuple(replace(one, text=f"{one.text} Sublime banana.") for one in dataset.reviews)
    comparisons = tuple(
        replace(one, question=replace(one.question, text="Which banana?"))
        for one in dataset.comparisons
    )
    counter = ReasonCounter(THEMES)
    counter.add_dataset(replace(dataset, comparisons=comparisons, reviews=reviews))
    proposed = counter.measure(sampler=Sampler()).other_words
    assert "sublime" in proposed
    assert "banana" not in proposed


def test_words_that_are_used_as_often_are_proposed_by_name():
    """The order of a set of texts differs between processes, so it may not decide."""
    dataset = build_reviews([(question, "ann", False, True) for question in range(10)])
    words = "zonal amiable murky candid turgid pithy"
    reviews = tuple(replace(one, text=f"{one.text} {words}.") for one in dataset.reviews)
    counter = ReasonCounter(THEMES)
    counter.add_dataset(replace(dataset, reviews=reviews))
    proposed = counter.measure(sampler=Sampler()).other_words
    assert [word for word in proposed if word in words] == sorted(words.split())


def talk(number, *, altered, named):
    """Return a discussion whose second seat hears a contradiction, and alters or holds."""
    told = kit.told(f"1|2 1 {1 if altered else 2}", f"c{number}")
    words = "Look again at the first one, " + ("it is accurate" if named else "it has charm")
    turns = list(told.turns)
    turns[2] = replace(turns[2], utterance=replace(turns[2].utterance, text=words))
    return replace(told, id=f"d{number}", turns=tuple(turns))


def test_what_a_seat_heard_is_compared_with_whether_it_altered():
    """Seats that always alter after the theme, and never without it, differ by all of it."""
    counter = ReasonCounter(THEMES)
    for number in range(24):
        counter.add(talk(number, altered=number % 2 == 0, named=number % 2 == 0))
    found = counter.measure(sampler=Sampler())
    accuracy = next(one for one in found.themes if one.theme == "accuracy")
    assert found.contradictions == 48  # the leader hears the follower's review, and holds
    assert accuracy.altered.value == 1.0
    assert accuracy.altered.low > 0.5


def test_bare_verdicts_are_no_reasons():
    """A reply of a few words is counted apart, and not shown as a reason."""
    told = talk(1, altered=True, named=True)
    (reason,) = [one for one in list_reasons(told) if "charm" in one.text or "accurate" in one.text]
    assert (reason.verdict, reason.right, reason.private) == (Verdict.of("answer-1"), True, False)


def test_quoted_lines_are_not_words_of_the_reviewer():
    """A model that copies a quoted text does not mention what that text mentions."""
    dataset = build_reviews([(1, "ann", False, True)])
    text = "> It is accurate and short.\nI prefer the first one of these."
    dataset = replace(dataset, reviews=(replace(dataset.reviews[0], text=text),))
    assert measure(dataset)["accuracy"].reasons == 0


def test_reasons_on_a_comparison_stand_under_their_verdicts():
    """Each verdict has its reasons, equal ones once with their number; hostile words stay text."""
    told = [talk(1, altered=True, named=True), replace(talk(1, altered=False, named=True), id="e")]
    found = pj.reasons(told, comparison="c1")
    assert "gold: " in str(found)
    assert "2 times" in str(found)
    assert len(found.document()["reasons"]) == len(found.reasons)
    hostile = replace(found.reasons[0], text="<script>x</script> is \x1b[31m")
    hostile = dataclasses.replace(found, reasons=(hostile,))
    assert "<script>" not in hostile._repr_html_()
    with pytest.raises(DataError, match="no comparison 'nope'"):
        pj.reasons(told, comparison="nope")


@pytest.mark.parametrize(
    ("themes", "problem"),
    [
        ({}, "has 0 themes"),
        ({"accuracy": []}, "has no words"),
        ({"accuracy": ["*"]}, "without a letter"),
        ({"accuracy": "accura*"}, "no table of themes"),
        ("missing.toml", "cannot read the themes"),
    ],
)
def test_wrong_themes_are_refused(themes, problem):
    """The message says what is wrong, before anything is read."""
    with pytest.raises(DataError, match=problem):
        pj.reasons([], themes=themes)
