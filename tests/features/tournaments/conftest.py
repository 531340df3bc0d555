"""Fixtures of the tests of tournaments."""

from __future__ import annotations

from tests.runs.conftest import kept, model, small  # noqa: F401
