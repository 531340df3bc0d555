"""Digest of the request that the running task makes, which names it in a batch."""

from __future__ import annotations

from contextvars import ContextVar

request_key: ContextVar[str | None] = ContextVar("peerjudge_request_key", default=None)
