"""Broken protocols: the public check names the clause that each of them breaks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

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


def broken(cue: Callable | None = None, conclusion: Callable | None = None) -> DiscussionProtocol:
    """A protocol of two seats and two turns with one function replaced."""
    changes = {"cue": cue or GOOD.cue, "conclusion": conclusion or GOOD.conclusion}
    return replace(GOOD, seats=(2, 2), answers=(2, 3), **changes)


def changed_cue(change: Callable) -> Callable:
    """The cues of the good protocol, each changed."""

    def cue(seats, comparison, turns, options):
        found = GOOD.cue(seats, comparison, turns, options)
        return None if found is None else change(found, seats, comparison, turns)

    return cue


def endless(seats, comparison, turns, options):
    """Cues the first seat for ever."""
    return review(seats[0], comparison)


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
            None
            if len(turns) == 2
            else review(seats[len(turns)], comparison, hears=(0,) * len(turns))
        )
    ),
    "same_private_cues": broken(
        lambda seats, comparison, turns, _: (
            None
            if len(turns) == 2
            else review(seats[len(turns)], comparison, task="decide" if turns else "review")
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

    def cue(seats, comparison, turns, _):
        return None if turns else review(seats[0], comparison, **change)

    assert "legal_cues" in [each.clause for each in check_protocol(broken(cue))]


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

    def cue(seats, comparison, turns, options):
        if options.turns == 0:
            msg = "at least one turn"
            raise ProtocolError(msg)
        return GOOD.cue(seats, comparison, turns, options)

    protocol = replace(broken(cue), options=Picky())
    assert check_protocol(protocol) == ()
    always = check_protocol(replace(protocol, options=Picky(turns=0)))
    assert [each.clause for each in always] == ["no_exceptions"]
