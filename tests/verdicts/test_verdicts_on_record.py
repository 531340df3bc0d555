"""Verdict reader on recorded replies of real models: Vicuna80 (PRD) and LLMBar."""

import re
from collections import Counter
from functools import cache

import pytest

from peerjudge.data import Outcome
from peerjudge.verdicts import Reading, read_verdict

pytestmark = pytest.mark.data

MARK_PAIR = re.compile(r"\s*\d+(\.\d+)? \d+(\.\d+)?\s*")


@cache
def label(text: str) -> int | None:
    """The reading as a native label of Vicuna80: 1 first, 2 second, 3 tie; `None` if unreadable."""
    reading = read_verdict(text)
    if reading.position is not None:
        return reading.position + 1
    return 3 if reading.outcome is Outcome.TIE else None


def tally(rows: list[dict]) -> Counter:
    """Count the texts read correctly, read wrongly, and not read."""
    counts = Counter()
    for row in rows:
        read = label(row["text"])
        counts["unread" if read is None else "right" if read == row["label"] else "wrong"] += 1
    return counts


@pytest.mark.parametrize(
    ("reviewer", "right", "wrong"),
    [("gpt-4", 1600, 0), ("claude", 1600, 0), ("gpt-3.5", 1585, 0), ("bard", 1525, 10)],
)
def test_reading_equals_the_label_the_authors_settled_on(vicuna80, reviewer, right, wrong):
    """Nearly every review is read as labelled by the authors; ambiguous ones are not read."""
    rows = [row for row in vicuna80 if row["reviewer"] == reviewer and row["text"].strip()]
    counts = tally(rows)
    assert counts["right"] >= right
    assert counts["wrong"] <= wrong


def test_mark_pairs_of_vicuna_equal_the_label(vicuna80):
    """A review that starts with two marks means the answer with the higher one."""
    marked = [
        row
        for row in vicuna80
        if row["reviewer"] == "vicuna" and MARK_PAIR.fullmatch(row["text"].split("\n")[0])
    ]
    assert len(marked) == 1389
    assert tally(marked) == {"right": 1389}


def test_other_reviews_of_vicuna_are_rather_left_unread_than_guessed(vicuna80):
    """Reviews without a verdict in any form are hardly ever read, and never wrongly."""
    others = [
        row
        for row in vicuna80
        if row["reviewer"] == "vicuna" and not MARK_PAIR.fullmatch(row["text"].split("\n")[0])
    ]
    assert len(others) == 211
    assert tally(others)["wrong"] == 0


def test_less_than_one_reading_in_two_hundred_differs_from_the_label(vicuna80):
    """Of all reviews, at least 96 % are read, and at most 0.5 % of these as another verdict."""
    counts = tally([row for row in vicuna80 if row["text"].strip()])
    read = counts["right"] + counts["wrong"]
    assert read >= 0.96 * counts.total()
    assert counts["wrong"] <= 0.005 * read


def test_empty_reviews_are_unreadable_despite_their_label(vicuna80):
    """The authors gave empty texts a label; the reader gives them none."""
    empty = [row for row in vicuna80 if not row["text"].strip()]
    assert len(empty) == 18
    assert {read_verdict(row["text"]) for row in empty} == {
        Reading(Outcome.UNREADABLE, None, "empty")
    }


@cache
def read_pair(text: str) -> Reading:
    """The reading of a two-choice reply; many of LLMBar's 52,882 texts are the same."""
    return read_verdict(text, ties=False)


def winner(row: dict) -> str | None:
    """The reading of an LLMBar text in the numbering of the instance."""
    position = read_pair(row["text"]).position
    if position is None:
        return None
    return str(position + 1 if row["order"] == "original" else 2 - position)


@pytest.mark.parametrize(
    ("model", "disagreements"),
    [
        ("GPT-4", 1),
        ("ChatGPT", 32),
        ("ChatGPT-0301", 8),
        ("Falcon", 24),
        ("LLaMA2", 90),
        ("PaLM2", 151),
    ],
)
def test_reading_agrees_with_the_recorded_winners_of_llmbar(llmbar, model, disagreements):
    """The reading differs from the recorded winner in few replies, mostly where that contradicts the text."""
    rows = [row for row in llmbar if row["model"] == model]
    assert sum(winner(row) != row["winner"] for row in rows) <= disagreements


def test_a_reply_that_says_that_one_output_is_better_is_never_read_as_the_other(llmbar):
    """A text that ends in "Output (x) is better." is read as x, for every recorded winner."""
    closing = re.compile(r"(?:^|\n)(?:Therefore, )?Output \(([ab])\) is better\.\s*$")
    ending = [(row, found) for row in llmbar if (found := closing.search(row["text"]))]
    assert len(ending) > 4700
    for row, found in ending:
        assert read_pair(row["text"]).position == "ab".index(found[1])
