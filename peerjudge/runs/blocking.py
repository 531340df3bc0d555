"""Asynchronous work without `await`, for scripts and notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import wraps
from threading import Event, Thread
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def block(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, T]:
    """Return a function that does the same and returns the result instead of a coroutine."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_for(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = f"{work.__name__}_sync"
    return call


def wait_for(work: Coroutine[object, object, T]) -> T:
    """Return the result of asynchronous work, also where an event loop runs in this thread.

    An interrupt cancels the work and waits until it has ended, so that a run keeps what it paid for.
    """
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[object] | None]] = []
    ended = Event()

    async def watch() -> T:
        loops.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await work

    def run() -> T:
        try:
            return asyncio.run(watch())
        finally:
            ended.set()

    try:
        return run_apart(run)
    except KeyboardInterrupt:
        for loop, task in loops:
            if task is not None and not ended.is_set():
                loop.call_soon_threadsafe(task.cancel)
                ended.wait()
        raise


def run_apart(work: Callable[[], T]) -> T:
    """Return the result of work that needs an event loop of its own.

    In a notebook an event loop already runs in this thread; the work then runs in another thread,
    which an interrupt does not wait for.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    done: Future[T] = Future()

    def fulfil() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001  raised again in the waiting thread
            done.set_exception(error)

    Thread(target=fulfil, daemon=True, name="peerjudge-reading").start()
    return done.result()
