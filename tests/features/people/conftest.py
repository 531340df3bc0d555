"""Fixtures of the tests of people."""

from __future__ import annotations

from tests.store.conftest import server, url  # noqa: F401
