import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from math import isclose
from pathlib import Path
from threading import Thread

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "commands"
PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")


class Shell:
    """Runs commands in its own folder, without API keys in the environment."""

    def __init__(self, folder, commands):
        self.folder = folder
        self.env = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
        self._commands = commands

    def __call__(self, *words, out=None):
        """Run a command, whose output goes to a file or device if one is named."""
        return self._commands.run(self.folder, *words, env=self.env, out=out)

    def in_folder(self, folder):
        """Return a shell in another folder."""
        return Shell(folder, self._commands)

    def write(self, path, text):
        """Write a file of the project."""
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")

    def begin(self, *words, **streams):
        """Start a command and return its process id; no other runs before `end` was called."""
        return self._commands.start(self.folder, *words, env=self.env, **streams)

    def end(self):
        """Wait for the command that was begun, and return its exit code and its stderr."""
        code = self._commands.code()
        err = self.folder / "stderr"
        return code, err.read_text("utf-8") if err.exists() else ""

    def start(self, *words):
        """Start a command in an interpreter of its own, without waiting for it."""
        return subprocess.Popen(
            [PEERJUDGE, *words],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # As in a terminal: background processes inherit an ignored SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def in_terminal(self, *words):
        """Return all that a command writes to a terminal."""
        ours, theirs = pty.openpty()
        parts = []

        def read():
            with suppress(OSError):  # The terminal is gone with the last process that has it.
                while part := os.read(ours, 65536):
                    parts.append(part)

        reader = Thread(target=read)
        reader.start()
        terminal = Path(os.ttyname(theirs))
        env = self.env | {"TERM": "xterm-256color", "COLUMNS": "200"}
        self._commands.start(self.folder, *words, env=env, out=terminal, err=terminal)
        code = self._commands.code()
        os.close(theirs)
        reader.join()
        os.close(ours)
        assert code == 0
        return b"".join(parts).decode()


@pytest.fixture
def shell(tmp_path, commands):
    """A shell in an empty folder."""
    return Shell(tmp_path, commands)


@pytest.fixture(scope="module")
def new_shell(tmp_path_factory, commands):
    """Return a function that makes a shell in an empty folder, for the tests of a module."""
    return lambda: Shell(tmp_path_factory.mktemp("shell"), commands)


@pytest.fixture(scope="session")
def played(tmp_path_factory, commands):
    """A shell in a folder where `study` is a small run."""
    shell = Shell(tmp_path_factory.mktemp("played"), commands)
    outcome = shell("run", "quickstart", "--limit", "6", "--out", "study", "--display", "none")
    assert outcome.code == 0, outcome.err
    return shell


def list_differences(found, wanted, place=""):
    """Yield the places where two documents differ by more than the rounding of processors."""
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        for key, value in found.items():
            yield from list_differences(value, wanted[key], f"{place}.{key}")
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from list_differences(one, other, f"{place}[{number}]")
    elif isinstance(found, float) and isinstance(wanted, float):
        if not isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{place}: {found} is not {wanted}"
    elif found != wanted:
        yield f"{place}: {found!r:.80} is not {wanted!r:.80}"


@pytest.fixture(scope="session")
def require_golden(pytestconfig):
    """Return a function that requires a document to be the golden one; it writes that first if wanted."""

    def require(command, document):
        file = GOLDEN / f"{command.replace(' --', '+').replace(' ', '_')}.json"
        if pytestconfig.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
        assert [*list_differences(document, json.loads(file.read_text("utf-8")))] == []

    return require
