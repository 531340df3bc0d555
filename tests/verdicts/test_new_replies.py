"""Replies by kind and language with their labels (`new_replies.jsonl`), and laws of disowned verdicts.

The labels of the parts `used` and `checked` were given twice by the author of the replies, the second time in
random order and without the first label and the reader's result: 3 of 430 differ. There `second_label` has
the second; the reply counts as unreadable.

The rules were written with the part `used`. The part `checked` was read for the first time when they were
done: 8 of 236 replies were read wrongly (3 of them as refusals) and 7 were not read; the old reader had read
39 wrongly and not read 83. Its failures were then mended as well. So `fresh` was written and read once: 6 of
70 wrongly, 2 not read; these were mended too. No part is unseen any more. About half of the replies disown a
verdict, far more than in what models write.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerjudge.data import Outcome
from peerjudge.verdicts import read_verdict

LINES = (Path(__file__).parent / "new_replies.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES = [json.loads(line) for line in LINES]
MOST_WRONG, MOST_UNREAD = 0.005, 0.05


def read(text: str) -> object:
    """Return the number of the chosen answer, or the outcome without one."""
    reading = read_verdict(text)
    return reading.outcome.value if reading.position is None else reading.position + 1


@pytest.mark.parametrize("part", ["used", "checked", "fresh"])
def test_wrong_readings_are_rarer_than_unread_replies(part):
    """At most one reply in 200 is read as something else, and one in 20 is not read."""
    replies = [reply for reply in REPLIES if reply["part"] == part]
    assert len(replies) >= 70
    missed = [(read(reply["text"]), reply) for reply in replies]
    missed = [(said, reply) for said, reply in missed if said != reply["expect"]]
    wrong = [(said, reply) for said, reply in missed if said != "unreadable"]
    assert len(wrong) <= MOST_WRONG * len(replies), wrong
    assert len(missed) - len(wrong) <= MOST_UNREAD * len(replies), missed


@pytest.mark.parametrize("language", sorted({reply["language"] for reply in REPLIES}))
def test_every_language_has_verdicts_and_disowned_ones(language):
    """Both what a language says plainly and what it denies is in the corpus."""
    labels = {reply["expect"] for reply in REPLIES if reply["language"] == language}
    assert labels >= {1, 2, "tie", "unreadable"}


PLAIN = st.sampled_from(
    [
        "{x} is better.",
        "{x} is better than {y}.",
        "{x} is the better answer.",
        "{x} is superior to {y}.",
        "{x} is the winner.",
        "{x} edges out {y}.",
        "{y} is worse than {x}.",
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
