"""Fixtures of the tests of forks."""

from __future__ import annotations

from tests.cli.conftest import played  # noqa: F401
from tests.runs.conftest import kept, small  # noqa: F401
