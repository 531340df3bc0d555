"""Probabilities of the shown answers, from the log-probabilities of a reply."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import TokenLogprob
from peerjudge.verdicts import find_verdict_token, verdict_probabilities
from tests.verdicts.conftest import token

FILL = (("The", math.log(0.02)), ("I", math.log(0.01)))


def reply(text: str, top: dict[str, float]) -> list[TokenLogprob]:
    """The tokens of a reply in which `<label>` is the verdict token with these alternatives."""
    before, label, after = re.fullmatch(r"(.*)<(.*?)>(.*)", text, re.DOTALL).groups()
    words = [each for each in re.split(r"(?=\s)|(?<=[(\[])|(?=[)\].,])", before) if each]
    rest = [each for each in re.split(r"(?=\s)|(?=[)\].,])", after) if each]
    return [*map(token, words), token(label, top), *map(token, rest)]


def first_shown(tokens: list[TokenLogprob], *, ties: bool = True) -> float | None:
    """The probability of the first of two shown answers."""
    found = verdict_probabilities(tokens, answers=2, ties=ties)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("<1>", "1", "2"),
        ("<2>", "1", "2"),
        ("Answer< 2>", " 1", " 2"),
        ("Answer <2>", "1", "2"),
        ("Output (<a>)", "a", "b"),
        ("Output< (b>)", " (a", " (b"),
        ("<(b>)", "(a", "(b"),
        ("(<b>)", "a", "b"),
        ("<A>", "A", "B"),
        ("Answer< A> is better.", " A", " B"),
        ("Verdict:< 2>", " 1", " 2"),
        ("[[<B>]]", "A", "B"),
        ("<[[B>]]", "[[A", "[[B"),
        ("<[[B]]>", "[[A]]", "[[B]]"),
        ('{"choice":< 1>}', " 1", " 2"),
        ('{"winner": "<A>"}', "A", "B"),
        ('{"reasons": "Answer 2 names 1 cause.", "choice": <2>}', "1", "2"),
        ("Answer 1 names 2 causes and a date.\n\n<2>", "1", "2"),
        ("Output (a) is wrong in 1 place.\nVerdict: Output (<b>)", "a", "b"),
        ("<1>\n\nThe first answer names a cause, and 1 date.", "1", "2"),
        ("**Answer< A>**", " A", " B"),
    ],
)
def test_the_label_of_the_verdict_carries_the_probabilities(text, one, two):
    """Every form of a verdict gives the normalised probabilities of the two labels."""
    chances = {one: 0.6, two: 0.2, "The": 0.15, "I": 0.05}
    assert first_shown(reply(text, chances)) == pytest.approx(0.75)


@pytest.mark.parametrize("text", ["<3>", "Verdict:< C>", '{"choice": <3>}'])
def test_a_tie_by_label_tells_how_probable_the_answers_were(text):
    """Behind a tie that is given by its label, the labels of the answers have probabilities too."""
    label = re.search("<(.*)>", text)[1]
    one, two = (label.translate(str.maketrans("3C", labels)) for labels in ("1A", "2B"))
    assert first_shown(reply(text, {label: 0.5, one: 0.4, two: 0.1})) == pytest.approx(0.8)


def test_the_verdict_token_is_found_by_its_place():
    """The index is that of the label, not of a digit before it; without a verdict there is none."""
    tokens = reply("Answer 1 names 2 causes.\n\n<2>", {"2": 0.6, "1": 0.4})
    assert find_verdict_token(tokens, answers=2, ties=False) == len(tokens) - 1
    assert find_verdict_token([token("no idea")], answers=2, ties=False) is None


def test_spellings_of_a_label_are_added_up():
    """A label with and without a space or a bracket is one label; the other alphabet is not."""
    chances = {"1": 0.2, " 1": 0.1, "(1": 0.1, "2": 0.2, "A": 0.3, "b": 0.05, "12": 0.05}
    assert first_shown([token("1", chances)]) == pytest.approx(0.4 / 0.6)


def test_more_than_two_answers_have_one_probability_each():
    """Of four answers each has its share, by the shown position."""
    chances = {"C": 0.4, "A": 0.3, "D": 0.2, "B": 0.1}
    found = verdict_probabilities(
        [token("Verdict:"), token(" C", {f" {text}": p for text, p in chances.items()})],
        answers=4,
        ties=False,
    )
    assert found == pytest.approx((0.3, 0.1, 0.4, 0.2))


def test_an_answer_that_is_not_listed_is_as_probable_as_the_least_listed():
    """The upper bound for a label outside of the list is the least probability in it."""
    assert first_shown([token("1", {"1": 0.6, "The": 0.2, "I": 0.05})]) == pytest.approx(0.6 / 0.65)


def test_an_answer_that_is_not_listed_has_at_most_the_rest():
    """Where the list leaves less than its least probability, that is the upper bound."""
    assert first_shown([token("1", {"1": 0.8, "The": 0.19})]) == pytest.approx(0.8 / 0.81)


def test_an_improbable_choice_does_not_bound_the_other_answer():
    """A sampled label below all listed alternatives does not make the other label improbable."""
    chances = {"2": 0.001, "The": 0.6, "I": 0.2}
    assert first_shown([token("2", chances)]) == pytest.approx(0.199 / 0.2)


def test_a_certain_verdict_stays_within_the_limits():
    """A label of probability 0 has one millionth."""
    tokens = [TokenLogprob(token="1", logprob=1e-9, top=(("1", 0.0), ("2", -9999.0)))]
    assert first_shown(tokens) == pytest.approx(1 - 1e-6)


def test_tokens_may_spell_spaces_as_tokenizers_do():
    """Special signs for spaces and a token for the end of the reply do not hide the verdict."""
    tokens = [
        token("Answer"),
        token("\u01202", {"\u01202": 0.75, "\u01201": 0.25}),
        token("<|im_end|>"),
    ]
    assert first_shown(tokens) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [token("The first answer is better.")],
        [token("no idea", {"no idea": 0.5, "1": 0.5})],
        [TokenLogprob(token="1", logprob=-0.1)],
        [token("1")],
        [token("tie", {"tie": 0.5, "1": 0.25, "2": 0.25})],
        [token("I choose"), token(" Answer 1", {" Answer 1": 0.5, " Answer 2": 0.5}), token(".")],
    ],
)
def test_without_a_verdict_token_there_are_no_probabilities(tokens):
    """Unreadable replies, verdicts in words and tokens without alternatives have none."""
    assert verdict_probabilities(tokens, answers=2, ties=True) is None


def test_a_tie_that_is_not_allowed_has_no_probabilities():
    """The label of a tie is unreadable where no tie is allowed."""
    assert first_shown([token("3", {"3": 0.5, "1": 0.3, "2": 0.2})], ties=False) is None


LABELS = (("1", "2"), (" 1", " 2"), ("(a", "(b"), ("A", "B"), ("[[A]]", "[[B]]"))
CHANCE = st.floats(1e-4, 1)


@given(st.sampled_from(LABELS), CHANCE, CHANCE, CHANCE, st.integers(0, 1))
def test_labels_are_alike(labels, one, two, other, chosen):
    """Swapped labels mirror the probabilities, which sum to 1."""
    total = one + two + other
    after = [token(")")] if "(" in labels[0] else []

    def tokens(chances: tuple[float, float], said: int) -> list[TokenLogprob]:
        top = dict(zip(labels, chances, strict=True)) | {"The": other}
        return [token(labels[said], {text: each / total for text, each in top.items()}), *after]

    there = verdict_probabilities(tokens((one, two), chosen), answers=2, ties=True)
    back = verdict_probabilities(tokens((two, one), 1 - chosen), answers=2, ties=True)
    assert math.fsum(there) == pytest.approx(1.0)
    assert there == pytest.approx(back[::-1])
    assert there[0] == pytest.approx(one / (one + two), abs=1e-6)


@given(
    CHANCE,
    CHANCE,
    st.dictionaries(st.sampled_from(["The", "I", "3", "12", "A", "1 or", "Both", "a"]), CHANCE),
)
def test_irrelevant_alternatives_change_nothing(one, two, words):
    """Words and labels of no answer have no effect where all answers are listed."""
    total = one + two + sum(words.values())
    plain = verdict_probabilities(
        [token("1", {"1": one / total, "2": two / total})], answers=2, ties=True
    )
    top = {"1": one, "2": two} | words
    full = verdict_probabilities(
        [token("1", {text: each / total for text, each in top.items()})], answers=2, ties=True
    )
    assert full == pytest.approx(plain)


@given(st.lists(st.tuples(st.text(max_size=6), st.floats(-30, 0)), max_size=12), st.integers(2, 6))
def test_any_reply_has_probabilities_or_none(pieces, answers):
    """No reply raises an error, and probabilities are one per answer and sum to 1."""
    tokens = [
        TokenLogprob(token=text, logprob=logprob, top=tuple(pieces)) for text, logprob in pieces
    ]
    found = verdict_probabilities(tokens, answers=answers, ties=True)
    assert found is None or (len(found) == answers and math.fsum(found) == pytest.approx(1.0))
