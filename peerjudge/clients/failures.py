"""Failures of a call that no vendor library has a type for."""

from __future__ import annotations

__all__ = [
    "ClientCancelledError",
    "MalformedReplyError",
    "ProviderFailedError",
    "WorkerLostError",
]


class MalformedReplyError(Exception):
    """The server said it succeeded, but what it sent is no reply: an HTML page, a truncated body."""


class ProviderFailedError(Exception):
    """The server said it succeeded, and sent an error; a router does so when a provider fails it.

    Args:
        message: What the server said.
        status: The status that the error would have had; `None` if it does not say.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status


class ClientCancelledError(Exception):
    """The model client gave up with a cancellation that nobody here asked for."""


class WorkerLostError(ConnectionError):
    """The process that made the call has died; the same call may succeed elsewhere."""
