"""Before a run: has the prompt pack words for the protocol?"""

from __future__ import annotations

import dataclasses
from itertools import count
from pathlib import Path

import pytest

from peerjudge.data import Condition, Cue, Experiment, Orders, Seat, replace
from peerjudge.errors import PromptError, ProtocolError
from peerjudge.runs.rehearsal import rehearse
from peerjudge.runs.resolve import load_cards, load_parts
from peerjudge.runs.schedule import list_orders
from peerjudge.shelf import Shelf
from peerjudge.testing import PLAIN_PACK, comparison_of, rounds_of

SHELF = Shelf(project=Path(__file__).resolve().parents[2])


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_a_pack_with_all_the_words_passes(seats: int):
    """A discussion of any size passes with a pack that has what it cues."""
    rehearse(rounds_of(4), PLAIN_PACK, seats=seats)


def test_a_missing_task_is_found_before_the_run():
    """What is missing is named, with the protocol and the pack, although its turn would come late."""
    tasks = {"review": PLAIN_PACK.tasks["review"]}
    with pytest.raises(PromptError, match=r"'rounds_of_2'.*pack 'plain' has no task 'discuss'"):
        rehearse(rounds_of(2), replace(PLAIN_PACK, tasks=tasks), seats=2)


def test_a_discussion_that_may_end_early_is_rehearsed_to_its_end():
    """Nobody agrees in a rehearsal, so what is said in disagreement is rehearsed as well."""
    protocol = SHELF.protocol("leader_follower", {"only_if_disagreeing": True})
    pack = SHELF.prompts("long_form")
    tasks = {name: text for name, text in pack.tasks.items() if name != "discuss"}
    with pytest.raises(PromptError, match="no task 'discuss'"):
        rehearse(protocol, replace(pack, tasks=tasks), seats=2)


def test_a_form_that_nobody_else_asks_for_is_found_missing():
    """The six forms of JSON are asked for by one protocol only, and missed only there."""
    protocol = SHELF.protocol("score_reasons")
    pack = SHELF.prompts("summary_coherence")
    reply = {name: text for name, text in pack.reply.items() if name != "schema_reasons_score"}
    rehearse(SHELF.protocol("pointwise"), replace(pack, reply=reply), seats=1)
    with pytest.raises(PromptError, match="no reply form 'schema_reasons_score'"):
        rehearse(protocol, replace(pack, reply=reply), seats=1)


def test_a_protocol_that_breaks_down_is_told_so():
    """An exception in a protocol is the protocol's mistake, found before any call is made."""

    def broken(*_: object) -> None:
        raise KeyError

    with pytest.raises(ProtocolError, match="'rounds_of_1' raised KeyError"):
        rehearse(dataclasses.replace(rounds_of(1), cue=broken), PLAIN_PACK, seats=2)


def test_a_protocol_without_end_is_found_before_it_is_paid_for():
    """A rehearsal ends, whatever the protocol does, and says that the protocol does not."""
    with pytest.raises(ProtocolError, match="no end after 1000 turns"):
        rehearse(rounds_of(10_000), PLAIN_PACK, seats=2)


def test_a_protocol_cues_what_is_there():
    """A cue for a seat that nobody holds is found on paper."""

    def ghost(*_: object) -> Cue:
        return Cue(seat="nobody", task="review", sees=("answer_0",))

    with pytest.raises(ProtocolError, match="cues seat 'nobody'"):
        rehearse(dataclasses.replace(rounds_of(1), cue=ghost), seats=2)


def test_a_protocol_does_the_same_for_the_same():
    """A protocol that cues by chance could not be resumed."""
    counted = count()

    def moody(seats: tuple[Seat, ...], *_: object) -> Cue:
        return Cue(seat=seats[next(counted) % 2].id, task="review", sees=("answer_0",))

    with pytest.raises(ProtocolError, match="two different cues for the same turn"):
        rehearse(dataclasses.replace(rounds_of(1), cue=moody), seats=2)


def test_a_plan_is_rehearsed():
    """An experiment whose pack lacks the special rules does not get as far as its data."""
    seat = next(entry.name for entry in SHELF.entries("agents") if entry.name.startswith("sim_"))
    condition = Condition(
        name="rules", protocol="score_reasons", seats=(seat,), options={"rules": True}
    )
    experiment = Experiment(data="sample", prompts="open_chat", conditions=(condition,))
    with pytest.raises(PromptError, match="no task 'score_by_rules'"):
        load_parts(experiment, SHELF, load_cards(experiment, SHELF))
    ruled = replace(experiment, prompts="dialogue_sets")
    assert len(load_parts(ruled, SHELF, load_cards(ruled, SHELF))) == 1


@pytest.mark.parametrize(("answers", "orders"), [(1, 1), (2, 2), (3, 6), (4, 24)])
def test_a_choice_can_be_shown_in_every_order(answers: int, orders: int):
    """Two answers have two orders, three six, four twenty-four; rotations are as many as answers."""
    comparison = comparison_of(answers)
    every = list_orders(comparison, Orders.ALL, seed=0)
    assert len({shown.shown for shown in every}) == len(every) == orders
    both = {shown.shown for shown in list_orders(comparison, Orders.BOTH, seed=0)}
    assert both <= {shown.shown for shown in every}
    assert len(both) == answers
