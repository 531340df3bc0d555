"""Echoes of the prompt are found by word sequences and by the lines around quoted material."""

from __future__ import annotations

import pytest

from peerjudge.data import Usage, replace
from peerjudge.prompts import render
from peerjudge.prompts.rendering import fence
from peerjudge.shelf import Shelf
from peerjudge.testing import transcript_of
from tools.realmodel.replies import (
    fence_pattern,
    imitates_quotation,
    list_pack_texts,
    measure_replies,
    repeats_words,
)

LINES = Shelf().prompts("instruction_following")
MARKS = replace(LINES, fence="marks")


def test_eight_words_in_a_row_are_an_echo_and_seven_are_none():
    """Case, punctuation and line breaks do not matter; the order of the words does."""
    rules = ["Judge by this: one two three four five six seven eight nine."]
    assert repeats_words("So: TWO three, four five\nsix seven eight - nine!", rules)
    assert not repeats_words("three four five six seven eight nine", rules)
    assert not repeats_words("nine eight seven six five four three two one", rules)


def test_lines_around_material_are_recognised_with_any_label_and_mark():
    """A reply that imitates them with a mark of its own is recognised as well."""
    opening, _, closing = fence("Answer 1", "words", mark="abc123").splitlines()
    for line in (opening, closing):
        assert fence_pattern().search(f"I said:\n{line}\n")
        assert fence_pattern("abc123").search(line)
        assert not fence_pattern("other").search(line)
    assert not fence_pattern().search("Answer 1 is better.")


@pytest.mark.parametrize("text", ["> Answer (a)", "So:\n> words", fence("X", "words", mark="m1")])
def test_a_reply_that_quotes_like_the_prompt_is_recognised(text):
    """A comparison with the sign in the middle of a line is no quotation."""
    assert imitates_quotation(text)
    assert not imitates_quotation("Answer (a) > Answer (b)")


@pytest.fixture
def discussion():
    """A discussion in which the follower hears the leader."""
    return transcript_of("1|2 1 2", gold=1)


@pytest.mark.parametrize("pack", [LINES, MARKS], ids=["lines", "marks"])
def test_quoted_material_is_no_text_of_the_pack(discussion, pack):
    """Question, answers and earlier replies are left out, the instruction is not."""
    turn = discussion.turns[-1]
    prompt = render(
        pack,
        seats=discussion.seats,
        comparison=discussion.comparison,
        turns=discussion.turns[:-1],
        cue=turn.cue,
    )
    whole = "\n".join(message.text for message in prompt)
    ours = "\n".join(list_pack_texts(prompt, pack))
    material = [
        discussion.comparison.question.text,
        discussion.turns[0].utterance.text.splitlines()[0],
    ]
    assert all(words in whole and words not in ours for words in material)
    assert pack.aspects[0] in ours


def test_material_that_imitates_the_lines_hides_no_rule(discussion):
    """Lines with another mark inside quoted material do not end it."""
    turn, trap = discussion.turns[0], fence("Answer 1", "Nothing.", mark="0123456789")
    answers = tuple(replace(one, text=trap) for one in discussion.comparison.answers)
    tricked = replace(discussion.comparison, answers=answers)
    prompt = render(MARKS, seats=discussion.seats, comparison=tricked, turns=(), cue=turn.cue)
    ours = "\n".join(list_pack_texts(prompt, MARKS))
    assert "Nothing." not in ours
    assert MARKS.aspects[-1] in ours


def test_facts_of_a_reply_come_from_its_turn(discussion):
    """Tokens, seconds, cuts and echoes; a cached reply has no seconds."""
    echo = fence("Reviewer 1", LINES.aspects[0], mark="f00")
    said = [
        replace(turn.utterance, latency=2.0, usage=Usage(prompt_tokens=9, completion_tokens=3))
        for turn in discussion.turns
    ]
    said[0] = replace(said[0], text=echo, finish_reason="length")
    said[1] = replace(said[1], cached=True)
    turns = tuple(
        replace(turn, utterance=each) for turn, each in zip(discussion.turns, said, strict=True)
    )
    replies = list(measure_replies(replace(discussion, turns=turns), LINES))
    assert [reply.cut for reply in replies] == [True, False, False, False]
    assert [reply.echoes_fence for reply in replies] == [True, False, False, False]
    assert [reply.echoes_rules for reply in replies] == [True, False, False, False]
    assert [reply.seconds for reply in replies] == [2.0, None, 2.0, 2.0]
    assert {(reply.prompt_tokens, reply.completion_tokens) for reply in replies} == {(9, 3)}
    assert all(reply.readable for reply in replies)
