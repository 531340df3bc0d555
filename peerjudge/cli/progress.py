"""Shows on stderr how a run goes: a bar, plain lines, or nothing."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from peerjudge.cli.console import Display, LogForm, log_sentence, say_sentence, status
from peerjudge.data import StopReason, Transcript

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from peerjudge.runs import Observer, Prepared

__all__ = ["showing"]

_SECONDS_BETWEEN_LINES = 5.0


class Silent:
    """Shows nothing."""

    def planned(self, prepared: Prepared) -> None:
        """Nothing."""

    def began(self, transcript: Transcript) -> None:
        """Nothing."""

    def ended(self, transcript: Transcript) -> None:
        """Nothing."""

    def skipped(self, count: int) -> None:
        """Nothing."""


class Count:
    """What has been played so far: discussions, and what those that ended have taken."""

    def __init__(self, prepared: Prepared) -> None:
        self.total = len(prepared.plan)
        self.done = self._open = self._failed = self._tokens = self._saved = 0
        self._kept: dict[str, int] = {}
        self._cost = 0.0
        self._known = self._free = True
        self._costs = prepared.costs

    def began(self, transcript: Transcript) -> None:
        """Count a discussion as open; the turns that it has were taken by an earlier run."""
        self._open += 1
        self._kept[transcript.id] = len(transcript.turns)

    def ended(self, transcript: Transcript) -> None:
        """Count a discussion with its turns."""
        self.done += 1
        self._open -= 1
        self._failed += transcript.stop is StopReason.FAILED
        for turn in transcript.turns[self._kept.pop(transcript.id, 0) :]:
            said = turn.utterance
            if said.cached:
                self._saved += 1
                continue
            self._tokens += said.usage.prompt_tokens + said.usage.completion_tokens
            if not said.simulated:
                cost = self._costs.of(transcript.seat(turn.cue.seat).reviewer, said.usage)
                self._free = self._free and cost == 0.0
                self._known = self._known and cost is not None
                self._cost += cost or 0.0

    @property
    def open(self) -> str:
        """How many are under way, if any."""
        return f"{self._open} open" if self._open else ""

    @property
    def failed(self) -> str:
        """How many have failed, if any."""
        return f"{self._failed} failed" if self._failed else ""

    @property
    def taken(self) -> str:
        """Tokens, cost and calls saved, as far as there are any."""
        parts = [f"{self._tokens:,} tokens"] if self._tokens else []
        if not self._free:
            parts.append(f"${self._cost:,.2f}" if self._known else "cost unknown")
        if self._saved:
            parts.append(f"{self._saved:,} calls saved")
        return ", ".join(parts)


class Lines:
    """Says a line every few seconds, for logs and terminals without cursor control."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._tell = say
        self._count: Count | None = None
        self._next_line = 0.0

    def planned(self, prepared: Prepared) -> None:
        """Say what is going to be played."""
        self._count = Count(prepared)
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._tell(_opening(prepared, self._count.total))

    def began(self, transcript: Transcript) -> None:
        """Count it as open."""
        if self._count is not None:
            self._count.began(transcript)

    def ended(self, transcript: Transcript) -> None:
        """Count, and say so from time to time."""
        if self._count is not None:
            self._count.ended(transcript)
            self._say(self._count)

    def skipped(self, count: int) -> None:
        """Count as done what was done before."""
        if self._count is not None:
            self._count.done += count
            self._say(self._count)

    def _say(self, count: Count) -> None:
        now = time.monotonic()
        if count.done == count.total or now >= self._next_line:
            self._next_line = now + _SECONDS_BETWEEN_LINES
            told = [
                f"{count.done} of {count.total} discussions",
                count.open,
                count.failed,
                count.taken,
            ]
            self._tell(", ".join(part for part in told if part))


class Bar:
    """Moves a progress bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._count: Count | None = None

    def planned(self, prepared: Prepared) -> None:
        """Say what is going to be played, and start the bar."""
        self._count = Count(prepared)
        total = self._count.total
        self._progress.console.print(_opening(prepared, total), markup=False)
        self._task = self._progress.add_task(
            "discussions", total=total, open="", failed="", taken=""
        )

    def began(self, transcript: Transcript) -> None:
        """Count it as open."""
        if self._count is not None:
            self._count.began(transcript)
            self.skipped(0)

    def ended(self, transcript: Transcript) -> None:
        """Move on by one."""
        if self._count is not None:
            self._count.ended(transcript)
            self.skipped(1)

    def skipped(self, count: int) -> None:
        """Move on."""
        if self._task is not None and self._count is not None:
            self._progress.update(
                self._task,
                advance=count,
                open=self._count.open,
                failed=self._count.failed,
                taken=self._count.taken,
            )


@contextmanager
def showing(display: Display, *, logs: LogForm = LogForm.TEXT) -> Generator[Observer]:
    """An observer that shows a run in this way while the block lasts.

    Beside logs in JSON, lines are events as well, at the level `info`.
    """
    if display is Display.NONE:
        yield Silent()
    elif display is Display.PLAIN or not sys.stderr.isatty():
        as_event = partial(log_sentence, level=logging.INFO)
        yield Lines(as_event if logs is LogForm.JSON else say_sentence)
    else:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
        from rich.table import Column

        columns = (
            "{task.description}",
            BarColumn(bar_width=16),
            # On a narrow terminal the bar gives way, not the numbers.
            MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=7)),
            TimeRemainingColumn(),
            "{task.fields[open]}",
            "[red]{task.fields[failed]}",
            "{task.fields[taken]}",
        )
        with Progress(*columns, console=status()) as progress:
            yield Bar(progress)


def _opening(prepared: Prepared, total: int) -> str:
    plan = prepared.plan
    return (
        f"{plan.experiment.name}: {_many(len(plan.parts), 'condition')} on "
        f"{_many(len(plan.comparisons), 'comparison')} of {prepared.dataset.name}, "
        f"{_many(total, 'discussion')}"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
