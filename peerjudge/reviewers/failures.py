"""What can go wrong when a foreign agent, a team or a record is asked to speak."""

from __future__ import annotations

__all__ = [
    "AgentCancelledError",
    "MissingReviewError",
    "NoResponseError",
    "TeamFailedError",
]


class NoResponseError(Exception):
    """An agent or team ended its turn without a message; an empty message would be a reply."""


class AgentCancelledError(Exception):
    """An agent gave up with a cancellation that nobody here asked for."""


class TeamFailedError(Exception):
    """A group chat failed. It reports what failed as text only, and cannot be used again."""


class MissingReviewError(LookupError):
    """The record holds no review for what was asked."""
