"""Discussions of a run that are not complete yet: looked up, admitted by the limits, and played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from peerjudge.data import ReviewerKind, StopReason, Transcript
from peerjudge.engine import Connections, DiscussionSetup, Reviewer, play_all
from peerjudge.engine.barrier import parked
from peerjudge.runs.awaited import OpenDesk
from peerjudge.runs.limits import Limits
from peerjudge.runs.progress import Observer
from peerjudge.runs.resolve import Prepared
from peerjudge.runs.results import RunCounts
from peerjudge.runs.schedule import OrderOfPlay, Part, Plan
from peerjudge.runs.setting_aside import Aside
from peerjudge.store import Store

_POLL = 0.5
"""Time between two looks at the desk. [s]"""


class Player:
    """The discussions of one run that are not complete yet, and the parts that run them.

    `on_end` is called with every ended discussion, before the ledger forgets what it cost. At most
    `max_connections` calls are in flight, unless `bounds_calls` is false: in batch mode a bound would split a
    batch. With `sets_aside`, a reviewer that cannot work is not called again. With `people`, discussions that
    wait for a person go on when the answer has come; `say` shows that the run waits.
    """

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        reviewers: Mapping[str, Reviewer],
        limits: Limits,
        order: OrderOfPlay,
        *,
        observer: Observer | None,
        on_end: Callable[[Transcript], None] | None = None,
        max_connections: int,
        bounds_calls: bool = True,
        sets_aside: bool = False,
        people: OpenDesk | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._prepared = prepared
        self._store = store
        self._limits = limits
        self._order = order
        self._open = 0
        self._refused = False
        self._all_ended = asyncio.Event()
        self._people = people
        self._say = say
        self._waiting: dict[str, Transcript] = {}
        self._on_end = on_end
        # A budget decides about one discussion at a time.
        self._entrance = asyncio.Lock()
        self._observer = observer
        self._max_connections = max_connections
        connections = Connections(max_connections) if bounds_calls else None
        self._aside = Aside() if sets_aside else None
        limited = limits.apply(reviewers, connections=connections)
        seated = {seat.reviewer for part in prepared.plan.parts for seat in part.seats}
        models = {name for name in seated if prepared.plan.cast[name].kind is ReviewerKind.MODEL}
        self._reviewers = (
            limited if self._aside is None else self._aside.apply(limited, watched=models)
        )
        self.journal = RunCounts(store, limits.ledger, prepared.costs)

    async def run_all(self, *, stops: Sequence[asyncio.Event] = ()) -> None:
        """Run the remaining discussions until the last one, a limit, or one of the events `stops`."""
        await self._play(self._list_setups(), at_a_time=self._max_connections, stops=stops)

    async def play(self, plan: Plan, *, at_a_time: int) -> None:
        """Run the remaining discussions of a plan, so many at a time, with the cards of this run.

        Calls of this method may overlap; together they have the connections of this run. A limit leaves out
        discussions; those that it cancels can be played again after `release`.
        """
        await self._play(self._open_block(plan), at_a_time=at_a_time)

    async def _play(
        self,
        setups: AsyncIterator[DiscussionSetup],
        *,
        at_a_time: int,
        stops: Sequence[asyncio.Event] = (),
    ) -> None:
        playing = play_all(
            setups, max_connections=at_a_time, journal=self.journal, on_end=self._end
        )
        await self._limits.run(playing, stops=stops)

    def release(self, discussion: str) -> None:
        """Make a discussion that was left out or cancelled playable again."""
        self._store.release(discussion)
        self._limits.release(discussion)

    async def _list_setups(self) -> AsyncIterator[DiscussionSetup]:
        """Yield the discussions of each block of comparisons, once those of the last one have ended."""
        prepared = self._prepared
        while block := await self._order.next_block():
            async for setup in self._open_block(replace(prepared.plan, comparisons=block)):
                yield setup
                async for answered in self._resume_answered():
                    yield answered
            if self._refused:
                return
            if self._people is None:
                await self._wait_for_open()
            else:
                async for setup in self._resume_until_ended():
                    yield setup

    async def _resume_until_ended(self) -> AsyncIterator[DiscussionSetup]:
        """Yield discussions as people answer, until none is open or waits."""
        announced = False
        while not self._refused:
            async for setup in self._resume_answered():
                yield setup
            if not self._open:
                if not self._waiting:
                    return
                if not announced and self._say is not None:
                    self._say(_describe_waiting(len(self._waiting)))
                    announced = True
            with parked():
                await asyncio.sleep(_POLL)

    async def _resume_answered(self) -> AsyncIterator[DiscussionSetup]:
        """Yield the discussions for which a person has answered since the last time."""
        if self._people is None:
            return
        parts = {part.condition.name: part for part in self._prepared.plan.parts}
        for discussion in self._people.take_answered(self._waiting):
            transcript = self._waiting.pop(discussion)
            setup = self._set_up(transcript, parts[transcript.condition])
            if not await self._admit(setup):
                self._waiting[discussion] = transcript
                return
            self.journal.resume()
            yield setup

    async def _open_block(self, planned: Plan) -> AsyncIterator[DiscussionSetup]:
        """Yield the discussions to run, looked up in the store a chunk at a time, until a limit."""
        named = {part.condition.name: part for part in planned.parts}
        async for chunk in self._store.list_chunks(planned):
            remaining = await self._store.enlist(self._prepared.run_id, chunk)
            if done := len(chunk) - len(remaining):
                self.journal.skip(done)
                if self._observer is not None:
                    self._observer.skipped(done)
            # A stored discussion may have the name of another condition, so look it up by its id.
            parts = {head.id: named[head.condition] for head in chunk}
            for transcript in remaining:
                setup = self._set_up(transcript, parts[transcript.id])
                if not await self._admit(setup):
                    return
                yield setup

    async def _admit(self, setup: DiscussionSetup) -> bool:
        """Return whether the limits let a discussion begin, which then counts as open."""
        async with self._entrance:
            admitted = await self._limits.admit(setup)
        if not admitted:
            self._refused = True
            return False
        if self._observer is not None:
            self._observer.began(setup.transcript)
        self._open += 1
        return True

    async def _wait_for_open(self) -> None:
        """Wait until every discussion that began has ended."""
        while self._open:
            self._all_ended.clear()
            with parked():
                await self._all_ended.wait()

    def _set_up(self, transcript: Transcript, part: Part) -> DiscussionSetup:
        cast, second = self._prepared.plan.cast, transcript.reread
        if self._aside is not None:
            self._aside.seat(transcript.id, {seat.reviewer: seat.id for seat in transcript.seats})
        return DiscussionSetup(
            transcript=transcript,
            protocol=part.protocol,
            reviewers={
                **{seat.id: self._reviewers[seat.reviewer] for seat in transcript.seats},
                **({} if second is None else {second.id: self._reviewers[second.reviewer]}),
            },
            pack=part.pack,
            roles={seat.id: cast[seat.reviewer].role for seat in transcript.seats},
        )

    def _end(self, transcript: Transcript) -> None:
        if self._on_end is not None:
            self._on_end(transcript)
        if self._aside is not None:
            self._aside.release(transcript.id)
        self._open -= 1
        if not self._open:
            self._all_ended.set()
        if transcript.stop is None:
            self._limits.release(transcript.id)
            self._waiting[transcript.id] = transcript
        else:
            self._limits.end(transcript.id, failed=transcript.stop is StopReason.FAILED)
        if self._observer is not None:
            self._observer.ended(transcript)


def _describe_waiting(count: int) -> str:
    return (
        f"{count:,} {'discussion waits' if count == 1 else 'discussions wait'} for people; the run goes "
        "on as they answer. Ctrl-C ends it, and the same command resumes it."
    )
