"""The command line: parses, calls the rooms below, prints, and turns mistakes into sentences."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from peerjudge.cli.interrupted import INTERRUPTED, at_once, exit_code
from peerjudge.errors import PeerJudgeError

__all__ = ["build_app", "main"]

# Every command lives in a module of its own that is imported only when it is called.
_COMMANDS = (
    ("run", "Play an experiment, or go on with one that was stopped."),
    ("plan", "Simulate an experiment before paying for it: power, size and cost."),
    ("rank", "Rank the contestants and weigh the reviewers of a run or a dataset."),
    ("agreement", "How well reviewers agree with gold, alone and as a panel."),
    ("score", "How right reviewers are against gold, by subset, category or labeler."),
    ("compare", "Whether one condition or reviewer beats another on the same questions."),
    ("bias", "What sways reviewers besides the answers: place, author, length."),
    ("events", "Who altered and who held its opinion, event by event."),
    ("report", "Write the self-contained HTML report of a run, or of a dataset's reviews."),
    ("export", "Write the discussions of a run in forms that other tools read."),
    ("list", "List what is on a shelf."),
    ("check", "Load everything on the shelves without calling a model."),
    ("download", "Fetch a published dataset and verify it."),
)


def build_app() -> App:
    """The command line as a cyclopts application."""
    from peerjudge import __version__

    app = App(
        name="peerjudge",
        help="Peer-discussion experiments with language-model reviewers.",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, summary in _COMMANDS:
        app.command(f"peerjudge.cli.{name}_command:{name}_command", name=name, help=summary)
    return app


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command; exit with 0, 1 (some failed), 2 (a mistake), 3 (a limit), 130 or 143 (stopped)."""
    # Small matrices are multiplied many times here: threads for each of them cost more than they save,
    # and several times as much where other programs want the cores. Read when numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tokens = list(sys.argv[1:] if argv is None else argv)
    try:
        with at_once():
            code = build_app()(tokens, exit_on_error=False, print_error=True)
    except CycloptsError:
        # It has said what is wrong with the command already.
        sys.exit(2)
    except PeerJudgeError as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as interrupt:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(exit_code(interrupt))
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to tell it.
        sys.stderr.close()
        sys.exit(141)
    sys.exit(code if isinstance(code, int) else 0)
