"""The one place where a shown position becomes an answer's id."""

import sys
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Cue,
    Expects,
    Question,
    Review,
    Verdict,
)
from peerjudge.errors import DataError
from peerjudge.verdicts import read_review


def comparison(ids: str) -> Comparison:
    """Answers with these one-letter ids, shown in this order."""
    answers = tuple(Answer(id=answer_id, text=f"text {answer_id}") for answer_id in ids)
    return Comparison(id="q1", question=Question(id="q", text="Why?"), answers=answers)


def cue(sees: tuple[str, ...], expects: Expects = Expects.VERDICT, *, ties: bool = True) -> Cue:
    """A cue that shows these answers."""
    return Cue(seat="s", task="verdict", sees=sees, expects=expects, ties=ties)


@given(st.permutations("wxyz"), st.integers(2, 4), st.data())
def test_the_same_answer_is_chosen_at_every_position(order, answers, data):
    """Moving an answer and naming its new position chooses the same answer."""
    shown = comparison("".join(order[:answers]))
    chosen = data.draw(st.sampled_from(shown.shown))
    for other in (shown, shown.swapped()):
        text = f"All are fine.\n\n{other.shown.index(chosen) + 1}"
        assert read_review(text, cue=cue(other.shown), comparison=other).verdict == Verdict.of(
            chosen
        )


def test_positions_count_in_what_the_cue_showed():
    """Positions refer to the order shown by the cue."""
    shown = comparison("xyz")
    assert read_review("1", cue=cue(("z", "x")), comparison=shown).verdict == Verdict.of("z")
    assert read_review("3", cue=cue(("z", "x")), comparison=shown).verdict == TIE


@pytest.mark.parametrize(
    ("text", "ties", "verdict"),
    [
        ("3", True, TIE),
        ("3", False, UNREADABLE),
        ("", True, UNREADABLE),
        ("I'm sorry, but I can't assist with that.", True, REFUSED),
    ],
)
def test_outcomes_without_a_choice_stay_distinct(text, ties, verdict):
    """A tie, a refusal and an unreadable reply are three different outcomes."""
    found = read_review(text, cue=cue(("x", "y"), ties=ties), comparison=comparison("xy"))
    assert found.verdict == verdict
    assert found.score is None
    assert found.rule


def test_only_the_expected_kind_of_review_is_read():
    """An explanation has no verdict and a rating has no choice, for any text."""
    shown = comparison("xy")
    said = "Answer 1 is better.\n\n2"
    assert read_review(said, cue=cue(("x", "y"), Expects.TEXT), comparison=shown) == Review()
    rated = read_review(said, cue=cue(("y",), Expects.RATING), comparison=shown)
    assert rated == Review(score=2.0, rule="last-line number, as stated")


def test_a_cue_with_an_unknown_answer_raises():
    """A cue can only show answers of its comparison."""
    with pytest.raises(DataError, match="no answer 'q'"):
        read_review("1", cue=cue(("x", "q")), comparison=comparison("xy"))


def test_a_reply_cut_before_its_verdict_is_unreadable_for_that_reason():
    """Only a missing verdict or rating is due to the cut; a stated one and a refusal stay."""
    shown = comparison("xy")
    for text in ("Answer (a) is", "First, let me compare"):
        read = read_review(text, cue=cue(("x", "y")), comparison=shown, cut=True)
        assert read == Review(verdict=UNREADABLE, rule="cut off at max_tokens")
        rated = read_review(text, cue=cue(("x",), Expects.RATING), comparison=shown, cut=True)
        assert rated == Review(rule="cut off at max_tokens")
        assert (
            read_review(text, cue=cue(("x",), Expects.TEXT), comparison=shown, cut=True) == Review()
        )
    for text in ("Choice: 1", "I'm sorry, but I can't assist with that."):
        whole = read_review(text, cue=cue(("x", "y")), comparison=shown)
        assert read_review(text, cue=cue(("x", "y")), comparison=shown, cut=True) == whole


FILLER = "It has a point, and it gives a reason for this point.\n"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (FILLER * 100_000 + "Verdict: 2", "b"),
        ("Verdict: 1\n" + FILLER * 100_000, "a"),
        (FILLER.strip() * 100_000 + " Answer 2 is better.", "b"),
        (FILLER * 100_000, None),
    ],
    ids=["last line", "first line", "one line", "no verdict"],
)
def test_the_work_of_reading_a_huge_reply_is_bounded(text, chosen):
    """A reply of 5 MB takes less than twice the steps of one of 40 kB; both ends are read."""
    both = comparison("ab")
    cue = Cue(seat="s", task="review", sees=both.shown)

    def count(reply):
        steps = Counter()
        sys.setprofile(lambda frame, event, _: steps.update([event]))
        try:
            read = read_review(reply, cue=cue, comparison=both)
        finally:
            sys.setprofile(None)
        return read.verdict.choice, steps.total()

    small = text[:20_000] + text[-20_000:]
    (huge, steps), (short, few) = count(text), count(small)
    assert (huge, short) == (chosen, chosen)
    assert steps < 2 * few
