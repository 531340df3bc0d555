"""Broken protocols: the public check names the clause that each of them breaks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pytest

from peerjudge.data import REFUSED, TIE, Cue, Expects, Verdict
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.testing import CLAUSES, check_protocol, rounds_of

GOOD = rounds_of(2)
ASKED = itertools.count()


def review(seat, comparison, /, **changes) -> Cue:
    """A private review of all answers."""
    return Cue(
        **{"seat": seat.id, "task": "review", "sees": comparison.shown, "private": True, **changes}
    )


def broken(cues: Callable | None = None, conclusion: Callable | None = None) -> DiscussionProtocol:
    """A protocol of two seats and two turns with one function replaced."""
    changes = {"cues": cues or GOOD.cues, "conclusion": conclusion or GOOD.conclusion}
    return replace(GOOD, seats=(2, 2), answers=(2, 3), **changes)


def changed_cue(change: Callable) -> Callable:
    """The cues of the good protocol, each changed."""

    def cues(seats, comparison, turns, options):
        found = GOOD.cues(seats, comparison, turns, options)
        return tuple(change(cue, seats, comparison, turns) for cue in found)

    return cues


def endless(seats, comparison, turns, options):
    """Cues the first seat for ever."""
    return (review(seats[0], comparison),)


def random_task(cue, seats, comparison, turns):
    """A cue that depends on the number of calls."""
    return Cue(seat=cue.seat, task=f"task {next(ASKED)}", sees=cue.sees)


def majority(seats, comparison, turns, options):
    """A count of verdicts that takes all other replies as votes for the first answer."""
    votes = [turn.review.verdict for turn in turns if turn.review.verdict]
    choices = [v.choice or comparison.shown[0] for v in votes] or [comparison.shown[0]]
    return Verdict.of(max(choices, key=choices.count))


def first_shown(seats, comparison, turns, options):
    """The verdict for the position shown first wherever a verdict can be read."""
    readable = [t for t in turns if t.review.verdict is not None and t.review.verdict.readable]
    return (
        Verdict.of(comparison.shown[0]) if readable else GOOD.conclusion(seats, comparison, turns)
    )


BROKEN = {
    "no_exceptions": broken(lambda seats, *_: seats[2]),
    "ends": broken(endless),
    "legal_cues": broken(changed_cue(lambda cue, *_: "no cue")),
    "pure": broken(changed_cue(random_task)),
    "conclusion": broken(conclusion=lambda *_: Verdict.of("elsewhere")),
    "unanimous_refusal": broken(conclusion=majority),
    "swap_symmetric": broken(conclusion=first_shown),
    "private_reviews": broken(
        lambda seats, comparison, turns, _: (
            ()
            if turns
            else (review(seats[0], comparison), review(seats[1], comparison, hears=(0,)))
        )
    ),
    "same_private_cues": broken(
        lambda seats, comparison, turns, _: (
            ()
            if turns
            else (review(seats[0], comparison), review(seats[1], comparison, task="decide"))
        )
    ),
}


def test_there_is_a_broken_protocol_for_every_clause():
    """Every clause of the contract has a protocol that breaks it."""
    assert BROKEN.keys() == CLAUSES.keys()


@pytest.mark.parametrize("clause", BROKEN)
def test_a_broken_clause_is_named(clause: str):
    """The check names the clause with what happened, in which scenario, and what to do."""
    found = {each.clause: each for each in check_protocol(BROKEN[clause])}
    assert clause in found
    assert "seats=2" in found[clause].problem
    assert found[clause].remedy == CLAUSES[clause].remedy


@pytest.mark.parametrize(
    "change",
    [
        {"seat": "seat-9"},
        {"sees": ("elsewhere",)},
        {"hears": (7,)},
        {"expects": Expects.RATING},
        {"expects": Expects.RATING, "sees": ()},
        {"hears": "0"},
    ],
)
def test_cues_that_name_what_does_not_exist_are_illegal(change: dict[str, object]):
    """A cue names seats, answers and earlier turns that exist; a rating shows one answer."""

    def cues(seats, comparison, turns, _):
        return () if turns else (review(seats[0], comparison, **change),)

    assert "legal_cues" in [each.clause for each in check_protocol(broken(cues))]


@pytest.mark.parametrize("returned", [None, [], "review", (None,)])
def test_what_is_no_tuple_of_cues_is_no_set(returned: object):
    """A set is a tuple of cues; `None`, which ended a discussion once, is refused as well."""
    found = [each.clause for each in check_protocol(broken(lambda *_: returned))]
    assert found[:1] == ["legal_cues"]


def test_a_cue_may_hear_earlier_turns_of_its_set_only():
    """In a set a cue hears turns before its own; a later one of the set is not there yet."""

    def cues(seats, comparison, turns, _, *, later):
        given = []
        for seat in seats:
            now = len(given)
            given.append(review(seat, comparison, hears=(now + 1,) if later else ()))
            given.append(review(seat, comparison, task="decide", hears=() if later else (now,)))
        return () if turns else tuple(given)

    assert check_protocol(broken(partial(cues, later=False))) == ()
    found = check_protocol(broken(partial(cues, later=True)))
    assert [each.clause for each in found] == ["legal_cues"]


def test_one_cue_at_a_time_is_a_protocol():
    """Sets of one cue are legal: a protocol may wait for each turn."""

    def one_by_one(seats, comparison, turns, options):
        opening = GOOD.cues(seats, comparison, (), options)
        now = len(turns)
        return opening[now:][:1] or GOOD.cues(seats, comparison, turns, options)

    assert check_protocol(broken(one_by_one)) == ()


@pytest.mark.parametrize("conclusion", [lambda *_: None, lambda *_: TIE, lambda *_: REFUSED])
def test_a_conclusion_that_ignores_the_replies_is_found(conclusion: Callable):
    """A conclusion is a verdict, and reports unreadable and refused replies as such."""
    found = [each.clause for each in check_protocol(broken(conclusion=conclusion))]
    assert found[:1] in (["conclusion"], ["unanimous_refusal"])


@dataclass(frozen=True, kw_only=True)
class Picky:
    """Options of which one combination is refused."""

    turns: int = 2
    often: bool = False


def test_option_values_that_a_protocol_refuses_are_no_mistake():
    """A protocol may refuse an option value with a `ProtocolError`, but not its own defaults."""

    def cues(seats, comparison, turns, options):
        if options.turns == 0:
            msg = "at least one turn"
            raise ProtocolError(msg)
        return GOOD.cues(seats, comparison, turns, options)

    protocol = replace(broken(cues), options=Picky())
    assert check_protocol(protocol) == ()
    always = check_protocol(replace(protocol, options=Picky(turns=0)))
    assert [each.clause for each in always] == ["no_exceptions"]
