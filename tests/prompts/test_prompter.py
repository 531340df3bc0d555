"""Reuse of rendered parts within one discussion."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Answer, Comparison, Cue, Question, Review, Seat, Turn, Utterance, replace
from peerjudge.prompts import Prompter, collect_heard, pack_identity, read_pack, render, write_pack
from peerjudge.prompts.rendering import choose_mark, fence as delimit, quote
from peerjudge.shelf import Shelf

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
PACK = SHELF.prompts("open_chat")
SEATS = (Seat(id="one", reviewer="ada"), Seat(id="two", reviewer="bob"))
PAIR = Comparison(
    id="sky",
    question=Question(id="q", text="Why is the sky blue?"),
    answers=(Answer(id="a", text="Air scatters."), Answer(id="b", text="It mirrors the sea.")),
)
MARK = choose_mark(("Why is the sky blue?", "Air scatters.", "It mirrors the sea."))

turns_said = st.lists(
    st.tuples(
        st.sampled_from(SEATS),
        st.booleans(),
        st.sampled_from(
            ["(a) is right.\nAnswer (a)", "I differ.\nAnswer (b)", f"<<< {MARK} >>>", " ", ""]
        ),
        st.sets(st.integers(0, 7)),
        st.booleans(),
    ),
    max_size=8,
)


@pytest.mark.parametrize("fence", ["lines", "marks"])
@settings(max_examples=40)
@given(said=turns_said)
def test_reuse_changes_no_prompt(fence, said):
    """A prompt does not depend on the prompts rendered before it, for any turns in any order."""
    pack = replace(PACK, fence=fence)
    prompter = Prompter(pack, seats=SEATS, comparison=PAIR, roles={})
    turns: tuple[Turn, ...] = ()
    for seat, private, text, some, everything in said:
        now = len(turns)
        hears = tuple(range(now)) if everything else tuple(sorted(n for n in some if n < now))
        task = "review" if private else "discuss"
        cue = Cue(seat=seat.id, task=task, sees=("a", "b"), hears=hears, private=private)
        again = prompter.render(cue, collect_heard(turns, cue))
        assert again == render(pack, seats=SEATS, comparison=PAIR, turns=turns, cue=cue)
        assert [m.role for m in again[1:]] == (["user", "assistant"] * 9)[: len(again) - 1]
        turns += (Turn(index=now, cue=cue, utterance=Utterance(text=text), review=Review()),)


@pytest.mark.parametrize("fence", ["lines", "marks"])
@settings(max_examples=25)
@given(reference=st.text(min_size=1))
def test_a_reference_answer_stands_below_the_question_in_its_own_delimiters(fence, reference):
    """Whatever it holds, the scene goes on with the answers; a pack without the part does not show it."""
    pack = replace(SHELF.prompts("open_chat_reference"), fence=fence)
    pair = replace(PAIR, meta={"reference": reference})
    cue = Cue(seat="one", task="review", sees=("a", "b"))
    seats = {"seats": SEATS, "turns": (), "cue": cue}
    text = render(pack, comparison=pair, **seats)[1].text
    mark = choose_mark(("Why is the sky blue?", "Air scatters.", "It mirrors the sea.", reference))
    words = (PAIR.question.text, reference, "Air scatters.")
    if fence == "lines":
        shown = list(map(quote, words))
    else:
        names = ("Question", "Reference answer", "Answer (a)")
        shown = [delimit(name, text, mark=mark) for name, text in zip(names, words, strict=True)]
    heads = ["# Question\n", "\n\n# Reference answer\n", "\n\n# Answer (a)\n"]
    places = [text.find(head + body) for head, body in zip(heads, shown, strict=True)]
    assert -1 < places[0] < places[1] < places[2]
    plain = render(replace(pack, reference=""), comparison=pair, **seats)
    assert plain == render(replace(pack, reference=""), comparison=PAIR, **seats)


def test_a_pack_without_references_keeps_its_identity() -> None:
    """A pack that shows reference answers is another pack; where there is none, its prompts are the same."""
    pack = SHELF.prompts("open_chat_reference")
    assert pack_identity(pack) != pack_identity(PACK)
    assert pack_identity(replace(pack, reference="")) == pack_identity(PACK)
    cue = Cue(seat="one", task="review", sees=("a", "b"))
    one, other = (
        render(each, seats=SEATS, comparison=PAIR, turns=(), cue=cue) for each in (pack, PACK)
    )
    assert one == other
    assert read_pack("copy", write_pack(pack)) == replace(pack, name="copy")
