"""Standard output and error: every text passes here, is marked, and cannot end in a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO, cast

from peerjudge.errors import PeerJudgeError
from peerjudge.marks import mark_controls

__all__ = ["LAYOUT", "OutputClosedError", "OutputError", "guard_output", "unmarked"]

LAYOUT = "\n\t"
"""Controls that stay: line breaks and tabs between texts."""


class OutputError(PeerJudgeError):
    """Standard output cannot be written, for example because its disk is full."""


class OutputClosedError(OutputError):
    """The reader of standard output has closed it, as with `| head -1`."""


class _Output:
    """A text stream that marks control and direction characters in everything that is written.

    Colours and cursor movements of this program are written by a `Terminal`, which marks its texts
    itself, to the `unmarked` stream. A failed write raises `OutputError`, or is dropped where the
    stream is not required: a paid run does not end because its progress cannot be shown.
    """

    def __init__(self, stream: TextIO, *, required: bool, marks: bool = True) -> None:
        self._stream = stream
        self._required = required
        self._marks = marks
        self.unmarked = _Output(stream, required=required, marks=False) if marks else self

    def write(self, text: str) -> int:
        shown = mark_controls(text, keep=LAYOUT) if self._marks else text
        try:
            return self._stream.write(shown)
        except OSError as cause:
            self._fail(cause)
            return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as cause:
            self._fail(cause)

    def _fail(self, cause: OSError) -> None:
        # The interpreter flushes both streams once more at its exit, and would fail again.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
        if not self._required:
            return
        if isinstance(cause, BrokenPipeError):
            msg = "standard output was closed before everything was written"
            raise OutputClosedError(msg) from cause
        msg = f"cannot write to standard output: {cause.strerror}; redirect it to another place"
        raise OutputError(msg) from cause

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def unmarked(stream: TextIO) -> TextIO:
    """Return the stream below the marks, for text that is marked already."""
    return cast("TextIO", stream.unmarked) if isinstance(stream, _Output) else stream


@contextmanager
def guard_output() -> Generator[None]:
    """Mark everything that is written to stdout and stderr, and write out stdout at the end.

    Raises:
        OutputError: stdout cannot be written; the rest of the output is dropped.
    """
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", _Output(_open(before[0]), required=True))
    sys.stderr = cast("TextIO", _Output(_open(before[1]), required=False))
    try:
        yield
        sys.stdout.flush()
    finally:
        sys.stdout, sys.stderr = before


def _open(stream: TextIO | None) -> TextIO:
    """Return a stream that can show every text; the null device where there is no stream."""
    if stream is None:  # The descriptor was closed before the start.
        return Path(os.devnull).open("w", encoding="utf-8")
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return cast("TextIO", stream)
