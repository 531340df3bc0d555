"""Contract of the built-in protocols; a new file on the shelf is found and tested without a change."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from peerjudge.data import MAX_ANSWERS, REFUSED, TIE, UNREADABLE, PromptPack, Seat, Verdict
from peerjudge.errors import PromptError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.rehearsal import rehearse
from peerjudge.shelf import Shelf
from peerjudge.testing import Scenario, check_protocol, check_scenario, comparison_of, seats_of

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
PROTOCOLS = [entry.name for entry in SHELF.entries("protocols")]
PACKS = [entry.name for entry in SHELF.entries("prompts")]
MOST_TURNS = 5

thorough = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


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
def cases(draw: st.DrawFn, name: str) -> Scenario:
    """The protocol with any options, any number of seats and answers it takes, and any replies."""
    default = on_shelf(name)
    kind = type(default.options)
    kinds = typing.get_type_hints(kind)
    options = {entry.name: draw(option_values(kinds[entry.name])) for entry in fields(kind)}
    protocol = dataclasses.replace(default, options=kind(**options))
    least, most = protocol.seats
    n = draw(st.integers(least, least + 2 if most is None else most))
    fewest, largest = protocol.answers
    comparison = comparison_of(draw(st.integers(fewest, largest or MAX_ANSWERS)))
    verdicts = st.sampled_from([UNREADABLE, REFUSED, TIE, *map(Verdict.of, comparison.shown)])
    rating = st.sampled_from([1.0, 3.5, 5.0, UNREADABLE, REFUSED])
    bound = most_turns(protocol, n, len(comparison.answers))
    replies = st.lists(verdicts, min_size=1, max_size=bound).map(tuple)
    seats = seats_of(n, protocol.list_roles(n))
    return Scenario(
        protocol=protocol,
        seats=seats,
        comparison=comparison,
        verdicts={seat.id: draw(replies) for seat in seats},
        ratings={answer_id: draw(rating) for answer_id in comparison.shown},
        most_turns=bound,
    )


def most_turns(protocol: DiscussionProtocol, seats: int, answers: int) -> int:
    """The most turns that private reviews of every kind and the discussion can take together.

    A private review is criteria, something on each answer, and a verdict in either order.
    """
    chosen = protocol.settings()
    talk = int(chosen.get("turns") or 0) + seats * int(chosen.get("rounds") or 0)
    return seats * (1 + max(2, answers) + 2) + talk


def test_there_are_protocols_and_packs():
    """The built-in shelf has the protocols and packs that the experiments name."""
    assert {"leader_follower", "pairwise", "prepair", "vote"} <= set(PROTOCOLS)
    assert {"long_form", "instruction_following", "open_chat"} <= set(PACKS)


@every_protocol
def test_says_what_it_is(name: str):
    """A protocol opens with a sentence and names the source of its method."""
    assert on_shelf(name).description.endswith(".")
    assert "Source:" in SHELF.find("protocols", name).path.read_text(encoding="utf-8")


@every_protocol
def test_built_in_protocols_keep_every_clause(name: str):
    """The public check finds no broken clause in a built-in protocol."""
    assert check_protocol(on_shelf(name)) == ()


@every_protocol
@settings(thorough, max_examples=100)
@given(data=st.data())
def test_every_clause_holds_for_any_options_and_replies(name: str, data: st.DataObject):
    """No combination of options, seats, answers and replies breaks a clause of the contract."""
    assert check_scenario(data.draw(cases(name))) == ()


def refused(case: Scenario, pack: PromptPack) -> str:
    """Return why the rehearsal refuses the pack; empty where it does not."""
    try:
        rehearse(case.protocol, pack, seats=len(case.seats))
    except PromptError as mistake:
        return str(mistake)
    return ""


@every_protocol
@settings(thorough, max_examples=5)
@given(data=st.data())
def test_every_cue_can_be_put_into_words(name: str, data: st.DataObject):
    """A pack that passes the rehearsal of a protocol has words for all of its cues.

    An assistant message holds the seat's own words only, of several turns where it heard no other.
    """
    case = data.draw(cases(name))
    for pack_name in PACKS:
        pack = pack_on_shelf(pack_name)
        if refusal := refused(case, pack):
            assert "has no task 'score" in refusal
        else:
            require_words(case, pack)


def require_words(case: Scenario, pack: PromptPack) -> None:
    """Require that the pack renders each turn as a chat of the seat with its own words."""
    turns = case.turns
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
    """The private prompts of a seat do not depend on who leads, so that replies can be shared.

    Where labels are swapped, the order of the answers depends on the place of the seat.
    """
    case = data.draw(cases(name))
    if case.protocol.settings().get("control") == "swapped":
        return
    reversed_case = dataclasses.replace(case, seats=turn_around(case))
    assert private_prompts(case) == private_prompts(reversed_case)


def turn_around(case: Scenario) -> tuple[Seat, ...]:
    """Return the seats in reverse order, those of a declared role among themselves."""
    if not case.protocol.roles:
        return case.seats[::-1]
    left = {role: [one for one in case.seats if one.role == role] for role in case.protocol.roles}
    return tuple(left[seat.role].pop() for seat in case.seats)


def private_prompts(case: Scenario) -> dict[str, list[object]]:
    """Return the private prompts of each seat, word for word."""
    pack = pack_on_shelf("dialogue_sets")
    turns = case.turns
    found: dict[str, list[object]] = {seat.id: [] for seat in case.seats}
    for turn in turns:
        if turn.cue.private:
            past = turns[: turn.index]
            messages = render(
                pack, seats=case.seats, comparison=case.comparison, turns=past, cue=turn.cue
            )
            found[turn.cue.seat].append([(m.role, m.text) for m in messages])
    return dict(sorted(found.items()))
