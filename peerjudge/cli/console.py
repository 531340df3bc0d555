"""Where output goes: results to stdout, progress and logs to stderr."""

from __future__ import annotations

import json
import logging
import math
import os
import sys
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from structlog.typing import EventDict

    from peerjudge.data import Dataset

__all__ = [
    "Display",
    "LogForm",
    "configure_logging",
    "json_text",
    "log_sentence",
    "print_json",
    "results",
    "say_if_simulated",
    "say_sentence",
    "status",
]


_FAILED = "turn failed"
_SAME_FAILURES = 10


class Display(StrEnum):
    """How progress is shown on stderr."""

    RICH = "rich"
    PLAIN = "plain"
    NONE = "none"


class LogForm(StrEnum):
    """How log events are written."""

    TEXT = "text"
    JSON = "json"


def results() -> Console:
    """The console for results. Wide when it is not a terminal, so that tables are not folded."""
    from rich.console import Console

    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120, highlight=False)


def status() -> Console:
    """The console for everything that is not a result."""
    from rich.console import Console

    return Console(file=sys.stderr, highlight=False)


def say_sentence(sentence: str) -> None:
    """Print a line for whoever watches."""
    status().print(sentence, soft_wrap=True, markup=False)


def log_sentence(sentence: str, *, level: int = logging.WARNING) -> None:
    """The same for whoever reads logs, where every line is an event."""
    import structlog

    structlog.get_logger().log(level, sentence)


def print_json(document: object) -> None:
    """One JSON document on stdout; NaN is written as null, which JSON has and NaN it has not."""
    print(json_text(document))


def json_text(document: object) -> str:
    """The document as one line of JSON."""
    return json.dumps(_finite(document), ensure_ascii=False, allow_nan=False)


def say_if_simulated(dataset: Dataset) -> None:
    """Print, before any number, that no real model gave the reviews."""
    if dataset.simulated:
        from peerjudge.reporting.formats import SIMULATED

        results().print(SIMULATED, style="bold")


def configure_logging(*, level: str, form: LogForm = LogForm.TEXT) -> None:
    """Send structlog's events to stderr, at this level and above, one line each."""
    import structlog

    number = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    as_json = form is LogForm.JSON
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *([] if as_json or number < logging.WARNING else [_Repeats()]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if as_json
            else structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR")
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # Whatever stderr is at that time: a live display puts lines above itself.
        logger_factory=lambda *_: structlog.PrintLogger(file=sys.stderr),
        cache_logger_on_first_use=False,
    )


class _Repeats:
    """Tells of failures of one kind a few times: a server that is gone fails thousands of turns."""

    def __init__(self) -> None:
        self._told: Counter[tuple[object, ...]] = Counter()

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        """The event, the last of its kind with a remark; raises `DropEvent` for those after it."""
        from structlog import DropEvent

        if event["event"] != _FAILED:
            return event
        kind = (event.get("reviewer"), event.get("kind"))
        self._told[kind] += 1
        if self._told[kind] > _SAME_FAILURES:
            raise DropEvent
        if self._told[kind] == _SAME_FAILURES:
            event["more"] = "not shown but counted; --log-level info shows all"
        return event


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]  # pyright: ignore
    return value
