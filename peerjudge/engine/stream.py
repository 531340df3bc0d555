"""Plays a stream of discussions, a bounded number at a time, without ever holding them all."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from contextlib import aclosing, contextmanager

from peerjudge.data import Transcript
from peerjudge.engine.interfaces import Journal, Staging
from peerjudge.engine.play import perform
from peerjudge.errors import ExperimentError

__all__ = ["play_all"]

_OBJECTS_BETWEEN_COLLECTIONS = 50_000


async def play_all(
    plan: Iterable[Staging] | AsyncIterable[Staging],
    *,
    max_connections: int,
    journal: Journal | None = None,
    on_end: Callable[[Transcript], None] | None = None,
) -> None:
    """Play every discussion of a plan, at most `max_connections` of them at a time.

    The plan is drawn from as discussions end, so it may be as long as it likes. A discussion makes
    one call at a time: the bound is one on calls in flight as well.

    Args:
        plan: The discussions, drawn one by one, in order.
        max_connections: How many are open at a time.
        journal: Where turns are kept.
        on_end: Told of every discussion that ended, completed or failed, in the order of ending.

    Raises:
        ExperimentError: If `max_connections` is below 1.
        PeerJudgeError: The first mistake of any discussion or of the plan; all the others have
            been cancelled, and what was kept stays kept.
    """
    if max_connections < 1:
        msg = f"max_connections must be at least 1, not {max_connections}"
        raise ExperimentError(msg)
    turnstile = asyncio.Lock()

    async def play_on(feed: AsyncGenerator[Staging]) -> None:
        while True:
            async with turnstile:
                staging = await anext(feed, None)
            if staging is None:
                return
            ended = await perform(staging, journal)
            if on_end is not None:
                on_end(ended)
            # Reviewers that never wait must not keep the loop from hearing a Ctrl-C.
            await asyncio.sleep(0)

    async with aclosing(_feed(plan)) as feed:
        with _seldom_collecting():
            try:
                async with asyncio.TaskGroup() as workers:
                    for _ in range(max_connections):
                        workers.create_task(play_on(feed))
            except BaseExceptionGroup as group:
                raise group.exceptions[0] from None


@contextmanager
def _seldom_collecting() -> Generator[None]:
    """Keep the garbage collector from looking again and again through what is still in use.

    What is there already outlives the run, and what thousands of open discussions hold is no
    garbage either: with the usual thresholds the search for cycles holds them all up at a time.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def _feed(plan: Iterable[Staging] | AsyncIterable[Staging]) -> AsyncGenerator[Staging]:
    if isinstance(plan, AsyncIterable):
        async for staging in plan:
            yield staging
    else:
        for staging in plan:
            yield staging
