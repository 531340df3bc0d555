"""Sets of cues: spoken wave by wave, in any order of landing, failed, waiting, interrupted and resumed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Cue, Expects, StopReason, Transcript, Utterance, replace, split_turns
from peerjudge.engine import Connections, Course, discuss, walk_sets
from peerjudge.errors import AwaitingPersonError, ProtocolError, StoreError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.testing import PLAIN_PACK, comparison_of, rounds_of, seats_of

PAIR = comparison_of(2)


def two_steps(seats, comparison, turns, options):
    """One set: each seat explains, and then decides hearing its explanation."""
    if turns:
        return ()
    cues = []
    for seat in seats:
        sees, index = comparison.shown, len(cues)
        cues += [
            Cue(seat=seat.id, task="review", sees=sees, expects=Expects.TEXT, private=True),
            Cue(seat=seat.id, task="discuss", sees=sees, hears=(index,), private=True, ties=True),
        ]
    return tuple(cues)


STEPS = DiscussionProtocol(name="steps", description="", cues=two_steps, seats=(1, None))


class Voice:
    """Says what the draw decides, after so many steps of the loop; notes what is asked and in flight."""

    name = "voice"

    def __init__(self, delays=None, faults=None, *, people=()):
        self.delays = delays or {}
        self.faults = faults or {}
        self.people = people
        self.asked = []
        self.flying = self.most = 0

    async def speak(self, request):
        self.asked.append(request.turn)
        if request.turn in self.people:
            raise AwaitingPersonError
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            for _ in range(self.delays.get(request.turn, 1)):
                await asyncio.sleep(0)
            if fault := self.faults.get(request.turn):
                raise fault
        finally:
            self.flying -= 1
        draw = int(request.draw, 16)
        return Utterance(text=f"Drawn {draw % 1000}.\n{draw % 2 + 1}", simulated=True)

    async def close(self):
        pass


class Landed:
    """Journal that keeps turns in the order of landing, and fails after some of them."""

    def __init__(self, most=None):
        self.turns = []
        self.most = most

    async def turn(self, transcript, turn):
        if self.most is not None and len(self.turns) >= self.most:
            raise StoreError
        self.turns.append(turn)

    async def reread(self, transcript, turn):
        raise NotImplementedError

    async def wait(self, transcript):
        pass

    async def end(self, transcript):
        pass


def head(count, **changes):
    """A discussion before its first turn; the seats share one reviewer, so that draws are counted."""
    seats = tuple(replace(seat, reviewer="same") for seat in seats_of(count))
    return replace(Transcript(id="d", comparison=PAIR, protocol="p", seats=seats), **changes)


async def play(transcript, protocol, voice, journal=None):
    """Play a discussion with one voice in all seats."""
    return await discuss(
        transcript,
        protocol=protocol,
        reviewers={seat.id: voice for seat in transcript.seats},
        pack=PLAIN_PACK,
        roles={},
        journal=journal,
    )


async def test_cues_that_hear_none_of_each_other_are_spoken_at_once():
    """Eight private reviews are one wave; explanations and decisions of four seats are two of four."""
    for protocol, seats, most in ((rounds_of(2), 8, 8), (STEPS, 4, 4)):
        voice = Voice()
        ended = await play(head(seats), protocol, voice)
        assert voice.most == most
        assert [turn.index for turn in ended.turns] == list(range(len(ended.turns)))
        assert ended.ahead == ()
    assert voice.asked == [0, 2, 4, 6, 1, 3, 5, 7]


@given(delays=st.permutations(range(1, 9)), protocol=st.sampled_from([STEPS, rounds_of(3)]))
@settings(max_examples=40, deadline=None)
def test_the_order_of_landing_changes_nothing(delays, protocol):
    """Turns, draws and conclusion do not depend on which reply of a wave comes first."""

    async def both():
        plain = await play(head(4), protocol, Voice())
        journal = Landed()
        voice = Voice(dict(enumerate(delays)))
        return plain, await play(head(4), protocol, voice, journal), journal

    plain, shuffled, journal = asyncio.run(both())
    assert shuffled == plain
    assert sorted(turn.index for turn in journal.turns) == [turn.index for turn in plain.turns]


@given(
    delays=st.permutations(range(1, 9)),
    protocol=st.sampled_from([STEPS, rounds_of(3)]),
    written=st.integers(0, 8),
)
@settings(max_examples=60, deadline=None)
def test_a_discussion_interrupted_between_two_writes_asks_for_missing_turns_only(
    delays, protocol, written
):
    """Stored turns after a missing one are kept, and the resumed discussion is the undisturbed one."""

    async def both():
        whole = await play(head(4), protocol, Voice())
        journal = Landed(written)
        with contextlib.suppress(StoreError):
            await play(head(4), protocol, Voice(dict(enumerate(delays))), journal)
        turns, ahead = split_turns(sorted(journal.turns, key=lambda turn: turn.index))
        voice = Voice()
        again = await play(head(4, turns=turns, ahead=ahead), protocol, voice)
        return whole, again, voice.asked, {turn.index for turn in journal.turns}

    whole, again, asked, stored = asyncio.run(both())
    assert again == whole
    assert sorted(asked) == sorted({turn.index for turn in whole.turns} - stored)


async def test_a_failed_seat_does_not_stop_the_calls_of_its_wave():
    """What is in flight is kept, the first failed turn is named, and nothing after it begins."""
    faults = {2: TimeoutError("late"), 5: OSError("gone")}
    voice, journal = Voice({5: 1, 2: 4, 7: 9}, faults), Landed()
    failed = await play(head(8), rounds_of(3), voice, journal)
    assert failed.stop is StopReason.FAILED
    assert (failed.failure.kind, failed.failure.turn) == ("TimeoutError", 2)
    assert [turn.index for turn in failed.turns] == [0, 1]
    assert [turn.index for turn in failed.ahead] == [3, 4, 6, 7]
    assert sorted(voice.asked) == list(range(8))
    again = Voice()
    assert await play(failed, rounds_of(3), again) == await play(head(8), rounds_of(3), Voice())
    assert again.asked == [2, 5, 8, 9, 10]


async def test_no_call_of_a_failed_discussion_begins_that_waits_for_a_place():
    """With two places, the calls of a wave that still wait when another one fails are not made."""
    voice = Voice(faults={1: OSError("gone")})
    bound = Connections(2).bind(voice)
    failed = await play(head(8), rounds_of(0), bound)
    assert failed.failure.turn == 1
    assert voice.asked == [0, 1]
    assert [turn.index for turn in failed.turns] == [0]


async def test_a_person_holds_up_only_the_turns_that_hear_it():
    """The other seats go on to their decisions; a failure counts before a person who is awaited."""
    voice = Voice(people={2})
    waiting = await play(head(4), STEPS, voice)
    assert waiting.stop is None
    assert [turn.index for turn in waiting.turns] == [0, 1]
    assert [turn.index for turn in waiting.ahead] == [4, 5, 6, 7]
    answered = Voice()
    assert await play(waiting, STEPS, answered) == await play(head(4), STEPS, Voice())
    assert answered.asked == [2, 3]
    failed = await play(head(4), STEPS, Voice(faults={4: OSError("gone")}, people={2}))
    assert failed.failure.turn == 4


async def test_a_library_that_cancels_its_own_task_fails_its_turn():
    """A reviewer that cancels the task of its turn ends the discussion, which does not go on for ever."""

    class Cancelling(Voice):
        async def speak(self, request):
            if request.turn == 1:
                asyncio.current_task().cancel()
                await asyncio.sleep(0)
            return await super().speak(request)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(play(head(3), rounds_of(0), Cancelling()), timeout=60)


async def test_cancellation_ends_all_calls_of_a_wave():
    """A cancelled discussion leaves no call in flight."""
    voice = Voice(dict.fromkeys(range(4), 10**9))
    task = asyncio.create_task(play(head(4), rounds_of(0), voice))
    for _ in range(4):
        await asyncio.sleep(0)
    assert voice.flying == 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert voice.flying == 0


async def test_a_stored_turn_that_its_set_does_not_have_is_an_error():
    """A protocol that gives another cue for a stored turn could not have played it."""
    ended = await play(head(2), rounds_of(1), Voice())
    odd = replace(ended.turns[1], cue=replace(ended.turns[1].cue, task="discuss"))
    begun = replace(ended, turns=(ended.turns[0], odd), stop=None)
    with pytest.raises(ProtocolError, match="another cue for turn 1"):
        await play(begun, rounds_of(1), Voice())


async def test_places_bound_the_calls_of_all_discussions():
    """Of three discussions of eight seats, at most five calls are in flight, and all places are used."""
    voice = Voice()
    bound = Connections(5).bind(voice)
    await asyncio.gather(*(play(head(8, repetition=n), rounds_of(1), bound) for n in range(3)))
    assert voice.most == 5
    assert Counter(voice.asked) == Counter([*range(9)] * 3)


async def test_sets_of_a_transcript_are_those_that_were_played():
    """Replay gives the first turn of each set, and ends with the empty one."""
    ended = await play(head(3), rounds_of(2), Voice())
    walked = [
        (at, len(cues)) for at, cues in walk_sets(rounds_of(2), ended.seats, PAIR, ended.turns)
    ]
    assert walked == [(0, 3), (3, 1), (4, 1), (5, 0)]
    course = Course(STEPS, head(2))
    assert course.list_speakable() == [0, 2]
    assert course.waves == [0, 1, 0, 1]
