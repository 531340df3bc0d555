"""Failures of a call that no vendor library has a type for."""

from __future__ import annotations

__all__ = ["ClientCancelledError", "MalformedReplyError", "WorkerLostError"]


class MalformedReplyError(Exception):
    """The server said it succeeded, but what it sent is no reply: an HTML page, a truncated body."""


class ClientCancelledError(Exception):
    """The model client gave up with a cancellation that nobody here asked for."""


class WorkerLostError(ConnectionError):
    """The process that made the call has died; the same call may succeed elsewhere."""
