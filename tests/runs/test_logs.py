"""Logs and progress of programs that use the package from Python."""

import subprocess
import sys

import pytest

from peerjudge.errors import ExperimentError
from peerjudge.runs import run

from .observers import Quiet

LOG = "from peerjudge.logs import get_logger; log = get_logger(); "
STANDARD = "import logging; logging.basicConfig(level={level}, format='%(name)s %(message)s'); "
STRUCTLOG = (
    "import sys, structlog; structlog.configure(logger_factory=structlog.PrintLoggerFactory("
    "sys.stderr), processors=[structlog.processors.JSONRenderer()]); "
)
RUN = "import peerjudge as pj; pj.run_sync('leader_follower', limit=2, out='study'{progress})"


@pytest.fixture
def program(tmp_path):
    """Return a function that runs a program and returns its stdout and stderr."""

    def execute(code: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout, done.stderr

    return execute


def test_a_program_without_logging_gets_warnings_on_stderr(program):
    """A warning is one plain line, its control characters are marked, and info is not shown."""
    out, err = program(
        LOG + "log.info('all is well'); log.warning('limited', by='\\x1b[31mserver')"
    )
    assert out == ""
    assert err.split() == ["limited", "by=\u241b[31mserver"]


def test_a_program_sets_the_level_by_the_standard_library(program):
    """`logging` of the program has the events of the logger `peerjudge`, turns at level debug."""
    out, err = program(STANDARD.format(level="logging.INFO") + LOG + "log.info('rate limited')")
    assert (out, err.split()) == ("", ["peerjudge", "rate", "limited"])
    out, err = program(STANDARD.format(level="15") + LOG + "log.debug('turn'); log.info('limited')")
    assert (out, err.split()) == ("", ["peerjudge", "limited"])
    out, err = program(STANDARD.format(level="logging.DEBUG") + RUN.format(progress=""))
    assert out == ""
    assert "peerjudge turn" in err
    assert "peerjudge discussion ended" in err


def test_a_program_that_configures_structlog_has_the_events_there(program):
    """An application with structured logs has those of the package in the same form."""
    out, err = program(STRUCTLOG + LOG + "log.warning('limited', calls=3)")
    assert (out, err) == ("", '{"calls": 3, "event": "limited"}\n')


@pytest.mark.slow
def test_a_script_shows_progress_if_asked(program):
    """A script is silent unless it asks for progress, which goes to stderr."""
    assert program(RUN.format(progress="")) == ("", "")
    out, err = program(RUN.format(progress=", progress=True"))
    assert out == ""
    assert "discussions" in err.splitlines()[0]
    assert "\x1b" not in err


async def test_progress_is_shown_once(tmp_path):
    """An observer shows progress itself, so a display beside it is refused."""
    with pytest.raises(ExperimentError, match="not both"):
        await run("leader_follower", limit=1, out=tmp_path, progress=True, observer=Quiet())
