"""One discussion: played to its end, interrupted, failed and resumed."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from hypothesis import given, settings, strategies as st
from structlog.contextvars import get_contextvars

from peerjudge.data import Cue, StopReason, Transcript, Verdict, replace
from peerjudge.engine import MAX_TURNS, discuss
from peerjudge.errors import ProtocolError, StoreError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.testing import PLAIN_PACK, ScriptedReviewer, comparison_of, rounds_of, seats_of

SEATS = seats_of(2)


def opened(seats=SEATS, **changes):
    """A discussion before its first turn."""
    head = Transcript(id="d1", comparison=comparison_of(2), protocol="p", seats=seats)
    return replace(head, **changes)


def drawn(seed):
    """Replies that depend only on the draw and a seed, like those of a simulated reviewer."""

    def reply(request):
        return f"My choice, drawn as {request.draw[:4]}:\n{(int(request.draw, 16) + seed) % 2 + 1}"

    return reply


def cast(replies, seats=SEATS):
    """A scripted reviewer for every seat."""
    return {seat.id: ScriptedReviewer(seat.reviewer, replies) for seat in seats}


async def play(transcript, protocol, reviewers, journal=None):
    """Play with the plain prompts."""
    return await discuss(
        transcript,
        protocol=protocol,
        reviewers=reviewers,
        pack=PLAIN_PACK,
        roles={"seat-1": "You are strict."},
        journal=journal,
    )


class ListJournal:
    """Journal that lists all calls in order, and separately the turns that would survive."""

    def __init__(self):
        self.turns = []
        self.ended = []

    async def turn(self, transcript, turn):
        await asyncio.sleep(0)
        self.turns.append(turn)

    async def reread(self, transcript, turn):
        raise NotImplementedError

    async def wait(self, transcript):
        raise NotImplementedError

    async def end(self, transcript):
        self.ended.append(transcript)


async def test_a_discussion_is_played_until_no_cue_is_left():
    """Two private reviews, then two turns; the last verdict is the conclusion."""
    reviewers = {
        "seat-1": ScriptedReviewer("reviewer-1", ["First.\n1", "Still.\n1"]),
        "seat-2": ScriptedReviewer("reviewer-2", ["Second.\n2", "Convinced.\n1"]),
    }
    ended = await play(opened(), rounds_of(2), reviewers)
    assert [turn.utterance.text.split("\n")[0] for turn in ended.turns] == [
        "First.",
        "Second.",
        "Still.",
        "Convinced.",
    ]
    assert [turn.index for turn in ended.turns] == [0, 1, 2, 3]
    assert [str(turn.review.verdict) for turn in ended.turns] == [
        "answer-1",
        "answer-2",
        "answer-1",
        "answer-1",
    ]
    assert ended.stop is StopReason.COMPLETE
    assert ended.verdict == Verdict.of("answer-1")


async def test_a_request_holds_what_its_cue_allows():
    """A request holds the seat, the role prompt, the turns heard and the turn to bill."""
    reviewers = cast(drawn(0))
    ended = await play(opened(), rounds_of(1), reviewers)
    private, public = reviewers["seat-1"].requests
    assert private.heard == ()
    assert public.heard == ended.turns[:2]
    assert (public.discussion, public.turn, public.seat) == ("d1", 2, SEATS[0])
    assert public.messages[0].role == "system"
    assert "You are strict." in public.messages[0].text


@given(
    seats=st.integers(1, 3),
    turns=st.integers(0, 5),
    interrupted=st.integers(0, 8),
    seed=st.integers(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_a_discussion_resumed_at_any_turn_ends_the_same(seats, turns, interrupted, seed):
    """A discussion resumed after k turns equals the uninterrupted one."""

    async def both_ways():
        here = seats_of(seats)
        whole = await play(opened(here), rounds_of(turns), cast(drawn(seed), here))
        begun = replace(opened(here), turns=whole.turns[:interrupted])
        reviewers = cast(drawn(seed), here)
        again = await play(begun, rounds_of(turns), reviewers)
        calls = sum(len(reviewer.requests) for reviewer in reviewers.values())
        return whole, again, calls

    whole, again, calls = asyncio.run(both_ways())
    assert again == whole
    assert calls == max(0, len(whole.turns) - interrupted)


async def test_every_turn_is_saved_before_the_next_request():
    """At each request, all turns of earlier sets are in the journal; private reviews are one set."""
    journal = ListJournal()
    seen = []

    def reply(request):
        seen.append(len(journal.turns))
        return "1"

    ended = await play(opened(), rounds_of(2), cast(reply), journal)
    assert seen == [0, 0, 2, 3]
    assert tuple(journal.turns) == ended.turns
    assert journal.ended == [ended]


async def test_a_turn_that_fails_for_good_ends_the_discussion_as_data():
    """The failure names the type of the exception, the seat and the turn; earlier turns stay."""
    reviewers = cast(drawn(0))
    reviewers["seat-2"] = ScriptedReviewer("reviewer-2", ["2", TimeoutError("no reply in 5 s")])
    journal = ListJournal()
    ended = await play(opened(), rounds_of(2), reviewers, journal)
    assert ended.stop is StopReason.FAILED
    assert ended.failure is not None
    assert (ended.failure.kind, ended.failure.message) == ("TimeoutError", "no reply in 5 s")
    assert (ended.failure.seat, ended.failure.turn) == ("seat-2", 3)
    assert journal.ended == [ended]


async def test_a_failed_discussion_resumes_at_the_turn_that_failed():
    """No earlier request is repeated, and the end is that of an uninterrupted discussion."""
    whole = await play(opened(), rounds_of(2), cast(drawn(1)))
    faulty = cast(drawn(1))
    faulty["seat-2"] = ScriptedReviewer("reviewer-2", [OSError("gone")])
    failed = await play(opened(), rounds_of(2), faulty)
    reviewers = cast(drawn(1))
    again = await play(failed, rounds_of(2), reviewers)
    assert again == whole
    assert [len(reviewer.requests) for reviewer in reviewers.values()] == [1, 2]


@pytest.mark.parametrize("words", ["", " \n\t", "\u200b"])
async def test_an_empty_reply_fails_the_turn_and_is_heard_by_no_seat(words):
    """Words are missing, not a verdict: the discussion fails there and resumes there."""
    protocol = rounds_of(2)
    reviewers = cast(lambda request: words if request.turn == 1 else "1")
    failed = await play(opened(), protocol, reviewers)
    assert failed.stop is StopReason.FAILED
    assert (failed.failure.kind, failed.failure.turn) == ("EmptyReplyError", 1)
    assert [turn.utterance.text for turn in failed.turns] == ["1"]
    resumed = await play(failed, protocol, cast(lambda request: "1"))
    assert resumed.stop is StopReason.COMPLETE


async def test_a_completed_discussion_is_not_played_again():
    """A complete discussion is returned without a call."""
    ended = await play(opened(), rounds_of(0), cast(drawn(0)))
    silent = cast([])
    assert await play(ended, rounds_of(0), silent) is ended
    assert silent["seat-1"].requests == []


async def test_cancellation_leaves_saved_turns_and_stops_at_once():
    """A cancelled discussion leaves its saved turns and has no end."""
    asked = asyncio.Event()

    class Slow:
        name = "slow"

        async def speak(self, request):
            asked.set()
            await asyncio.Event().wait()

        async def close(self):
            pass

    journal = ListJournal()
    reviewers = {"seat-1": ScriptedReviewer("reviewer-1", ["1"]), "seat-2": Slow()}
    task = asyncio.create_task(play(opened(), rounds_of(2), reviewers, journal))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [turn.index for turn in journal.turns] == [0]
    assert journal.ended == []


async def test_a_client_that_cancels_itself_fails():
    """`CancelledError` from a reviewer of a task that was not cancelled is an ordinary failure."""

    def reply(request):
        raise asyncio.CancelledError

    ended = await play(opened(), rounds_of(0), cast(reply))
    assert ended.failure is not None
    assert ended.failure.kind == "CancelledError"


async def test_a_store_that_cannot_write_stops_the_run():
    """An error of the store during a call is raised, and is no failure of the discussion."""

    def reply(request):
        msg = "disk full"
        raise StoreError(msg)

    with pytest.raises(StoreError, match="disk full"):
        await play(opened(), rounds_of(0), cast(reply))


def always(**fields):
    """A protocol with the same cue for ever."""
    cue = Cue(**{"seat": "seat-1", "task": "review", "sees": ("answer-1", "answer-2")} | fields)
    return DiscussionProtocol(name="odd", description="", cues=lambda *_: (cue,), seats=(1, None))


def raising(*_):
    """A protocol function with a bug."""
    msg = "turns"
    raise KeyError(msg)


@pytest.mark.parametrize(
    ("protocol", "fault"),
    [
        (always(seat="stranger"), "cues seat 'stranger'"),
        (always(hears=(0,)), r"hear turns \[0\]"),
        (always(hears=(-1,)), "not earlier turns"),
        (always(sees=("answer-9",)), "answer-9"),
        (always(sees=("answer-2", "answer-2")), "not different answers"),
        (always(), f"no end after {MAX_TURNS} turns"),
        (DiscussionProtocol(name="odd", description="", cues=raising, seats=(2, 2)), "KeyError"),
        (DiscussionProtocol(name="odd", description="", cues=raising), "takes 1 seats, not 2"),
        (dataclasses.replace(rounds_of(0), conclusion=raising), "conclusion"),
    ],
)
async def test_a_protocol_that_breaks_its_contract_raises(protocol, fault):
    """Unknown seats, later turns, unknown answers, endless turns and bugs raise and are not stored."""
    with pytest.raises(ProtocolError, match=fault):
        await play(opened(), protocol, cast(lambda request: "1"))


async def test_every_seat_needs_its_reviewer():
    """A missing reviewer raises before the first request."""
    with pytest.raises(ProtocolError, match="one reviewer each"):
        await play(opened(), rounds_of(0), cast(drawn(0), SEATS[:1]))


async def test_log_entries_of_a_reviewer_name_discussion_and_turn():
    """Discussion and turn are the logging context during a call, and not after it."""
    bound = []

    def reply(request):
        bound.append(dict(get_contextvars()))
        return "1"

    await play(opened(), rounds_of(0), cast(reply))
    assert bound == [{"discussion": "d1", "turn": 0}, {"discussion": "d1", "turn": 1}]
    assert "turn" not in get_contextvars()


async def test_a_reply_cut_within_a_character_can_be_stored():
    """Half a surrogate pair, which some servers send, becomes the replacement character."""
    whole, half = "\ud83d\ude00 fine.\n1", "cut \ud83d\n2"
    reviewers = {
        "seat-1": ScriptedReviewer("reviewer-1", [whole]),
        "seat-2": ScriptedReviewer("reviewer-2", [half]),
    }
    ended = await play(opened(), rounds_of(0), reviewers)
    texts = [turn.utterance.text for turn in ended.turns]
    assert texts == ["\N{GRINNING FACE} fine.\n1", "cut \N{REPLACEMENT CHARACTER}\n2"]
