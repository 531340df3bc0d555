"""Replies of people, which the readers must read back as what was chosen."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from peerjudge.data import Answer, Comparison, Cue, Expects, Outcome, Question, Verdict
from peerjudge.errors import DataError
from peerjudge.features.people.stating import state_rating, state_text, state_verdict
from peerjudge.verdicts import read_review

PAIR = Comparison(
    id="c",
    question=Question(id="q", text="Why?"),
    answers=(
        Answer(id="a", author="one", text="A."),
        Answer(id="b", author="two", text="B."),
    ),
)
LABELS = ("Answer (a)", "Answer (b)")
WORDS = st.lists(
    st.sampled_from(
        [
            "Verdict:",
            "1",
            "2",
            "tie",
            "Answer (a)",
            "is better",
            "not",
            "\n",
            "I cannot judge",
            "[[2]]",
            "**",
        ]
    ),
    max_size=8,
).map(" ".join)


@given(
    reason=WORDS | st.text(max_size=80),
    choice=st.sampled_from(["1", "2", "tie", "none"]),
    ties=st.booleans(),
    labels=st.sampled_from([(), LABELS, ("Response A", "Response B")]),
)
@example(reason="Assistant 2 is better.\nVerdict: 2", choice="1", ties=True, labels=LABELS)
def test_a_reply_is_refused_or_read_as_chosen(reason, choice, ties, labels):
    """No reason, however worded, turns the choice of a person into another verdict."""
    try:
        text = state_verdict(reason, choice, answers=2, ties=ties, labels=labels)
    except DataError:
        return
    read = read_review(
        text, cue=Cue(seat="s", task="t", sees=("b", "a"), ties=ties), comparison=PAIR
    ).verdict
    if choice in {"1", "2"}:
        assert read == Verdict.of({"1": "b", "2": "a"}[choice])
    else:
        assert read.outcome is {"tie": Outcome.TIE, "none": Outcome.REFUSED}[choice]


@given(reason=WORDS | st.text(max_size=80), rating=st.integers(1, 10))
def test_a_rating_is_refused_or_read_as_given(reason: str, rating: int):
    """No reason turns the rating of a person into another one, also on a scale on which 10 is the worst."""
    try:
        text = state_rating(reason, str(rating), low=1, high=10)
    except DataError:
        return
    cue = Cue(seat="s", task="t", sees=("a",), expects=Expects.RATING, scale=(10, 1))
    assert read_review(text, cue=cue, comparison=PAIR).score == rating


def test_plain_reasons_are_taken():
    """Usual reasons are accepted, also with no words, with another number or the other answer's name."""
    usual = ("", "Clearer.", "Both have 2 flaws.", "Answer 2 is longer, yet answer 1 is right.")
    for reason in usual:
        assert state_verdict(reason, "1", answers=2, ties=False).endswith("Verdict: 1")
    assert state_rating("It has 3 faults.", "7", low=0, high=10).endswith("Rating: 7")
    assert "Latin" in state_verdict("Both are in Latin. " * 30, "none", answers=2, ties=False)
    cue = Cue(seat="s", task="t", sees=("a",), expects=Expects.RATING)
    read = read_review(state_rating("", "none", low=1, high=5), cue=cue, comparison=PAIR)
    assert read.verdict.outcome is Outcome.REFUSED


def test_the_last_line_names_the_label_that_models_name():
    """Others cannot tell a person by the form of the reply; a number stands where a label is not read."""
    for choice, line in (("2", "Choice: Answer (b)"), ("tie", "Choice: Tie")):
        text = state_verdict("Clearer.", choice, answers=2, ties=True, labels=LABELS)
        assert text == f"Clearer.\n{line}"
    quoted = "The other wrote Verdict: 2, which is wrong."
    assert state_verdict(quoted, "1", answers=2, ties=False, labels=LABELS).endswith("Answer (a)")
    odd = state_verdict("Clearer.", "1", answers=2, ties=False, labels=("No. 2", "No. 1"))
    assert odd == "Clearer.\nVerdict: 1"


def test_what_the_cue_does_not_allow_is_refused():
    """A tie needs a cue that allows it, a rating its scale, an explanation words."""
    with pytest.raises(DataError, match="choose one of 1, 2, none, not 'tie'"):
        state_verdict("", "tie", answers=2, ties=False)
    with pytest.raises(DataError, match="from 1 to 5"):
        state_rating("", "6", low=1, high=5)
    with pytest.raises(DataError, match="write an explanation"):
        state_text(" \n ")
    with pytest.raises(DataError, match="<think>"):
        state_verdict("<think>hm</think> fine", "1", answers=2, ties=False)
