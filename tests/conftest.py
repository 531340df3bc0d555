"""Settings of all tests (repeated examples, fresh logs, golden files), and the command line."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys

# As the command line does; read when numpy is imported, which hypothesis does not do.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import settings

# Equal examples in every run: a failure then belongs to the change at hand. `make explore` draws new ones.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("repeatable")

# Modules and tests by the ten thousand are no garbage: without this, a third of the time of collecting
# the tests is spent searching them.
gc.set_threshold(25_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files."""
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite golden files instead of comparing"
    )


def pytest_collection_finish() -> None:
    """Spare collections of garbage what lives as long as the process."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def verdicts():
    """Specs of published datasets without texts, which every clone has; see `tests/published`."""
    folder = Path(__file__).parent / "published"
    return lambda name: f"{folder / 'verdicts.py'}:{folder / name}.jsonl.gz"


@pytest.fixture(autouse=True)
def fresh_logs():
    """Undo the configuration of logs by commands, which belongs to the process."""
    yield
    structlog.reset_defaults()


@dataclass(frozen=True)
class Outcome:
    """Exit code, stdout and stderr of a command; the code of a killed one is minus the signal."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class CommandServer:
    """Command line whose commands run one at a time, each in a process that can be killed.

    The processes are forks of one that imports everything once; see `command_server.py`. Python's
    warnings of unclosed resources are on.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._runs = 0
        self._process = subprocess.Popen(
            [sys.executable, "-W", "default", str(Path(__file__).with_name("command_server.py"))],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process with threads must not fork
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self,
        folder: Path,
        *words: str,
        program: str | None = None,
        env: dict[str, str] | None = None,
        out: Path | None = None,
        err: Path | None = None,
    ) -> int:
        """Start a command, or a program, in a folder and return its process id.

        Its output is appended to files, by default to `stdout` and `stderr` in the folder.
        """
        assert self._process.stdin
        request = {
            "folder": str(folder),
            "words": None if program is not None else words,
            "program": program,
            "env": env,
            "out": str(out or folder / "stdout"),
            "err": str(err or folder / "stderr"),
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._read()

    def code(self) -> int:
        """Return the exit code of the started command, once it has ended."""
        return self._read()

    def run(
        self,
        folder: Path,
        *words: str,
        program: str | None = None,
        env: dict[str, str] | None = None,
        out: Path | None = None,
    ) -> Outcome:
        """Run a command, or a program, in a folder to its end; its stdout can go to a device."""
        self._runs += 1
        told, err = (self._scratch / f"{self._runs}.{name}" for name in ("out", "err"))
        self.start(folder, *words, program=program, env=env, out=out or told, err=err)
        code = self.code()
        return Outcome(code, "" if out else told.read_text("utf-8"), err.read_text("utf-8"))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _read(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """The command line."""
    server = CommandServer(tmp_path_factory.mktemp("commands"))
    yield server
    server.close()
