"""Fixtures of the tests of exchange."""

from __future__ import annotations

from tests.cli.conftest import new_shell, shell  # noqa: F401
from tests.datasets.conftest import write  # noqa: F401
