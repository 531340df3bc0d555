"""Identities of discussions and keys of draws."""

from __future__ import annotations

import pytest

from peerjudge.data import Cue, Review, Role, Sampling, Transcript, Turn, Utterance, replace
from peerjudge.engine import discuss, identify
from peerjudge.engine.identity import DrawKeys
from peerjudge.testing import PLAIN_PACK, ScriptedReviewer, comparison_of, rounds_of, seats_of

HEAD = Transcript(
    id="-", comparison=comparison_of(2), protocol="p", seats=seats_of(2), options={"turns": 4}
)


def seated(**changes):
    """The discussion with one property of its first seat changed."""
    first, second = HEAD.seats
    return replace(HEAD, seats=(replace(first, **changes), second))


@pytest.mark.parametrize(
    "other",
    [
        replace(HEAD, comparison=HEAD.comparison.swapped()),
        replace(HEAD, comparison=comparison_of(2, gold=1)),
        replace(HEAD, protocol="q"),
        replace(HEAD, options={"turns": 5}),
        replace(HEAD, repetition=1),
        replace(HEAD, seats=HEAD.seats[::-1]),
        seated(reviewer="another"),
        seated(identity="changed-card"),
        seated(sampling=Sampling(temperature=0.7)),
        seated(role=Role.PANELIST),
    ],
)
def test_everything_that_determines_a_discussion_is_in_its_identity(other):
    """Another order, protocol, option, seat or repetition makes another discussion."""
    assert identify(other, prompts="x") != identify(HEAD, prompts="x")


def test_prompts_and_seed_are_in_the_identity():
    """Another prompt pack or seed makes another discussion."""
    ids = {identify(HEAD, prompts="x"), identify(HEAD, prompts="y")}
    assert len(ids | {identify(HEAD, prompts="x", seed=1)}) == 3


def test_names_and_progress_are_not_in_the_identity():
    """The name of the condition, an id and earlier turns do not change the identity."""
    other = replace(HEAD, id="other", condition="renamed")
    assert identify(other, prompts="x") == identify(HEAD, prompts="x")


def test_the_identity_is_the_same_on_every_machine():
    """The id of a known discussion is pinned, so that it never changes between versions."""
    assert identify(HEAD, prompts="x") == "ac00fcb4b6ffef2861801dade912dd09"


async def draws(protocol, seats, **changes):
    """The draws of a discussion by seat and turn."""
    reviewers = {seat.id: ScriptedReviewer(seat.reviewer, lambda _: "1") for seat in seats}
    head = replace(HEAD, seats=seats, **changes)
    await discuss(head, protocol=protocol, reviewers=reviewers, pack=PLAIN_PACK, roles={})
    return {
        (seat, request.turn): request.draw
        for seat, reviewer in reviewers.items()
        for request in reviewer.requests
    }


async def test_a_private_review_is_the_same_draw_in_every_protocol_and_seat():
    """A private review has the same key for a leader, a follower and a lone judge."""
    leading = await draws(rounds_of(4), HEAD.seats)
    following = await draws(rounds_of(0), HEAD.seats[::-1], id="another")
    alone = await draws(rounds_of(0), (replace(HEAD.seats[0], id="judge", role=Role.JUDGE),))
    assert leading["seat-1", 0] == following["seat-1", 1] == alone["judge", 0]


async def test_every_turn_is_a_draw_of_its_own():
    """No two turns of a discussion share a draw."""
    drawn = await draws(rounds_of(4), HEAD.seats)
    assert len(set(drawn.values())) == len(drawn) == 6


async def test_a_key_does_not_depend_on_the_time_of_the_call():
    """A key depends on the turns before its request, not on later ones."""
    reviewer = ScriptedReviewer("ann", lambda request: request.drawn())
    both = {seat.id: reviewer for seat in HEAD.seats}
    await discuss(HEAD, protocol=rounds_of(4), reviewers=both, pack=PLAIN_PACK, roles={})
    at_once = [turn.utterance.text for turn in reviewer.requests[-1].heard]
    last_first = [request.drawn() for request in reversed(reviewer.requests)]
    in_order = [request.drawn() for request in reviewer.requests]
    assert last_first[::-1] == in_order == [request.draw for request in reviewer.requests]
    assert in_order[:-1] == at_once


async def test_one_reviewer_in_three_seats_makes_three_draws():
    """The same request to one reviewer in three seats makes three draws."""
    panel = tuple(replace(seat, reviewer="same") for seat in seats_of(3))
    assert len(set((await draws(rounds_of(0), panel)).values())) == 3


async def test_another_repetition_is_another_draw():
    """Repetitions differ only in their draws."""
    first = await draws(rounds_of(0), HEAD.seats)
    second = await draws(rounds_of(0), HEAD.seats, repetition=1)
    assert not set(first.values()) & set(second.values())


async def test_another_shown_order_or_temperature_is_another_draw():
    """The shown order and the sampling are part of the key."""
    plain = await draws(rounds_of(0), HEAD.seats)
    swapped = await draws(rounds_of(0), HEAD.seats, comparison=HEAD.comparison.swapped())
    warm = tuple(replace(seat, sampling=Sampling(temperature=1.0)) for seat in HEAD.seats)
    warmer = await draws(rounds_of(0), warm)
    assert len({plain["seat-1", 0], swapped["seat-1", 0], warmer["seat-1", 0]}) == 3


@pytest.mark.parametrize(
    "change", [{"reply": "schema_score_only"}, {"control": "irrelevant"}, {"blind": True}]
)
def test_another_request_is_another_draw(change):
    """The form of the reply, the control and a blind cue are part of the key."""
    cue = Cue(seat="seat-1", task="score", sees=("answer-1",), private=True)
    plain, changed = (
        DrawKeys(HEAD).derive(0, (), [one], ()) for one in (cue, replace(cue, **change))
    )
    assert plain != changed
    assert plain == DrawKeys(HEAD).derive(0, (), [cue], ())


@pytest.mark.parametrize(
    ("simulated", "numbered", "labelled"),
    [
        (
            True,
            "All in all I prefer Answer 2.\n\n2",
            "All in all I prefer Answer (b).\n\nChoice: Answer (b)",
        ),
        (True, "1", "Answer (a)"),
        (True, "Answer 1 is as good.\n\n3", "Answer (a) is as good.\n\nChoice: Tie"),
        (False, "1", "Answer (a)"),
    ],
)
def test_draws_of_simulated_reviewers_do_not_depend_on_labels(simulated, numbered, labelled):
    """Simulated words with numbers give the draws of the same words with labels; other words do not."""
    cue = Cue(seat="seat-1", task="discuss", sees=HEAD.comparison.shown, hears=(0,))
    earlier = Cue(seat="seat-2", task="review", sees=HEAD.comparison.shown, private=True)
    keys: set[str] = set()
    for text in (numbered, labelled):
        said = Utterance(text=text, simulated=simulated)
        turn = Turn(index=0, cue=earlier, utterance=said, review=Review())
        keys.add(DrawKeys(HEAD).derive(1, (turn,), [earlier, cue], (turn,)))
    assert len(keys) == (1 if simulated else 2)
