"""Other reviewers in the seats of an experiment."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import Condition, Experiment, Seating, replace
from peerjudge.errors import DataError, ExperimentError
from peerjudge.runs import load, run
from peerjudge.runs.manifest import identify_experiment
from peerjudge.runs.resolve import apply_seats
from peerjudge.shelf import Shelf

TALK = Experiment(
    data="sample",
    name="talk",
    primary="gpt with claude over vote",
    seats={"strong": "gpt", "weak": "claude"},
    conditions=(
        Condition(name="gpt with claude", protocol="leader_follower", seats=("gpt", "claude")),
        Condition(
            name="claude twice",
            protocol="self_discussion",
            seats=(
                Seating(reviewer="claude", temperature=0.2),
                Seating(reviewer="claude", temperature=1.0),
            ),
        ),
        Condition(name="gpt_mini", protocol="pairwise", seats=("gpt_mini",)),
    ),
)
CARDS = st.sampled_from(["gpt", "claude", "gpt_mini", "mistral", "qwen"])


def test_a_named_seat_and_a_card_are_the_same_seat():
    """A name of the experiment stands for its card, at every temperature and in every condition."""
    named = apply_seats(TALK, {"weak": "mistral"})
    assert named == apply_seats(TALK, {"claude": "mistral"})
    first, second, third = named.conditions
    assert first.seats == ("gpt", "mistral")
    assert second.seats == (
        Seating(reviewer="mistral", temperature=0.2),
        Seating(reviewer="mistral", temperature=1.0),
    )
    assert third == TALK.conditions[2]
    assert named.seats == {"strong": "gpt", "weak": "mistral"}


def test_conditions_keep_their_names():
    """A name that holds the name of a card is a name like any other, and stays; so does the contrast."""
    changed = apply_seats(TALK, {"strong": "mistral", "weak": "gpt_mini"})
    assert [one.name for one in changed.conditions] == [one.name for one in TALK.conditions]
    assert changed.primary == TALK.primary
    both = replace(
        TALK,
        primary="",
        conditions=tuple(
            Condition(name=f"{card} alone", protocol="pairwise", seats=(card,))
            for card in ("gpt", "claude")
        ),
    )
    seated = apply_seats(both, {"gpt": "claude"}).conditions
    assert [(one.name, one.seats) for one in seated] == [
        ("gpt alone", ("claude",)),
        ("claude alone", ("claude",)),
    ]


def test_two_cards_can_change_places():
    """All replacements happen at once; done twice, they change nothing."""
    swap = {"gpt": "claude", "claude": "gpt"}
    swapped = apply_seats(TALK, swap)
    assert swapped.conditions[0].seats == ("claude", "gpt")
    assert apply_seats(swapped, swap) == TALK


@given(CARDS, CARDS)
def test_a_replacement_is_undone_by_its_inverse(old: str, new: str):
    """A card that is not seated elsewhere can be replaced and put back."""
    seated = {"gpt", "claude", "gpt_mini"}
    if old not in seated or new in seated - {old}:
        return
    assert apply_seats(apply_seats(TALK, {old: new}), {new: old}) == TALK


def test_names_of_seats_do_not_make_another_experiment():
    """A run is known by the cards that it seats, not by what the experiment calls them."""
    unnamed = replace(TALK, seats={})
    assert identify_experiment(TALK) == identify_experiment(unnamed)
    assert identify_experiment(apply_seats(TALK, {"weak": "gpt_mini"})) != identify_experiment(TALK)


@pytest.mark.parametrize(
    ("seats", "sentence"),
    [
        (
            {"judge": "a"},
            "talk has no seat 'judge'; its seats are: strong, weak, claude, gpt, gpt_mini",
        ),
        (
            {"strong": "a", "gpt": "b"},
            "seat 'gpt' is the card 'gpt', which is replaced already by 'a'",
        ),
    ],
)
def test_unclear_seats_are_refused(seats: dict[str, str], sentence: str):
    """A sentence says what is wrong and which seats there are."""
    with pytest.raises(ExperimentError, match=sentence):
        apply_seats(TALK, seats)


def test_a_name_for_a_card_that_is_not_seated_is_refused():
    """The names of an experiment belong to its conditions."""
    with pytest.raises(DataError, match="seat 'third' names the card 'qwen', which no condition"):
        replace(TALK, seats={"third": "qwen"})


async def test_a_run_seats_other_reviewers(tmp_path):
    """The reviewers of the discussions are those of `seats`, and the rest of the experiment stays."""
    await run("leader_follower", limit=1, out=tmp_path / "run", seats={"weak": "sim_claude"})
    played = await load(tmp_path / "run")
    assert {seat.reviewer for one in played for seat in one.seats} == {"sim_gpt4", "sim_claude"}
    assert {one.condition for one in played} == {"leader_follower", "vote"}


@pytest.mark.parametrize("name", [entry.name for entry in Shelf().entries("experiments")])
def test_shipped_experiments_name_their_seats(name: str):
    """Each seat of an experiment of ours has a short name."""
    experiment = Shelf().experiment(name)
    seated = {
        seat.reviewer if isinstance(seat, Seating) else seat
        for condition in experiment.conditions
        for seat in condition.seats
    }
    assert set(experiment.seats.values()) == seated
