"""Expected ratings over alternative tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import Answer, Comparison, Cue, Expects, Question, Review, TokenLogprob, replace
from peerjudge.verdicts import read_review
from tests.verdicts.conftest import token

ALONE = Comparison(id="c", question=Question(id="q", text="?"), answers=(Answer(id="a", text="A"),))
CUE = Cue(seat="s", task="rate", sees=("a",), expects=Expects.RATING)


def rated(*tokens: TokenLogprob, cue: Cue = CUE) -> Review:
    """The review in a reply of these tokens."""
    text = "".join(each.token for each in tokens)
    return read_review(text, cue=cue, comparison=ALONE, logprobs=tokens)


def test_a_rating_is_the_mean_of_what_could_have_been_said():
    """Alternatives 3 and 5 of nearly the probability of 4 give a rating slightly below 4."""
    read = rated(token("4", {"4": 0.5, "3": 0.3, "5": 0.2}))
    assert read.score == pytest.approx(0.5 * 4 + 0.3 * 3 + 0.2 * 5)
    assert read.rule == "last-line number, weighted"


def test_what_is_no_rating_has_no_weight():
    """Words and numbers outside the scale are excluded, and the rest is normalised."""
    read = rated(token("4", {"4": 0.4, "2": 0.1, "The": 0.3, "7": 0.1, "45": 0.1}))
    assert read.score == pytest.approx((0.4 * 4 + 0.1 * 2) / 0.5)


def test_spellings_of_a_rating_are_added_up():
    """A rating with and without a space before it is one rating."""
    read = rated(token("Rating:"), token(" 4", {" 4": 0.5, "4": 0.1, " 2": 0.4}))
    assert read.score == pytest.approx(0.6 * 4 + 0.4 * 2)
    assert read.rule == "label, weighted"


def test_a_rating_without_alternatives_is_as_stated():
    """If a server returns only the probability of its own token, the rating is not weighted."""
    read = rated(TokenLogprob(token="4", logprob=-0.7))
    assert (read.score, read.rule) == (4, "last-line number, as stated")


def test_a_certain_rating_is_kept():
    """Rounding on a server may leave a logarithm slightly above 0; its rating has probability 1."""
    sure = TokenLogprob(token="4", logprob=1e-9, top=(("4", 1e-9), ("5", -20.0)))
    assert rated(sure).score == pytest.approx(4)


def test_only_the_token_that_rates_counts():
    """The same number elsewhere in the reply does not count."""
    unsure = {"4": 0.5, "1": 0.5}
    words = [token("It names "), token("4", unsure), token(" causes.\n"), token("Score: ")]
    assert rated(*words, token("4")).score == 4
    json_first = [token('{"score": '), token("4"), token(', "reasons": "'), token("4", unsure)]
    assert rated(*json_first, token(' causes"}')).score == 4
    json_last = [token('{"reasons": "'), token("4", unsure), token(' causes", "score": ')]
    assert rated(*json_last, token("4"), token("}")).score == 4


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("4", None),
        ("4", ()),
        ("4.5", (token("4", {"4": 0.5, "1": 0.5}), token("."), token("5"))),
        ("4", (token("five"),)),
        ("4", (token("4 "), token("or so"))),
        ("10", (token("1", {"1": 0.5, "9": 0.5}), token("0"))),
    ],
)
def test_without_a_token_that_rates_the_stated_number_holds(text, tokens):
    """Without log-probabilities of the rating token, the stated number counts, and the rule says so."""
    cue = replace(CUE, scale=(1, 10))
    read = read_review(text, cue=cue, comparison=ALONE, logprobs=tokens)
    assert read == Review(score=float(text), rule="last-line number, as stated")


def test_probabilities_do_not_make_a_rating_readable():
    """A rating outside the scale is unreadable, even if a valid alternative was probable."""
    assert rated(token("7", {"7": 0.4, "4": 0.6})) == Review(rule="last-line number, out of range")


def test_a_scale_whose_best_is_one_is_weighted_the_same():
    """The direction of the scale does not change the number."""
    chances = {"4": 0.5, "9": 0.5}
    for scale in ((1, 10), (10, 1)):
        assert rated(token("4", chances), cue=replace(CUE, scale=scale)).score == pytest.approx(6.5)


@given(
    st.dictionaries(st.integers(1, 5), st.floats(1e-6, 1), min_size=1),
    st.floats(1e-3, 1),
    st.data(),
)
def test_an_expectation_lies_between_what_could_be_said(weights, scale, data):
    """An expected rating lies within the possible ratings, for any remaining probability."""
    total = sum(weights.values())
    shares = {str(rating): weight / total for rating, weight in weights.items()}
    said = data.draw(st.sampled_from(sorted(shares)))
    read = rated(token(said, shares))
    assert min(weights) <= read.score <= max(weights)
    diluted = rated(token(said, {text: share * scale for text, share in shares.items()}))
    assert diluted.score == pytest.approx(read.score)
