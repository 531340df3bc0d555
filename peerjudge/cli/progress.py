"""Progress of a run on stderr: a bar, plain lines, or nothing."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from peerjudge.cli.console import Display, LogForm, log_status, print_status, status

if TYPE_CHECKING:
    from peerjudge.runs import Observer


@contextmanager
def show_progress(display: Display, *, logs: LogForm) -> Generator[Observer | None]:
    """Open an observer that shows progress during the block; `None` for no display.

    With JSON logs, lines of progress are log events of level `info`.
    """
    if display == "none":
        yield None
        return
    from peerjudge.runs.progress import Bar, Lines

    if display == "plain" or not sys.stderr.isatty():
        as_event = partial(log_status, level=logging.INFO)
        yield Lines(as_event if logs == "json" else print_status)
        return
    bar = Bar(status())
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def count_texts(
    display: Display, *, logs: LogForm, total: int
) -> Generator[Callable[[object], None]]:
    """Open a counter of texts, which shows every new one during the block."""
    if display == "none":
        yield lambda _: None
        return
    say = partial(log_status, level=logging.INFO) if logs == "json" else print_status
    from peerjudge.runs.progress import TextCounter

    yield TextCounter(say, total=total).count
