"""What the stage asks of others: somebody who speaks, and a place where turns are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from peerjudge.data import PromptPack, Request, Transcript, Turn, Utterance
from peerjudge.protocol import DiscussionProtocol

__all__ = ["Journal", "Reviewer", "Staging"]


class Reviewer(Protocol):
    """Whoever speaks from a seat: a model, a person, a record, a simulation.

    One reviewer serves many discussions at the same time and keeps nothing between calls that
    changes what it says: the request holds all that it may know.
    """

    @property
    def name(self) -> str:
        """The name of the card that speaks."""
        ...

    async def speak(self, request: Request) -> Utterance:
        """The reply to one request.

        An exception is final: whatever was worth a retry has been retried. It ends the discussion
        as failed. Cancellation must be let through.
        """
        ...

    async def close(self) -> None:
        """Let go of connections; called once, when nobody will ask again."""
        ...


class Journal(Protocol):
    """Keeps turns so that they outlive the process."""

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Keep this turn; returns only when it would survive a crash.

        `transcript` is the discussion as it was opened: it may hold earlier turns, never later
        ones. The first turn kept of a discussion takes back an earlier failure.
        """
        ...

    async def end(self, transcript: Transcript) -> None:
        """Keep how the discussion ended; returns only when that would survive a crash."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """A discussion with all it takes to play it.

    `reviewers` and `roles` (the role prompts) are keyed by seat id; a seat without an entry in
    `roles` has no role prompt.
    """

    transcript: Transcript
    protocol: DiscussionProtocol
    reviewers: Mapping[str, Reviewer]
    pack: PromptPack
    roles: Mapping[str, str]
