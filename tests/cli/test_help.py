"""The contract of help: it is written for a shell, though functions of Python declare the options."""

import io

import pytest
from rich.console import Console

from peerjudge.cli import build_app, list_core_commands
from peerjudge.cli.analyses import COMMANDS as ANALYSES
from peerjudge.cli.playing import COMMANDS as PLAYING
from peerjudge.registry import list_features


def read_help(command):
    """Return the help of a command on one line."""
    console = Console(file=io.StringIO(), width=120)
    build_app(console, described=command)([command, "--help"])
    return " ".join(console.file.getvalue().replace("│", " ").split())


@pytest.mark.parametrize("command", sorted({**ANALYSES, **PLAYING}))
def test_help_speaks_of_the_shell_only(command):
    """What only Python takes, returned values and calls of functions mean nothing in a shell."""
    text = read_help(command)
    assert "in python" not in text.lower()
    assert "Return" not in text
    assert " call or command" not in text
    assert "[default: (" not in text
    assert "[default: True]" not in text


def list_every_command():
    """Return the commands of the core and of our features."""
    features = [name for one in list_features(foreign=False) for name in one.commands]
    return sorted({*list_core_commands(), *features})


@pytest.mark.parametrize("command", list_every_command())
def test_every_place_that_is_written_is_called_out(command):
    """A file or folder to write is --out, or -o, in each command that writes one it is told of."""
    text = read_help(command)
    assert "--output" not in text
    assert ("--out " in text) == ("--out -o " in text)


def test_help_keeps_the_rest_of_such_a_sentence():
    """The clause on Python ends where the next one begins."""
    text = read_help("rank")
    assert "weights from the reviewers' own scores as contestants. [choices: equal, peer]" in text
    assert "Run, dataset NAME:PATH, or transcripts. A run is a folder" in text
