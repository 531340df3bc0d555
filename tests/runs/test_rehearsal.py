"""Rehearsal of protocols and prompt packs before a run."""

from __future__ import annotations

import dataclasses
from itertools import count
from pathlib import Path

import pytest

from peerjudge.data import Condition, Cue, Experiment, Orders, Seat, Turn, replace
from peerjudge.errors import PromptError, ProtocolError
from peerjudge.runs.rehearsal import rehearse
from peerjudge.runs.resolve import load_cards, load_parts
from peerjudge.runs.schedule import list_orders
from peerjudge.shelf import Shelf
from peerjudge.testing import PLAIN_PACK, comparison_of, rounds_of

SHELF = Shelf(project=Path(__file__).resolve().parents[2])


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_a_complete_pack_passes(seats: int):
    """A discussion of any size passes with a pack that has all of its tasks."""
    rehearse(rounds_of(4), PLAIN_PACK, seats=seats)


def test_a_missing_task_is_found_before_the_run():
    """The error names the missing task, the protocol and the pack."""
    tasks = {"review": PLAIN_PACK.tasks["review"]}
    with pytest.raises(PromptError, match=r"'rounds_of_2'.*pack 'plain' has no task 'discuss'"):
        rehearse(rounds_of(2), replace(PLAIN_PACK, tasks=tasks), seats=2)


def test_a_discussion_that_may_end_early_is_rehearsed_to_its_end():
    """Seats disagree in a rehearsal, so the tasks of disagreement are rehearsed as well."""
    protocol = SHELF.protocol("leader_follower", {"only_if_disagreeing": True})
    pack = SHELF.prompts("long_form")
    tasks = {name: text for name, text in pack.tasks.items() if name != "discuss"}
    with pytest.raises(PromptError, match="no task 'discuss'"):
        rehearse(protocol, replace(pack, tasks=tasks), seats=2)


def test_a_missing_reply_form_of_one_protocol_is_found():
    """The six JSON forms are needed by one protocol only, and missing only there."""
    protocol = SHELF.protocol("score_reasons")
    pack = SHELF.prompts("summary_coherence")
    reply = {name: text for name, text in pack.reply.items() if name != "schema_reasons_score"}
    rehearse(SHELF.protocol("pointwise"), replace(pack, reply=reply), seats=1)
    with pytest.raises(PromptError, match="no reply form 'schema_reasons_score'"):
        rehearse(protocol, replace(pack, reply=reply), seats=1)


def test_an_exception_in_a_protocol_is_a_protocol_error():
    """An exception in a protocol is found before the first call."""

    def broken(*_: object) -> None:
        raise KeyError

    with pytest.raises(ProtocolError, match="'rounds_of_1' raised KeyError"):
        rehearse(dataclasses.replace(rounds_of(1), cues=broken), PLAIN_PACK, seats=2)


def test_a_protocol_without_end_is_found_before_the_run():
    """A rehearsal ends for any protocol, and reports one that does not end."""
    with pytest.raises(ProtocolError, match="no end after 1000 turns"):
        rehearse(rounds_of(10_000), PLAIN_PACK, seats=2)


def test_a_protocol_may_cue_existing_seats_only():
    """A cue for an unknown seat is found in rehearsal."""

    def ghost(*_: object) -> tuple[Cue, ...]:
        return (Cue(seat="ghost", task="review", sees=("answer_0",)),)

    with pytest.raises(ProtocolError, match="cues seat 'ghost'"):
        rehearse(dataclasses.replace(rounds_of(1), cues=ghost), seats=2)


def test_a_protocol_must_be_deterministic():
    """A protocol that cues at random could not be resumed."""
    counted = count()

    def moody(
        seats: tuple[Seat, ...], _: object, turns: tuple[Turn, ...], __: object
    ) -> tuple[Cue, ...]:
        seat = seats[next(counted) // 2 % 2].id
        return () if turns else (Cue(seat=seat, task="review", sees=("answer_0",)),)

    with pytest.raises(ProtocolError, match="two different sets of cues after 0 turns"):
        rehearse(dataclasses.replace(rounds_of(1), cues=moody), seats=2)


def test_an_experiment_is_rehearsed():
    """An experiment whose pack lacks a task is refused before its data are loaded."""
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
def test_answers_can_be_shown_in_every_order(answers: int, orders: int):
    """Two answers have 2 orders, three 6, four 24; there are as many rotations as answers."""
    comparison = comparison_of(answers)
    every = list_orders(comparison, Orders.ALL, seed=0)
    assert len({shown.shown for shown in every}) == len(every) == orders
    both = {shown.shown for shown in list_orders(comparison, Orders.BOTH, seed=0)}
    assert both <= {shown.shown for shown in every}
    assert len(both) == answers
