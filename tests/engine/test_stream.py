"""Many discussions at a time: bounded, lazy, flat in memory, and ended by cancellation."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections import Counter

import pytest

from peerjudge.data import StopReason, Transcript, Utterance
from peerjudge.engine import Connections, DiscussionSetup, play_all
from peerjudge.errors import ExperimentError, ProtocolError
from peerjudge.testing import PLAIN_PACK, ScriptedReviewer, comparison_of, rounds_of, seats_of

SEATS = seats_of(2)
COMPARISON = comparison_of(2)


class Waiting:
    """A reviewer that yields to others and counts concurrent calls."""

    def __init__(self, name="waiting", *, rounds=3):
        self.name = name
        self.rounds = rounds
        self.speaking = 0
        self.most = 0

    async def speak(self, request):
        self.speaking += 1
        self.most = max(self.most, self.speaking)
        for _ in range(int(request.draw, 16) % self.rounds + 1):
            await asyncio.sleep(0)
        self.speaking -= 1
        return Utterance(text=f"{int(request.draw, 16) % 2 + 1}", simulated=True)

    async def close(self):
        pass


def staged(number, reviewer, *, protocol=None, seats=SEATS):
    """The n-th of many discussions, all seats held by one reviewer."""
    head = Transcript(
        id=f"d{number}", comparison=COMPARISON, protocol="p", seats=seats, repetition=number
    )
    return DiscussionSetup(
        transcript=head,
        protocol=protocol or rounds_of(1),
        reviewers={seat.id: reviewer for seat in seats},
        pack=PLAIN_PACK,
        roles={},
    )


@pytest.mark.parametrize("at_a_time", [1, 4, 50])
async def test_open_discussions_stay_within_the_bound(at_a_time):
    """The bound on calls is reached and never passed, and every discussion is played."""
    reviewer = Waiting()
    bound = Connections(at_a_time).bind(reviewer)
    ended = []
    plan = (staged(number, bound) for number in range(30))
    await play_all(plan, max_connections=at_a_time, on_end=ended.append)
    assert reviewer.most == at_a_time
    assert sorted(transcript.id for transcript in ended) == sorted(f"d{n}" for n in range(30))


async def test_transcripts_do_not_depend_on_how_many_are_played_at_a_time():
    """Sequential and concurrent runs give equal transcripts."""
    found = []
    for at_a_time in (1, 7, 40):
        ended = {}
        plan = (staged(number, Waiting()) for number in range(40))
        await play_all(
            plan,
            max_connections=at_a_time,
            on_end=lambda each, ended=ended: ended.update({each.id: each}),
        )
        found.append(ended)
    assert found[0] == found[1] == found[2]


async def test_a_plan_is_read_as_discussions_end():
    """The number of discussions read never exceeds those ended and open."""
    counts = Counter()

    async def plan():
        for number in range(40):
            counts["drawn"] += 1
            counts["ahead"] = max(counts["ahead"], counts["drawn"] - counts["ended"])
            yield staged(number, Waiting())

    await play_all(plan(), max_connections=5, on_end=lambda _: counts.update({"ended": 1}))
    assert counts["ended"] == 40
    assert counts["ahead"] <= 5


async def test_one_failed_discussion_does_not_stop_the_others():
    """A failure of one model is data; all other discussions are played to the end."""
    broken = ScriptedReviewer("broken", [OSError("gone")])
    ended = []
    plan = [staged(0, broken), *(staged(number, Waiting()) for number in range(1, 10))]
    await play_all(plan, max_connections=3, on_end=ended.append)
    stops = Counter(transcript.stop for transcript in ended)
    assert stops == {StopReason.FAILED: 1, StopReason.COMPLETE: 9}


async def test_an_error_stops_the_run_and_is_raised_unchanged():
    """A protocol that breaks its contract ends the run with its error and no task left."""
    odd = rounds_of(1)
    object.__setattr__(odd, "seats", (5, 5))
    plan = [*(staged(number, Waiting()) for number in range(5)), staged(5, Waiting(), protocol=odd)]
    with pytest.raises(ProtocolError, match="takes 5 seats"):
        await play_all(plan, max_connections=3)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_error_of_the_plan_stops_the_run():
    """An error of the plan reaches the caller unchanged."""

    def plan():
        yield staged(0, Waiting())
        msg = "no such card"
        raise ExperimentError(msg)

    with pytest.raises(ExperimentError, match="no such card"):
        await play_all(plan(), max_connections=2)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancellation_leaves_no_task():
    """All calls in flight are cancelled with the run."""
    all_asked = asyncio.Event()

    class Silent(Waiting):
        async def speak(self, request):
            self.speaking += 1
            if self.speaking == 8:
                all_asked.set()
            await asyncio.Event().wait()

    silent = Silent()
    endless = (staged(number, silent) for number in range(10**9))
    run = asyncio.create_task(play_all(endless, max_connections=8))
    await all_asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_run_of_reviewers_that_never_wait_can_be_cancelled():
    """Other tasks run between discussions even if no reviewer yields."""

    class Instant(Waiting):
        async def speak(self, request):
            return Utterance(text="1", simulated=True)

    instant = Instant()
    endless = (staged(number, instant) for number in range(10**9))
    run = asyncio.create_task(play_all(endless, max_connections=2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_at_least_one_discussion_must_be_allowed():
    """A bound of zero is refused."""
    with pytest.raises(ExperimentError, match="at least 1"):
        await play_all([], max_connections=0)


async def test_memory_does_not_grow_with_the_number_of_discussions():
    """Ten times as many discussions have about the same peak memory."""
    judge = seats_of(1)

    async def peak(count):
        reviewer = Waiting(rounds=1)
        plan = (staged(n, reviewer, protocol=rounds_of(0), seats=judge) for n in range(count))
        tracemalloc.start()
        try:
            await play_all(plan, max_connections=64)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    await peak(200)
    assert await peak(3_000) < 1.5 * await peak(300)


async def test_garbage_collection_is_restored():
    """Garbage collection is relaxed during the run and restored after it."""
    before = gc.get_threshold(), gc.get_freeze_count()
    during = []
    plan = (staged(number, Waiting()) for number in range(2))
    await play_all(plan, max_connections=2, on_end=lambda _: during.append(gc.get_threshold()))
    assert during[0][0] > before[0][0]
    with pytest.raises(ProtocolError):
        await play_all([staged(0, Waiting(), seats=())], max_connections=1)
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


async def test_garbage_collection_is_restored_after_overlapping_runs():
    """The run that began first may end first; the last one restores what was before both."""
    before = gc.get_threshold(), gc.get_freeze_count()
    short, long = (
        [staged(number, Waiting()) for number in range(start, start + count)]
        for start, count in ((0, 1), (1, 20))
    )
    await asyncio.gather(play_all(short, max_connections=1), play_all(long, max_connections=1))
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
