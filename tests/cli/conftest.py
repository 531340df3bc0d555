import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
        env = self.env | {"TERM": "xterm-256color", "COLUMNS": "200"}
        child = subprocess.Popen(
            [PEERJUDGE, *words], cwd=self.folder, env=env, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # The terminal is gone with the process.
                break
            if not part:
                break
            parts.append(part)
        os.close(ours)
        assert child.wait(60) == 0
        return b"".join(parts).decode()


@pytest.fixture
def shell(tmp_path, commands):
    """A shell in an empty folder."""
    return Shell(tmp_path, commands)


@pytest.fixture(scope="session")
def played(tmp_path_factory, commands):
    """A shell in a folder where `study` is a small run."""
    shell = Shell(tmp_path_factory.mktemp("played"), commands)
    outcome = shell("run", "quickstart", "--limit", "6", "--out", "study", "--display", "none")
    assert outcome.code == 0, outcome.err
    return shell
