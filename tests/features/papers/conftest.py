"""Fixtures of the tests of papers."""

from __future__ import annotations

from tests.cli.conftest import played, shell  # noqa: F401
