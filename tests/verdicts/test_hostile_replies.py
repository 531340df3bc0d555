"""Hostile replies with their meaning and the reason (`hostile_replies.jsonl`)."""

import json
from pathlib import Path

import pytest

from peerjudge.data import Outcome
from peerjudge.verdicts import read_verdict

LINES = (Path(__file__).parent / "hostile_replies.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES = [json.loads(line) for line in LINES]


@pytest.mark.parametrize(
    "reply", REPLIES, ids=[f"{n}-{r['why'][:50]}" for n, r in enumerate(REPLIES, 1)]
)
def test_hostile_reply_is_read_as_what_it_says(reply):
    """A reply is read as its author's conclusion, or not at all."""
    reading = read_verdict(reply["text"], answers=reply["answers"], ties=reply["ties"])
    said = reading.outcome.value if reading.position is None else reading.position + 1
    assert said == reply["expect"], f"{reply['why']} (read by {reading.rule})"
    assert (reading.position is not None) == (reading.outcome is Outcome.CHOICE)


ENDLESS = [
    *(" ", "\n", "1\n", "[[", '{"', "{\n", '{"a":', "```\n", '"', "\u201c", "<think>", "<answer>"),
    *(
        "[The Start of x]",
        "> ",
        "*",
        "I would ",
        "choose ",
        "Output (a) ",
        "Output (a) is better\n",
    ),
    *(
        "Therefore, Output (a) is better than Output (b) ",
        "not think ",
        "Choice: ",
        "my choice is ",
    ),
    *(
        "both are equally ",
        "more detailed, ",
        "Assistant 1: 8/10, ",
        "while, ",
        "I would give the slight ",
    ),
    *("1. x\n", "1.5 ", "Answer 1 and Answer 2 and ", "\ud800", "Answer 1's "),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ENDLESS, ids=repr)
def test_endless_repetition_is_read_in_linear_time(unit):
    """Much repetition is read in seconds: no pattern backtracks without bound, which would take minutes."""
    text = unit * (100_000 // len(unit)) + "!"
    assert read_verdict(text).rule


def test_every_line_of_the_corpus_gives_its_reason():
    """Each hostile reply states in one sentence how it must be read."""
    assert len({reply["why"] for reply in REPLIES}) == len(REPLIES)
    assert all(reply["why"].endswith(".") for reply in REPLIES)
