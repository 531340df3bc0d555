import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")


@dataclass
class Outcome:
    """Exit code, stdout and stderr of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self):
        """The one JSON document on stdout."""
        return json.loads(self.out)


class Shell:
    """Runs commands in its own folder, without API keys in the environment."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}

    def __call__(self, *words):
        done = subprocess.run(
            [PEERJUDGE, *words],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def start(self, *words):
        """Start a command without waiting for it."""
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


@pytest.fixture
def shell(tmp_path):
    """A shell in an empty folder."""
    return Shell(tmp_path)


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """A shell in a folder where `study` is a small run."""
    shell = Shell(tmp_path_factory.mktemp("played"))
    outcome = shell("run", "quickstart", "--limit", "6", "--out", "study", "--display", "none")
    assert outcome.code == 0, outcome.err
    return shell
