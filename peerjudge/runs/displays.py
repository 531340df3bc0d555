"""Displays of the progress of a run for users of Python: a bar in a terminal, or in a notebook.

rich and tqdm show nothing in a notebook without ipywidgets, and their widgets are lost when the notebook
is published; a display with HTML and text needs the kernel only, and its last state is saved.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from html import escape
from typing import Protocol, cast

from peerjudge.errors import ExperimentError
from peerjudge.marks import mark_page_controls
from peerjudge.runs.progress import Bar, Counting, Lines, Observer

_SECONDS_BETWEEN_UPDATES = 0.25


class _Handle(Protocol):
    def display(self, obj: object) -> None: ...
    def update(self, obj: object) -> None: ...


class NotebookBar(Counting):
    """An observer that shows a bar, counts, tokens, cost, failures and the time left."""

    def __init__(self) -> None:
        super().__init__()
        self._description = ""
        self._handle: _Handle | None = None
        self._next_update = 0.0
        self._closed = False

    def start(self, description: str) -> None:
        """Display the description and an empty bar."""
        from IPython.display import DisplayHandle

        self._description = mark_page_controls(description)
        self._handle = cast("_Handle", DisplayHandle())
        self._handle.display(self)

    def show(self) -> None:
        """Update the display, a few times a second."""
        now = time.monotonic()
        if self._handle is not None and now >= self._next_update:
            self._next_update = now + _SECONDS_BETWEEN_UPDATES
            self._handle.update(self)

    def close(self) -> None:
        """Show the last counts."""
        self._next_update, self._closed, self._open = 0.0, True, 0
        self.show()

    def __repr__(self) -> str:
        return "\n".join((self._description, *self._lines()))

    def _repr_html_(self) -> str:
        counts, *accuracy = self._lines()
        return (
            f"<div>{escape(self._description)}</div>"
            f'<div><progress value="{self.done}" max="{self.total}"></progress> {escape(counts)}</div>'
            + "".join(f"<div>{escape(line)}</div>" for line in accuracy)
        )

    def _lines(self) -> list[str]:
        """Return the line of counts and, while the run goes on, that of accuracy."""
        described = self.describe()
        if self._closed:
            described = described._replace(pace="", left="", accuracy="")
        *parts, accuracy = described
        counts = f"{self.done:,} of {self.total:,} discussions"
        lines = [", ".join(part for part in (counts, *parts) if part)]
        return [*lines, accuracy] if accuracy else lines


@asynccontextmanager
async def observe(
    observer: Observer | None, *, progress: bool | None
) -> AsyncGenerator[Observer | None]:
    """Open the observer that shows the progress of a run, or return that of the caller.

    `progress=None` shows it in a notebook only. Raises `ExperimentError` where it is wanted twice.
    """
    if observer is not None:
        if progress:
            msg = "the observer shows the progress: give progress=True or an observer, not both"
            raise ExperimentError(msg)
        yield observer
        return
    shown = _choose_display(progress=progress)
    try:
        yield shown
    finally:
        if shown is not None:
            shown.close()


def _choose_display(*, progress: bool | None) -> Counting | None:
    if progress is False:
        return None
    if _in_notebook():
        return NotebookBar()
    if progress is None:
        return None
    if not sys.stderr.isatty():
        return Lines(lambda line: print(line, file=sys.stderr))  # noqa: T201  progress that is asked for
    from rich.console import Console

    return Bar(Console(stderr=True))


def _in_notebook() -> bool:
    """Return whether this program is a Jupyter kernel, which can update what it has displayed."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
