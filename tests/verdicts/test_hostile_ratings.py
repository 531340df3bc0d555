"""Ratings under stress: a corpus (`hostile_ratings.jsonl`), laws, and endless replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from peerjudge.data import REFUSED, Answer, Comparison, Cue, Expects, Question, Review
from peerjudge.verdicts import read_rating, read_review

LINES = (Path(__file__).parent / "hostile_ratings.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES = [json.loads(line) for line in LINES]
WORDS = st.sampled_from(
    [
        *(
            "4",
            "2",
            "7",
            "-1",
            "4/5",
            "8/10",
            "out of",
            "\n",
            "Rating:",
            "score",
            "[RESULT]",
            "I give it a",
        ),
        *(
            "{",
            "}",
            '"score":',
            '{"score": 4}',
            '{"score": 2',
            "```",
            "```json",
            ">",
            '"',
            "<think>",
        ),
        *(
            "</think>",
            "<answer>",
            "</answer>",
            "not",
            "if",
            ".",
            "The answer says:",
            "[[3]]",
            "or",
            ",",
        ),
    ]
)
ANYTHING = st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join))
ON_SCALE = st.integers(1, 5)


@pytest.mark.parametrize(
    "reply", REPLIES, ids=[f"{n}-{r['why'][:50]}" for n, r in enumerate(REPLIES, 1)]
)
def test_hostile_reply_is_rated_as_it_says(reply):
    """A reply has the rating intended by its author, or none."""
    reading = read_rating(reply["text"], low=reply["low"], high=reply["high"])
    assert reading.score == reply["score"], f"{reply['why']} (read by {reading.rule})"
    assert reading.rule


def test_every_line_of_the_corpus_gives_its_reason():
    """Each hostile reply states in one sentence how it must be read."""
    assert len({(reply["text"], reply["high"]) for reply in REPLIES}) == len(REPLIES)
    assert all(reply["why"].endswith(".") for reply in REPLIES)


@given(ANYTHING, st.integers(-5, 5), st.integers(6, 12))
def test_any_reply_gives_a_rating_on_the_scale_or_none(text, low, high):
    """Reading never fails, never leaves the scale, and always names its rule."""
    reading = read_rating(text, low=low, high=high)
    assert reading.rule
    assert reading.score is None or low <= reading.score <= high


@given(st.text(), ON_SCALE, st.booleans(), st.sampled_from([None, 2]), st.booleans())
@example("0\x1f", 1, False, None, False)
def test_json_is_read_independently_of_its_reasons(reasons, score, first, indent, as_text):
    """The score is the score before or after its reasons, as a number or a text of one."""
    members = [("score", str(score) if as_text else score), ("reasons", reasons)]
    reply = json.dumps(dict(members if first else members[::-1]), indent=indent)
    assert read_rating(reply).score == score
    if "`" not in reasons:
        assert read_rating(f"```json\n{reply}\n```").score == score


@given(ANYTHING, ON_SCALE, st.booleans(), st.data())
def test_json_that_was_cut_off_gives_no_rating(reasons, score, first, data):
    """A reply in JSON without its end is not read."""
    members = [("score", score), ("reasons", reasons)]
    reply = json.dumps(dict(members if first else members[::-1]))
    cut = data.draw(st.integers(0, len(reply) - 1))
    assert read_rating(reply[:cut]).score is None


@given(ANYTHING, ON_SCALE)
@example("</THINK>1", 1)
def test_what_an_answer_says_does_not_rate_it(answer, score):
    """A quoted answer does not replace the rating of the judge."""
    quoted = "\n".join(f"> {line}" for line in answer.splitlines())
    assert read_rating(f"{quoted}\n\n{score}").score in {score, None}
    assert read_rating(quoted).score is None


@given(
    st.text(alphabet=st.characters(blacklist_characters="<>[]`", blacklist_categories=["Cs"])),
    ON_SCALE,
)
def test_an_answer_within_its_fence_does_not_rate_itself(answer, score):
    """An answer repeated within its fence is not read as the judge's words."""
    fenced = f"<<< Answer | 47e9bf4920 >>>\n{answer}\n<<< end of Answer | 47e9bf4920 >>>"
    assert read_rating(f"{fenced}\n{score}").score == score


ENDLESS = [
    *(" ", "\n", "1\n", "[[", '{"', "{\n", '{"a":', "```\n", '"', "<think>", "((((", "\ud800"),
    *('{"score": 4}', '{"score": 4}\n', '{"score": 4} x ', "[RESULT] ", "[RESULT] 4 ", "Rating: "),
    *(
        "Rating: 4, ",
        "I give it a 4. ",
        "score of 4 ",
        "not ",
        "if ",
        "4/5 ",
        "Score: 4/",
        "says: ",
    ),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ENDLESS, ids=repr)
def test_endless_repetition_is_rated_in_linear_time(unit):
    """Much repetition is read in linear time: no pattern backtracks without bound."""
    assert read_rating(unit * (100_000 // len(unit)) + "!").rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sorry, but I can't rate this answer.", Review(verdict=REFUSED, rule="refusal")),
        ("I can't assist with that.", Review(verdict=REFUSED, rule="refusal")),
        ("It is hard to say.", Review(rule="no rating")),
        ("", Review(rule="empty")),
        ("I can't assist with that.\n\n4", Review(score=4.0, rule="last-line number, as stated")),
    ],
)
def test_a_declined_rating_is_a_refusal(text, expected):
    """Declining to rate is a refusal; rating nevertheless, or an empty reply, is not."""
    comparison = Comparison(
        id="c", question=Question(id="q", text="?"), answers=(Answer(id="a", text="A"),)
    )
    cue = Cue(seat="s", task="rate", sees=("a",), expects=Expects.RATING)
    assert read_review(text, cue=cue, comparison=comparison) == expected
