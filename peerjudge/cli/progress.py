"""Shows on stderr how a run goes: a bar, plain lines, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from peerjudge.cli.console import Display, status
from peerjudge.data import StopReason, Transcript

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from peerjudge.experiment import Observer, Prepared

__all__ = ["showing"]

_SECONDS_BETWEEN_LINES = 5.0


class Silent:
    """Shows nothing."""

    def planned(self, prepared: Prepared) -> None:
        """Nothing."""

    def ended(self, transcript: Transcript) -> None:
        """Nothing."""

    def skipped(self, count: int) -> None:
        """Nothing."""


class Lines:
    """Prints a line every few seconds, for logs and terminals without cursor control."""

    def __init__(self) -> None:
        self._total = self._done = self._failed = 0
        self._next_line = 0.0

    def planned(self, prepared: Prepared) -> None:
        """Say what is going to be played."""
        self._total = len(prepared.plan)
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        print(_opening(prepared, self._total), file=sys.stderr)

    def ended(self, transcript: Transcript) -> None:
        """Count, and say so from time to time."""
        self._failed += transcript.stop is StopReason.FAILED
        self._advance(1)

    def skipped(self, count: int) -> None:
        """Count as done what was done before."""
        self._advance(count)

    def _advance(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if self._done == self._total or now >= self._next_line:
            self._next_line = now + _SECONDS_BETWEEN_LINES
            failed = f", {self._failed} failed" if self._failed else ""
            print(f"{self._done} of {self._total} discussions{failed}", file=sys.stderr)


class Bar:
    """Moves a progress bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._failed = 0

    def planned(self, prepared: Prepared) -> None:
        """Say what is going to be played, and start the bar."""
        total = len(prepared.plan)
        self._progress.console.print(_opening(prepared, total))
        self._task = self._progress.add_task("discussions", total=total, failed="")

    def ended(self, transcript: Transcript) -> None:
        """Move on by one."""
        self._failed += transcript.stop is StopReason.FAILED
        self.skipped(1)

    def skipped(self, count: int) -> None:
        """Move on."""
        if self._task is not None:
            failed = f"{self._failed} failed" if self._failed else ""
            self._progress.update(self._task, advance=count, failed=failed)


@contextmanager
def showing(display: Display) -> Generator[Observer]:
    """An observer that shows a run in this way while the block lasts."""
    if display is Display.NONE:
        yield Silent()
    elif display is Display.PLAIN or not sys.stderr.isatty():
        yield Lines()
    else:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            "[red]{task.fields[failed]}",
        )
        with Progress(*columns, console=status()) as progress:
            yield Bar(progress)


def _opening(prepared: Prepared, total: int) -> str:
    plan = prepared.plan
    return (
        f"{plan.experiment.name}: {len(plan.parts)} conditions on {len(plan.comparisons)} "
        f"comparisons of {prepared.dataset.name}, {total} discussions"
    )
