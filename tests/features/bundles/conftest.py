"""Fixtures of the tests of bundles."""

from __future__ import annotations

from tests.cli.conftest import played, shell  # noqa: F401
