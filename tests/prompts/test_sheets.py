"""Requests laid out for people: what the prompt shows, without the form of a model's reply."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerjudge.data import (
    Answer,
    Comparison,
    Control,
    Cue,
    Expects,
    Question,
    Review,
    Seat,
    TaskSheet,
    Turn,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.prompts import Prompter, collect_heard, order_heard
from peerjudge.shelf import Shelf

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
PACKS = sorted(entry.name for entry in SHELF.entries("prompts"))
SEATS = (Seat(id="one", reviewer="ada"), Seat(id="two", reviewer="bob"))
PAIR = Comparison(
    id="sky",
    question=Question(id="q", text="Why is the sky blue?"),
    answers=(
        Answer(id="a", text="Air scatters.", author="model-x"),
        Answer(id="b", text="It mirrors the sea.", author="model-y"),
    ),
    gold=Verdict.of("a"),
)


def say(index: int, cue: Cue, text: str) -> Turn:
    """Return a turn of the discussion."""
    review = Review(verdict=Verdict.of("b"))
    return Turn(index=index, cue=cue, utterance=Utterance(text=text), review=review)


TURNS = (
    say(0, Cue(seat="one", task="explain_one", sees=("a",), private=True), "Own thought."),
    say(1, Cue(seat="two", task="review", sees=("b", "a"), private=True), "It is (a).\nTheirs."),
    say(2, Cue(seat="one", task="discuss", sees=("a", "b"), hears=(0, 1)), "My first reply."),
    say(3, Cue(seat="two", task="discuss", sees=("a", "b"), hears=(2,)), "Their reply."),
)
DISCUSS = Cue(seat="one", task="discuss", sees=("b", "a"), hears=(0, 1, 2, 3), remind=True)


def lay_out(cue: Cue, *, pack: str = "open_chat") -> TaskSheet:
    """Return the sheet for a cue after these turns."""
    prompter = Prompter(
        SHELF.prompts(pack), seats=SEATS, comparison=PAIR, roles={"one": " Be strict. "}
    )
    return prompter.lay_out(cue, order_heard(collect_heard(TURNS, cue), cue))


def test_a_person_is_shown_the_discussion_in_the_order_of_the_prompt():
    """Private texts come first; speakers are numbered, and no seat, reviewer, author or gold is named."""
    sheet = lay_out(DISCUSS)
    assert [(one.title, one.text) for one in sheet.answers] == [
        ("Answer (a)", "It mirrors the sea."),
        ("Answer (b)", "Air scatters."),
    ]
    assert [(one.title, one.text) for one in sheet.heard] == [
        ("Your private review of Answer (b)", "Own thought."),
        ("Private review by Reviewer 2", "It is (a).\nTheirs."),
        ("You replied", "My first reply."),
        ("Reviewer 2 replied", "Their reply."),
    ]
    assert (sheet.role, sheet.question) == ("Be strict.", "Why is the sky blue?")
    assert "You are reviewer 1." in sheet.place
    assert not any(name in str(sheet) for name in ("ada", "bob", "model-", "gold"))


@pytest.mark.parametrize("pack", PACKS)
def test_no_pack_asks_a_person_for_the_form_of_a_reply(pack: str):
    """The instruction is that of the prompt without its last part, in every built-in pack."""
    prompts = SHELF.prompts(pack)
    for task in prompts.tasks:
        sees = ("a",) if task in ("rate", "score", "explain_one") else ("a", "b")
        rated = task in ("rate", "score")
        for ties in (False, True):
            expects = Expects.RATING if rated else Expects.VERDICT
            cue = Cue(seat="one", task=task, sees=sees, private=True, ties=ties, expects=expects)
            prompter = Prompter(prompts, seats=SEATS, comparison=PAIR, roles={})
            sheet = prompter.lay_out(cue, ())
            whole = prompter.render(cue, ())[-1].text
            assert sheet.instruction
            assert sheet.instruction in whole
            assert not whole.endswith(sheet.instruction)
            for words in ("and nothing else", "last line", "JSON", "Choice:"):
                assert words not in sheet.instruction


@pytest.mark.parametrize("control", ["none", "stance", "irrelevant", "unnamed"])
def test_a_control_reaches_a_person_as_it_reaches_a_model(control: Control):
    """What a control puts in place of the others' arguments is what the prompt holds."""
    cue = replace(DISCUSS, control=control)
    prompter = Prompter(SHELF.prompts("open_chat"), seats=SEATS, comparison=PAIR, roles={})
    heard = order_heard(collect_heard(TURNS, cue), cue)
    prompt = "\n".join(message.text for message in prompter.render(cue, heard))
    sheet = prompter.lay_out(cue, heard)
    assert ("Their reply." in str(sheet)) == (control in {"none", "unnamed"})
    for one in sheet.heard:
        assert all(line in prompt for line in one.text.splitlines())


def test_a_blind_request_shows_neither_question_nor_answers():
    """A decision on explanations alone names the answers, whose texts stay away."""
    sheet = lay_out(replace(DISCUSS, blind=True, private=True, hears=(0,)))
    assert (sheet.question, sheet.place) == ("", "")
    assert [(one.title, one.text) for one in sheet.answers] == [
        ("Answer (a)", ""),
        ("Answer (b)", ""),
    ]
    assert [one.text for one in sheet.heard] == ["Own thought."]
