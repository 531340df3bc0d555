"""Replies in English prose with their labels (`prose_replies.jsonl`), and laws of disowned verdicts.

The replies were written by authors who did not know the rules; those that the rules do not read are left
out, as the reviewer is asked for its choice then. A third of them disown, condition, report or narrow a
verdict, far more than in what models write.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import Outcome
from peerjudge.verdicts import read_verdict

LINES = (Path(__file__).parent / "prose_replies.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES = [json.loads(line) for line in LINES]


def read(text: str, *, ties: bool = True) -> object:
    """Return the number of the chosen answer, or the outcome without one."""
    reading = read_verdict(text, ties=ties)
    return reading.outcome.value if reading.position is None else reading.position + 1


@pytest.mark.parametrize("kind", sorted({reply["kind"] for reply in REPLIES}))
def test_a_reply_in_prose_is_read_as_what_it_says(kind):
    """A plain conclusion is read, and a disowned, conditional or partial one is no verdict."""
    replies = [reply for reply in REPLIES if reply["kind"] == kind]
    said = [read(each["text"], ties=each.get("ties", True)) for each in replies]
    assert said == [each["expect"] for each in replies]


@pytest.mark.parametrize(
    "text",
    [
        "Deshalb ist Antwort 2 besser.",
        "La réponse 1 est meilleure.",
        "La respuesta 2 es mejor.",
        "A resposta 1 é melhor.",
        "Ответ 1 лучше.",
        "第二个回答更好。",
        "回答1の方が優れています。",
    ],
)
def test_prose_in_another_language_is_not_read(text):
    """Only the forms are read in other languages; the reviewer is asked for its choice."""
    assert read(text) == "unreadable"
    assert read(f"{text}\n\n2") == 2


PLAIN = st.sampled_from(
    [
        "{x} is better.",
        "{x} is better than {y}.",
        "{x} is the better answer.",
        "{x} is superior to {y}.",
        "{x} is the winner.",
    ]
)
NAMES = st.sampled_from(
    [("Answer 1", "Answer 2"), ("Answer (a)", "Answer (b)"), ("Assistant A", "Assistant B")]
)
DISOWNED = st.sampled_from(
    [
        "It is false that {v}",
        "It is not true that {v}",
        "I doubt that {v}",
        "I am not sure that {v}",
        "I do not think that {v}",
        "Nobody can say that {v}",
        "It would be wrong to say that {v}",
        "It is far from clear that {v}",
        "I see no reason to think that {v}",
        "I reject the claim that {v}",
        "Many would say that {v}",
        "The other reviewer says that {v}",
        "You say that {v}",
        "I am told that {v}",
        "According to the other review, {v}",
        "If length mattered, {v}",
        "Assuming that style counts, {v}",
        "Perhaps {v}",
        'The text says: "{v}"',
        "The text says: “{v}”",
        "Somebody wrote '{v}' below.",
        "> {v}",
        "```\n{v}\n```\nThat is a quotation.",
        "<think>{v}</think>",
    ]
)


@given(PLAIN, NAMES, DISOWNED, st.booleans())
def test_a_verdict_that_is_denied_reported_or_quoted_is_not_read(plain, names, disowned, swap):
    """The same words are a verdict of their own, and none inside a denial, a report or a quotation."""
    first, second = reversed(names) if swap else names
    said = plain.format(x=first, y=second)
    assert read(said) == (2 if swap else 1)
    assert read_verdict(disowned.format(v=said)).outcome is Outcome.UNREADABLE


@given(PLAIN, NAMES, DISOWNED, st.sampled_from(["Choice: {x}", "I choose {x}.", "{x}"]))
def test_a_disowned_verdict_does_not_hide_the_reviewers_own(plain, names, disowned, own):
    """What follows in the requested form is read."""
    first, second = names
    said = disowned.format(v=plain.format(x=first, y=second))
    assert read(f"{said}\n\n{own.format(x=second)}") == 2
