"""Command line: commands, error messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cyclopts import App, CycloptsError, Group, Parameter, UnusedCliTokensError

from peerjudge.cli.console import print_status, results
from peerjudge.cli.interrupts import exit_at_once, exit_code, interrupt_at_once
from peerjudge.cli.output import OutputClosedError, OutputError, guard_output
from peerjudge.errors import PeerJudgeError
from peerjudge.registry import list_features, list_problems

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["build_app", "list_core_commands", "main"]

_CLOSED = 141
"""Exit code where the reader of stdout has closed it: 128 + SIGPIPE."""

_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Play": {
        "run": "Run an experiment, or resume an interrupted run.",
        "merge": "Write several runs as one: other data, seeds or reviewers of an experiment.",
    },
    "Measure": {
        "score": "Accuracy of reviewers against gold, by subset, category or labeler.",
        "compare": "Paired comparison of conditions or reviewers on the same questions.",
        "events": "Opinion changes, event by event.",
        "bias": "Position, self-preference and length bias.",
        "agreement": "Agreement of reviewers with gold, alone and as a panel.",
        "rank": "Rank the contestants and weight the reviewers of a run or dataset.",
    },
    "Look": {
        "report": "Write the HTML report of a run or of recorded reviews.",
    },
    "People and other programs": {},
    "Keep": {
        "doctor": "Name and repair the rows of a store that cannot be read.",
    },
    "Project and data": {
        "init": "Write a project to begin with.",
        "new": "Write a new card, protocol, prompt pack or experiment.",
        "check": "Check the project's shelf files. Loads, and so executes, its Python files.",
        "list": "List agents, protocols, prompts, experiments, datasets, papers or features.",
        "show": "Print an item of a shelf, a discussion, or the prompts of an experiment before it runs.",
        "download": "Download a published dataset and verify it.",
    },
}
"""Commands by the heading under which help lists them, with one sentence each."""

_MODULES: Mapping[str, str] = {
    **dict.fromkeys(_COMMANDS["Play"], "playing"),
    **dict.fromkeys((*_COMMANDS["Measure"], "report"), "analyses"),
    **dict.fromkeys(_COMMANDS["Project and data"], "projects"),
}
"""Modules of commands, which are imported when one is called; others have a module `NAME_command`."""


def build_app(console: Console | None = None, *, described: str = "") -> App:
    """Return the command line as a cyclopts application that prints help to the console.

    The help of the command `described` begins with all that its docstring says, not with one sentence.
    """
    from peerjudge import __version__

    app = App(
        name="peerjudge",
        help="Peer-discussion experiments with language-model reviewers.",
        version=__version__,
        console=console,
        group_commands=Group("Other", sort_key=100),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        # No --no-NAME and --empty-NAME, and no defaults such as None and (), which say nothing.
        default_parameter=Parameter(negative=(), show_default=_show_default),
    )
    groups = {heading: Group(heading, sort_key=at) for at, heading in enumerate(_COMMANDS)}
    for at, (name, (module, heading, about)) in enumerate(_list_commands(described).items()):
        group = groups.setdefault(heading, Group(heading, sort_key=len(groups)))
        place = f"peerjudge.cli.{module}:{name}_command"
        shown = None if name == described else about
        app.command(place, name=name, help=shown, group=group, sort_key=at)
    app.register_install_completion_command(  # pyright: ignore[reportUnknownMemberType]
        help="Install completion of commands and options for bash, zsh or fish."
    )
    return app


def list_core_commands() -> list[str]:
    """Return the names of the commands that are in no feature."""
    return [name for commands in _COMMANDS.values() for name in commands]


def _list_commands(called: str) -> dict[str, tuple[str, str, str]]:
    """Return module, heading and summary of each command by name, those of the core before those of features.

    Other packages are looked for only where the command that is called is not one of ours.
    """
    listed = {
        name: (_MODULES.get(name, f"{name}_command"), heading, about)
        for heading, commands in _COMMANDS.items()
        for name, about in commands.items()
    }
    for foreign in (False, True):
        if called not in listed:
            for feature in list_features(foreign=foreign):
                for name, command in feature.commands.items():
                    listed.setdefault(name, ("additions", command.heading, command.about))
    return listed


def _show_default(value: object) -> str | None:
    """Return a default as it is written in a shell, if it says anything."""
    if value is None or value is False or value in {(), ""}:
        return None
    if isinstance(value, tuple):
        return " ".join(map(str, cast("tuple[object, ...]", value)))
    return "on" if value is True else str(value)


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and exit.

    Exit codes: 0 complete; 1 finished with failed discussions; 2 usage or configuration error;
    3 stopped at a limit or waiting for people or batches; 130 interrupted (SIGINT); 141 stdout closed by its
    reader (SIGPIPE); 143 terminated (SIGTERM).
    """
    # Matrices are small here, so BLAS threads cost more than they save. numpy reads this on import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tokens = list(sys.argv[1:] if argv is None else argv)
    try:
        with guard_output():
            code = _run(tokens)
    except OutputClosedError:
        code = _CLOSED
    except OutputError:
        code = 2
    sys.exit(code)


def _run(tokens: list[str]) -> int:
    """Run one command and return its exit code; errors are sentences on stderr."""
    try:
        with interrupt_at_once():
            # Only help is written to this console; creating it would slow the other commands.
            console = results() if not tokens or {"--help", "-h"} & set(tokens) else None
            app = build_app(console, described=tokens[0] if tokens else "")
            if tokens == ["--help"]:
                for problem in list_problems():
                    print_status(f"warning: {problem}")
            code = app(tokens, exit_on_error=False, print_error=False)
            sys.stdout.flush()
    except OutputClosedError:  # As with `| head`: its reader has what it wants.
        raise
    except OutputError as error:
        print_status(f"error: {error}")
        raise
    except UnusedCliTokensError as error:
        surplus = " ".join(error.unused_tokens or ())
        print_status(
            f"error: unexpected argument {surplus!r}; `peerjudge {tokens[0]} --help` lists the arguments "
            "and options"
        )
        return 2
    except (CycloptsError, PeerJudgeError) as error:
        print_status(f"error: {error}")
        return 2
    except OSError as error:
        if error.filename is None:  # The failure of a connection, not of a file that was named.
            raise
        print_status(f"error: cannot use {error.filename!s:.120}: {error.strerror}")
        return 2
    except KeyboardInterrupt as interrupt:
        exit_at_once(exit_code(interrupt))
    return code if isinstance(code, int) else 0
