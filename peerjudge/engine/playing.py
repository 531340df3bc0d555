"""The turn loop of one discussion, and a stream of discussions with bounded concurrency."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
)
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import TypeVar

from structlog.contextvars import bind_contextvars, reset_contextvars

from peerjudge.data import Failure, PromptPack, StopReason, Transcript, Turn, replace
from peerjudge.engine.barrier import counted, parked
from peerjudge.engine.connecting import Halt
from peerjudge.engine.course import Course
from peerjudge.engine.cues import RequestBuilder, conclude
from peerjudge.engine.interfaces import DiscussionSetup, Journal, NoJournal, Reviewer
from peerjudge.engine.reading import read_reply
from peerjudge.engine.rereading import follow_up, has_failed_rereading, repeat_rereadings
from peerjudge.engine.speaking import speak
from peerjudge.errors import AwaitingPersonError, ExperimentError, NotBegunError, ProtocolError
from peerjudge.protocol import DiscussionProtocol

T = TypeVar("T")

_OBJECTS_BETWEEN_COLLECTIONS = 50_000


async def discuss(
    transcript: Transcript,
    *,
    protocol: DiscussionProtocol,
    reviewers: Mapping[str, Reviewer],
    pack: PromptPack,
    roles: Mapping[str, str],
    journal: Journal | None = None,
) -> Transcript:
    """Play a discussion from its last turn until the protocol has no further cue.

    Cues of a set that hear none of each other are spoken at the same time. A complete discussion is
    returned unchanged; of any other one, the turns that are missing are asked for. In both, rereadings that
    failed are repeated first. Cancellation leaves the turns that were saved and no partial turn.

    Args:
        transcript: The discussion, with the turns it has so far.
        protocol: The protocol.
        reviewers: The reviewers, by seat id.
        pack: The prompt pack.
        roles: The role prompts, by seat id.
        journal: Saves each turn before the next request that hears it.

    Returns:
        The ended transcript. If a reviewer raised, it has stopped as `FAILED` and its `failure` names
        the type of the exception; a failure of a model is data, not an error. Calls of other seats that
        were under way are kept. If it waits for the answer of a person (`AwaitingPersonError`), its `stop`
        is `None`, and the same call resumes it.

    Raises:
        ProtocolError: The protocol breaks its contract, or seats and reviewers do not match.
        StoreError: A turn could not be saved.
    """
    setup = DiscussionSetup(
        transcript=transcript, protocol=protocol, reviewers=reviewers, pack=pack, roles=roles
    )
    return await _play(setup, NoJournal() if journal is None else journal)


async def play_all(
    plan: Iterable[DiscussionSetup] | AsyncIterable[DiscussionSetup],
    *,
    max_connections: int,
    journal: Journal | None = None,
    on_end: Callable[[Transcript], None] | None = None,
) -> None:
    """Play every discussion of a plan, at most `max_connections` at a time.

    The plan is read as discussions end, so it may be of any length. A discussion makes the calls of a wave
    at the same time; `Connections` bounds the calls.

    Args:
        plan: The discussions, read one by one, in order.
        max_connections: The most discussions open at a time.
        journal: Saves the turns.
        on_end: Called with every ended discussion, complete or failed, in the order of ending, and with
            those that wait for a person, whose `stop` is `None`.

    Raises:
        ExperimentError: `max_connections` is below 1.
        PeerJudgeError: The first error of a discussion or of the plan; all others are cancelled, and
            saved turns stay saved.
    """
    kept = NoJournal() if journal is None else journal

    async def play(setup: DiscussionSetup) -> None:
        ended = await _play(setup, kept)
        if on_end is not None:
            on_end(ended)

    await work_through(plan, play, max_connections=max_connections)


async def work_through(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[None]],
    *,
    max_connections: int,
) -> None:
    """Await the work on every item, at most `max_connections` at a time; items are read as work ends.

    Raises:
        ExperimentError: `max_connections` is below 1.
        PeerJudgeError: The first error of a work or of the items; all others are cancelled.
    """
    if max_connections < 1:
        msg = f"max_connections must be at least 1, not {max_connections}"
        raise ExperimentError(msg)
    turnstile = asyncio.Lock()

    async def work_on(feed: AsyncGenerator[T]) -> None:
        with counted():
            while True:
                with parked():
                    await turnstile.acquire()
                try:
                    item = await anext(feed, None)
                finally:
                    turnstile.release()
                if item is None:
                    return
                await work(item)
                # With reviewers that never wait, the loop must still see a Ctrl-C.
                await asyncio.sleep(0)

    async with aclosing(_feed(items)) as feed:
        with _relaxed_gc.hold():
            try:
                async with asyncio.TaskGroup() as workers:
                    for _ in range(max_connections):
                        workers.create_task(work_on(feed))
            except BaseExceptionGroup as group:
                raise group.exceptions[0] from None


async def _feed(items: Iterable[T] | AsyncIterable[T]) -> AsyncGenerator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


class _RelaxedGc:
    """Garbage collection that is less frequent while runs last, of which several may overlap.

    Objects that exist before the first run are left out. Thousands of open discussions hold many live
    objects; at the usual thresholds the collector searches them again and again, and holds all
    discussions up each time.
    """

    def __init__(self) -> None:
        self._runs = 0
        self._thresholds = gc.get_threshold()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self) -> Generator[None]:
        """Relax the collection during the block; the last of overlapping blocks restores it."""
        with self._lock:
            if self._runs == 0:
                self._thresholds = gc.get_threshold()
                gc.freeze()
                gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *self._thresholds[1:])
            self._runs += 1
        try:
            yield
        finally:
            with self._lock:
                self._runs -= 1
                if self._runs == 0:
                    gc.set_threshold(*self._thresholds)
                    gc.unfreeze()


_relaxed_gc = _RelaxedGc()


async def _play(setup: DiscussionSetup, journal: Journal) -> Transcript:
    opened = setup.transcript
    if opened.stop is StopReason.COMPLETE and not has_failed_rereading(opened):
        return opened
    _require_reviewers(setup)
    if opened.stop is not None:
        opened = replace(opened, stop=None, failure=None)
    bound = bind_contextvars(discussion=opened.id, turn=len(opened.turns))
    try:
        opened = await repeat_rereadings(opened, setup=setup, journal=journal)
        course, failure = await _play_turns(setup, opened, journal, now=bound["turn"].var)
        turns, ahead = course.split()
        if isinstance(failure, AwaitingPersonError):
            waiting = replace(opened, turns=turns, ahead=ahead)
            await journal.wait(waiting)
            return waiting
        if failure is None:
            verdict = conclude(setup.protocol, opened.seats, opened.comparison, turns)
            ended = replace(
                opened, turns=turns, ahead=ahead, stop=StopReason.COMPLETE, verdict=verdict
            )
        else:
            ended = replace(
                opened, turns=turns, ahead=ahead, stop=StopReason.FAILED, failure=failure
            )
        await journal.end(ended)
    finally:
        reset_contextvars(**bound)
    return ended


async def _play_turns(
    setup: DiscussionSetup, opened: Transcript, journal: Journal, *, now: ContextVar[int]
) -> tuple[Course, Failure | AwaitingPersonError | None]:
    """Play turns, wave by wave, until no cue is left that can be spoken; `now` is the turn for the log.

    A seat that waits for a person holds up only the turns that hear it. After a failure no further call
    begins. Of several, the failure of the first turn is returned, and a failure before a person.
    """
    course = Course(setup.protocol, opened)
    requests = RequestBuilder(opened, pack=setup.pack, roles=setup.roles)
    waiting: dict[int, AwaitingPersonError] = {}
    failures: dict[int, Failure] = {}
    halt = Halt()

    async def take(index: int) -> None:
        now.set(index)
        cue = course.cues[index]
        request = requests.build(index, course.cues, course.said, course.waves)
        try:
            said = await speak(setup.reviewers[cue.seat], request)
        except AwaitingPersonError as person:
            waiting[index] = person
            return
        except NotBegunError:
            return
        if isinstance(said, Failure):
            failures[index] = said
            halt.is_set = True
            return
        read = read_reply(said, cue=cue, comparison=opened.comparison)
        turn = Turn(index=index, cue=cue, utterance=said, review=read)
        turn = await follow_up(turn, opened, request, setup=setup)
        await journal.turn(opened, turn)
        course.said[index] = turn

    while not failures and (places := course.list_speakable()):
        if waiting and not (places := [place for place in places if place not in waiting]):
            break
        if len(places) == 1:
            await take(places[0])
        else:
            await _do_at_once(take, places, halt=halt)
    first = min(failures, default=None)
    if first is not None:
        return course, failures[first]
    return course, waiting[min(waiting)] if waiting else None


async def _do_at_once(
    act: Callable[[int], Awaitable[None]], places: Iterable[int], *, halt: Halt
) -> None:
    """Act on all places at the same time; the first error cancels the others and is raised.

    Once `halt` is set, calls that wait for a connection do not begin.

    A library may cancel its own task alone. `gather` then raises as well; a group of tasks would not, and
    that turn would be asked for again and again.
    """

    async def act_on(place: int) -> None:
        halt.heed()
        with counted():
            await act(place)

    # A task has a context of its own, and so the number of its turn for the log.
    tasks = [asyncio.ensure_future(act_on(place)) for place in places]
    try:
        with parked():  # The discussion waits; its calls are what the barrier of a batch counts.
            await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise


def _require_reviewers(setup: DiscussionSetup) -> None:
    transcript = setup.transcript
    setup.protocol.require(seats=len(transcript.seats), answers=len(transcript.comparison.answers))
    second = () if transcript.reread is None else (transcript.reread,)
    seated = [seat.id for seat in (*transcript.seats, *second)]
    if sorted(seated) != sorted(setup.reviewers):
        msg = f"seats {seated} need one reviewer each; there are reviewers for {list(setup.reviewers)}"
        raise ProtocolError(msg)
