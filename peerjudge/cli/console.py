"""Output: results to stdout, progress and logs to stderr."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from peerjudge.cli.output import unmarked
from peerjudge.errors import PeerJudgeError, StoreError
from peerjudge.marks import escape_controls
from peerjudge.results.overwriting import require_free, require_free_figures
from peerjudge.results.plain import make_plain

if TYPE_CHECKING:
    from peerjudge.cli.terminal import Terminal
    from peerjudge.reporting.figures import Figure
    from peerjudge.runs import Observer

Display: TypeAlias = Literal["rich", "plain", "none"]
LogForm: TypeAlias = Literal["text", "json"]


def results() -> Terminal:
    """Return the console for results; without a terminal it is wide, so that tables do not wrap."""
    from peerjudge.cli.terminal import Terminal

    return Terminal(sys.stdout, width=None if sys.stdout.isatty() else 120)


def status() -> Terminal:
    """Return the console for everything else."""
    from peerjudge.cli.terminal import Terminal

    return Terminal(sys.stderr)


def print_status(sentence: str) -> None:
    """Print a sentence to stderr."""
    print(sentence, file=sys.stderr)


def log_status(sentence: str, *, level: int = logging.WARNING) -> None:
    """Write a sentence as a log event."""
    import structlog

    structlog.get_logger().log(level, sentence)


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


def print_json(document: object) -> None:
    """Print one JSON document; NaN and infinity become null."""
    print(json_text(document))


def json_text(document: object) -> str:
    """Return the document as one line of JSON, with control characters as escapes."""
    return escape_controls(json.dumps(make_plain(document), ensure_ascii=False, allow_nan=False))


def report_interruption() -> int:
    """Say that an interrupted computation saved nothing, and return the exit code of Ctrl-C."""
    print_status("Interrupted. Nothing is saved; run the same command to start again.")
    return 130


def save_document(
    document: Mapping[str, object],
    figures: Mapping[str, Figure],
    folder: Path,
    *,
    name: str,
    force: bool,
    own: bytes | None = None,
) -> str:
    """Write the document as `name`, and the figures as SVG, PNG and PDF, into the folder.

    Returns a sentence that lists the files. The figures say that they are simulated.

    Args:
        document: Plain values.
        figures: Figures by name.
        folder: Folder of the files.
        name: Name of the document's file.
        force: Replace files that are no earlier output.
        own: Bytes near the beginning of an earlier document.

    Raises:
        StoreError: A file exists and is no earlier output, or the folder cannot be written.
    """
    from peerjudge.reporting.plotting import save_figures

    path = folder / name
    require_free(path, source="", force=force, own=own, option="--out")
    names = [figure.id for figure in figures.values()]
    require_free_figures(names, folder, source="", force=force, option="--out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(document) + "\n", encoding="utf-8")
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause
    saved = save_figures(figures, folder, simulated=True)
    return f"saved in {folder}: {', '.join(file.name for file in (path, *saved))}"


def configure_logging(*, level: str, form: LogForm) -> None:
    """Write log events of this level and above to stderr, one line each.

    Raises `PeerJudgeError` for an unknown level.
    """
    import structlog

    from peerjudge.logs import RepeatFilter, render_lines

    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        msg = f"unknown log level {level!r}; choose one of debug, info, warning, error, critical"
        raise PeerJudgeError(msg)
    as_json = form == "json"
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *([] if as_json or number < logging.WARNING else [RepeatFilter()]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *(
                [structlog.processors.JSONRenderer(serializer=_log_json)]
                if as_json
                else render_lines(colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # Look up stderr for each event: a live display replaces it.
        logger_factory=lambda *_: structlog.PrintLogger(file=unmarked(sys.stderr)),
        cache_logger_on_first_use=False,
    )


def _log_json(event: object, **_: object) -> str:
    return escape_controls(json.dumps(event, ensure_ascii=False, default=repr))
