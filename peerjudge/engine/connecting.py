"""Bound of the calls that a run makes at the same time."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

from peerjudge.data import Request, Utterance
from peerjudge.engine.barrier import parked
from peerjudge.engine.interfaces import Reviewer, ReviewerProxy
from peerjudge.errors import ExperimentError, NotBegunError

_HALT: ContextVar[Halt | None] = ContextVar("peerjudge_halt", default=None)


class Halt:
    """Whether a discussion has failed, so that calls of its wave that still wait do not begin.

    Further calls of a turn that has begun are made: they belong to a reply that is paid.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._begun: set[int] = set()

    def heed(self) -> None:
        """Let the calls of this task heed it."""
        _HALT.set(self)

    def begin(self, turn: int) -> None:
        """Note that a call of a turn begins; raise `NotBegunError` if it may not."""
        if self.is_set and turn not in self._begun:
            msg = "the discussion failed before this call began"
            raise NotBegunError(msg)
        self._begun.add(turn)


class Connections:
    """Places for the calls of one run; a call waits until one is free.

    It is the innermost layer of a reviewer: a call that waits for room in the budget holds no place.

    Raises:
        ExperimentError: There is no place.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            msg = f"max_connections must be at least 1, not {most}"
            raise ExperimentError(msg)
        self._places = asyncio.Semaphore(most)

    def bind(self, reviewer: Reviewer) -> Reviewer:
        """Return the reviewer with its calls bounded."""
        return _BoundReviewer(reviewer, self._places)


class _BoundReviewer(ReviewerProxy):
    """Reviewer whose calls wait for a place."""

    def __init__(self, reviewer: Reviewer, places: asyncio.Semaphore) -> None:
        super().__init__(reviewer)
        self._places = places

    async def speak(self, request: Request) -> Utterance:
        """Return the reply, made as soon as a place is free.

        Raises:
            NotBegunError: The discussion failed while the call waited.
        """
        places = self._places
        if places.locked():
            with parked():
                await places.acquire()
        else:
            await places.acquire()
        try:
            halt = _HALT.get()
            if halt is not None:
                halt.begin(request.turn)
            return await self._reviewer.speak(request)
        finally:
            places.release()
