"""Reuse of rendered parts within one discussion."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.data import (
    Answer,
    Comparison,
    Cue,
    Question,
    Review,
    Seat,
    Turn,
    Utterance,
    replace,
)
from peerjudge.prompts import Prompter, collect_heard, render
from peerjudge.prompts.rendering import choose_mark
from peerjudge.shelf import Shelf

PACK = Shelf(project=Path(__file__).resolve().parents[2]).prompts("open_chat")
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
@settings(max_examples=100)
@given(said=turns_said)
def test_reuse_changes_no_prompt(
    fence: Literal["lines", "marks"], said: list[tuple[Seat, bool, str, set[int], bool]]
) -> None:
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
