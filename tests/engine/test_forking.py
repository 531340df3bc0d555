"""Forks: kept turns, replayed cues, and the identity of a fork."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import UNREADABLE, Fork, Transcript, Utterance, Verdict, replace
from peerjudge.engine import discuss, identify, identify_fork, identify_played, keep_turns
from peerjudge.errors import ForkError
from peerjudge.prompts import pack_identity
from peerjudge.shelf import Shelf
from peerjudge.testing import comparison_of, seats_of

SHELF = Shelf()
PACK = SHELF.prompts("long_form")
PROTOCOLS = {
    "leader_follower": 2,
    "prepair_discussion": 2,
    "panel": 3,
    "vote": 3,
    "pairwise": 1,
}


class Drawn:
    """Says what the draw of the request decides, as any seeded reviewer."""

    name = "drawn"

    async def speak(self, request):
        number = int(request.draw, 16)
        return Utterance(text=f"Because {number % 1000}.\nChoice: Answer {number % 2 + 1}")

    async def close(self):
        pass


def play(transcript, protocol):
    """Play a discussion, or a fork, to its end."""
    reviewer = Drawn()
    return asyncio.run(
        discuss(
            transcript,
            protocol=protocol,
            reviewers={seat.id: reviewer for seat in transcript.seats},
            pack=PACK,
            roles={},
        )
    )


def start(name, number=0, **options):
    """Return an empty discussion with its protocol."""
    protocol = SHELF.protocol(name, options=options)
    head = Transcript(
        id="-",
        comparison=comparison_of(2, name=f"c{number}"),
        protocol=name,
        seats=seats_of(PROTOCOLS[name]),
        options=protocol.settings(),
    )
    return replace(head, id=identify(head, prompts=pack_identity(PACK))), protocol


def fork(parent, protocol, at, *, repetition=0, **changes):
    """Return a fork of a discussion before its first own turn."""
    blank = replace(parent, turns=(), stop=None, verdict=UNREADABLE, repetition=repetition)
    kept = keep_turns(parent, blank, protocol=protocol, at=at, **changes)
    linked = Fork(parent=parent.id, at=at, draw=repetition)
    changed = identify(blank, prompts=pack_identity(PACK))
    id_ = identify_fork(changed, kept, parent=parent.id, at=at, draw=repetition)
    return replace(blank, id=id_, turns=kept, fork=linked)


def said(transcript):
    """Return what the seats said and what was read from it."""
    return [(turn.cue, turn.utterance.text, turn.review) for turn in transcript.turns]


discussions = st.tuples(
    st.sampled_from(sorted(PROTOCOLS)), st.integers(0, 10_000), st.integers(0, 20)
)


@settings(max_examples=40)
@given(discussions)
def test_a_fork_without_a_change_is_its_parent_word_for_word(drawn):
    """At any turn of any protocol, the draws of the parent give the parent again."""
    name, number, at = drawn
    head, protocol = start(name, number)
    parent = play(head, protocol)
    at = min(at, len(parent.turns))
    again = play(fork(parent, protocol, at), protocol)
    assert said(again) == said(parent)
    assert (again.verdict, again.stop) == (parent.verdict, parent.stop)
    assert [turn.origin for turn in again.turns[:at]] == ["inherited"] * at
    assert all(turn.utterance.cached for turn in again.turns[:at])
    assert {turn.origin for turn in again.turns[at:]} <= {"spoken"}


@settings(max_examples=25)
@given(discussions, st.integers(0, 8))
def test_a_fork_that_stopped_goes_on_as_if_it_had_not(drawn, cut):
    """A redrawn fork that lost its last turns is the same after these are played again."""
    name, number, at = drawn
    head, protocol = start(name, number)
    parent = play(head, protocol)
    at = min(at, len(parent.turns))
    begun = fork(parent, protocol, at, repetition=1)
    whole = play(begun, protocol)
    stopped = replace(begun, turns=whole.turns[: max(at, len(whole.turns) - cut)])
    assert play(stopped, protocol) == whole


def test_another_leader_keeps_private_reviews():
    """The reviews of a discussion stay with their reviewers when the other seat begins to lead."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    first, second = parent.seats
    swapped = (
        replace(second, id=first.id, role=first.role),
        replace(first, id=second.id, role=second.role),
    )
    blank = replace(head, seats=swapped)
    places = {first.id: second.id, second.id: first.id}
    kept = keep_turns(parent, blank, protocol=protocol, at=2, places=places)
    assert [turn.utterance.text for turn in kept] == [
        parent.turns[1].utterance.text,
        parent.turns[0].utterance.text,
    ]
    assert [turn.speaker for turn in kept] == ["", ""]
    with pytest.raises(ForkError, match="cues otherwise"):
        keep_turns(parent, blank, protocol=protocol, at=3, places=places)


def test_another_reviewer_leaves_the_words_with_the_one_that_spoke():
    """A verdict that a seat inherits names its speaker."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    other = replace(parent.seats[1], reviewer="newcomer")
    blank = replace(head, seats=(parent.seats[0], other))
    kept = keep_turns(parent, blank, protocol=protocol, at=2)
    assert [turn.speaker for turn in kept] == ["", parent.seats[1].reviewer]


def test_edited_words_are_read_again():
    """Other words of a turn are another verdict, and another fork."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    old = parent.turns[2].review.verdict
    place = 2 if old == Verdict.of(parent.comparison.shown[0]) else 1
    words = {2: f"{{text}}\nI change my mind.\nChoice: Answer {place}"}
    edited = fork(parent, protocol, 3, edits=words)
    assert edited.turns[2].origin == "edited"
    assert edited.turns[2].review.verdict == Verdict.of(parent.comparison.shown[place - 1])
    assert parent.turns[2].utterance.text in edited.turns[2].utterance.text
    assert edited.id != fork(parent, protocol, 3).id


def test_a_kept_turn_has_not_heard_edited_words():
    """A reply to words that nobody said any more is no part of a fork."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    with pytest.raises(ForkError, match="turn 3, which is kept, heard the words of turn 2"):
        fork(parent, protocol, 4, edits={2: "Choice: Answer 1"})
    with pytest.raises(ForkError, match="has these words already"):
        fork(parent, protocol, 3, edits={2: "{text}"})


def test_a_discussion_that_cannot_be_forked_says_why():
    """Too few turns, no end, a shorter protocol and another order are told apart."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    with pytest.raises(ForkError, match=f"only {len(parent.turns)} turns"):
        fork(parent, protocol, 99)
    with pytest.raises(ForkError, match="has not ended"):
        fork(replace(parent, stop=None), protocol, 1)
    shorter = SHELF.protocol("leader_follower", options={"turns": "1"})
    with pytest.raises(ForkError, match="ends before turn 3"):
        fork(parent, shorter, 5)
    blank = replace(head, comparison=parent.comparison.swapped())
    with pytest.raises(ForkError, match="saw the answers in another order"):
        keep_turns(parent, blank, protocol=protocol, at=1)


def test_forks_differ_by_turn_and_draw_and_are_found_again():
    """The id of a fork follows from what it holds, also after it was played."""
    head, protocol = start("leader_follower")
    parent = play(head, protocol)
    forks = [fork(parent, protocol, at, repetition=draw) for at in (0, 2, 3) for draw in (0, 1, 2)]
    assert len({one.id for one in forks} | {parent.id}) == 10
    for one in forks:
        played = play(one, protocol)
        assert identify_played(played, prompts=pack_identity(PACK)) == one.id
        assert identify_played(played, prompts="other words") != one.id
