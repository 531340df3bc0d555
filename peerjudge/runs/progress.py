"""Observers of a run: counts of its discussions, shown as a bar in a terminal or as lines."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from peerjudge.analysis.listing import Against, hold_against_gold
from peerjudge.data import StopReason, Transcript
from peerjudge.marks import mark_controls
from peerjudge.shown import money

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

    from peerjudge.runs.resolve import Prepared
    from peerjudge.runs.results import RunCounts

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_ACCURACIES = 60.0
_SECONDS_BETWEEN_UPDATES = 0.1
_WINDOW = 30.0
"""Seconds of the recent past over which calls per second are counted."""
_MOST_CONDITIONS = 8
"""Conditions whose accuracy so far is shown: more do not fit a screen."""
_MINUTE, _HOUR = 60.0, 3600.0


class Observer(Protocol):
    """Receiver of progress events; a subclass need not handle all of them."""

    def planned(self, prepared: Prepared, counts: RunCounts) -> None:
        """Handle the start of the run; `counts` change while it runs."""

    def began(self, transcript: Transcript) -> None:
        """Handle the start of a discussion; the transcript holds the turns of earlier runs."""

    def ended(self, transcript: Transcript) -> None:
        """Handle the end of a discussion, or that it waits for a person; its `stop` then is `None`."""

    def skipped(self, count: int) -> None:
        """Handle discussions that were complete before this run."""


class TextCounter:
    """Counter of new texts, of all with those from before, which prints a line every few seconds."""

    def __init__(self, say: Callable[[str], None], *, total: int) -> None:
        self._say = say
        self._total = total
        self._new = 0
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES

    def count(self, _: object) -> None:
        """Count a text, and print the count if the last line is old."""
        self._new += 1
        now = time.monotonic()
        if now >= self._next_line or self._new == self._total:
            self._next_line = now + _SECONDS_BETWEEN_LINES
            self._say(f"{self._new:,} new answers of {self._total:,}")


class Described(NamedTuple):
    """Counts of a run in words; empty where there is nothing to say.

    `accuracy` is that of the conclusions of this run so far, by condition, where gold is known. It is
    a glance, not a result: the discussions that end first are the short ones.
    """

    open: str
    failed: str
    pace: str
    spent: str
    left: str
    accuracy: str


@dataclass(slots=True)
class _Tally:
    right: int = 0
    decided: int = 0


class Counting(ABC):
    """An observer that counts discussions, and calls `show` after each event."""

    def __init__(self) -> None:
        self.total = self.done = self._open = self._failed = 0
        self._waiting: set[str] = set()
        self._counts: RunCounts | None = None
        self._before = 0
        self._started = 0.0
        self._paid: deque[tuple[float, int]] = deque()
        self._tallies: dict[str, _Tally] = {}

    def planned(self, prepared: Prepared, counts: RunCounts) -> None:
        """Show the size of the run; an observer of an earlier run counts from 0 again."""
        Counting.__init__(self)
        self.total = len(prepared.plan)
        self._counts = counts
        self._tallies = {part.condition.name: _Tally() for part in prepared.plan.parts}
        self._started = time.monotonic()
        self.start(_describe(prepared, self.total))

    def began(self, transcript: Transcript) -> None:
        """Count a discussion as open."""
        self._open += 1
        self._waiting.discard(transcript.id)
        self.show()

    def ended(self, transcript: Transcript) -> None:
        """Count a discussion as complete, failed or waiting for a person."""
        self.done += transcript.stop is not None
        if transcript.stop is None:
            self._waiting.add(transcript.id)
        self._open -= 1
        self._failed += transcript.stop is StopReason.FAILED
        against = hold_against_gold(transcript)
        if against in {Against.RIGHT, Against.WRONG}:
            tally = self._tallies[transcript.condition]
            tally.right += against is Against.RIGHT
            tally.decided += 1
        self.show()

    def skipped(self, count: int) -> None:
        """Count discussions that were complete before."""
        self.done += count
        self._before += count
        self.show()

    def take(self, *, done: int, before: int, active: int, failed: int) -> None:
        """Show counts that other processes made, which play parts of the run.

        Args:
            done: Discussions that have ended, those complete before included.
            before: Discussions that were complete before.
            active: Open discussions.
            failed: Discussions that failed.
        """
        self.done, self._before, self._open, self._failed = done, before, active, failed
        self.show()

    def note(self, sentence: str) -> None:  # noqa: B027  a display in a page has no place for it
        """Show a sentence before the run begins."""

    @abstractmethod
    def start(self, description: str) -> None:
        """Show the description of the run."""

    @abstractmethod
    def show(self) -> None:
        """Show the counts."""

    def close(self) -> None:  # noqa: B027  most displays have nothing to end
        """Show the last counts: the run has ended."""

    def describe(self) -> Described:
        """Return the counts in words."""
        spent: list[str] = []
        if (counts := self._counts) is not None:
            spent += [f"{counts.tokens:,} tokens"] if counts.tokens else []
            if counts.cost or not counts.cost_known:
                spent.append(money(counts.cost) if counts.cost_known else "cost unknown")
            cached = counts.calls.cached
            spent += [f"{cached:,} cached calls"] if cached else []
        return Described(
            open=", ".join(
                f"{count} {state}"
                for count, state in (
                    (self._open, "open"),
                    (len(self._waiting), "waiting for people"),
                )
                if count
            ),
            failed=f"{self._failed} failed" if self._failed else "",
            pace=self._describe_pace(),
            spent=", ".join(spent),
            left=self._describe_time_left(),
            accuracy=self._describe_accuracy(),
        )

    def _describe_pace(self) -> str:
        """Return paid calls per second of the last half minute; empty before there are any."""
        if self._counts is None:
            return ""
        now, paid = time.monotonic(), self._counts.calls.paid
        self._paid.append((now, paid))
        while len(self._paid) > 1 and self._paid[0][0] < now - _WINDOW:
            self._paid.popleft()
        since, before = self._paid[0]
        if paid == before or now == since:
            return ""
        pace = (paid - before) / (now - since)
        return f"{pace:.2g} calls/s" if pace < 10 else f"{pace:,.0f} calls/s"

    def _describe_time_left(self) -> str:
        """Return the time left at the pace of this run; empty without one."""
        ended, left = self.done - self._before, self.total - self.done
        if not (ended and left > 0):
            return ""
        seconds = (time.monotonic() - self._started) / ended * left
        if seconds < _MINUTE:
            return f"about {seconds:.0f} s left"
        if seconds < 2 * _HOUR:
            return f"about {seconds / _MINUTE:.0f} min left"
        return f"about {seconds / _HOUR:.0f} h left"

    def _describe_accuracy(self) -> str:
        decided = [(name, tally) for name, tally in self._tallies.items() if tally.decided]
        if not decided:
            return ""
        # The first ones are shown all the time, so that a line can be compared with the one before.
        shares = [
            f"{name} {100 * tally.right / tally.decided:.0f} % of {tally.decided:,}"
            for name, tally in decided[:_MOST_CONDITIONS]
        ]
        if more := len(decided) - len(shares):
            shares.append(f"{more} more")
        when = "since resuming" if self._before else "so far"
        return mark_controls(f"accuracy {when}: {'; '.join(shares)}")


class Lines(Counting):
    """An observer that prints a line every few seconds, for logs and simple terminals."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say
        self._next_line = self._next_accuracy = 0.0

    def note(self, sentence: str) -> None:
        """Print a sentence."""
        self._say(sentence)

    def start(self, description: str) -> None:
        """Print the description of the run."""
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._next_accuracy = time.monotonic() + _SECONDS_BETWEEN_ACCURACIES
        self._say(description)

    def show(self) -> None:
        """Print the counts if the last line is old or the run is complete, now and then the accuracy."""
        now = time.monotonic()
        if self.done == self.total or now >= self._next_line:
            self._next_line = now + _SECONDS_BETWEEN_LINES
            *parts, accuracy = self.describe()
            counts = f"{self.done} of {self.total} discussions"
            self._say(", ".join(part for part in (counts, *parts) if part))
            if accuracy and now >= self._next_accuracy:
                self._next_accuracy = now + _SECONDS_BETWEEN_ACCURACIES
                self._say(accuracy)


class Bar(Counting):
    """An observer that moves a progress bar in a terminal, until it is closed.

    The accuracy so far is below the bar while the run goes on.
    """

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._accuracy = ""
        self._next_update = 0.0

    def note(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        self._console.print(sentence, markup=False)

    def start(self, description: str) -> None:
        """Print the description of the run and add the bar."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.table import Column
        from rich.text import Text

        bar = self

        class BarAndAccuracy(Progress):
            def get_renderables(self) -> Iterable[RenderableType]:
                yield from super().get_renderables()
                if bar._accuracy:
                    yield Text(bar._accuracy, style="dim")

        self._console.print(description, markup=False)
        self._progress = BarAndAccuracy(
            "{task.description}",
            BarColumn(bar_width=16),
            # On a narrow terminal the bar shrinks, not the numbers.
            MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=7)),
            "{task.fields[left]}",
            "{task.fields[open]}",
            TextColumn("{task.fields[failed]}", style="red", markup=False),
            "{task.fields[pace]}",
            "{task.fields[spent]}",
            console=self._console,
        )
        self._progress.start()
        self._task = self._progress.add_task(
            "discussions", total=self.total, left="", open="", failed="", pace="", spent=""
        )

    def show(self) -> None:
        """Update the bar, a few times a second and at the end."""
        now = time.monotonic()
        if self._progress is None or self._task is None:
            return
        if self.done == self.total or now >= self._next_update:
            self._next_update = now + _SECONDS_BETWEEN_UPDATES
            *_, self._accuracy = described = self.describe()
            self._progress.update(
                self._task,
                completed=self.done,
                open=described.open,
                failed=described.failed,
                pace=described.pace,
                spent=described.spent,
                left=described.left,
            )

    def close(self) -> None:
        """End the display; the bar stays as it is, the accuracy goes: results follow."""
        if self._progress is not None:
            self._accuracy, self._next_update = "", 0.0
            self.show()
            self._accuracy = ""
            self._progress.stop()


def _describe(prepared: Prepared, total: int) -> str:
    plan = prepared.plan
    return (
        f"{plan.experiment.name}: {_count(len(plan.parts), 'condition')} on "
        f"{_count(len(plan.comparisons), 'comparison')} of {prepared.dataset.name}, "
        f"{_count(total, 'discussion')}"
    )


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
