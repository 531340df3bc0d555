"""Every file on the protocol shelf keeps the contract of `peerjudge.protocol`; it is found by itself."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peerjudge.data import (
    MAX_ANSWERS,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Cue,
    Expects,
    PromptPack,
    Question,
    Review,
    Role,
    Seat,
    Turn,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.errors import PromptError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.rehearsal import rehearse
from peerjudge.shelf import Shelf

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
PROTOCOLS = [entry.name for entry in SHELF.entries("protocols")]
PACKS = [entry.name for entry in SHELF.entries("prompts")]
MOST_TURNS = 5

thorough = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


@dataclass(frozen=True)
class Case:
    """A protocol with its options, seats and a comparison, and what is replied.

    `replies` are the verdicts by turn; `ratings` those of each answer, or why it has none.
    """

    protocol: DiscussionProtocol
    seats: tuple[Seat, ...]
    comparison: Comparison
    replies: tuple[Verdict, ...]
    ratings: Mapping[str, float | Verdict]

    @property
    def bound(self) -> int:
        """The most turns that private reviews of every kind and the discussion can take together.

        A private review is criteria, something on each answer, and a verdict in either order.
        """
        chosen = self.protocol.settings()
        n = len(self.seats)
        talk = int(chosen.get("turns") or 0) + n * int(chosen.get("rounds") or 0)
        return n * (1 + max(2, len(self.comparison.answers)) + 2) + talk

    def play(self) -> tuple[Turn, ...]:
        """All turns; fails when there are more than the bound allows."""
        turns: tuple[Turn, ...] = ()
        while cue := self.protocol.next_cue(self.seats, self.comparison, turns):
            assert len(turns) < self.bound, "the discussion does not end"
            turns += (self.answered(cue, turns),)
        return turns

    def answered(self, cue: Cue, turns: tuple[Turn, ...]) -> Turn:
        own = sum(turn.cue.seat == cue.seat for turn in turns)
        said = Utterance(text=f"{cue.seat} says its word number {own}")
        return Turn(index=len(turns), cue=cue, utterance=said, review=self.read(cue, len(turns)))

    def read(self, cue: Cue, turn: int) -> Review:
        if cue.expects is Expects.VERDICT:
            return Review(verdict=self.replies[turn])
        if cue.expects is Expects.TEXT:
            return Review()
        (answer_id,) = cue.sees
        rating = self.ratings[answer_id]
        if isinstance(rating, float):
            return Review(score=rating)
        return Review(verdict=REFUSED if rating == REFUSED else None)


def option_values(kind: object) -> st.SearchStrategy[object]:
    """Every value that an option of this type may take, counts kept small."""
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(0, MOST_TURNS)
    return st.sampled_from(typing.get_args(kind))


@cache
def on_shelf(name: str) -> DiscussionProtocol:
    """The protocol with its default options."""
    return SHELF.protocol(name)


@cache
def pack_on_shelf(name: str) -> PromptPack:
    """The prompt pack, read once."""
    return SHELF.prompts(name)


@st.composite
def cases(draw: st.DrawFn, name: str) -> Case:
    """The protocol with any options, any number of seats and answers it takes, and any replies."""
    default = on_shelf(name)
    kind = type(default.options)
    kinds = typing.get_type_hints(kind)
    options = {entry.name: draw(option_values(kinds[entry.name])) for entry in fields(kind)}
    protocol = dataclasses.replace(default, options=kind(**options))
    least, most = protocol.seats
    n = draw(st.integers(least, least + 2 if most is None else most))
    seats = tuple(
        Seat(id=f"s{i}", reviewer=f"r{i}", role=Role.LEADER if i == 0 else Role.FOLLOWER)
        for i in range(n)
    )
    fewest, largest = protocol.answers
    count = draw(st.integers(fewest, largest or MAX_ANSWERS))
    comparison = Comparison(
        id="c",
        question=Question(id="q", text="Why is the sky blue?"),
        answers=tuple(Answer(id=f"a{i}", text=f"Because {i}.") for i in range(count)),
    )
    verdicts = [UNREADABLE, REFUSED, *map(Verdict.of, comparison.shown)]
    if options.get("ties"):
        verdicts.append(TIE)
    rating = st.sampled_from([1.0, 3.5, 5.0, UNREADABLE, REFUSED])
    ratings = {answer_id: draw(rating) for answer_id in comparison.shown}
    case = Case(protocol, seats, comparison, (), ratings)
    replies = st.lists(st.sampled_from(verdicts), min_size=case.bound, max_size=case.bound)
    return dataclasses.replace(case, replies=tuple(draw(replies)))


def test_there_are_protocols_and_packs():
    """The built-in shelf has the protocols and packs that the experiments name."""
    assert {"leader_follower", "pairwise", "prepair", "vote"} <= set(PROTOCOLS)
    assert {"long_form", "instruction_following", "open_chat"} <= set(PACKS)


@every_protocol
def test_says_what_it_is(name: str):
    """A protocol says in a sentence what happens, and in its file where that comes from."""
    assert on_shelf(name).description.endswith(".")
    assert "Source:" in SHELF.find("protocols", name).path.read_text(encoding="utf-8")


@every_protocol
@thorough
@given(data=st.data())
def test_cues_are_legal_and_end(name: str, data: st.DataObject):
    """A discussion ends, and cues known seats that see each answer once and hear only the past."""
    case = data.draw(cases(name))
    known = {seat.id for seat in case.seats}
    for turn in case.play():
        cue = turn.cue
        assert cue.seat in known
        assert set(cue.sees) <= set(case.comparison.shown)
        assert len(set(cue.sees)) == len(cue.sees)
        assert len(cue.sees) == 1 or cue.expects is not Expects.RATING
        assert list(cue.hears) == sorted(set(cue.hears))
        assert all(0 <= index < turn.index for index in (*cue.hears, *cue.withheld))
        assert not set(cue.hears) & set(cue.withheld)


@every_protocol
@thorough
@given(data=st.data())
def test_is_pure(name: str, data: st.DataObject):
    """The same turns lead to the same cue, so a stored discussion resumes at any turn."""
    case = data.draw(cases(name))
    turns = case.play()
    for turn in turns:
        past = turns[: turn.index]
        assert case.protocol.next_cue(case.seats, case.comparison, past) == turn.cue
    assert case.protocol.next_cue(case.seats, case.comparison, turns) is None
    assert case.play() == turns


@every_protocol
@thorough
@given(data=st.data())
def test_conclusion_is_about_this_comparison(name: str, data: st.DataObject):
    """Whatever was said, and wherever it stopped, the conclusion is a verdict on these answers."""
    case = data.draw(cases(name))
    turns = case.play()
    for end in range(len(turns) + 1):
        verdict = case.protocol.conclude(case.seats, case.comparison, turns[:end])
        assert verdict.choice is None or verdict.choice in case.comparison.shown


@every_protocol
@thorough
@given(data=st.data(), reply=st.sampled_from([UNREADABLE, REFUSED]))
def test_survives_replies_that_say_nothing(name: str, data: st.DataObject, reply: Verdict):
    """Where no reply can be read the discussion still ends, and its conclusion is no stance."""
    case = data.draw(cases(name))
    ratings = dict.fromkeys(case.comparison.shown, reply)
    case = dataclasses.replace(case, replies=(reply,) * len(case.replies), ratings=ratings)
    turns = case.play()
    asked = any(turn.cue.expects is not Expects.TEXT for turn in turns)
    verdict = case.protocol.conclude(case.seats, case.comparison, turns)
    assert verdict == (reply if asked else UNREADABLE)


@every_protocol
@thorough
@given(data=st.data())
def test_swapping_the_answers_mirrors_the_discussion(name: str, data: st.DataObject):
    """Shown in the other order, the same choices lead to mirrored cues and the same conclusion."""
    case = data.draw(cases(name))
    if not case.protocol.swap_symmetric:
        return
    other = dataclasses.replace(case, comparison=case.comparison.swapped())
    turns, mirrored = case.play(), other.play()
    assert [positions(case, turn.cue) for turn in turns] == [
        positions(other, turn.cue) for turn in mirrored
    ]
    assert case.protocol.conclude(case.seats, case.comparison, turns) == other.protocol.conclude(
        other.seats, other.comparison, mirrored
    )


def positions(case: Case, cue: Cue) -> Cue:
    """The cue with the places of its answers instead of their ids."""
    shown = case.comparison.shown
    return replace(cue, sees=tuple(str(shown.index(answer_id)) for answer_id in cue.sees))


@every_protocol
@thorough
@given(data=st.data())
def test_private_reviews_are_private(name: str, data: st.DataObject):
    """What a seat says in private comes before it hears another seat, and it hears only itself."""
    case = data.draw(cases(name))
    turns = case.play()
    said_openly: set[str] = set()
    for turn in turns:
        heard = {turns[index].cue.seat for index in turn.cue.hears}
        if turn.cue.private:
            assert heard <= {turn.cue.seat}
            assert turn.cue.seat not in said_openly
        else:
            said_openly.add(turn.cue.seat)
            own = {t.index for t in turns[: turn.index] if t.cue.seat == turn.cue.seat}
            assert own <= set(turn.cue.hears)


def refused(case: Case, pack: PromptPack) -> str:
    """Why the pack is found to be without words for the protocol; empty where it has them."""
    try:
        rehearse(case.protocol, pack, seats=len(case.seats))
    except PromptError as mistake:
        return str(mistake)
    return ""


@every_protocol
@pytest.mark.parametrize("pack_name", PACKS)
@settings(thorough, max_examples=5)
@given(data=st.data())
def test_every_cue_can_be_put_into_words(name: str, pack_name: str, data: st.DataObject):
    """Where a rehearsal finds words for a protocol, the pack has words for all its cues.

    An assistant message is the seat's own words only; of several turns, where it heard nobody since.
    """
    case = data.draw(cases(name))
    pack = pack_on_shelf(pack_name)
    if refusal := refused(case, pack):
        assert "has no task 'score" in refusal
        return
    turns = case.play()
    for turn in turns:
        messages = render(
            pack,
            seats=case.seats,
            comparison=case.comparison,
            turns=turns[: turn.index],
            cue=turn.cue,
            role="You are a chemist.",
        )
        roles = [message.role for message in messages]
        assert roles[0] == "system"
        assert roles[1::2] == ["user"] * len(roles[1::2])
        assert roles[2::2] == ["assistant"] * len(roles[2::2])
        assert roles[-1] == "user"
        own = {t.utterance.text for t in turns if t.cue.seat == turn.cue.seat}
        for message in messages:
            if message.role == "assistant":
                assert set(message.text.split("\n\n")) <= own


@every_protocol
@settings(thorough, max_examples=20)
@given(data=st.data())
def test_private_prompts_do_not_depend_on_who_leads(name: str, data: st.DataObject):
    """A seat is asked the same in private whether it leads or follows, so the reply can be shared.

    Only where labels are swapped its place decides in which order it is shown the answers.
    """
    case = data.draw(cases(name))
    if case.protocol.settings().get("control") == "swapped":
        return
    reversed_case = dataclasses.replace(case, seats=case.seats[::-1])
    assert private_prompts(case) == private_prompts(reversed_case)


def private_prompts(case: Case) -> dict[str, list[object]]:
    """What each seat is asked in private, word for word."""
    pack = pack_on_shelf("dialogue_sets")
    turns = case.play()
    found: dict[str, list[object]] = {seat.id: [] for seat in case.seats}
    for turn in turns:
        if turn.cue.private:
            past = turns[: turn.index]
            messages = render(
                pack, seats=case.seats, comparison=case.comparison, turns=past, cue=turn.cue
            )
            found[turn.cue.seat].append([(m.role, m.text) for m in messages])
    return dict(sorted(found.items()))
