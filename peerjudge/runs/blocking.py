"""`run` and `load` without `await`, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import ParamSpec, TypeVar

from peerjudge.runs.reading import wait_for
from peerjudge.runs.runner import run
from peerjudge.runs.sources import load

P = ParamSpec("P")
T = TypeVar("T")


def block(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, T]:
    """Return a function that does the same and returns the result instead of a coroutine."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_for(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = f"{work.__name__}_sync"
    return call


run_sync = block(run)
"""`run`, which returns its summary; it also works where an event loop runs, as in a notebook.

    >>> summary = pj.run_sync("quickstart", limit=4)
    >>> pj.score(summary).df
"""

load_sync = block(load)
"""`load`, which returns the transcripts; it also works where an event loop runs."""
